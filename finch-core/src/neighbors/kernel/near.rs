//! Pairs of rows that are near each other, found in two sets of rows while their product arises.

use pulp::Simd;

use super::pairs::all_pairs;
use super::panels::{LONGEST_LINE, Line, Pairs, Panels, VECTORS, lines, lines_mut};
use super::squares::Candidate;
use crate::run::progress::Meter;
use crate::support::memory::{push, reserve, resize};

/// For each row of a set, how near rows of another set have to be, and which were found to be.
///
/// Both sets end their rows so that what a product, or another sum of terms, comes to for a pair is
/// −½ of the pair's distance, squared or not: a distance is within a limit where the sum is at least
/// −½ of that limit.
#[derive(Default)]
pub(crate) struct NearOthers {
    /// The least sum of a pair that is near, for each row and each place that the last panel lacks.
    least_sums: Vec<f32>,
    /// The near rows of the other set, by their places in it.
    found: Vec<Vec<Candidate>>,
    /// The largest sums of each row, one for each place of a panel's line.
    largest_sums: Vec<f32>,
}

/// The least sum where every row of the other set is near, unless it is infinitely far.
pub(crate) const ALL_ARE_NEAR: f32 = -0.5 * f32::MAX;

impl NearOthers {
    /// Sets the limit of each row: the largest distance that is near. Nothing is near a row
    /// beyond the last limit, or a row that is infinitely far from all. Forgets what was found.
    pub(crate) fn set_limits(&mut self, rows: &Panels, limits: impl Iterator<Item = f32>) {
        let least_sum = |(limit, &end): (f32, &f32)| {
            if end == f32::NEG_INFINITY { f32::INFINITY } else { (-0.5 * limit).max(ALL_ARE_NEAR) }
        };
        self.least_sums.clear();
        reserve(&mut self.least_sums, rows.places());
        self.least_sums.extend(limits.zip(rows.ends()).map(least_sum));
        self.least_sums.resize(rows.places(), f32::INFINITY);
        let lacking = rows.rows().saturating_sub(self.found.len());
        reserve(&mut self.found, lacking);
        self.found.resize_with(self.found.len() + lacking, Vec::new);
        self.found.iter_mut().for_each(Vec::clear);
    }

    /// Gives a limit to each row that has none: at least `count` others are within the new limit,
    /// and few more. To rows that had a limit, nothing is near any more. Returns false, and changes
    /// nothing, if every row has a limit, or if `count` is too large.
    pub(crate) fn limit_to_few(
        &mut self,
        rows: &Panels,
        others: &Panels,
        count: usize,
        meter: &Meter,
    ) -> bool {
        let width = rows.width();
        if !self.least_sums.contains(&ALL_ARE_NEAR) || count > width {
            return false;
        }
        self.largest_sums.clear();
        resize(&mut self.largest_sums, rows.places() * width, f32::NEG_INFINITY);
        all_pairs(rows, others, &mut LargestSums(&mut self.largest_sums), meter);
        let descending = |a: &f32, b: &f32| b.total_cmp(a);
        let largest = self.largest_sums.chunks_exact_mut(width);
        for (least, largest) in self.least_sums.iter_mut().zip(largest) {
            *least = match *least {
                ALL_ARE_NEAR => {
                    let (_, of_count, _) = largest.select_nth_unstable_by(count - 1, descending);
                    of_count.max(ALL_ARE_NEAR)
                }
                _ => f32::INFINITY,
            };
        }
        true
    }

    /// Gives `take` each row for which others were found, with these, and forgets them.
    pub(crate) fn take_found(&mut self, mut take: impl FnMut(usize, &mut [Candidate])) {
        for (row, found) in self.found.iter_mut().enumerate() {
            if !found.is_empty() {
                take(row, found);
                found.clear();
            }
        }
    }
}

/// Looks for pairs of a row of the left set and a row of the right set that are near for either.
impl Pairs for [NearOthers; 2] {
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Line<S>) {
        let [of_row, of_others] = self;
        if any_near(simd, of_row.least_sums[row], &of_others.least_sums[first..], sums) {
            let mut line = [0.0; LONGEST_LINE];
            lines_mut::<S>(&mut line)[0] = *sums;
            let least = of_row.least_sums[row];
            let line = line[..VECTORS * S::F32_LANES].iter().zip(&of_others.least_sums[first..]);
            for (column, (&sum, &least_of_column)) in (first..).zip(line) {
                if sum >= least {
                    push(&mut of_row.found[row], Candidate::at_bound(-2.0 * sum, column as u32));
                }
                if sum >= least_of_column {
                    push(&mut of_others.found[column], Candidate::at_bound(-2.0 * sum, row as u32));
                }
            }
        }
    }
}

