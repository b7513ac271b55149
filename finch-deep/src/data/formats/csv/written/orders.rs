//! Words with an order: those of known lists, and ranges of numbers.

/// Words that have an order, each list from the least on, in small letters.
#[rustfmt::skip]
const ORDERS: &[&[&str]] = &[
    &["very low", "low", "medium", "high", "very high"],
    &["info", "low", "medium", "high", "urgent", "critical"],
    &["low", "moderate", "high"],
    &["low", "mid", "high"],
    &["low", "med", "high"],
    &["low", "normal", "high"],
    &["low", "average", "high"],
    &["low income", "lower middle income", "upper middle income", "high income"],
    &["minor", "moderate", "major", "critical"],
    &["small", "medium", "large"],
    &["small", "medium", "large", "extra large"],
    &["tiny", "small", "medium", "large", "huge"],
    &["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"],
    &["never", "rarely", "sometimes", "often", "always"],
    &["never", "seldom", "sometimes", "usually", "always"],
    &["never", "monthly", "weekly", "daily"],
    &["none", "mild", "moderate", "severe"],
    &["sedentary", "lightly active", "moderately active", "very active"],
    &["underweight", "normal", "overweight", "obese"],
    &["underweight", "normal weight", "overweight", "obese"],
    &["normal", "above normal", "well above normal"],
    &["very bad", "bad", "neutral", "good", "very good"],
    &["terrible", "poor", "fair", "average", "good", "very good", "excellent"],
    &["poor", "fair", "good", "very good", "great", "excellent"],
    &["poor", "average", "good", "excellent"],
    &["fair", "good", "very good", "premium", "ideal"],
    // The clarity of diamonds, and the quality of houses in Ames.
    &["i1", "si2", "si1", "vs2", "vs1", "vvs2", "vvs1", "if"],
    &["po", "fa", "ta", "gd", "ex"],
    &["strongly disagree", "disagree", "neutral", "agree", "strongly agree"],
    &["strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"],
    &["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    &["very unlikely", "unlikely", "neutral", "likely", "very likely"],
    &["not free", "partly free", "free"],
    &["some high school", "high school", "some college", "associate's degree", "bachelor's degree", "master's degree",
        "doctorate"],
    &["beginner", "intermediate", "advanced", "expert"],
    &["junior", "mid", "senior", "lead"],
    &["bronze", "silver", "gold", "platinum", "diamond"],
    &["young", "middle", "middle-aged", "old"],
    &["first", "second", "third", "fourth", "fifth"],
    // German.
    &["sehr gering", "gering", "mittel", "hoch", "sehr hoch"],
    &["sehr niedrig", "niedrig", "mittel", "hoch", "sehr hoch"],
    &["klein", "mittel", "groß", "sehr groß"],
    &["leicht", "mittel", "schwer"],
    &["nie", "selten", "manchmal", "oft", "immer"],
    &["nie", "selten", "gelegentlich", "häufig", "immer"],
    &["sehr schlecht", "schlecht", "mittel", "gut", "sehr gut"],
    &["ungenügend", "mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"],
    &["sehr unzufrieden", "unzufrieden", "neutral", "zufrieden", "sehr zufrieden"],
    &["stimme überhaupt nicht zu", "stimme nicht zu", "neutral", "stimme zu", "stimme voll zu"],
    &["trifft nicht zu", "trifft eher nicht zu", "teils/teils", "trifft eher zu", "trifft zu"],
    // French.
    &["très faible", "faible", "moyen", "élevé", "très élevé"],
    &["faible", "moyenne", "élevée"],
    &["petit", "moyen", "grand"],
    &["jamais", "rarement", "parfois", "souvent", "toujours"],
    &["mauvais", "moyen", "bon", "très bon", "excellent"],
    &["pas du tout d'accord", "plutôt pas d'accord", "plutôt d'accord", "tout à fait d'accord"],
    // Spanish and Portuguese.
    &["muy bajo", "bajo", "medio", "alto", "muy alto"],
    &["muy baja", "baja", "media", "alta", "muy alta"],
    &["pequeño", "mediano", "grande"],
    &["nunca", "rara vez", "a veces", "a menudo", "siempre"],
    &["malo", "regular", "bueno", "muy bueno", "excelente"],
    &["muito baixo", "baixo", "médio", "alto", "muito alto"],
    &["muito baixa", "baixa", "média", "alta", "muito alta"],
    &["pequeno", "médio", "grande"],
    &["nunca", "raramente", "às vezes", "frequentemente", "sempre"],
    &["ruim", "regular", "bom", "ótimo"],
    // Italian.
    &["molto basso", "basso", "medio", "alto", "molto alto"],
    &["molto bassa", "bassa", "media", "alta", "molto alta"],
    &["piccolo", "medio", "grande"],
    &["mai", "raramente", "a volte", "spesso", "sempre"],
    // Dutch, Swedish, Polish, Czech, Russian, Turkish.
    &["laag", "gemiddeld", "hoog"],
    &["nooit", "zelden", "soms", "vaak", "altijd"],
    &["låg", "medel", "hög"],
    &["niski", "średni", "wysoki"],
    &["nízký", "střední", "vysoký"],
    &["низкий", "средний", "высокий"],
    &["düşük", "orta", "yüksek"],
    // Japanese, Chinese, Korean.
    &["低", "中", "高"],
    &["小", "中", "大"],
    &["非常不满意", "不满意", "一般", "满意", "非常满意"],
    &["낮음", "보통", "높음"],
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
        ("below ", true),
        ("less than ", true),
        ("up to ", true),
        (">=", false),
        (">", false),
        ("over ", false),
        ("above ", false),
        ("more than ", false),
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
