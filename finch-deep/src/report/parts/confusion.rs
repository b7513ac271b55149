//! Clusters against classes, as a table of shades.

use maud::{Markup, html};

use super::glossary::term;
use super::groups::Groups;
use super::matching::Matching;
use super::svg::{Anchor, Coordinate, Text, drawing};
use super::text::{count, counted, percent, shortened};

/// The most rows and the most columns that can be read.
const MOST: usize = 80;

/// The section, if there is more than one class to tell apart.
pub(in crate::report) fn section(
    clusters: &Groups,
    classes: &Groups,
    matching: Option<&Matching>,
) -> Option<Markup> {
    if classes.len() < 2 {
        return None;
    }
    let Some(matching) = matching.filter(|_| classes.len() <= MOST) else {
        return Some(html! {
            section #confusion {
                h2 { "Clusters and classes" }
                p {
                    (counted(clusters.len(), "cluster")) " and " (count(classes.len()))
                    " classes are too many for a table of both."
                }
            }
        });
    };
    // Clusters that are matched with a class come first, in the order of classes: they are the
    // diagonal.
    let mut rows = clusters.by_size();
    rows.truncate(MOST);
    rows.sort_by_key(|&cluster| matching.class[cluster].unwrap_or(usize::MAX));
    let drawing = draw(&rows, clusters, classes, matching);
    Some(html! {
        section #confusion {
            h2 { "Clusters and classes" }
            p {
                "A row is a cluster: the stronger a shade, the more of its samples are in the class "
                "of the column. Frames are the one-to-one matching of clusters and classes that "
                "shares most samples; " (term("accuracy", "accuracy (ACC)")) " counts the samples within them."
                @if rows.len() < clusters.len() {
                    " Of " (counted(clusters.len(), "cluster")) ", the " (rows.len())
                    " largest are shown."
                }
            }
            (drawing)
        }
    })
}

fn draw(rows: &[usize], clusters: &Groups, classes: &Groups, matching: &Matching) -> Markup {
    let [rows_named, columns_named] = [
        rows.iter().map(|&row| shortened(&clusters.names[row])).collect::<Vec<_>>(),
        classes.names.iter().map(|name| shortened(name)).collect(),
    ];
    let [width, height] =
        [classes.len(), rows.len()].map(|number| (560.0 / number.max(1) as f64).clamp(11.0, 42.0));
    let size = if width.min(height) < 16.0 { 8 } else { 12 };
    let longest = |names: &[String]| {
        let most = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        most as f64 * f64::from(size) * 0.62
    };
    let upright = longest(&columns_named) <= width - 2.0;
    let title = f64::from(size) + 8.0;
    let left = title + longest(&rows_named) + 10.0;
    let top = title + if upright { f64::from(size) } else { longest(&columns_named) } + 10.0;
    let (across, down) = (classes.len() as f64 * width, rows.len() as f64 * height);
    let (all_across, all_down) = (left + across + 2.0, top + down + 2.0);

    let text = |content: &str, at: [f64; 2], anchor, upwards: bool, colour: &str| {
        Text { at, anchor, size, bold: false, upwards, colour }.draw(content)
    };
    let (ink, muted) = ("var(--ink)", "var(--muted)");
    let middle = 0.36 * f64::from(size);
    let middle_of = |index: usize, side: f64| (index as f64 + 0.5) * side;
    let column_name = |column: usize, name: &str| {
        let x = left + middle_of(column, width);
        match upright {
            true => text(name, [x, top - 6.0], Anchor::Middle, false, ink),
            false => text(name, [x + middle, top - 6.0], Anchor::Start, true, ink),
        }
    };
    let row_name = |row: usize, name: &str| {
        let at = [left - 6.0, top + middle_of(row, height) + middle];
        text(name, at, Anchor::End, false, ink)
    };
    let cell = |row: usize, cluster: usize, class: usize| {
        let shared = matching.shared[[cluster, class]];
        if shared == 0 {
            return html! {};
        }
        let matched = matching.class[cluster] == Some(class);
        let share = shared as f64 / clusters.sizes[cluster] as f64;
        let [x, y] = [left + class as f64 * width, top + row as f64 * height];
        let inner = [width - 1.0, height - 1.0];
        let number = count(shared);
        let fits = number.chars().count() as f64 * 7.5 <= inner[0] && height >= 20.0;
        html! {
            g.tt {
                title {
                    "cluster " (clusters.names[cluster]) ", class " (classes.names[class]) ": "
                    (counted(shared, "sample")) ", " (percent(100.0 * share))
                    " % of the cluster and "
                    (percent(100.0 * shared as f64 / classes.sizes[class] as f64))
                    " % of the class"
                }
                rect x=(Coordinate(x + 0.5)) y=(Coordinate(y + 0.5)) width=(Coordinate(inner[0]))
                    height=(Coordinate(inner[1])) fill="var(--accent)"
                    fill-opacity=(Coordinate(0.06 + 0.94 * share)) stroke=[matched.then_some(ink)] {}
                @if fits {
                    @let colour = if share > 0.55 { "var(--on-accent)" } else { ink };
                    @let at = [left + middle_of(class, width), y + height / 2.0 + middle];
                    (text(&number, at, Anchor::Middle, false, colour))
                }
            }
        }
    };
    let content = html! {
        (text("class", [left + across / 2.0, title - 8.0], Anchor::Middle, false, muted))
        (text("cluster", [title - 8.0, top + down / 2.0], Anchor::Middle, true, muted))
        @for (column, name) in columns_named.iter().enumerate() { (column_name(column, name)) }
        @for (row, name) in rows_named.iter().enumerate() { (row_name(row, name)) }
        rect x=(Coordinate(left)) y=(Coordinate(top)) width=(Coordinate(across))
            height=(Coordinate(down)) fill="var(--sunken)" {}
        @for (row, &cluster) in rows.iter().enumerate() {
            @for class in 0..classes.len() { (cell(row, cluster, class)) }
        }
    };
    let description = format!(
        "samples that {} share with {}",
        counted(rows.len(), "cluster"),
        // At least two.
        format_args!("{} classes", classes.len())
    );
    // Small print must not become smaller. A table that is too wide then can be scrolled.
    let least = if size < 12 { 0.9 } else { 0.7 };
    let bounds =
        format!("min-width:{:.0}px;max-width:{:.0}px", least * all_across, 1.3 * all_across);
    html! {
        figure #confusion-matrix {
            div.scroll tabindex="0" { div style=(bounds) { (drawing([all_across, all_down], &description, content)) } }
        }
    }
}
