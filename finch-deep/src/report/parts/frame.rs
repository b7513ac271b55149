//! The frame of every page: head, heading, the numbers that people look for first, sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::glossary;

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
    /// The result in a sentence or two, under the heading.
    pub(in crate::report) verdict: Option<Markup>,
    /// Under the verdict.
    pub(in crate::report) tiles: Vec<Tile>,
    /// The sections in their order; the words that they use are explained in one more.
    pub(in crate::report) sections: Vec<Section>,
}

/// A section, if there is anything in it.
pub(in crate::report) struct Section {
    pub(in crate::report) id: &'static str,
    /// The name of the section in the list of contents.
    pub(in crate::report) name: &'static str,
    pub(in crate::report) content: Option<Markup>,
}

impl Section {
    pub(in crate::report) fn new(
        id: &'static str,
        name: &'static str,
        content: Option<Markup>,
    ) -> Self {
        Self { id, name, content }
    }
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
        let sections = self.sections.iter().filter_map(|section| section.content.as_ref());
        let words = glossary::section(self.verdict.iter().chain(sections.clone()));
        let links = self.sections.iter().filter(|section| section.content.is_some());
        let links = links.map(|section| (section.id, section.name));
        let links: Vec<_> = links.chain(words.as_ref().map(|_| ("words", "Words"))).collect();
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
                        @if let Some(verdict) = &self.verdict { p #verdict { (verdict) } }
                        dl.tiles { @for tile in &self.tiles {
                            div.tile {
                                dt { (tile.name) }
                                dd {
                                    (tile.value)
                                    @if !tile.more.is_empty() { small { (tile.more) } }
                                }
                            }
                        } }
                        @if !links.is_empty() {
                            nav aria-label="Contents" { ul { @for (id, name) in &links {
                                li { a href=(format!("#{id}")) { (name) } }
                            } } }
                        }
                    }
                    main { @for section in sections.chain(&words) { (section) } }
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
            verdict: None,
            tiles: Vec::new(),
            sections: vec![Section::new("none", "None", None)],
        };
        let page = frame.page().into_string();
        assert!(page.starts_with(BEGINNING), "{page}");
        assert!(page.contains("<h1>&lt;title&gt;</h1>") && !page.contains("<nav"));
    }
}
