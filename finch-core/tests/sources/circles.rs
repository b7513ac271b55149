//! Circles among files that use each other's names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use super::modules::Arrows;

/// Knots: the largest sets of files in which each file leads to each other one.
pub(crate) fn knots(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let next = next(arrows.keys());
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        next.keys().map(|&file| (file, reachable(&next, file))).collect();
    let mut knots = BTreeSet::new();
    for (file, others) in &reached {
        let back = |other: &&&str| reached.get(**other).is_some_and(|files| files.contains(file));
        let knot: BTreeSet<String> = others.iter().filter(back).map(|&file| file.into()).collect();
        if !knot.is_empty() {
            knots.insert(knot);
        }
    }
    knots.into_iter().collect()
}

/// For each file of a knot the shortest chain of names that leads from the file back to the file,
/// without chains that are listed already.
pub(crate) fn describe(arrows: &Arrows, knot: &BTreeSet<String>) -> String {
    let next = next(arrows.keys());
    let mut text = String::new();
    let mut shown = BTreeSet::new();
    for start in knot {
        let chain = shortest_chain(&next, start);
        if chain.iter().all(|file| shown.contains(file)) {
            continue;
        }
        shown.extend(chain.iter().copied());
        write!(text, "\n  {start}").unwrap();
        for step in chain.windows(2) {
            let name = &arrows[&(step[0].to_owned(), step[1].to_owned())];
            write!(text, "\n    uses {name} of {}", step[1]).unwrap();
        }
    }
    text
}

/// The arrows that no chain of other arrows makes superfluous.
pub(crate) fn reduced(arrows: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    let mut left = arrows.clone();
    for arrow in arrows {
        left.remove(arrow);
        if !reachable(&next(&left), &arrow.0).contains(arrow.1.as_str()) {
            left.insert(arrow.clone());
        }
    }
    left
}

fn next<'a>(
    arrows: impl IntoIterator<Item = &'a (String, String)>,
) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in arrows {
        next.entry(from).or_default().push(to);
    }
    next
}

/// The files that a file leads to: to itself only by a circle.
fn reachable<'a>(next: &BTreeMap<&'a str, Vec<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for &other in next.get(file).into_iter().flatten() {
            if reached.insert(other) {
                open.push(other);
            }
        }
    }
    reached
}

/// From a file on a circle back to that file.
fn shortest_chain<'a>(next: &BTreeMap<&'a str, Vec<&'a str>>, start: &'a str) -> Vec<&'a str> {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(chain) = open.pop_front() {
        for &other in next.get(chain[chain.len() - 1]).into_iter().flatten() {
            if other == start || seen.insert(other) {
                let longer: Vec<&str> = chain.iter().copied().chain([other]).collect();
                if other == start {
                    return longer;
                }
                open.push_back(longer);
            }
        }
    }
    unreachable!("{start} is on a circle")
}
