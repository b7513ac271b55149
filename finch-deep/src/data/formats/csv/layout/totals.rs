//! Words that call a row a sum of others.

use std::collections::HashSet;

/// Words that begin a row of sums, and hardly any sample.
const SUMS: [&str; 68] = [
    "total",
    "totals",
    "grand total",
    "subtotal",
    "sub total",
    "summe",
    "gesamt",
    "insgesamt",
    "gesamtergebnis",
    "total général",
    "total general",
    "totale",
    "totaal",
    "totalt",
    "razem",
    "celkem",
    "toplam",
    "итого",
    "合計",
    "総計",
    "合计",
    "总计",
    "總計",
    "小計",
    "小计",
    "합계",
    "gesamtsumme",
    "endsumme",
    "sous-total",
    "sous total",
    "somme",
    "suma",
    "suma całkowita",
    "łącznie",
    "ogółem",
    "součet",
    "spolu",
    "genel toplam",
    "ara toplam",
    "подытог",
    "промежуточный итог",
    "всього",
    "разом",
    "összesen",
    "yhteensä",
    "summa",
    "sammanlagt",
    "i alt",
    "ukupno",
    "kokku",
    "kopā",
    "iš viso",
    "σύνολο",
    "σ",
    "σ total",
    "tổng cộng",
    "jumlah",
    "المجموع",
    "الإجمالي",
    "סה\"כ",
    "รวม",
    "somma",
    "soma",
    "total geral",
    "suma total",
    "összeg",
    "сумма",
    "сума",
];

/// Words that begin a row of sums at the end of a table, and may be words of its columns.
const LAST: [&str; 38] = [
    "sum",
    "average",
    "mean",
    "overall",
    "ensemble",
    "всего",
    "all",
    "mittelwert",
    "durchschnitt",
    "moyenne",
    "promedio",
    "průměr",
    "średnia",
    "平均",
    "gemiddelde",
    "medelvärde",
    "gennemsnit",
    "gjennomsnitt",
    "média",
    "ortalama",
    "среднее",
    "середнє",
    "átlag",
    "keskiarvo",
    "μέσος όρος",
    "median",
    "std",
    "std dev",
    "standard deviation",
    "standardabweichung",
    "平均值",
    "平均値",
    "평균",
    "gesamtdurchschnitt",
    "gesamtmittelwert",
    "overall average",
    "class average",
    "moyenne générale",
];

/// Words that begin a row of statistics at the end of a table, beside a further such row.
const STATISTICS: [&str; 41] = [
    "sd",
    "stdev",
    "std. dev",
    "st. dev",
    "std.dev",
    "stddev",
    "se",
    "s.e",
    "sem",
    "standard error",
    "std error",
    "std. error",
    "cv",
    "cv%",
    "cv %",
    "cv (%)",
    "%cv",
    "rsd",
    "%rsd",
    "var",
    "variance",
    "min",
    "max",
    "minimum",
    "maximum",
    "avg",
    "n",
    "count",
    "mode",
    "range",
    "q1",
    "q3",
    "25%",
    "50%",
    "75%",
    "geomean",
    "geometric mean",
    "écart-type",
    "desviación estándar",
    "deviazione standard",
    "standaardafwijking",
];

/// Names of the whole that the other rows are parts of, though not all may be there.
const WHOLES: [&str; 8] =
    ["world", "monde", "mundo", "全国", "全國", "전국", "all countries", "all regions"];

/// The ends of the words that sheets call the sum of a group by: `North Total`.
const ENDS: [&str; 4] = [" total", " subtotal", " ergebnis", " summe"];

/// The beginnings of such words: `Subtotal North`.
const BEGINNINGS: [&str; 9] = [
    "subtotal",
    "sub-total",
    "sub total",
    "zwischensumme",
    "teilsumme",
    "suma częściowa",
    "mezisoučet",
    "részösszeg",
    "промежуточный итог",
];

