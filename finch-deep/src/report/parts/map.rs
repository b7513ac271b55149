//! The map: samples as dots, coloured by cluster or class.

use std::fmt::Write;

use maud::{Markup, html};

use super::colours::{COLOURS, Colour, SHADES};
use super::groups::Groups;
use super::projection::{Method, Projection};
use super::svg::{Anchor, Text, drawing};
use super::text::{count, counted};

/// The side of the map, and what is left free around it, in units of the drawing.
const SIDE: f64 = 480.0;
const MARGIN: f64 = 14.0;

/// The most samples on a map: enough to fill it, in seconds and some 100 kB. Of more, as many are drawn
/// at random.
pub const MAP_SAMPLES: usize = 5_000;

/// The most groups that each have a title. Nobody could point at one of more, and they would fill the file.
const TITLED: usize = 300;

/// The most groups, and the most samples, that are named on the map.
const NAMED_GROUPS: usize = 100;
const NAMED_SAMPLES: usize = 40;

/// Where each group is on the map: at its sample closest to the mean of all its. None for groups
/// without a sample drawn.
pub(in crate::report) fn places(projection: &Projection, groups: &Groups) -> Vec<Option<[f64; 2]>> {
    let mut sums = vec![([0.0, 0.0], 0.0); groups.len()];
    let drawn =
        || projection.samples.iter().map(|&sample| groups.of[sample]).zip(&projection.points);
    for (group, point) in drawn() {
        let (sum, number) = &mut sums[group];
        *sum = [sum[0] + point[0], sum[1] + point[1]];
        *number += 1.0;
    }
    let mut places: Vec<Option<(f64, [f64; 2])>> = vec![None; groups.len()];
    for (group, &point) in drawn() {
        let (sum, number) = sums[group];
        let distance = (sum[0] / number - point[0]).hypot(sum[1] / number - point[1]);
        if places[group].is_none_or(|(nearest, _)| distance < nearest) {
            places[group] = Some((distance, point));
        }
    }
    places.into_iter().map(|place| place.map(|(_, point)| point)).collect()
}

/// The groups coloured on a map.
pub(in crate::report) struct Shown<'a> {
    pub(in crate::report) groups: &'a Groups,
    /// Where the groups are.
    pub(in crate::report) places: &'a [Option<[f64; 2]>],
    pub(in crate::report) colours: &'a [Colour],
    /// The noun for a group: a cluster, or a class.
    pub(in crate::report) noun: &'a str,
    /// The names of the samples: a few samples are shown by them, and not by those of their groups.
    pub(in crate::report) names: Option<&'a [String]>,
}

