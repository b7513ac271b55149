//! A plot on the page, with its heading and its legend.

use maud::{Markup, html};

/// A plot with its heading.
pub(in crate::report) fn figure(
    id: &str,
    title: &str,
    legend: Option<Markup>,
    drawing: Markup,
) -> Markup {
    html! {
        figure id=(id) {
            figcaption { (title) @if let Some(legend) = legend { (legend) } }
            (drawing)
        }
    }
}

/// Colours, as CSS, and what they stand for.
#[cfg(feature = "train")]
pub(in crate::report) fn legend(entries: Vec<(String, String)>) -> Markup {
    html! {
        ul.legend { @for (colour, name) in entries {
            li { (swatch(&colour)) (name) }
        } }
    }
}

/// A dot of a colour, as CSS, before what has the colour.
pub(in crate::report) fn swatch(colour: &str) -> Markup {
    html! { span.swatch style=(format!("background:{colour}")) {} }
}
