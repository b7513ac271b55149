//! Words of missing values: those that programs write, and further ones of an option.

use super::field::{self, number_of};

/// Words that tell of a missing value among numbers, and may be a category of its own among words.
const TOLD: [&str; 106] = [
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "…",
    "–",
    "—",
    "―",
    "－",
    "*",
    "unknown",
    "missing",
    "n.a.",
    "n.a",
    "na.",
    "nil",
    "n.d.",
    "nd",
    "tbd",
    "undefined",
    "unspecified",
    "not available",
    "not applicable",
    "k.A.",
    "keine Angabe",
    "n/d",
    "no data",
    "#DIV/0!",
    "#VALUE!",
    "#REF!",
    "#NAME?",
    "#NUM!",
    "#NULL!",
    "(blank)",
    "(null)",
    "<null>",
    "\\N",
    "inf",
    "-inf",
    "infinity",
    "unbekannt",
    "inconnu",
    "inconnue",
    "desconocido",
    "desconocida",
    "sconosciuto",
    "desconhecido",
    "onbekend",
    "okänd",
    "ukendt",
    "ukjent",
    "tuntematon",
    "nieznany",
    "nieznane",
    "neznámé",
    "neznámý",
    "ismeretlen",
    "bilinmiyor",
    "неизвестно",
    "невідомо",
    "不明",
    "未知",
    "無回答",
    "brak",
    "brak danych",
    "нет данных",
    "sin datos",
    "sem dados",
    "não informado",
    "geen gegevens",
    "keine Daten",
    "n.v.",
    "n.b.",
    "s/d",
    "**",
    "***",
    "****",
    "#",
    "suppressed",
    "unreliable",
    "confidential",
    "withheld",
    "k. A.",
    "není k dispozici",
    "neuvedeno",
    "chybí",
    "nincs adat",
    "non disponibile",
    "non renseigné",
    "non disponible",
    "no disponible",
    "não disponível",
    "н/д",
    "не указано",
    "bez danych",
    "nie podano",
    "未回答",
    "缺失",
    "暂无",
    "미상",
    // Ends that are open.
    "9999-12-31",
    "31.12.9999",
    "31/12/9999",
    "12/31/9999",
];

/// Further words of missing values. One that is a number stands for all ways to write this number.
#[derive(Clone, Debug, Default)]
pub(in crate::data) struct MissingWords {
    words: Vec<String>,
    /// The numbers among the words.
    numbers: Vec<f64>,
    decimal_comma: bool,
}

impl MissingWords {
    pub(in crate::data) fn new(words: &[String], decimal_comma: bool) -> Self {
        let value = |word: &String| number_of(word.trim().as_bytes(), decimal_comma);
        let numbers = words.iter().filter_map(value).filter(|number| number.is_finite());
        Self { words: words.to_vec(), numbers: numbers.collect(), decimal_comma }
    }

    /// True if there is no further word.
    pub(in crate::data) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// True if numbers have a decimal comma.
    pub(in crate::data) fn has_comma(&self) -> bool {
        self.decimal_comma
    }

    /// True if a field is one of the further words.
    pub(in crate::data) fn has(&self, field: &[u8]) -> bool {
        let is = |word: &String| field.eq_ignore_ascii_case(word.as_bytes());
        self.words.iter().any(is)
            || !self.numbers.is_empty()
                && number_of(field, self.decimal_comma)
                    .is_some_and(|value| self.numbers.contains(&value))
    }

    /// The numbers among the words.
    #[cfg(feature = "parquet")]
    pub(in crate::data) fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// True if a field says that its value is missing.
    pub(in crate::data) fn is_missing(&self, field: &[u8]) -> bool {
        field::is_missing(field) || self.has(field)
    }
}

/// True for a word that tells of a missing value among numbers.
pub(in crate::data) fn is_told(word: &str) -> bool {
    TOLD.iter().any(|told| told.eq_ignore_ascii_case(word))
        || TOLD.contains(&&word.to_lowercase()[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_however_they_are_written() {
        let words = ["-999".to_string(), "x".into(), "1.5".into()];
        let missing = MissingWords::new(&words, false);
        for (field, expected) in [
            ("-999", true),
            ("-999.0", true),
            ("-9.99e2", true),
            ("-999.5", false),
            ("X", true),
            ("1.50", true),
            ("1,5", false),
            ("NA", true),
            ("y", false),
        ] {
            assert_eq!(missing.is_missing(field.as_bytes()), expected, "{field}");
        }
        let missing = MissingWords::new(&["-999".into(), "1,5".into()], true);
        assert!(["-999,0", "1,50"].iter().all(|field| missing.is_missing(field.as_bytes())));
        assert!(!missing.is_missing(b"15"));
    }
}
