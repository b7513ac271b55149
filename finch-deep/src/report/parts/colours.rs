//! Colours of clusters and classes.

/// The colours of `page.css`. The first ten are those of Petroff 2021, "Accessible color sequences for
/// data visualization", which people with colour vision deficiencies can tell apart. The others are
/// each as far as possible, in OKLab, from all before them and from both kinds of paper; more than ten
/// that everybody can tell apart do not exist.
pub(in crate::report) const COLOURS: usize = 20;

/// The number of shades of a colour, the colour itself among them.
pub(in crate::report) const SHADES: usize = 5;

/// A colour of a cluster or a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Colour {
    /// One of [`COLOURS`], or [`Colour::NOISE`]'s.
    pub(in crate::report) hue: usize,
    /// One of [`SHADES`]: 0 is the colour itself, others are for parts of what has it.
    pub(in crate::report) shade: usize,
}

impl Colour {
    /// Grey, for samples in no cluster.
    pub(in crate::report) const NOISE: Self = Self { hue: COLOURS, shade: 0 };

    /// The colour itself of a hue, which counts up in turns.
    pub(in crate::report) fn plain(hue: usize) -> Self {
        Self { hue: hue % COLOURS, shade: 0 }
    }

    /// As CSS.
    pub(in crate::report) fn css(self) -> String {
        let hue = self.hue;
        // Neighbours in the row of shades differ by much.
        let (part, with) = match self.shade % SHADES {
            0 => return format!("var(--c{hue})"),
            1 => (62, "paper"),
            2 => (72, "ink"),
            3 => (80, "paper"),
            _ => (48, "ink"),
        };
        format!("color-mix(in oklab,var(--c{hue}) {part}%,var(--{with}))")
    }
}

/// Chooses a colour for each group that has none in `given`, in `order`.
///
/// Up to twenty groups get twenty colours. With more, colours repeat, as far from each other on the
/// map as can be had by giving each group the colour whose nearest group is farthest away. `places`
/// are where the groups are on the map. Beyond [`CHOSEN`] groups nobody tells colours apart, and they
/// take turns.
pub(in crate::report) fn choose(
    given: &[Option<Colour>],
    places: &[Option<[f64; 2]>],
    order: &[usize],
) -> Vec<Colour> {
    let mut colours = given.to_vec();
    for &group in order.iter().take(CHOSEN) {
        if colours[group].is_some() {
            continue;
        }
        let mut nearest = [f64::INFINITY; COLOURS];
        for (other, colour) in colours.iter().enumerate() {
            if let Some(Colour { hue, .. }) = *colour {
                // Grey is no colour to choose.
                if let Some(nearest) = nearest.get_mut(hue) {
                    *nearest = nearest.min(distance(places[group], places[other]));
                }
            }
        }
        // The first of equally far colours.
        let farthest = (1..COLOURS)
            .fold(0, |best, colour| if nearest[colour] > nearest[best] { colour } else { best });
        colours[group] = Some(Colour::plain(farthest));
    }
    let chosen = colours.into_iter().enumerate();
    chosen.map(|(group, colour)| colour.unwrap_or(Colour::plain(group))).collect()
}

/// The most groups whose colours are chosen by where they are, since each is compared with all.
const CHOSEN: usize = 1_000;

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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn twenty_differ_and_given_ones_stay() {
        let order: Vec<usize> = (0..20).collect();
        let mut given = vec![None; 20];
        given[9] = Some(Colour::plain(0));
        let colours = choose(&given, &[None; 20], &order);
        let mut colours: Vec<usize> = colours.into_iter().map(|colour| colour.hue).collect();
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

    #[test]
    fn shades_differ() {
        let css = (0..COLOURS * SHADES)
            .map(|number| Colour { hue: number / SHADES, shade: number % SHADES }.css());
        assert_eq!(css.collect::<BTreeSet<_>>().len(), COLOURS * SHADES);
    }
}
