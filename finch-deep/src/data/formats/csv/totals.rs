//! Words that call a row a sum of others.

/// Words that begin a row of sums, and hardly any sample.
const SUMS: [&str; 26] = [
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
];

/// Words that begin a row of sums at the end of a table, and may be words of its columns.
const LAST: [&str; 14] = [
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
];

/// The ends of the words that sheets call the sum of a group by: `North Total`.
const ENDS: [&str; 4] = [" total", " subtotal", " ergebnis", " summe"];

/// The beginnings of such words: `Subtotal North`.
const BEGINNINGS: [&str; 4] = ["subtotal", "sub-total", "sub total", "zwischensumme"];

/// True of a word that begins a last row of sums.
pub(in crate::data) fn is_total(word: &str) -> bool {
    let word = plain(word);
    SUMS.contains(&&word[..]) || LAST.contains(&&word[..])
}

/// True of a word that calls a row among others a sum.
pub(in crate::data) fn is_sum(word: &str) -> bool {
    let word = plain(word);
    SUMS.contains(&&word[..])
        || ENDS.iter().any(|end| word.ends_with(end))
        || BEGINNINGS.iter().any(|start| word.starts_with(start))
}

/// The rows of sums among some names of rows, if these are few.
pub(in crate::data) fn sums<'n>(
    names: impl Iterator<Item = Option<&'n str>>,
) -> Vec<(usize, String)> {
    let (mut rows, mut found) = (0, Vec::new());
    for (row, name) in names.enumerate() {
        rows += 1;
        let name = name.filter(|name| is_sum(name));
        found.extend(name.map(|name| (row, name.trim().to_string())));
    }
    if 3 * found.len() <= rows { found } else { Vec::new() }
}

fn plain(word: &str) -> String {
    word.to_lowercase().trim_matches([':', '.', ' ']).to_string()
}
