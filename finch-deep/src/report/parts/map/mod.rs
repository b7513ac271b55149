//! The map: samples as dots, coloured by cluster or class.

mod labels;
pub(crate) mod projection;

use std::fmt::Write;

use maud::{Markup, html};

use self::labels::Labels;
use self::projection::{Method, Projection};
use super::chart::Axis;
use super::colours::{COLOURS, Colour, SHADES};
use super::glossary::term;
use super::groups::Groups;
use super::svg::{Anchor, Coordinate, Text, drawing};
use super::text::{count, counted, name_of, short, shortened};

/// The side of a map, and what is left free around its dots, in units of the drawing.
const SIDE: f64 = 480.0;
const MARGIN: f64 = 14.0;
/// The width of a map that is as wide as the page, and its least height.
const WIDE: f64 = 640.0;
const LOWEST: f64 = 200.0;
/// The room that the axes of a plane take on the left and below, in heights of their letters.
const AXES: [f64; 2] = [5.2, 3.8];

/// The most samples on a map: enough to fill it, in seconds and some 100 kB. Of more, as many are drawn
/// at random.
pub const MAP_SAMPLES: usize = 5_000;

/// The most groups that each have a title. Nobody could point at one of more, and they would fill the file.
const TITLED: usize = 300;
/// The most samples that each have a title, some 70 bytes a sample.
pub(in crate::report) const TOLD_SAMPLES: usize = 2_000;

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
#[derive(Clone, Copy)]
pub(in crate::report) struct Shown<'a> {
    pub(in crate::report) groups: &'a Groups,
    /// Where the groups are.
    pub(in crate::report) places: &'a [Option<[f64; 2]>],
    pub(in crate::report) colours: &'a [Colour],
    /// The noun for a group: a cluster, or a class.
    pub(in crate::report) noun: &'a str,
    /// True if the groups have their names on the map.
    pub(in crate::report) named: bool,
    /// The samples, where a map tells of each.
    pub(in crate::report) samples: Option<Told<'a>>,
    /// True if the map is as wide as the page.
    pub(in crate::report) wide: bool,
}

/// The names of samples and features, for a map that tells of each sample.
#[derive(Clone, Copy)]
pub(in crate::report) struct Told<'a> {
    /// The names of the samples: a few samples are shown by them, and not by those of their groups.
    pub(in crate::report) names: Option<&'a [String]>,
    /// The names of the features, where these are known.
    pub(in crate::report) features: &'a [String],
}

/// The places of a map's points in its drawing.
struct Scene {
    sides: [f64; 2],
    /// Where the point 0, 0 is.
    origin: [f64; 2],
    /// The length of 1.
    scale: f64,
}

impl Scene {
    fn new(projection: &Projection, wide: bool) -> Self {
        let letters = f64::from(letters(wide));
        let [left, below] = match projection.method {
            Method::Plane => AXES.map(|room| room * letters),
            _ => [MARGIN; 2],
        };
        let bound = |axis: usize, start: f64, choose: fn(f64, f64) -> f64| {
            projection.points.iter().map(|point| point[axis]).fold(start, choose)
        };
        let low = [0, 1].map(|axis| bound(axis, f64::INFINITY, f64::min));
        let high = [0, 1].map(|axis| bound(axis, f64::NEG_INFINITY, f64::max));
        let [across, up] = [0, 1].map(|axis| (high[axis] - low[axis]).max(1e-9));
        let width = if wide { WIDE } else { SIDE };
        let inner = [width - left - MARGIN, SIDE - MARGIN - below];
        let scale = f64::min(inner[0] / across, inner[1] / up);
        let height = match wide {
            true => (up * scale + MARGIN + below).max(LOWEST),
            false => SIDE,
        };
        let middle = [
            left + inner[0] / 2.0 - scale * (low[0] + high[0]) / 2.0,
            (height - below + MARGIN) / 2.0 + scale * (low[1] + high[1]) / 2.0,
        ];
        Self { sides: [width, height], origin: middle, scale }
    }

    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.origin[0] + self.scale * x, self.origin[1] - self.scale * y]
    }
}

