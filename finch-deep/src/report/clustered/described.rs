//! The clusters of a labelling, one by one.

use finch_core::AnyMatrix;
use maud::{Markup, html};

use super::icicle::Own;
use super::{ClusterReport, Described, Distinction};
use crate::report::parts::bar::bar;
use crate::report::parts::cards::{self, Card, Feature, MOST, Pictures, about_features};
use crate::report::parts::glossary::term;
use crate::report::parts::groups::Groups;
use crate::report::parts::sizes::Figures;
use crate::report::parts::text::{count, counted, mean_of, short};

/// From this outlier score on a sample is told as one: its neighbours are twice as far as those of the
/// samples at the hearts of the clusters around.
const FAR_OUT: f64 = 0.5;
/// The most of them that are told for a cluster.
const MOST_OUTLIERS: usize = 3;

/// The bar and the cards.
pub(super) fn section(report: &ClusterReport<'_>, own: &Own<'_>) -> Markup {
    let Own { clusters, colours, .. } = *own;
    let Described { description, distinctions, .. } = report.described;
    let order = clusters.largest(MOST);
    let pictures = report.image.and_then(|image| Pictures::new(&report.samples, image));
    let outliers = outliers(report, clusters);
    let faces = |cluster: usize| {
        let samples = description.exemplars[cluster].iter().map(|&sample| sample as usize);
        match &pictures {
            Some(pictures) => {
                let means = description.means().matrix();
                let Some(AnyMatrix::F64(means)) = means else { unreachable!("samples are dense") };
                let mean = means.row(cluster).to_vec();
                let samples: Vec<_> = samples.map(|sample| (sample, report.name(sample))).collect();
                pictures.faces(&mean, &samples)
            }
            None => cards::names(&samples.map(|sample| report.name(sample)).collect::<Vec<_>>()),
        }
    };
    let card = |&cluster: &usize| Card {
        cluster,
        name: clusters.names[cluster].clone(),
        colour: colours[cluster],
        size: size(report, clusters, cluster),
        faces: faces(cluster),
        features: distinctions.get(cluster).into_iter().flatten().map(feature).collect(),
        notes: notes(report, cluster, &outliers[cluster]),
    };
    let cards: Vec<Card> = order.iter().map(card).collect();
    let (shown, all) = (cards.len(), clusters.clusters());
    let sampled = order.iter().any(|&cluster| description.sampled[cluster]);
    html! {
        section #clusters {
            h2 { "Clusters" }
            p {
                @if pictures.is_some() {
                    "The first picture is the mean, the second the " (term("medoid", "medoid"))
                    ", the most typical sample; the others are " (term("exemplar", "exemplars")) ". "
                } @else {
                    "In bold the " (term("medoid", "medoid")) ", the most typical sample; after it "
                    (term("exemplar", "exemplars")) ". "
                }
                @if sampled { "In large clusters they are chosen by a part of the samples. " }
                @if !distinctions.is_empty() && all > 1 { (about_features()) " " }
                "The number of a cluster is its label in the files that finch writes; the largest cluster comes first."
                @if report.names.is_none() { " Samples go by their row, from 0." }
                @if clusters.noise.is_some() {
                    " Samples of noise are in no cluster: their label is -1, and their colour grey."
                }
                @if shown < all { " The " (count(shown)) " largest clusters are shown." }
            }
            div.icicle { (bar(clusters, own.weights, colours)) }
            (cards::cards(&cards))
        }
    }
}

/// The figures of the table of all clusters beside their sizes.
pub(super) fn figures(report: &ClusterReport<'_>) -> Vec<Figures> {
    let description = report.described.description;
    // Noise has none of the figures.
    let noise = (report.described.labels.noise() > 0).then(|| String::from("–"));
    let values = |figures: &[f64], text: fn(f64) -> String| {
        figures.iter().copied().map(text).chain(noise.clone()).collect()
    };
    let weights = report
        .hierarchy
        .weights()
        .map(|_| Figures { name: "weight", values: values(&description.sizes, short) });
    let spreads = values(&description.spreads, short);
    let separations = values(&description.silhouettes, signed);
    weights
        .into_iter()
        .chain([
            Figures { name: "spread", values: spreads },
            Figures { name: "separation", values: separations },
        ])
        .collect()
}

fn size(report: &ClusterReport<'_>, clusters: &Groups, cluster: usize) -> String {
    let samples = counted(clusters.sizes[cluster], "sample");
    match report.hierarchy.weights() {
        Some(_) => {
            format!("{samples}, weight {}", short(report.described.description.sizes[cluster]))
        }
        None => samples,
    }
}

fn notes(report: &ClusterReport<'_>, cluster: usize, outliers: &[usize]) -> Vec<Markup> {
    let description = report.described.description;
    let mut notes = vec![html! {
        (term("spread", "Spread")) " " (short(description.spreads[cluster])) ", "
        (term("separation", "separation")) " " (signed(description.silhouettes[cluster]))
    }];
    let named: Vec<String> = outliers.iter().map(|&sample| report.name(sample)).collect();
    notes.extend((!named.is_empty()).then(|| {
        html! { (term("outlier", "Far out")) ": " (named.join(", ")) }
    }));
    notes
}

/// A number from −1 to 1 to two decimals.
fn signed(number: f64) -> String {
    format!("{number:.2}").replace('-', "−")
}

/// The samples of each cluster that are far out, the farthest first.
fn outliers(report: &ClusterReport<'_>, clusters: &Groups) -> Vec<Vec<usize>> {
    let mut outliers = vec![Vec::new(); clusters.len()];
    let far = report.outliers.iter().enumerate().filter(|(_, score)| **score >= FAR_OUT);
    for (sample, _) in far {
        outliers[clusters.of[sample]].push(sample);
    }
    for found in &mut outliers {
        found.sort_by(|&a: &usize, &b: &usize| {
            report.outliers[b].total_cmp(&report.outliers[a]).then(a.cmp(&b))
        });
        found.truncate(MOST_OUTLIERS);
    }
    outliers
}

fn feature(found: &Distinction) -> Feature {
    let means = [found.mean, found.outside];
    let means = means.map(|mean| mean_of(found.column.as_ref(), found.share, mean));
    Feature { name: found.feature.clone(), by: found.difference, means: Some(means) }
}
