//! Latitudes and longitudes as people write them.

/// The degrees of an angle with the letter of a direction: `45°30'15"N`, `45° 30.5′ S`, `W 5,25°`. South and west are
/// negative. Without the sign of degrees a letter may be a unit: 12 N are newtons.
pub(super) fn degrees(word: &str) -> Option<f64> {
    let text = word.trim();
    let directions = ['N', 'S', 'E', 'W', 'n', 's', 'e', 'w'];
    let before = text.starts_with(directions);
    let (letter, rest) = match before {
        true => (text.chars().next()?, &text[1..]),
        false => (
            text.chars().next_back().filter(|last| directions.contains(last))?,
            &text[..text.len() - 1],
        ),
    };
    let most = if matches!(letter, 'N' | 'S' | 'n' | 's') { 90.0 } else { 180.0 };
    let (whole, rest) = rest.split_once(['°', 'º'])?;
    let mut value = number(whole)?;
    let (minutes, seconds) = match rest.split_once(['\'', '′', '’']) {
        None => ("", rest),
        Some((minutes, seconds)) => (minutes, seconds),
    };
    let seconds = seconds.trim().trim_end_matches(['"', '″', '”', '\'', '′', '’']).trim();
    for (part, of_degree) in [(minutes.trim(), 60.0), (seconds, 3600.0)] {
        if !part.is_empty() {
            value += number(part).filter(|part| *part < 60.0)? / of_degree;
        }
    }
    let is_negative = matches!(letter, 'S' | 'W' | 's' | 'w');
    (value <= most).then_some(if is_negative { -value } else { value })
}

/// A number of digits, with a point or a comma before decimals.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    if is_plain { text.replace(',', ".").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_with_a_direction() {
        for (word, expected) in [
            ("45°30'15\"N", Some(45.0 + 30.0 / 60.0 + 15.0 / 3600.0)),
            ("45° 30′ 15″ S", Some(-(45.0 + 30.0 / 60.0 + 15.0 / 3600.0))),
            ("45°30'15''N", Some(45.0 + 30.0 / 60.0 + 15.0 / 3600.0)),
            ("151.2093° E", Some(151.2093)),
            ("W 5,25°", Some(-5.25)),
            ("33º 30.5' s", Some(-(33.0 + 30.5 / 60.0))),
            ("180°W", Some(-180.0)),
            ("91°N", None),
            ("181°E", None),
            ("45°60'N", None),
            ("12 N", None),
            ("20 °C", None),
            ("45°", None),
            ("N", None),
            ("°N", None),
            ("-45°N", None),
            ("45°N 7°E", None),
            ("é°N", None),
            ("", None),
        ] {
            assert_eq!(degrees(word), expected, "{word}");
        }
    }
}
