//! The final clusters, each with the samples that stand for it.

use maud::{Markup, html};

use super::figure::swatch;
use super::groups::Groups;
use super::portrait::{Portrait, portraits};
use super::text::{count, counted, percent};
use super::{Input, colours};

/// The most clusters that are seen at once; the rest can be unfolded.
const OPEN: usize = 12;
/// The most clusters that have a portrait.
const MOST: usize = 60;

/// The section, if there are samples to show.
pub(super) fn section(input: &Input<'_>, clusters: &Groups, colours: &[usize]) -> Option<Markup> {
    let mut order = clusters.by_size();
    order.truncate(MOST);
    if order.is_empty() {
        return None;
    }
    let portraits = portraits(&input.samples, input.metric, clusters, &order, input.neighbors);
    let shades = shades(input, clusters.of.len());
    let card = |(&cluster, portrait): (&usize, &Portrait)| {
        html! {
            article.card {
                h3 {
                    (swatch(&colours::css(colours[cluster])))
                    "Cluster " (clusters.names[cluster])
                    small { (counted(clusters.sizes[cluster], "sample")) }
                }
                (faces(input, portrait, shades))
                (features(portrait))
                @if let Some(inside) = portrait.inside {
                    p.inside { (percent(inside)) " % of nearest neighbours are in the cluster, too" }
                }
            }
        }
    };
    let cards: Vec<Markup> = order.iter().zip(&portraits).map(card).collect();
    let (open, folded) = cards.split_at(cards.len().min(OPEN));
    Some(html! {
        section #clusters {
            h2 { "Clusters" }
            (about(input, order.len(), clusters.len()))
            div.cards { @for card in open { (card) } }
            @if !folded.is_empty() {
                details {
                    summary { (counted(folded.len(), "smaller cluster")) }
                    div.cards { @for card in folded { (card) } }
                }
            }
        }
    })
}

/// What the cards show.
fn about(input: &Input<'_>, shown: usize, clusters: usize) -> Markup {
    html! {
        p {
            "The medoid is the sample nearest to all of its cluster; beside it are samples of the "
            "cluster's inner half that differ most. "
            @if input.image.is_some() { "The first picture is the mean, the second the medoid. " }
            "Features set a cluster apart by the difference between its mean and that of all other "
            "samples, in standard deviations (σ)."
            @if shown < clusters { " The " (count(shown)) " largest clusters are shown." }
        }
    }
}

/// The least and the greatest value of all samples, if they are images.
fn shades(input: &Input<'_>, samples: usize) -> Option<[f64; 2]> {
    input.image?;
    let bounds = (0..samples)
        .flat_map(|sample| input.samples.row(sample))
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(value), high.max(value)]
        });
    (bounds[0] < bounds[1]).then_some(bounds)
}

/// The medoid and the exemplars, as pictures or by their names.
fn faces(input: &Input<'_>, portrait: &Portrait, shades: Option<[f64; 2]>) -> Markup {
    let others = || portrait.exemplars.iter();
    if let (Some(image), Some(shades)) = (input.image, shades) {
        let picture = |values: &[f64], what: String| {
            // A sample that no picture can be made of goes by its name.
            let Ok(uri) = image.uri(values, shades) else { return html! { (what) } };
            html! { img src=(uri) alt=(what) title=(what) width=(image.width) height=(image.height); }
        };
        let sample = |sample: usize, what: &str| {
            picture(&input.samples.row(sample), format!("{what}{}", input.name(sample)))
        };
        return html! {
            div.faces {
                (picture(&portrait.mean, "mean".into()))
                (sample(portrait.medoid, "medoid, "))
                @for &exemplar in others() { (sample(exemplar, "")) }
            }
        };
    }
    html! {
        p.names {
            b { (input.name(portrait.medoid)) }
            @for &exemplar in others() { ", " (input.name(exemplar)) }
        }
    }
}

/// The features that set the cluster apart.
fn features(portrait: &Portrait) -> Markup {
    html! {
        @if !portrait.features.is_empty() {
            ul.features { @for (feature, by) in &portrait.features {
                li {
                    "feature " (feature) " "
                    b { @if *by > 0.0 { "+" } @else { "−" } (format!("{:.1} σ", by.abs())) }
                }
            } }
        }
    }
}
