//! Clusters against classes, as a table of shades.

use kuva::render::color::Color;
use kuva::render::render::{Primitive, Scene, TextAnchor};
use maud::{Markup, html};

use super::chart::svg;
use super::groups::Groups;
use super::map::shortened;
use super::matching::Matching;
use super::text::{count, counted, percent};

/// The most rows and the most columns that can be read.
const MOST: usize = 80;

/// The section, if there is more than one class to tell apart.
pub(super) fn section(
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
                "shares most samples; accuracy (ACC) counts the samples within them."
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
    let mut scene = Scene::new(left + across + 2.0, top + down + 2.0);

    let text = |content: String, [x, y]: [f64; 2], anchor, rotate: Option<f64>, colour: &str| {
        let color = Some(Color::Css(colour.into()));
        Primitive::Text { x, y, content, size, anchor, rotate, bold: false, color }
    };
    let middle = 0.36 * f64::from(size);
    let middle_of = |index: usize, side: f64| (index as f64 + 0.5) * side;
    scene.add(text(
        "class".into(),
        [left + across / 2.0, title - 8.0],
        TextAnchor::Middle,
        None,
        "var(--muted)",
    ));
    let side = [title - 8.0, top + down / 2.0];
    scene.add(text("cluster".into(), side, TextAnchor::Middle, Some(-90.0), "var(--muted)"));
    for (column, name) in columns_named.into_iter().enumerate() {
        let x = left + middle_of(column, width);
        scene.add(match upright {
            true => text(name, [x, top - 6.0], TextAnchor::Middle, None, "var(--ink)"),
            false => {
                text(name, [x + middle, top - 6.0], TextAnchor::Start, Some(-90.0), "var(--ink)")
            }
        });
    }
    for (row, name) in rows_named.into_iter().enumerate() {
        scene.add(text(
            name,
            [left - 6.0, top + middle_of(row, height) + middle],
            TextAnchor::End,
            None,
            "var(--ink)",
        ));
    }

    let rect = |x, y, width, height, fill, opacity, stroke: Option<&str>| Primitive::Rect {
        x,
        y,
        width,
        height,
        fill,
        stroke: stroke.map(|colour| Color::Css(colour.into())),
        stroke_width: stroke.map(|_| 1.0),
        opacity,
    };
    scene.add(rect(left, top, across, down, Color::Css("var(--sunken)".into()), None, None));
    for (row, &cluster) in rows.iter().enumerate() {
        for class in 0..classes.len() {
            let shared = matching.shared[[cluster, class]];
            let matched = matching.class[cluster] == Some(class);
            if shared == 0 {
                continue;
            }
            let share = shared as f64 / clusters.sizes[cluster] as f64;
            let [x, y] = [left + class as f64 * width, top + row as f64 * height];
            let title = format!(
                "cluster {}, class {}: {}, {} % of the cluster and {} % of the class",
                clusters.names[cluster],
                classes.names[class],
                counted(shared, "sample"),
                percent(100.0 * share),
                percent(100.0 * shared as f64 / classes.sizes[class] as f64),
            );
            scene.add(Primitive::GroupStart {
                transform: None,
                title: Some(title),
                extra_attrs: None,
            });
            let inner = [width - 1.0, height - 1.0];
            let stroke = matched.then_some("var(--ink)");
            let fill = Color::Css("var(--accent)".into());
            scene.add(rect(
                x + 0.5,
                y + 0.5,
                inner[0],
                inner[1],
                fill,
                Some(0.06 + 0.94 * share),
                stroke,
            ));
            let number = count(shared);
            if number.chars().count() as f64 * 7.5 <= inner[0] && height >= 20.0 {
                let colour = if share > 0.55 { "var(--on-accent)" } else { "var(--ink)" };
                let place = [left + middle_of(class, width), y + height / 2.0 + middle];
                scene.add(text(number, place, TextAnchor::Middle, None, colour));
            }
            scene.add(Primitive::GroupEnd);
        }
    }
    let description = format!(
        "samples that {} share with {}",
        counted(rows.len(), "cluster"),
        // At least two.
        format_args!("{} classes", classes.len())
    );
    // Small print must not become smaller. What is too wide then can be scrolled.
    let least = if size < 12 { 0.9 } else { 0.7 };
    let bounds =
        format!("min-width:{:.0}px;max-width:{:.0}px", least * scene.width, 1.3 * scene.width);
    html! {
        figure #confusion-matrix {
            div.scroll tabindex="0" { div style=(bounds) { (svg(scene, &description)) } }
        }
    }
}
