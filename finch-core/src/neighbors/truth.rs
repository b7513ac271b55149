//! The exact nearest of some rows, by which an approximate search is judged.

use rayon::prelude::*;

use super::nearest::{Nearest, last, offer};
use super::sketch::{Group, Sketch, compare};
use crate::element::Element;
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows that are asked for at a time, and rows that they are compared with.
const ASKED: usize = 128;
const OTHERS: usize = 512;

/// Lists of the `k` nearest of each row that is asked for, which has a direction; bit for bit those
/// of an exact search. The closer the key that at least `k` others do not exceed, the sooner.
pub(super) fn nearest_of<A: Element>(
    rows: &Rows<'_, A>,
    sketch: &Sketch,
    asked: &[u32],
    k: usize,
    known: impl Fn(usize) -> f64 + Sync,
    meter: &Meter,
) -> Vec<Nearest> {
    let mut nearest = vec![Nearest::NONE; asked.len() * k];
    let parts = nearest.par_chunks_mut(ASKED * k).zip(asked.par_chunks(ASKED));
    parts.enumerate().for_each(|(part, (nearest, asked))| {
        let [mut of_asked, mut of_other] = [(); 2].map(|()| vec![0.0; rows.features()]);
        let (mut group, mut products) = (Group::default(), Vec::new());
        group.gather(sketch, asked);
        for first in (0..sketch.len()).step_by(OTHERS) {
            if meter.stopped() {
                return;
            }
            let others = sketch.span(first..sketch.len().min(first + OTHERS));
            compare(group.span(), others, &mut products, |i, bounds| {
                let list = &mut nearest[i * k..][..k];
                let known = known(part * ASKED + i);
                let limit = |list: &[Nearest]| sketch.limit(last(list).key.min(known));
                bounds.within(limit(list), |j| {
                    let other = first + j;
                    if other != asked[i] as usize {
                        rows.load(asked[i] as usize, &mut of_asked);
                        rows.load(other, &mut of_other);
                        offer(list, rows.metric.key(&of_asked, &of_other), other as u32);
                    }
                    limit(list)
                });
            });
        }
    });
    nearest
}
