//! Words by which columns of tables are recognised.

/// Words that tick a box, which is empty else.
const TICKS: [&str; 14] =
    ["x", "○", "●", "✓", "✔", "☑", "☒", "*", "y", "yes", "t", "true", "ja", "oui"];

/// True for a word that ticks a box.
pub(super) fn is_tick(word: &str) -> bool {
    TICKS.contains(&&word.to_lowercase()[..])
}

/// True for the missing values of Stata and SAS that say why: `.a` to `.z`, and `._`.
pub(super) fn is_of_stata(word: &str) -> bool {
    matches!(word.as_bytes(), [b'.', b'a'..=b'z' | b'A'..=b'Z' | b'_'])
}

/// Numbers that instruments and grids write for none: the largest of their types, and round ones beyond all measure.
const FILLS: [f64; 16] = [
    32_767.0,
    -32_768.0,
    65_535.0,
    2_147_483_647.0,
    -2_147_483_648.0,
    1e20,
    1e30,
    1e35,
    -1e34,
    -1e30,
    -1e31,
    -9.99e8,
    // Logs of wells.
    -999.25,
    -9999.25,
    // Instruments that have no number, or one beyond their range.
    9.9e37,
    9.91e37,
];

/// True for a number that fills places without a value.
pub(super) fn is_fill(value: f64) -> bool {
    // That of netCDF is 15 · 2¹¹⁹, in the digits of f32; of grids of maps the largest f32, or half of it.
    let in_digits = [9.96e36..9.97e36, 3.402e38..3.403e38, 1.701e38..1.702e38];
    FILLS.contains(&value) || in_digits.iter().any(|fills| fills.contains(&value.abs()))
}

/// True for numbers that stand for missing values where they are far from all others: of three nines and more, also
/// behind the point; of six like digits and more; and -99.
pub(super) fn is_sentinel(value: f64) -> bool {
    let digits: Vec<u8> = value.abs().to_string().bytes().filter(|byte| *byte != b'.').collect();
    let are_alike = digits.iter().all(|digit| *digit == digits[0]);
    let is_long = digits.len() >= 6 || digits.len() >= 3 && digits[0] == b'9';
    value == -99.0 || are_alike && is_long && digits[0] != b'0'
}

/// True if the first two digits of a number are alike, but for zeros before all others, as those of a sentinel are.
pub(super) fn begins_alike(word: &str) -> bool {
    let mut digits = word.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
    let first = digits.next();
    first.is_some() && digits.next() == first
}

/// Names of columns that often hold true classes.
pub(super) const CLASSES: [&str; 16] = [
    "class",
    "classes",
    "label",
    "labels",
    "target",
    "species",
    "y",
    "cluster",
    "group",
    "segment",
    "diagnosis",
    "outcome",
    "survived",
    "churn",
    "variety",
    "cultivar",
];

/// Names of columns that name the samples.
const NAMES: [&str; 12] = [
    "name", "names", "title", "country", "city", "company", "model", "product", "player", "label",
    "gene", "sample",
];

/// Words of the names of ids.
const IDS: [&str; 20] = [
    "id", "ids", "uuid", "guid", "key", "index", "idx", "unnamed", "rowid", "pk", "serial", "row",
    "bib", "hhid", "pid", "mrn", "seqn", "caseno", "idno", "respid",
];

/// Words of the names of ids whose numbers are compared by nothing, also where they repeat.
const KEYS: [&str; 8] = ["id", "ids", "uuid", "guid", "key", "pk", "code", "codes"];

/// Words before `id` within one word, `userid`; not all words that end so are called so: `liquid`.
const BEFORE_ID: [&str; 40] = [
    "account", "app", "article", "author", "book", "case", "channel", "city", "client", "country",
    "customer", "device", "driver", "emp", "employee", "event", "film", "game", "item", "loan",
    "location", "member", "movie", "order", "page", "patient", "player", "post", "product",
    "record", "session", "song", "station", "store", "student", "subject", "track", "user",
    "vehicle", "video",
];

/// Words at the end of the names of ids.
const NUMBERS: [&str; 19] = [
    "no",
    "nr",
    "number",
    "num",
    "code",
    "ref",
    "reference",
    "sku",
    "isbn",
    "ean",
    "phone",
    "telephone",
    "fax",
    "zip",
    "zipcode",
    "postcode",
    "plz",
    "ssn",
    "barcode",
];

/// True if a column is called as one of ids: `customer_id`, `CustomerID`, `order no`.
pub(super) fn is_id(name: &str) -> bool {
    let words = words(name);
    let counts =
        ["of", "count", "total"].iter().any(|word| words.iter().any(|other| other == word));
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let is = |all: &[&str], word: &String| all.contains(&&word[..]);
    // `Artikelnr.`, `Kundennummer`.
    let is_joined = ["nr", "nummer"]
        .iter()
        .any(|end| last.strip_suffix(end).is_some_and(|before| before.len() > 2));
    !counts && (is(&IDS, last) || is(&IDS, first) || is(&NUMBERS, last) || is_joined)
}

/// True if a column is called as one of keys of other tables, which repeat: `CustomerID`, `area_code`, `userid`.
pub(super) fn is_key(name: &str) -> bool {
    let words = words(name);
    let is_within =
        |word: &String| word.strip_suffix("id").is_some_and(|before| BEFORE_ID.contains(&before));
    words.last().is_some_and(|last| KEYS.contains(&&last[..]) || is_within(last))
}

/// True if a column is called as one of names.
pub(super) fn is_name(name: &str) -> bool {
    words(name).iter().any(|word| NAMES.contains(&&word[..]))
}

/// The words of a name, in small letters: of `CustomerID` and `customer_id` the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let begins = character.is_uppercase() && before.is_lowercase();
        if begins || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if character.is_alphanumeric() {
            let last = words.last_mut().expect("there is one");
            last.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_by_their_names() {
        for key in
            ["CustomerID", "userId", "customer_id", "appid", "Area Code", "taxonKey", "StoreID"]
        {
            assert!(is_key(key), "{key}");
        }
        for other in ["liquid", "paid", "covid", "grid", "monkey", "decoded", "row", "number", ""] {
            assert!(!is_key(other), "{other}");
        }
    }

    #[test]
    fn ids_by_their_names() {
        for id in [
            "id",
            "ID",
            "customer_id",
            "CustomerID",
            "PassengerId",
            "Order No",
            "phone",
            "Unnamed: 0",
            "Artikelnr.",
            "Kundennummer",
        ] {
            assert!(is_id(id), "{id}");
        }
        for other in ["idea", "number of rooms", "Number", "paid", "keyboard", "width", "noise", ""]
        {
            assert_eq!(is_id(other), other == "Number", "{other}");
        }
    }
}
