//! The samples that are farthest out.

use maud::{Markup, html};

use super::ClusterReport;
use crate::report::colours::Colour;
use crate::report::figure::swatch;
use crate::report::groups::Groups;
use crate::report::table::{Column, numbers, table};
use crate::report::text::counted;

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
    let columns =
        [numbers("sample"), Column { name: "cluster", class: Some("text") }, numbers("score")];
    let row = |&sample: &usize| {
        let cluster = clusters.of[sample];
        vec![
            html! { (report.name(sample)) },
            html! { span { (swatch(&colours[cluster].css())) (clusters.names[cluster]) } },
            html! { (format!("{:.2}", scores[sample])) },
        ]
    };
    Some(html! {
        section #outliers {
            h2 { "Farthest out" }
            p {
                "The " (counted(order.len(), "sample")) " with the highest outlier scores, from 0 to 1. At "
                "0.5 a sample's neighbours are twice as far as those of the samples at the hearts of the "
                "clusters around it."
            }
            div.names { (table(&columns, order.iter().map(row))) }
        }
    })
}
