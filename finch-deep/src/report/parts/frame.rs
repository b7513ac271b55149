//! The frame of every page: head, heading, the numbers that people look for first, sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of the pages.
const STYLE: &str = include_str!("page.css");

/// The content security policy: browsers load nothing beyond the file, and run no scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// A page.
pub(in crate::report) struct Frame<'a> {
    /// The command that the page is of.
    pub(in crate::report) command: &'a str,
    /// The heading.
    pub(in crate::report) title: &'a str,
    /// Under the heading.
    pub(in crate::report) tiles: Vec<Tile>,
    /// The sections in their order.
    pub(in crate::report) sections: Vec<Markup>,
    /// Where readers can go at once: ids of sections, and what to call them.
    pub(in crate::report) links: Vec<(&'static str, &'static str)>,
}

/// A number that people look for first.
pub(in crate::report) struct Tile {
    pub(in crate::report) name: String,
    pub(in crate::report) value: String,
    /// The text beside; may be empty.
    pub(in crate::report) more: String,
}

impl Tile {
    pub(in crate::report) fn new(name: &str, value: String, more: String) -> Self {
        Self { name: name.into(), value, more }
    }
}

impl Frame<'_> {
    /// The whole page.
    pub(in crate::report) fn page(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="generator" content=(concat!("finch ", env!("CARGO_PKG_VERSION")));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    link rel="icon" href="data:,";
                    title { (self.title) " – finch" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        p.kicker { (self.command) }
                        h1 { (self.title) }
                        dl.tiles { @for tile in &self.tiles {
                            div.tile {
                                dt { (tile.name) }
                                dd {
                                    (tile.value)
                                    @if !tile.more.is_empty() { small { (tile.more) } }
                                }
                            }
                        } }
                        @if !self.links.is_empty() {
                            nav aria-label="Sections" { ul { @for (id, name) in &self.links {
                                li { a href=(format!("#{id}")) { (name) } }
                            } } }
                        }
                    }
                    main { @for section in &self.sections { (section) } }
                }
            }
        }
    }
}

/// Characters of a value that has a line of its own.
const LONG: usize = 32;

/// Names and values, such as of how a run was set up.
pub(in crate::report) fn facts(facts: &[(String, String)]) -> Markup {
    html! {
        dl { @for (name, value) in facts {
            div.long[value.chars().count() > LONG] { dt { (name) } dd { (value) } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of a page of finch, up to the version.
    const BEGINNING: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"finch ";

    #[test]
    fn a_page_begins_as_pages_do() {
        let frame = Frame {
            command: "finch",
            title: "<title>",
            tiles: Vec::new(),
            sections: Vec::new(),
            links: Vec::new(),
        };
        let page = frame.page().into_string();
        assert!(page.starts_with(BEGINNING), "{page}");
        assert!(page.contains("<h1>&lt;title&gt;</h1>") && !page.contains("<nav"));
    }
}
