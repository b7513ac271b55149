//! A drawing in SVG: its frame, and text within it.

use std::fmt;

use maud::{Markup, html};

/// A drawing that is as wide as the page lets it be, and has the page's font and colours.
/// `description` is for readers who do not see the drawing.
pub(in crate::report) fn drawing(
    [width, height]: [f64; 2],
    description: &str,
    content: Markup,
) -> Markup {
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(description) { (content) }
    }
}

/// Where a text stands at its place.
#[derive(Clone, Copy)]
pub(in crate::report) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text, `size` units high, whose baseline is at its place.
pub(in crate::report) struct Text<'a> {
    pub(in crate::report) at: [f64; 2],
    pub(in crate::report) anchor: Anchor,
    pub(in crate::report) size: u32,
    pub(in crate::report) bold: bool,
    /// True if the text runs upwards.
    pub(in crate::report) upwards: bool,
    /// A CSS colour.
    pub(in crate::report) colour: &'a str,
}

impl Text<'_> {
    pub(in crate::report) fn draw(&self, content: &str) -> Markup {
        let [x, y] = self.at.map(Coordinate);
        let anchor = match self.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = self.upwards.then(|| format!("rotate(-90,{x},{y})"));
        let weight = self.bold.then_some("bold");
        html! {
            text x=(x) y=(y) fill=(self.colour) font-size=(self.size) text-anchor=(anchor)
                font-weight=[weight] transform=[turn] { (content) }
        }
    }
}

/// A coordinate to a hundredth of a unit, which is less than a pixel of any screen.
#[derive(Clone, Copy)]
pub(in crate::report) struct Coordinate(pub(in crate::report) f64);

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

impl maud::Render for Coordinate {
    fn render_to(&self, buffer: &mut String) {
        fmt::Write::write_fmt(buffer, format_args!("{self}")).expect("strings take all text");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_coordinates_are_short() {
        let text = Text {
            at: [1.0 / 3.0, 2.0],
            anchor: Anchor::End,
            size: 12,
            bold: true,
            upwards: true,
            colour: "var(--ink)",
        };
        assert_eq!(
            drawing([10.0, 20.5], "a \"b\"", text.draw("<$1>")).into_string(),
            "<svg viewBox=\"0 0 10 20.5\" role=\"img\" aria-label=\"a &quot;b&quot;\">\
             <text x=\"0.33\" y=\"2\" fill=\"var(--ink)\" font-size=\"12\" text-anchor=\"end\" \
             font-weight=\"bold\" transform=\"rotate(-90,0.33,2)\">&lt;$1&gt;</text></svg>"
        );
    }
}
