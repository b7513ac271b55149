//! The final clusters, each with the samples that stand for it.

use maud::{Markup, html};

use super::Input;
use super::portrait::{Difference, Portrait, portraits};
use crate::data::{self, FeatureKind};
use crate::report::parts::bar::bar;
use crate::report::parts::cards::{self, Card, Feature, MOST, Pictures, about_features};
use crate::report::parts::colours::Colour;
use crate::report::parts::glossary::term;
use crate::report::parts::groups::Groups;
use crate::report::parts::text::{count, counted, mean_of, name_of, percent};

/// The section, if there are samples to show.
pub(super) fn section(input: &Input<'_>, clusters: &Groups, colours: &[Colour]) -> Option<Markup> {
    let mut order = clusters.by_size();
    order.truncate(MOST);
    if order.is_empty() {
        return None;
    }
    let columns = input.columns.unwrap_or_default();
    let portraits =
        portraits(&input.samples, input.metric, clusters, &order, input.neighbors, columns);
    let pictures = input.image.and_then(|image| Pictures::new(&input.samples, image));
    let inside =
        |inside| html! { (percent(inside)) " % of nearest neighbours are in the cluster, too" };
    let card = |(&cluster, portrait): (&usize, &Portrait)| Card {
        cluster,
        name: clusters.names[cluster].clone(),
        colour: colours[cluster],
        size: counted(clusters.sizes[cluster], "sample"),
        faces: faces(input, portrait, pictures.as_ref()),
        features: match pictures {
            // Of a pixel there is nothing to tell beside the pictures.
            Some(_) => Vec::new(),
            None => portrait.features.iter().map(|found| feature(input, found)).collect(),
        },
        notes: portrait.inside.map(inside).into_iter().collect(),
    };
    let cards: Vec<Card> = order.iter().zip(&portraits).map(card).collect();
    let sizes: Vec<f64> = clusters.sizes.iter().map(|&size| size as f64).collect();
    Some(html! {
        section #clusters {
            h2 { "Clusters" }
            (about(input, order.len(), clusters.len()))
            div.icicle { (bar(clusters, &sizes, colours)) }
            (cards::cards(&cards))
        }
    })
}

/// The explanation of the cards.
fn about(input: &Input<'_>, shown: usize, clusters: usize) -> Markup {
    html! {
        p {
            @if input.image.is_some() {
                "The first picture is the mean, the second the " (term("medoid", "medoid"))
                ", the most typical sample; the others are samples of the cluster's inner half that differ most. "
            } @else {
                "In bold the " (term("medoid", "medoid")) ", the most typical sample; after it samples of the "
                "cluster's inner half that differ most. " (about_features()) " "
            }
            "The number of a cluster is its label in the files of the run; the largest cluster comes first."
            @if input.names.is_none() { " Samples go by their row, from 0." }
            @if shown < clusters { " The " (count(shown)) " largest clusters are shown." }
        }
    }
}

/// The medoid and the exemplars, as pictures or by their names.
fn faces(input: &Input<'_>, portrait: &Portrait, pictures: Option<&Pictures<'_, '_>>) -> Markup {
    let samples = [portrait.medoid].into_iter().chain(portrait.exemplars.iter().copied());
    match pictures {
        Some(pictures) => {
            let samples: Vec<_> =
                samples.map(|sample| (sample, name_of(input.names, sample))).collect();
            pictures.faces(&portrait.mean, &samples)
        }
        None => {
            cards::names(&samples.map(|sample| name_of(input.names, sample)).collect::<Vec<_>>())
        }
    }
}

fn feature(input: &Input<'_>, told: &Difference) -> Feature {
    let &Difference { feature, by, means, is_share } = told;
    let column = input.columns.and_then(|columns| columns.get(feature));
    let mut name = column.map_or_else(|| format!("feature {feature}"), data::Feature::title);
    let of_words = |column: &data::Feature| {
        matches!(column.kind, FeatureKind::Boolean | FeatureKind::Category)
    };
    let mut in_unit = means;
    if let Some(done) = input.prepared {
        if let (Some(shift), Some(scale)) = (done.shift.get(feature), done.scale.get(feature)) {
            in_unit = means.map(|mean| mean * scale + shift);
        }
        // Means of logarithms are no means of values.
        if done.log.get(feature) == Some(&true) {
            name = format!("log(1 + {name})");
        }
    }
    let is_share = is_share || column.is_some_and(of_words);
    let means = in_unit.map(|mean| mean_of(column, is_share, mean));
    Feature { name, by, means: Some(means) }
}
