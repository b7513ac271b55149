//! Draws the picture of the README as SVG: points on a map, and the tree of their partitions.
//!
//! `cargo run --release -p finch-core --example picture > examples/picture.svg`

use std::error::Error;
use std::fmt::Write;
use std::fs;

use finch_core::{Finch, Hierarchy, Partition, Samples};
use ndarray::Array2;

const DATA: &str = "examples/data/aggregation/aggregation_rounded.txt";
/// The partition whose clusters have letters and colours.
const LETTERED: usize = 3;
/// CSS classes: of each cluster with a letter, and of clusters above it in the tree.
const CLASSES: [&str; 5] = ["A", "B", "C", "D", "above"];
const ABOVE: usize = 4;

/// Left, top, width and height of the map and of the tree, in pixels.
const MAP: [f64; 4] = [31.0, 66.0, 294.0, 252.0];
const TREE: [f64; 4] = [394.0, 60.0, 378.0, 264.0];
/// Radius in which points count for the place of a letter, in units of the data.
const NEAR: f64 = 6.0;
/// Pixels between two rows of the tree.
const ROW_GAP: f64 = 5.0;
/// Pixels between neighbouring clusters, by the coarsest partition that separates the two.
const GAPS: [f64; 5] = [0.5, 0.9, 2.0, 4.0, 8.0];

