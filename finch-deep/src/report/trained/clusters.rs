//! The final clusters, each with the samples that stand for it.

use maud::{Markup, html};

use super::Input;
use super::portrait::{Portrait, portraits};
use crate::report::parts::cards::{self, ABOUT_FEATURES, Card, Feature, MOST, Pictures};
use crate::report::parts::colours::Colour;
use crate::report::parts::groups::Groups;
use crate::report::parts::text::{count, counted, percent};

/// The section, if there are samples to show.
pub(super) fn section(input: &Input<'_>, clusters: &Groups, colours: &[Colour]) -> Option<Markup> {
    let mut order = clusters.by_size();
    order.truncate(MOST);
    if order.is_empty() {
        return None;
    }
    let portraits = portraits(&input.samples, input.metric, clusters, &order, input.neighbors);
    let pictures = input.image.and_then(|image| Pictures::new(&input.samples, image));
    let inside =
        |inside| format!("{} % of nearest neighbours are in the cluster, too", percent(inside));
    let card = |(&cluster, portrait): (&usize, &Portrait)| Card {
        name: clusters.names[cluster].clone(),
        colour: colours[cluster],
        size: counted(clusters.sizes[cluster], "sample"),
        faces: faces(input, portrait, pictures.as_ref()),
        features: portrait.features.iter().map(feature).collect(),
        notes: portrait.inside.map(inside).into_iter().collect(),
    };
    let cards: Vec<Card> = order.iter().zip(&portraits).map(card).collect();
    Some(html! {
        section #clusters {
            h2 { "Clusters" }
            (about(input, order.len(), clusters.len()))
            (cards::cards(&cards))
        }
    })
}

/// The explanation of the cards.
fn about(input: &Input<'_>, shown: usize, clusters: usize) -> Markup {
    html! {
        p {
            "The medoid is the sample nearest to all of its cluster; beside it are samples of the "
            "cluster's inner half that differ most. "
            @if input.image.is_some() { "The first picture is the mean, the second the medoid. " }
            (ABOUT_FEATURES)
            @if shown < clusters { " The " (count(shown)) " largest clusters are shown." }
        }
    }
}

/// The medoid and the exemplars, as pictures or by their names.
fn faces(input: &Input<'_>, portrait: &Portrait, pictures: Option<&Pictures<'_, '_>>) -> Markup {
    let samples = [portrait.medoid].into_iter().chain(portrait.exemplars.iter().copied());
    match pictures {
        Some(pictures) => {
            let samples: Vec<_> = samples.map(|sample| (sample, name(input, sample))).collect();
            pictures.faces(&portrait.mean, &samples)
        }
        None => cards::names(&samples.map(|sample| name(input, sample)).collect::<Vec<_>>()),
    }
}

/// The name of a sample.
fn name(input: &Input<'_>, sample: usize) -> String {
    match input.names.and_then(|names| names.get(sample)) {
        Some(name) => name.clone(),
        None => format!("sample {sample}"),
    }
}

fn feature(&(feature, by): &(usize, f64)) -> Feature {
    Feature { name: format!("feature {feature}"), by, means: String::new() }
}
