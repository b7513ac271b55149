//! The learning of the network: plots and a table over epochs.

use maud::{Markup, html};

use crate::metrics::{Clustering, Epoch};
use crate::report::parts::chart::{Chart, Range, Series};
use crate::report::parts::figure::{figure, legend};
use crate::report::parts::glossary::term;
use crate::report::parts::table::{self, numbers};
use crate::report::parts::text::{count, percent, short};

/// The section, if anything was trained.
pub(super) fn section(epochs: &[&Epoch], clusterings: &[&Clustering]) -> Option<Markup> {
    let (first, last) = (epochs.first()?, epochs.last()?);
    let relabelled: Vec<f64> = clusterings
        .iter()
        .filter(|clustering| clustering.epoch > 0 && clustering.pseudo_labels.is_some())
        .map(|clustering| clustering.epoch as f64)
        .collect();
    // A network that learns the graph has no accuracy.
    let (of_labels, of_graph): (Vec<&Epoch>, Vec<&Epoch>) =
        epochs.iter().copied().partition(|epoch| epoch.accuracy.is_some());
    let networks = [("labels", "var(--accent)", &of_labels), ("graph", "var(--second)", &of_graph)];
    let chart = |name: &str,
                 unit: &'static str,
                 y: Range,
                 steps: bool,
                 value: fn(&Epoch) -> Option<f64>| {
        let point = |epoch: &&Epoch| {
            let value = value(epoch)?;
            let tip = format!("epoch {}: {name} {}", epoch.epoch, short(value));
            Some((epoch.epoch as f64, value, tip))
        };
        let line = |(_, colour, epochs): &(&str, &str, &Vec<&Epoch>)| Series {
            colour: (*colour).into(),
            dashed: false,
            steps,
            points: epochs.iter().filter_map(point).collect(),
        };
        let series: Vec<Series> =
            networks.iter().map(line).filter(|line| !line.points.is_empty()).collect();
        let ends: Vec<String> =
            [first, last].into_iter().filter_map(|&epoch| value(epoch)).map(short).collect();
        let description =
            format!("{name} over {} epochs, from {}", epochs.len(), ends.join(" to "));
        let x = ("epoch", [0.0, last.epoch as f64]);
        let y = (unit, y);
        Chart { series, x, y, marks: relabelled.clone(), reference: None }.draw(&description)
    };
    let both = !of_labels.is_empty() && !of_graph.is_empty();
    let names =
        networks.map(|(name, colour, _)| (colour.into(), format!("the network of the {name}")));
    let of_both = both.then(|| legend(names.to_vec()));
    Some(html! {
        section #training {
            h2 { "Training" }
            p {
                @if !of_labels.is_empty() {
                    "A network learns to tell the " (term("pseudo-labels", "pseudo-labels"))
                    " of the last clustering apart. "
                }
                @if !of_graph.is_empty() {
                    @if both { "Another" } @else { "A network" }
                    " learns to keep nearest neighbours of the input near each other, and other "
                    "samples apart. "
                }
                @if !relabelled.is_empty() {
                    "A dashed line is where FINCH clustered the embedding and gave it new ones: "
                    "the loss may jump there, since the labels change and with them the last layer."
                }
            }
            div.charts {
                (figure("loss", "Loss", of_both.clone(),
                    chart("loss", "loss", Range::FromZero, false, |it| Some(it.loss))))
                @if !of_labels.is_empty() {
                    (figure("accuracy", "Accuracy on pseudo-labels", None,
                        chart("accuracy", "accuracy, %", Range::Percent, false, |it| it.accuracy)))
                }
                (figure("learning-rate", "Learning rate", of_both,
                    chart("learning rate", "learning rate", Range::FromZero, true, |it| Some(it.learning_rate))))
            }
            details {
                summary { "All " (count(epochs.len())) " epochs" }
                (of_epochs(epochs, !of_labels.is_empty()))
            }
        }
    })
}

/// The epochs as a table of numbers.
fn of_epochs(epochs: &[&Epoch], of_labels: bool) -> Markup {
    let mut columns = vec!["epoch", "loss"];
    columns.extend(of_labels.then_some("accuracy, %"));
    columns.extend(["learning rate", "samples / s"]);
    let columns: Vec<_> = columns.into_iter().map(numbers).collect();
    let row = |epoch: &&Epoch| {
        let accuracy = epoch.accuracy.map_or("–".into(), percent);
        let mut cells = vec![epoch.epoch.to_string(), short(epoch.loss)];
        cells.extend(of_labels.then_some(accuracy));
        cells.extend([short(epoch.learning_rate), short(epoch.samples_per_second.round())]);
        cells.into_iter().map(|cell| html! { (cell) }).collect()
    };
    table::table(&columns, epochs.iter().map(row))
}
