//! The map: samples as dots, coloured by cluster or class.

use std::fmt::Write;

use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};
use maud::Markup;

use super::chart::svg;
use super::colours;
use super::groups::Groups;
use super::projection::Projection;
use super::text::counted;

/// The side of the map, and what is left free around it, in units of the drawing.
const SIDE: f64 = 480.0;
const MARGIN: f64 = 14.0;

/// Where each group is on the map: at its sample closest to the mean of all its. None for groups
/// without a sample drawn.
pub(super) fn places(projection: &Projection, groups: &Groups) -> Vec<Option<[f64; 2]>> {
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

/// Draws the map. `noun` is what a group is: a cluster, or a class.
pub(super) fn draw(
    projection: &Projection,
    groups: &Groups,
    places: &[Option<[f64; 2]>],
    colours: &[usize],
    noun: &str,
) -> Markup {
    let to_scene = |point: [f64; 2]| {
        let at = |value: f64| MARGIN + value * (SIDE - 2.0 * MARGIN);
        [at(point[0]), at(1.0 - point[1])]
    };
    // A dot is a line of no length with round ends: a tenth of the size of a circle in the file.
    let mut dots = vec![String::new(); groups.len()];
    for (&sample, &point) in projection.samples.iter().zip(&projection.points) {
        let [x, y] = to_scene(point);
        // Writing to a string does not fail.
        let _ = write!(dots[groups.of[sample]], "M{x:.1} {y:.1}h0");
    }
    let diameter = (200.0 / (projection.points.len() as f64).sqrt()).clamp(3.2, 9.0);
    let mut scene = Scene::new(SIDE, SIDE);
    let order = groups.by_size();
    for &group in &order {
        if dots[group].is_empty() {
            continue;
        }
        let samples = counted(groups.sizes[group], "sample");
        let title = format!("{noun} {}: {samples}", groups.names[group]);
        scene.add(Primitive::GroupStart { transform: None, title: Some(title), extra_attrs: None });
        scene.add(Primitive::Path(Box::new(PathData {
            d: std::mem::take(&mut dots[group]),
            fill: None,
            stroke: Color::Css(colours::css(colours[group]).into()),
            stroke_width: diameter,
            opacity: None,
            stroke_dasharray: None,
        })));
        scene.add(Primitive::GroupEnd);
    }
    let size = if groups.len() <= 20 { 15 } else { 11 };
    // Among few dots a name stands above its own, which it would hide.
    let lift = if projection.points.len() <= 50 { f64::from(size) } else { 0.0 };
    let mut named: Vec<[f64; 3]> = Vec::new();
    for &group in &order {
        let Some([x, y]) = places[group].map(to_scene) else { continue };
        let content = shortened(&groups.names[group]);
        let half = 0.33 * f64::from(size) * content.chars().count() as f64;
        // Wholly on the map, and not over the name of a larger group.
        let x = x.clamp(half, SIDE - half);
        let y = (y - lift).max(f64::from(size));
        let clear = |other: &[f64; 3]| {
            (other[0] - x).abs() > other[2] + half || (other[1] - y).abs() > f64::from(size)
        };
        if !named.iter().all(clear) {
            continue;
        }
        named.push([x, y, half]);
        scene.add(Primitive::Text {
            x,
            y: y + 0.35 * f64::from(size),
            content,
            size,
            anchor: TextAnchor::Middle,
            rotate: None,
            bold: true,
            color: Some(Color::Css("var(--ink)".into())),
        });
    }
    let description = format!(
        "map of {} coloured by {noun}: {}",
        counted(projection.points.len(), "sample"),
        counted(groups.len(), "colour")
    );
    svg(scene, &description)
}

/// A name that fits in a plot.
pub(super) fn shortened(name: &str) -> String {
    const MOST: usize = 16;
    let short = match name.char_indices().nth(MOST) {
        None => name.to_string(),
        Some(_) => name.chars().take(MOST - 1).chain(['…']).collect(),
    };
    // What is between dollars would be a formula to kuva.
    short.replace('$', "\\$")
}