/// Draws the map.
pub(in crate::report) fn draw(projection: &Projection, shown: &Shown<'_>) -> Markup {
    let Shown { groups, places, colours, noun, names } = *shown;
    let to_scene = |point: [f64; 2]| {
        let at = |value: f64| MARGIN + value * (SIDE - 2.0 * MARGIN);
        [at(point[0]), at(1.0 - point[1])]
    };
    // Many groups are drawn by their colours.
    let titled = groups.len() <= TITLED;
    let path = |group: usize| match titled {
        true => group,
        false => colours[group].hue * SHADES + colours[group].shade,
    };
    // A dot is a line of no length with round ends: a tenth of the size of a circle in the file.
    let mut dots = vec![String::new(); if titled { groups.len() } else { COLOURS * SHADES }];
    for (&sample, &point) in projection.samples.iter().zip(&projection.points) {
        let [x, y] = to_scene(point);
        // Writing to a string does not fail.
        let _ = write!(dots[path(groups.of[sample])], "M{x:.1} {y:.1}h0");
    }
    let diameter = (200.0 / (projection.points.len() as f64).sqrt()).clamp(3.2, 9.0);
    let order = groups.by_size();
    let mut paths: Vec<Markup> = Vec::new();
    for &group in &order {
        let dots = std::mem::take(&mut dots[path(group)]);
        if dots.is_empty() {
            continue;
        }
        let samples = counted(groups.sizes[group], "sample");
        let title = titled.then(|| format!("{noun} {}: {samples}", groups.names[group]));
        paths.push(html! {
            g.tt[titled] {
                @if let Some(title) = title { title { (title) } }
                path d=(dots) stroke=(colours[group].css()) stroke-width=(format!("{diameter:.1}"))
                    stroke-linecap="round" fill="none" {}
            }
        });
    }
    // A few samples go by their own names, beside their dots.
    let by_sample = names.filter(|_| projection.samples.len() <= NAMED_SAMPLES);
    let size = match (by_sample, groups.len()) {
        (Some(_), _) => 12,
        (None, ..=20) => 15,
        _ => 11,
    };
    let height = f64::from(size);
    let texts: Vec<([f64; 2], &str)> = match by_sample {
        Some(names) => {
            let samples = projection.samples.iter().zip(&projection.points);
            samples.map(|(&sample, &point)| (to_scene(point), &*names[sample])).collect()
        }
        None if groups.len() > NAMED_GROUPS => Vec::new(),
        None => {
            let at = |&group: &usize| Some((to_scene(places[group]?), &*groups.names[group]));
            order.iter().filter_map(at).collect()
        }
    };
    let dots: Vec<[f64; 2]> = projection.points.iter().map(|&point| to_scene(point)).collect();
    let mut named: Vec<[f64; 3]> = Vec::new();
    let mut texts_drawn: Vec<Markup> = Vec::new();
    for (place, name) in texts {
        let content = shortened(name);
        let half = 0.4 * height * content.chars().count() as f64;
        // Where there is room: not over the name of a larger group, nor of a sample before, nor its dot.
        let clear = |&[x, y]: &[f64; 2]| {
            let over = |other: &[f64; 3]| {
                (other[0] - x).abs() <= other[2] + half && (other[1] - y).abs() <= height
            };
            let hides =
                |dot: &[f64; 2]| (dot[0] - x).abs() < half && (dot[1] - y).abs() < height / 2.0;
            let hidden = by_sample.is_some() && dots.iter().any(hides);
            !hidden && !named.iter().any(over)
        };
        let spots = spots(place, half, height, by_sample.is_some(), dots.len());
        let Some([x, y]) = spots.into_iter().find(clear) else { continue };
        named.push([x, y, half]);
        let at = [x, y + 0.35 * height];
        let colour = "var(--ink)";
        let text = Text { at, anchor: Anchor::Middle, size, bold: true, upwards: false, colour };
        texts_drawn.push(text.draw(&content));
    }
    let description = format!(
        "map of {} coloured by {noun}: {}",
        counted(projection.points.len(), "sample"),
        counted(groups.len(), "colour")
    );
    let content = html! { @for part in paths.iter().chain(&texts_drawn) { (part) } };
    drawing([SIDE, SIDE], &description, content)
}

/// Where the middle of a name may be, wholly on the map: beside a sample of its own; above one of few dots,
/// which it would hide; or where its group is.
fn spots([x, y]: [f64; 2], half: f64, height: f64, own: bool, dots: usize) -> Vec<[f64; 2]> {
    let beside = half + 0.7 * height;
    let spots = match own {
        true => vec![[x + beside, y], [x - beside, y], [x, y - height], [x, y + height]],
        false if dots <= 50 => vec![[x, y - height]],
        false => vec![[x, y]],
    };
    let on_map = |[x, y]: [f64; 2]| [x.clamp(half, SIDE - half), y.clamp(height, SIDE - height)];
    spots.into_iter().map(on_map).collect()
}

/// Says how the map was made.
pub(in crate::report) fn about(projection: &Projection, samples: usize) -> Markup {
    let drawn = projection.samples.len();
    html! {
        @if drawn < samples {
            (count(drawn)) " of the " (counted(samples, "sample")) ", drawn at random, "
        } @else {
            "All " (counted(drawn, "sample")) " "
        }
        @match projection.method {
            Method::Tsne { perplexity } => {
                "by t-SNE (perplexity " (perplexity) "): who is near whom means much, distances "
                "between clusters and their sizes mean little."
            }
            Method::Principal => { "by their two principal components." }
            Method::Plane => { "by their two features: the first to the right, the second up." }
        }
    }
}

/// A name that fits in a plot.
pub(in crate::report) fn shortened(name: &str) -> String {
    const MOST: usize = 16;
    match name.char_indices().nth(MOST) {
        None => name.to_string(),
        Some(_) => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}