/// The ends of words for the sum of a group, which is a word of its own in the table: `X toplamı`, `X計`.
const ENDS_OF_GROUPS: [&str; 8] =
    [" összesen", " toplamı", " toplam", "計", "小计", "小計", "合計", "合计"];

/// True of a word that begins a last row of sums.
pub(in crate::data) fn is_total(word: &str) -> bool {
    let word = plain(word);
    SUMS.contains(&&word[..]) || LAST.contains(&&word[..])
}

/// True of a word that begins a row of statistics, of which a table has two and more at its end.
pub(in crate::data) fn is_statistic(word: &str) -> bool {
    let word = plain(word);
    STATISTICS.contains(&&word[..]) || LAST.contains(&&word[..])
}

/// True of a word for an average in Spanish and Italian, which names samples elsewhere: a last row that begins with it
/// and lacks a value is no sample.
pub(in crate::data) fn is_average_beside_gaps(word: &str) -> bool {
    plain(word) == "media"
}

/// True of a word that begins a last row of sums, and may be a word of its column.
pub(in crate::data) fn is_of_column(word: &str) -> bool {
    LAST.contains(&&plain(word)[..])
}

/// True of a word that calls a row a sum, wherever it is.
pub(in crate::data) fn calls_sum(word: &str) -> bool {
    is_total(word) || is_sum(word, &|_| false)
}

/// True of a word that calls a row among others a sum; of `Total Rome` and the like, if the rest names a group.
fn is_sum(word: &str, names_group: &dyn Fn(&str) -> bool) -> bool {
    let word = plain(word);
    let is_group = |rest: Option<&str>| rest.is_some_and(|rest| names_group(rest.trim()));
    SUMS.contains(&&word[..])
        || WHOLES.contains(&&word[..])
        || ENDS.iter().any(|end| word.ends_with(end))
        || BEGINNINGS.iter().any(|start| word.starts_with(start))
        || ENDS_OF_GROUPS.iter().any(|end| is_group(word.strip_suffix(end)))
        || SUMS
            .iter()
            .any(|sum| is_group(word.strip_prefix(sum).filter(|rest| rest.starts_with(' '))))
}

/// The rows of sums among some names of rows, if these are few.
pub(in crate::data) fn sums<'n>(
    names: impl Iterator<Item = Option<&'n str>> + Clone,
) -> Vec<(usize, String)> {
    let named = || names.clone().enumerate().filter_map(|(row, name)| Some((row, name?)));
    let mut found: Vec<_> = named().filter(|(_, name)| is_sum(name, &|_| true)).collect();
    if !found.is_empty() {
        let words: HashSet<String> = named().map(|(_, name)| plain(name)).collect();
        found.retain(|(_, name)| is_sum(name, &|group| words.contains(group)));
    }
    let are_few = 2 * found.len() <= names.count();
    found.retain(|_| are_few);
    found.into_iter().map(|(row, name)| (row, name.trim().to_string())).collect()
}

/// A word without what stands beside it: `Total 2`, `Total:`.
pub(super) fn plain(word: &str) -> String {
    let word = word.to_lowercase();
    let word = word.trim_matches([':', '.', ' ', '=', '*']);
    let unnumbered = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_counted = unnumbered.ends_with(' ');
    if is_counted { unnumbered.trim_end().to_string() } else { word.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_sums_in_many_languages() {
        let is_sum = |word| is_sum(word, &|group| ["rome", "roma"].contains(&group));
        for word in [
            "Total",
            "Total 2",
            "GRAND TOTAL:",
            "Σ",
            "Součet",
            "Łącznie",
            "Genel Toplam",
            "合計",
            "North Total",
            "Total Rome",
            "Roma toplamı",
            "Roma 小计",
            "World",
            "全国",
        ] {
            assert!(is_sum(word), "{word}");
        }
        for word in ["Totally", "Suma Wrestling", "Total Recall", "Total Bari", "Media", "2", ""] {
            assert!(!is_sum(word), "{word}");
        }
        assert!(!is_total("World"));
        assert!(["Среднее", "Std Dev", "All"].iter().all(|word| is_total(word)));
    }
}