/// The height of the letters of axes: as a phone needs them, which shows a wide map smaller.
fn letters(wide: bool) -> u32 {
    if wide { 18 } else { 12 }
}

/// Draws the map.
pub(in crate::report) fn draw(projection: &Projection, shown: &Shown<'_>) -> Markup {
    let Shown { groups, places, noun, samples, wide, .. } = *shown;
    let scene = Scene::new(projection, wide);
    let radius = diameter(projection.points.len()) / 2.0;
    let dots: Vec<([f64; 2], usize)> = projection
        .samples
        .iter()
        .zip(&projection.points)
        .map(|(&sample, &point)| (scene.at(point), groups.of[sample]))
        .collect();
    let told = samples.filter(|_| dots.len() <= TOLD_SAMPLES);
    let order = groups.by_size();
    let drawn = match told {
        Some(told) => samples_drawn(projection, shown, &dots, told, &order),
        None => groups_drawn(shown, &dots, &order),
    };
    let many = groups.len() > 20;
    // Letters are as high as a phone needs them, which shows a wide map smaller; a style sheet makes them
    // smaller elsewhere.
    let size = match (wide, many) {
        (true, false) => 18,
        (true, true) => 15,
        (false, false) => 15,
        (false, true) => 11,
    };
    let height = f64::from(size);
    let mut labels = Labels::new(&dots, radius, scene.sides, height);
    let text = |at: [f64; 2], anchor, content: &str| {
        Text { at, anchor, size, bold: true, upwards: false, colour: "var(--ink)" }.draw(content)
    };
    let few = told.filter(|_| dots.len() <= NAMED_SAMPLES).and_then(|told| told.names);
    let mut texts: Vec<Markup> = Vec::new();
    if let Some(names) = few {
        for (&sample, &(dot, _)) in projection.samples.iter().zip(&dots) {
            let name = shortened(&names[sample]);
            if let Some((at, ends)) = labels.beside_dot(&name, dot) {
                let anchor = if ends { Anchor::End } else { Anchor::Start };
                texts.push(text(at, anchor, &name));
            }
        }
    } else if shown.named && groups.len() <= NAMED_GROUPS {
        // Noise is at no one place.
        for &group in order.iter().filter(|&&group| groups.noise != Some(group)) {
            let Some(place) = places[group] else { continue };
            let name = shortened(&groups.names[group]);
            if let Some(at) = labels.beside_group(&name, group, scene.at(place)) {
                texts.push(text(at, Anchor::Middle, &name));
            }
        }
    }
    let description = format!(
        "map of {} coloured by {noun}: {}",
        counted(projection.points.len(), "sample"),
        counted(groups.len(), "colour")
    );
    let axes = projection.plane.as_ref().filter(|_| samples.is_some());
    let axes = axes.map(|plane| {
        axes_drawn(plane, &scene, samples.map_or(&[], |it| it.features), letters(wide))
    });
    let content = html! {
        @if let Some(axes) = axes { g.axes { (axes) } }
        (drawn)
        g.names.many[many] { @for part in &texts { (part) } }
    };
    drawing(scene.sides, &description, content)
}

/// The dots of each group as one line of pieces without length: a tenth of the size of circles in the file.
fn groups_drawn(shown: &Shown<'_>, dots: &[([f64; 2], usize)], order: &[usize]) -> Markup {
    let Shown { groups, colours, noun, .. } = *shown;
    let diameter = diameter(dots.len());
    // Many groups are drawn by their colours.
    let titled = groups.len() <= TITLED;
    let path = |group: usize| match titled {
        true => group,
        // Beyond all colours there is grey.
        false => colours[group].hue * SHADES + colours[group].shade,
    };
    let mut paths = vec![String::new(); if titled { groups.len() } else { COLOURS * SHADES + 1 }];
    for &([x, y], group) in dots {
        // Writing to a string does not fail.
        let _ = write!(paths[path(group)], "M{x:.1} {y:.1}h0");
    }
    html! { @for &group in order {
        @let path = std::mem::take(&mut paths[path(group)]);
        @if !path.is_empty() {
            g.tt[titled] {
                @if titled {
                    title { (noun) " " (groups.names[group]) ": " (counted(groups.sizes[group], "sample")) }
                }
                path d=(path) stroke=(colours[group].css()) stroke-width=(format!("{diameter:.1}"))
                    stroke-linecap="round" fill="none" {}
            }
        }
    } }
}