/// One file for light and dark pages. Any two letters have colours that differ by 23 in CIELAB at least,
/// also with protanopia, deuteranopia or tritanopia (the matrices of Machado et al. 2009).
const HEAD: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="800" height="350" viewBox="0 0 800 350">
<title>788 points on a map, and the tree of their partitions</title>
<style>
  text { font: 14px -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; fill: #1f2328 }
  .page { fill: #fff; stroke: #d1d9e0 }
  .A { color: #efb118 }
  .B { color: #3a7fd5 }
  .C { color: #3cbf9a }
  .D { color: #d4551c }
  .above { color: #afb8c1 }
  .links, .points { stroke: currentColor; stroke-linecap: round }
  .links { stroke-width: 7; stroke-opacity: .36 }
  .points { stroke-width: 4.2 }
  .bars { fill: currentColor }
  .size { text-anchor: middle; fill: #000 }
  .count { text-anchor: end }
  .letter { font-size: 22px; font-weight: 700; text-anchor: middle;
    paint-order: stroke; stroke: #fff; stroke-width: 6; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .page { fill: #0d1117; stroke: #3d444d }
    .above { color: #9198a1 }
    .letter { stroke: #0d1117 }
  }
</style>
<rect class="page" x=".5" y=".5" width="799" height="349" rx="8"/>
<text x="28" y="36">788 points linked to first neighbours</text>
<text x="348" y="36">Clusters of each partition, in proportion to their points</text>
"##;

fn main() -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(DATA).map_err(|error| format!("{DATA}: {error}"))?;
    let mut values = Vec::new();
    for line in text.lines() {
        // The third column is the class.
        for field in line.split_whitespace().take(2) {
            values.push(field.parse::<f64>()?);
        }
    }
    let points = Array2::from_shape_vec((values.len() / 2, 2), values)?;
    let hierarchy = Finch::new().fit(&Samples::new(points.view())?)?;

    let mut svg = HEAD.to_owned();
    draw_map(&mut svg, &points, &hierarchy)?;
    draw_tree(&mut svg, &hierarchy)?;
    println!("{svg}</svg>");
    Ok(())
}

/// Each point, and its link to its first neighbour. Linked points are a cluster of the finest partition.
fn draw_map(
    svg: &mut String,
    points: &Array2<f64>,
    hierarchy: &Hierarchy,
) -> Result<(), Box<dyn Error>> {
    let [left, top, width, height] = MAP;
    let bounds = |column| {
        let column = points.column(column);
        column.iter().fold((f64::MAX, f64::MIN), |(least, most), &x| (least.min(x), most.max(x)))
    };
    let ((west, east), (south, north)) = (bounds(0), bounds(1));
    let scale = (width / (east - west)).min(height / (north - south));
    let to_map = |x: f64, y: f64| (left + (x - west) * scale, top + (north - y) * scale);

    let clusters = hierarchy.partition(LETTERED)?.labels();
    let mut links = [const { String::new() }; ABOVE];
    let mut dots = links.clone();
    for (point, &neighbor) in hierarchy.first_neighbors().index().iter().enumerate() {
        let cluster = clusters[point] as usize;
        let (x, y) = to_map(points[[point, 0]], points[[point, 1]]);
        let neighbor = neighbor as usize;
        let (to_x, to_y) = to_map(points[[neighbor, 0]], points[[neighbor, 1]]);
        write!(links[cluster], "M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}")?;
        write!(dots[cluster], "M{x:.1} {y:.1}h0")?;
    }
    for (class, (links, dots)) in CLASSES.iter().zip(links.iter().zip(&dots)) {
        writeln!(svg, r#"<path class="links {class}" d="{links}"/>"#)?;
        writeln!(svg, r#"<path class="points {class}" d="{dots}"/>"#)?;
    }

    // The letter of a cluster is on the point that has most of the cluster's points near.
    for (cluster, letter) in CLASSES[..ABOVE].iter().enumerate() {
        let in_cluster = |point: &usize| clusters[*point] as usize == cluster;
        let members: Vec<usize> = (0..clusters.len()).filter(in_cluster).collect();
        let near = |point: &usize| {
            let offset = |other: &usize| &points.row(*other) - &points.row(*point);
            members.iter().map(offset).filter(|offset| offset.dot(offset) < NEAR * NEAR).count()
        };
        let best = points.row(*members.iter().max_by_key(|point| near(point)).ok_or("no points")?);
        let (x, y) = to_map(best[0], best[1]);
        let y = y + 8.0;
        writeln!(svg, r#"<text class="letter" x="{x:.1}" y="{y:.1}">{letter}</text>"#)?;
    }
    Ok(())
}

/// A row for each partition, the coarsest on top; below each cluster are the clusters that it joins.
fn draw_tree(svg: &mut String, hierarchy: &Hierarchy) -> Result<(), Box<dyn Error>> {
    let [left, top, width, height] = TREE;
    let partitions = hierarchy.partitions();
    let labels = |sample: usize| partitions.iter().rev().map(move |p| p.labels()[sample]);
    let mut order: Vec<usize> = (0..hierarchy.samples()).collect();
    order.sort_by(|&a, &b| labels(a).cmp(labels(b)));
    // The sum of the gaps left of each sample.
    let mut gaps = vec![0.0];
    for pair in order.windows(2) {
        let apart = |p: &Partition| p.labels()[pair[0]] != p.labels()[pair[1]];
        let gap = partitions.iter().rposition(apart).map_or(0.0, |coarsest| GAPS[coarsest]);
        gaps.push(gaps[gaps.len() - 1] + gap);
    }
    let sample_width = (width - gaps[gaps.len() - 1]) / order.len() as f64;
    let row_height = (height + ROW_GAP) / partitions.len() as f64 - ROW_GAP;

    let lettered = hierarchy.partition(LETTERED)?.labels();
    for (row, (number, partition)) in partitions.iter().enumerate().rev().enumerate() {
        let y = top + (row_height + ROW_GAP) * row as f64;
        let baseline = y + row_height / 2.0 + 5.0;
        let mut bars = [const { String::new() }; CLASSES.len()];
        let mut texts = String::new();
        let mut begin = 0;
        for members in order.chunk_by(|&a, &b| partition.labels()[a] == partition.labels()[b]) {
            let size = members.len();
            let end = begin + size;
            let x = left + gaps[begin] + sample_width * begin as f64;
            let wide = gaps[end - 1] - gaps[begin] + sample_width * size as f64;
            let class = if number > LETTERED { ABOVE } else { lettered[members[0]] as usize };
            write!(bars[class], "M{x:.2} {y:.1}h{wide:.2}v{row_height:.1}h-{wide:.2}z")?;
            if number >= LETTERED {
                let letter = if number == LETTERED { CLASSES[class] } else { "" };
                let x = x + wide / 2.0;
                write!(texts, r#"<text class="size" x="{x:.1}" y="{baseline:.1}">"#)?;
                writeln!(texts, "{letter} {size}</text>")?;
            }
            begin = end;
        }
        for (class, bars) in CLASSES.iter().zip(&bars).filter(|(_, bars)| !bars.is_empty()) {
            writeln!(svg, r#"<path class="bars {class}" d="{bars}"/>"#)?;
        }
        let (x, count) = (left - 12.0, partition.clusters());
        writeln!(texts, r#"<text class="count" x="{x}" y="{baseline:.1}">{count}</text>"#)?;
        svg.push_str(&texts);
    }
    Ok(())
}
