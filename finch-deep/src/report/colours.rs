//! Colours of clusters and classes.

/// The colours of `page.css`. The first ten are those of Petroff 2021, "Accessible color sequences for
/// data visualization", which people with colour vision deficiencies can tell apart. The others are
/// each as far as possible, in OKLab, from all before them and from both kinds of paper; more than ten
/// that everybody can tell apart do not exist.
pub(super) const COLOURS: usize = 20;

/// The CSS of a colour.
pub(super) fn css(colour: usize) -> String {
    format!("var(--c{})", colour % COLOURS)
}

/// Chooses a colour for each group that has none in `given`, in `order`.
///
/// Up to twenty groups get twenty colours. With more, colours repeat, as far from each other on the
/// map as can be had by giving each group the colour whose nearest group is farthest away. `places`
/// are where the groups are on the map.
pub(super) fn choose(
    given: &[Option<usize>],
    places: &[Option<[f64; 2]>],
    order: &[usize],
) -> Vec<usize> {
    let mut colours = given.to_vec();
    for &group in order {
        if colours[group].is_some() {
            continue;
        }
        let mut nearest = [f64::INFINITY; COLOURS];
        for (other, colour) in colours.iter().enumerate() {
            if let Some(colour) = *colour {
                nearest[colour] = nearest[colour].min(distance(places[group], places[other]));
            }
        }
        // The first of equally far colours.
        let farthest = (1..COLOURS)
            .fold(0, |best, colour| if nearest[colour] > nearest[best] { colour } else { best });
        colours[group] = Some(farthest);
    }
    colours
        .into_iter()
        .enumerate()
        .map(|(group, colour)| colour.unwrap_or(group % COLOURS))
        .collect()
}

/// The squared distance of two groups, huge where a group is not on the map: that group takes any
/// colour but a free one.
fn distance(a: Option<[f64; 2]>, b: Option<[f64; 2]>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2),
        _ => f64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_differ_and_given_ones_stay() {
        let order: Vec<usize> = (0..20).collect();
        let mut given = vec![None; 20];
        given[9] = Some(0);
        let mut colours = choose(&given, &[None; 20], &order);
        assert_eq!(colours[9], 0);
        colours.sort_unstable();
        assert_eq!(colours, order);
    }

    #[test]
    fn neighbours_differ() {
        // On a line, each of 65 groups is far from the next of its colour.
        let places: Vec<_> = (0..65).map(|i| Some([f64::from(i), 0.0])).collect();
        let order: Vec<usize> = (0..65).rev().collect();
        let colours = choose(&[None; 65], &places, &order);
        for i in 0..62 {
            assert!(colours[i + 1..i + 4].iter().all(|&c| c != colours[i]), "{colours:?}");
        }
    }
}