/// True if a row is near one of the others of a line, or one of these near the row.
#[inline(always)]
fn any_near<S: Simd>(simd: S, least: f32, least_of_others: &[f32], sums: &Line<S>) -> bool {
    let least = simd.splat_f32s(least);
    let near = |v: usize| {
        let least = simd.min_f32s(least, lines::<S>(least_of_others)[0][v]);
        simd.greater_than_or_equal_f32s(sums[v], least)
    };
    let any = (1..VECTORS).fold(near(0), |any, v| simd.or_m32s(any, near(v)));
    simd.first_true_m32s(any) < S::F32_LANES
}

/// Keeps the largest sums of each row of the left set, one for each place of a line.
struct LargestSums<'a>(&'a mut [f32]);

impl Pairs for LargestSums<'_> {
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, row: usize, _: usize, sums: &Line<S>) {
        let largest = &mut lines_mut::<S>(self.0)[row];
        for (largest, sum) in largest.iter_mut().zip(sums) {
            *largest = simd.max_f32s(*largest, *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter;
    use std::ops::Range;

    use super::*;
    use crate::neighbors::kernel::Terms;

    fn point(place: usize) -> [f32; 2] {
        [(place * 37 % 101) as f32, (place * 53 % 89) as f32]
    }

    fn distance(a: usize, b: usize) -> f32 {
        point(a).iter().zip(point(b)).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    fn panels(places: Range<usize>) -> Panels {
        let mut panels = Panels::new(places.len(), 2, Terms::Products);
        for (row, place) in places.enumerate() {
            let half = -0.5 * point(place).iter().map(|x| x * x).sum::<f32>();
            panels.set(row, &point(place), half);
        }
        panels
    }

    fn taken(near: &mut NearOthers) -> Vec<(usize, u32, f32)> {
        let mut taken = Vec::new();
        near.take_found(|row, found| {
            taken.extend(found.iter().map(|other| (row, other.number(), other.distance())));
        });
        taken.sort_by_key(|&(row, other, _)| (row, other));
        near.take_found(|_, _| panic!("all has been taken"));
        taken
    }

    fn limit(place: usize) -> f32 {
        [-f32::INFINITY, 100.0, 900.0, f32::INFINITY][place % 4]
    }

    fn expected(rows: Range<usize>, others: Range<usize>) -> Vec<(usize, u32, f32)> {
        let pairs = rows.clone().flat_map(|row| others.clone().map(move |other| (row, other)));
        pairs
            .filter(|&(row, other)| distance(row, other) <= limit(row))
            .map(|(row, other)| {
                (row - rows.start, (other - others.start) as u32, distance(row, other))
            })
            .collect()
    }

    #[test]
    fn others_near_for_either_set_are_found_for_it() {
        for (rows, others) in [(0..7, 7..9), (0..70, 70..200), (3..103, 103..104)] {
            let mut near = [NearOthers::default(), NearOthers::default()];
            let sets = [panels(rows.clone()), panels(others.clone())];
            for ((near, set), places) in near.iter_mut().zip(&sets).zip([&rows, &others]) {
                near.set_limits(set, places.clone().map(limit));
            }
            all_pairs(&sets[0], &sets[1], &mut near, &Meter::stopped_at_once(false));
            let [of_rows, of_others] = &mut near;
            assert_eq!(taken(of_rows), expected(rows.clone(), others.clone()));
            assert_eq!(taken(of_others), expected(others, rows));
        }
    }

    #[test]
    fn where_all_are_near_few_are_found() {
        let meter = &Meter::stopped_at_once(false);
        let (rows, mut near) = (panels(0..200), [NearOthers::default(), NearOthers::default()]);
        near[0].set_limits(&rows, (0..200).map(limit));
        assert!(near[0].limit_to_few(&rows, &rows, 4, meter));
        near[1].set_limits(&rows, iter::empty());
        all_pairs(&rows, &rows, &mut near, meter);
        let found = taken(&mut near[0]);
        for row in 0..200 {
            let of_row: Vec<_> = found.iter().filter(|found| found.0 == row).collect();
            let mut distances: Vec<f32> = (0..200).map(|other| distance(row, other)).collect();
            distances.sort_by(f32::total_cmp);
            let near = of_row.iter().filter(|found| found.2 <= distances[3]).count();
            if row % 4 == 3 {
                assert!(near >= 4 && of_row.len() < 50, "{near} of {}", of_row.len());
            } else {
                assert!(of_row.is_empty());
            }
        }
        assert!(taken(&mut near[1]).is_empty());
        near[0].set_limits(&rows, (0..200).map(|_| 5.0));
        assert!(!near[0].limit_to_few(&rows, &rows, 4, meter));
    }
}
