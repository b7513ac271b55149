//! The samples that are farthest out.

use maud::{Markup, html};

use super::ClusterReport;
use crate::report::parts::cards::Pictures;
use crate::report::parts::colours::Colour;
use crate::report::parts::figure::swatch;
use crate::report::parts::glossary::term;
use crate::report::parts::groups::Groups;
use crate::report::parts::table::{Column, numbers, table};
use crate::report::parts::text::counted;

/// The most samples that are told.
const MOST: usize = 12;
/// A lower score is written as 0.00.
const LEAST: f64 = 0.005;

/// The section, if any sample is out at all.
pub(super) fn section(
    report: &ClusterReport<'_>,
    clusters: &Groups,
    colours: &[Colour],
) -> Option<Markup> {
    let scores = report.outliers;
    let mut order: Vec<usize> =
        (0..scores.len()).filter(|&sample| scores[sample] >= LEAST).collect();
    let farther = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    if order.len() > MOST {
        order.select_nth_unstable_by(MOST, farther);
        order.truncate(MOST);
    }
    order.sort_by(farther);
    if order.is_empty() {
        return None;
    }
    let pictures = report.image.and_then(|image| Pictures::new(&report.samples, image));
    let picture = pictures.as_ref().map(|_| Column { name: "picture", class: Some("text") });
    let columns = [numbers("sample")].into_iter().chain(picture);
    let columns: Vec<Column> = columns
        .chain([Column { name: "cluster", class: Some("text") }, numbers("score")])
        .collect();
    let row = |&sample: &usize| {
        let (cluster, name) = (clusters.of[sample], report.name(sample));
        let picture = pictures.as_ref().map(|pictures| pictures.one(sample, &name));
        let cells = [html! { (name) }].into_iter().chain(picture).chain([
            html! { span { (swatch(&colours[cluster].css())) (clusters.names[cluster]) } },
            html! { (format!("{:.2}", scores[sample])) },
        ]);
        cells.collect()
    };
    Some(html! {
        section #outliers {
            h2 { "Farthest out" }
            p {
                "The " (counted(order.len(), "sample")) " with the highest " (term("outlier", "outlier scores"))
                ", from 0 to 1: samples that may be mistakes, or belong to no cluster."
            }
            div.names { (table(&columns, order.iter().map(row))) }
        }
    })
}
