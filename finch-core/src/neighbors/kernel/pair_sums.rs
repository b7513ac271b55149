//! The sums of all pairs of one set of rows in f32, kept until it is known which of them are large.
//!
//! Each pair is summed once, and serves both of its rows: half the work of a product of the set with itself. A row has
//! its largest sums once all pairs are summed, and no pair is summed again for those that are near them.

use pulp::Simd;
use rayon::prelude::*;

use super::pairs::upper_pairs;
use super::panels::{Line, Pairs, Panels, VECTORS, lines_mut};
use crate::run::progress::Meter;
use crate::support::memory::{filled, push, resize, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::simd::vectorized;

/// The sum of each pair, a row of places for each row: those of later rows are there.
#[derive(Default)]
pub(crate) struct PairSums {
    rows: usize,
    /// Places of a row.
    places: usize,
    sums: Vec<f32>,
}

impl PairSums {
    /// Sums all pairs of some rows, on all threads or on this one; sums are any, if the run is stopped.
    pub(crate) fn write(&mut self, panels: &Panels, on_all_threads: bool, meter: &Meter) {
        let (rows, places, width) = (panels.rows(), panels.places(), panels.width());
        (self.rows, self.places) = (rows, places);
        resize(&mut self.sums, rows * places, 0.0);
        let sums = &mut self.sums[..rows * places];
        let write = |(panel, sums): (usize, &mut [f32])| {
            let first = panel * width;
            let of_panel = first..first + sums.len() / places;
            upper_pairs(panels, of_panel, &mut Written { sums, first, places }, meter);
        };
        match on_all_threads {
            true => {
                sums.par_chunks_mut(width * places)
                    .enumerate()
                    .with_max_len(1)
                    .shared()
                    .for_each(write);
            }
            false => sums.chunks_mut(width * places).enumerate().for_each(write),
        }
    }

    /// The sums of a row with all later ones.
    fn after(&self, row: usize) -> &[f32] {
        &self.sums[row * self.places..][row + 1..self.rows]
    }

    /// The `k`-th largest sum of each row; −∞ where there are not so many.
    pub(crate) fn largest_of_rows(&self, k: usize) -> Vec<f32> {
        let mut largest = filled(f32::NEG_INFINITY, self.rows);
        if k == 1 {
            for row in 0..self.rows {
                let (former, later) = largest.split_at_mut(row + 1);
                former[row] = larger(former[row], largest_of_pairs(self.after(row), later));
            }
            return largest;
        }
        let mut of_row: Vec<f32> = room(self.rows);
        for (row, largest) in largest.iter_mut().enumerate().filter(|_| k < self.rows) {
            of_row.clear();
            of_row.extend((0..row).map(|former| self.sums[former * self.places + row]));
            of_row.extend(self.after(row));
            *largest = *of_row.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1;
        }
        largest
    }

    /// Finds the later rows whose sum with a row is at least what the row, or the other, asks for.
    pub(crate) fn find(&self, row: usize, least: &[f32], found: &mut Vec<u32>) {
        found.clear();
        find_pairs(self.after(row), least[row], &least[row + 1..self.rows], row as u32 + 1, found);
    }
}

/// Memory for the sums of some rows.
struct Written<'a> {
    sums: &'a mut [f32],
    /// The first of the rows.
    first: usize,
    places: usize,
}

impl Pairs for Written<'_> {
    #[inline(always)]
    fn look<S: Simd>(&mut self, _: S, row: usize, first: usize, sums: &Line<S>) {
        let place = (row - self.first) * self.places + first;
        lines_mut::<S>(&mut self.sums[place..][..VECTORS * S::F32_LANES])[0] = *sums;
    }
}

/// Pairs that are looked at together.
const WIDE: usize = 16;

/// The larger of two numbers, by one instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

vectorized! {
    /// Raises the largest of each row to the number of its pair, and returns the largest of these numbers.
    fn largest_of_pairs<'a>(pairs: &'a [f32], largest: &'a mut [f32]) -> f32 {
        let (chunks, rest) = pairs.as_chunks::<WIDE>();
        let (of_chunks, of_rest) = largest.as_chunks_mut::<WIDE>();
        let mut lanes = [f32::NEG_INFINITY; WIDE];
        for (pairs, largest) in chunks.iter().zip(of_chunks) {
            for lane in 0..WIDE {
                lanes[lane] = larger(pairs[lane], lanes[lane]);
                largest[lane] = larger(pairs[lane], largest[lane]);
            }
        }
        let mut all = f32::NEG_INFINITY;
        for lane in lanes {
            all = larger(lane, all);
        }
        for (pair, largest) in rest.iter().zip(of_rest) {
            all = larger(*pair, all);
            *largest = larger(*pair, *largest);
        }
        all
    }
}

vectorized! {
    /// Appends the numbers of the pairs, from `first` on, that are at least what either row asks for.
    fn find_pairs<'a>(
        pairs: &'a [f32],
        least: f32,
        least_of_others: &'a [f32],
        first: u32,
        found: &'a mut Vec<u32>,
    ) -> () {
        let is_found = |pair: f32, of_other: f32| (pair >= least) | (pair >= of_other);
        let (chunks, rest) = pairs.as_chunks::<WIDE>();
        let (of_chunks, of_rest) = least_of_others.as_chunks::<WIDE>();
        let mut number = first;
        for (pairs, least) in chunks.iter().zip(of_chunks) {
            let mut any = false;
            for lane in 0..WIDE {
                any |= is_found(pairs[lane], least[lane]);
            }
            if any {
                for lane in 0..WIDE {
                    if is_found(pairs[lane], least[lane]) {
                        push(found, number + lane as u32);
                    }
                }
            }
            number += WIDE as u32;
        }
        for (pair, of_other) in rest.iter().zip(of_rest) {
            if is_found(*pair, *of_other) {
                push(found, number);
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::kernel::{Terms, all_sums};

    #[test]
    fn the_largest_sums_are_found_for_either_row() {
        let meter = &Meter::stopped_at_once(false);
        let mut pair_sums = PairSums::default();
        for (rows, terms) in [(150, Terms::Products), (1, Terms::Squares), (61, Terms::Larger)] {
            let mut panels = Panels::new(rows, 2, terms);
            for row in 0..rows {
                panels.set(row, &[(row * 37 % 101) as f32, (row * 53 % 89) as f32], row as f32);
            }
            let all = all_sums(&panels, &panels);
            pair_sums.write(&panels, false, meter);
            for k in [1, 2, 9] {
                let expected = |row: usize| {
                    let mut of_row: Vec<f32> = all[row].clone();
                    of_row.remove(row);
                    of_row.sort_unstable_by(|a, b| b.total_cmp(a));
                    of_row.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY)
                };
                let least = pair_sums.largest_of_rows(k);
                assert_eq!(least, (0..rows).map(expected).collect::<Vec<_>>());
                let mut found = Vec::new();
                for row in 0..rows {
                    pair_sums.find(row, &least, &mut found);
                    let is_near = |&other: &usize| all[row][other] >= least[row].min(least[other]);
                    let expected = (row + 1..rows).filter(is_near);
                    assert!(expected.eq(found.iter().map(|&other| other as usize)));
                }
            }
        }
    }
}
