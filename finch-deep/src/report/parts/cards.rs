//! Clusters on cards: each with samples that stand for it, and with what sets it apart.

use maud::{Markup, html};

use super::colours::Colour;
use super::figure::swatch;
use super::glossary::term;
use super::image::Image;
use super::text::counted;
use crate::data::Matrix;

/// The most clusters that are seen at once; the rest can be unfolded.
const OPEN: usize = 12;
/// The most clusters that have a card.
pub(in crate::report) const MOST: usize = 60;

/// A cluster.
pub(in crate::report) struct Card {
    /// The number of the cluster among those of the page, by which links find the card.
    pub(in crate::report) cluster: usize,
    pub(in crate::report) name: String,
    pub(in crate::report) colour: Colour,
    /// The number of samples of the cluster, in words.
    pub(in crate::report) size: String,
    /// The samples that stand for it, [`Pictures::faces`] or [`names`].
    pub(in crate::report) faces: Markup,
    /// The features that set it apart.
    pub(in crate::report) features: Vec<Feature>,
    /// Further facts, each in a line.
    pub(in crate::report) notes: Vec<Markup>,
}

/// A feature that sets a cluster apart.
pub(in crate::report) struct Feature {
    pub(in crate::report) name: String,
    /// By how many standard deviations the mean of the cluster is above that of all other samples.
    pub(in crate::report) by: f64,
    /// The two means, in words, where they are known: in the cluster, and of all other samples.
    pub(in crate::report) means: Option<[String; 2]>,
}

/// The cards, the first of them open.
pub(in crate::report) fn cards(cards: &[Card]) -> Markup {
    let (open, folded) = cards.split_at(cards.len().min(OPEN));
    html! {
        div.cards { @for one in open { (card(one)) } }
        @if !folded.is_empty() {
            details {
                summary { (counted(folded.len(), "smaller cluster")) }
                div.cards { @for one in folded { (card(one)) } }
            }
        }
    }
}

fn card(card: &Card) -> Markup {
    html! {
        article.card id=(format!("cluster-{}", card.cluster)) {
            h3 {
                (swatch(&card.colour.css()))
                "Cluster " (card.name)
                small { (card.size) }
            }
            (card.faces)
            @if !card.features.is_empty() { (features(&card.features)) }
            @for note in &card.notes { p.note { (note) } }
        }
    }
}

/// The features as a table: means keep the row of their feature.
fn features(features: &[Feature]) -> Markup {
    let with_means = features.iter().any(|feature| feature.means.is_some());
    html! {
        table.features {
            thead { tr {
                th scope="col" { "feature" }
                @if with_means {
                    th scope="col" { "mean" }
                    th scope="col" { "of others" }
                }
                th scope="col" { "difference" }
            } }
            tbody { @for feature in features { tr {
                th scope="row" { (feature.name) }
                @if with_means {
                    @for mean in feature.means.clone().unwrap_or_default() {
                        // A date is not parted at its hyphens.
                        td { @if mean.contains(' ') { (mean) } @else { span.whole { (mean) } } }
                    }
                }
                td { b { @if feature.by > 0.0 { "+" } @else { "−" } (format!("{:.1} σ", feature.by.abs())) } }
            } } }
        }
    }
}

/// The meaning of features and their figures.
pub(in crate::report) fn about_features() -> Markup {
    html! {
        "Features that set a cluster apart follow: the difference is that of its mean and the mean of all other "
        "samples, in " (term("deviation", "standard deviations (σ)")) "."
    }
}

/// Samples by their names, the first of them in bold.
pub(in crate::report) fn names(names: &[String]) -> Markup {
    html! {
        p.names { @for (place, name) in names.iter().enumerate() {
            @if place == 0 { b { (name) } } @else { ", " (name) }
        } }
    }
}

/// Samples that are images.
pub(in crate::report) struct Pictures<'a, 'm> {
    samples: &'a Matrix<'m>,
    image: Image,
    /// The least and the greatest value of all samples.
    shades: [f64; 2],
}

impl<'a, 'm> Pictures<'a, 'm> {
    /// None where all values are the same.
    pub(in crate::report) fn new(samples: &'a Matrix<'m>, image: Image) -> Option<Self> {
        let [low, high] = samples.bounds();
        (low < high).then_some(Self { samples, image, shades: [low, high] })
    }

    /// The mean of a cluster, its medoid, and others of its samples, by their numbers and names.
    pub(in crate::report) fn faces(&self, mean: &[f64], samples: &[(usize, String)]) -> Markup {
        html! {
            div.faces {
                (self.picture(mean, "mean"))
                @for (place, (sample, name)) in samples.iter().enumerate() {
                    @let what = if place == 0 { format!("medoid, {name}") } else { name.clone() };
                    (self.one(*sample, &what))
                }
            }
        }
    }

    /// A sample, by its number and name.
    pub(in crate::report) fn one(&self, sample: usize, name: &str) -> Markup {
        self.picture(&self.samples.row(sample), name)
    }

    fn picture(&self, values: &[f64], what: &str) -> Markup {
        // A sample that no picture can be made of goes by its name.
        let Ok(uri) = self.image.uri(values, self.shades) else { return html! { (what) } };
        let Image { width, height, .. } = self.image;
        html! { img src=(uri) alt=(what) title=(what) width=(width) height=(height); }
    }
}
