//! Words with an order: those of known lists, and ranges of numbers.

/// Words that have an order, each list from the least on, in small letters.
const ORDERS: [&[&str]; 27] = [
    &["very low", "low", "medium", "high", "very high"],
    &["low", "moderate", "high"],
    &["low", "mid", "high"],
    &["low", "med", "high"],
    &["low", "normal", "high"],
    &["low", "average", "high"],
    &["small", "medium", "large"],
    &["small", "medium", "large", "extra large"],
    &["tiny", "small", "medium", "large", "huge"],
    &["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"],
    &["never", "rarely", "sometimes", "often", "always"],
    &["never", "seldom", "sometimes", "usually", "always"],
    &["never", "monthly", "weekly", "daily"],
    &["none", "mild", "moderate", "severe"],
    &["very bad", "bad", "neutral", "good", "very good"],
    &["terrible", "poor", "fair", "average", "good", "very good", "excellent"],
    &["poor", "fair", "good", "very good", "great", "excellent"],
    &["poor", "average", "good", "excellent"],
    &["fair", "good", "very good", "premium", "ideal"],
    &["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    &["strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"],
    &["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    &["beginner", "intermediate", "advanced", "expert"],
    &["junior", "mid", "senior", "lead"],
    &["bronze", "silver", "gold", "platinum", "diamond"],
    &["young", "middle", "middle-aged", "old"],
    &["first", "second", "third", "fourth", "fifth"],
];

/// Some words in their order, in small letters, if they have one: of a known list, or ranges of what is a `number`.
pub(super) fn order(words: &[&str], number: &dyn Fn(&str) -> Option<f64>) -> Option<Vec<String>> {
    let mut lower: Vec<String> = words.iter().map(|word| word.trim().to_lowercase()).collect();
    lower.sort_unstable();
    lower.dedup();
    if lower.len() < 3 {
        return None;
    }
    let has_all = |order: &&&[&str]| lower.iter().all(|word| order.contains(&&word[..]));
    if let Some(order) = ORDERS.iter().find(has_all) {
        let there = order.iter().filter(|word| lower.iter().any(|other| other == *word));
        return Some(there.map(|word| word.to_string()).collect());
    }
    let ranges: Option<Vec<_>> =
        lower.iter().map(|word| Some((range(word, number)?, word))).collect();
    let mut ranges = ranges?;
    ranges.sort_by(|((a, c), _), ((b, d), _)| a.total_cmp(b).then(c.total_cmp(d)));
    let closed = ranges.iter().filter(|((low, high), _)| low.is_finite() && high.is_finite());
    let apart = ranges.windows(2).all(|pair| pair[0].0.1 <= pair[1].0.0);
    let ordered = apart && closed.count() >= 2;
    ordered.then(|| ranges.into_iter().map(|(_, word)| word.clone()).collect())
}

/// The ends of a range such as `18-25`, `<10`, `65+` or `under 5`.
fn range(word: &str, number: &dyn Fn(&str) -> Option<f64>) -> Option<(f64, f64)> {
    for (start, below) in [
        ("<=", true),
        ("<", true),
        ("under ", true),
        ("up to ", true),
        (">=", false),
        (">", false),
        ("over ", false),
    ] {
        if let Some(rest) = word.strip_prefix(start) {
            let end = number(rest)?;
            return Some(if below { (f64::NEG_INFINITY, end) } else { (end, f64::INFINITY) });
        }
    }
    for end in ["+", " or more", " and over", " and older"] {
        if let Some(rest) = word.strip_suffix(end) {
            return Some((number(rest)?, f64::INFINITY));
        }
    }
    for between in [" to ", "–", "-"] {
        // The sign of a first number is no mark of a range.
        let found = word.char_indices().skip(1).find(|(at, _)| word[*at..].starts_with(between));
        if let Some((at, _)) = found {
            let (low, high) = (number(&word[..at])?, number(&word[at + between.len()..])?);
            return (low < high).then_some((low, high));
        }
    }
    None
}
