//! How the network learned: plots and a table over epochs.

use maud::{Markup, html};

use super::chart::{Chart, Range, Series};
use super::figure::figure;
use super::text::{count, percent, short};
use crate::metrics::{Clustering, Epoch};

/// The section, if anything was trained.
pub(super) fn section(epochs: &[&Epoch], clusterings: &[&Clustering]) -> Option<Markup> {
    let (first, last) = (epochs.first()?, epochs.last()?);
    let relabelled: Vec<f64> = clusterings
        .iter()
        .filter(|clustering| clustering.epoch > 0 && clustering.pseudo_labels.is_some())
        .map(|clustering| clustering.epoch as f64)
        .collect();
    let learns_labels = epochs.iter().all(|epoch| epoch.accuracy.is_some());
    let chart = |name: &str, y: Range, steps: bool, value: fn(&Epoch) -> f64| {
        let tip = |epoch: &Epoch| format!("epoch {}: {name} {}", epoch.epoch, short(value(epoch)));
        let point = |epoch: &&Epoch| (epoch.epoch as f64, value(epoch), tip(epoch));
        let series = Series {
            colour: "var(--accent)".into(),
            dashed: false,
            steps,
            points: epochs.iter().map(point).collect(),
        };
        let chart = Chart {
            series: vec![series],
            x: ("epoch", [0.0, last.epoch as f64]),
            y,
            marks: relabelled.clone(),
            reference: None,
        };
        let ends = [value(first), value(last)].map(short);
        chart.draw(&format!("{name} over {} epochs, from {} to {}", epochs.len(), ends[0], ends[1]))
    };
    Some(html! {
        section #training {
            h2 { "Training" }
            p {
                @if learns_labels {
                    "The network learns to tell the pseudo-labels of the last clustering apart."
                } @else {
                    "The network learns to keep nearest neighbours of the input near each other, and "
                    "other samples apart."
                }
                @if !relabelled.is_empty() {
                    " A dashed line is where FINCH clustered the embedding and gave it new ones: "
                    "the loss may jump there, since the labels change and with them the last layer."
                }
            }
            div.charts {
                (figure("loss", "Loss", None, chart("loss", Range::FromZero, false, |it| it.loss)))
                @if learns_labels {
                    (figure("accuracy", "Accuracy on pseudo-labels, %", None,
                        chart("accuracy", Range::Percent, false, |it| it.accuracy.unwrap_or(0.0))))
                }
                (figure("learning-rate", "Learning rate", None,
                    chart("learning rate", Range::FromZero, true, |it| it.learning_rate)))
            }
            details {
                summary { "All " (count(epochs.len())) " epochs" }
                div.scroll { table.numbers {
                    thead { tr {
                        th { "epoch" } th { "loss" }
                        @if learns_labels { th { "accuracy, %" } }
                        th { "learning rate" }
                        th { "samples / s" }
                    } }
                    tbody { @for epoch in epochs { tr {
                        td { (epoch.epoch) }
                        td { (short(epoch.loss)) }
                        @if learns_labels { td { (percent(epoch.accuracy.unwrap_or(0.0))) } }
                        td { (short(epoch.learning_rate)) }
                        td { (short(epoch.samples_per_second.round())) }
                    } } }
                } }
            }
        }
    })
}