/// The dots, each with the name of its sample.
fn samples_drawn(
    projection: &Projection,
    shown: &Shown<'_>,
    dots: &[([f64; 2], usize)],
    told: Told<'_>,
    order: &[usize],
) -> Markup {
    let Shown { groups, colours, noun, .. } = *shown;
    let diameter = diameter(dots.len());
    let mut members = vec![Vec::new(); groups.len()];
    for (&sample, &(dot, group)) in projection.samples.iter().zip(dots) {
        members[group].push((sample, dot));
    }
    html! { @for &group in order { @if !members[group].is_empty() {
        g.tt stroke=(colours[group].css()) stroke-width=(format!("{diameter:.1}"))
            stroke-linecap="round" fill="none" {
            @for &(sample, [x, y]) in &members[group] {
                path d=(format!("M{x:.1} {y:.1}h0")) {
                    title { (name_of(told.names, sample)) ", " (noun) " " (groups.names[group]) }
                }
            }
        }
    } } }
}

/// The diameter of a dot.
fn diameter(dots: usize) -> f64 {
    (200.0 / (dots as f64).sqrt()).clamp(3.2, 9.0)
}

/// The axes of samples of two features, with their names and values.
fn axes_drawn(plane: &projection::Plane, scene: &Scene, features: &[String], size: u32) -> Markup {
    let letter = f64::from(size);
    let text = |at: [f64; 2], anchor, upwards, content: &str| {
        Text { at, anchor, size, bold: false, upwards, colour: "var(--muted)" }.draw(content)
    };
    let [width, height] = scene.sides;
    let (left, bottom) = (AXES[0] * letter - 8.0, height - AXES[1] * letter + 8.0);
    let ticks = [0, 1].map(|axis| Axis::round(plane.low[axis], plane.high[axis]).ticks);
    let place = |axis: usize, value: f64| scene.at(plane.point(axis, value))[axis];
    let name = |axis: usize| match features.get(axis) {
        Some(name) => shortened_axis(name),
        None => format!("feature {axis}"),
    };
    html! {
        path d=(format!("M{left} {MARGIN}V{bottom}H{}", width - MARGIN)) stroke="var(--axis)"
            stroke-width="1" fill="none" {}
        @for &value in &ticks[0] {
            @let x = place(0, value);
            path d=(format!("M{} {bottom}v4", Coordinate(x))) stroke="var(--axis)" stroke-width="1" {}
            (text([x, bottom + 4.0 + 1.1 * letter], Anchor::Middle, false, &short(value)))
        }
        @for &value in &ticks[1] {
            @let y = place(1, value);
            path d=(format!("M{left} {}h-4", Coordinate(y))) stroke="var(--axis)" stroke-width="1" {}
            (text([left - 7.0, y + 0.35 * letter], Anchor::End, false, &short(value)))
        }
        (text([(left + width) / 2.0, height - 0.3 * letter], Anchor::Middle, false, &name(0)))
        (text([letter, (MARGIN + bottom) / 2.0], Anchor::Middle, true, &name(1)))
    }
}

/// The name of a feature that fits beside an axis.
fn shortened_axis(name: &str) -> String {
    const MOST: usize = 32;
    match name.chars().count() > MOST {
        true => name.chars().take(MOST - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
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
                "by " (term("tsne", "t-SNE")) " (perplexity " (perplexity) "): near samples are much alike; the "
                "sizes of groups and the distances between them mean little. Its axes have no unit."
            }
            Method::Principal => {
                "by their first two " (term("components", "principal components"))
                ", the first to the right and the second up: near samples are alike."
            }
            Method::Plane => { "by their two features." }
        }
        @if drawn <= TOLD_SAMPLES { " Point at a dot to see its sample." }
    }
}
