//! Pairs of two sets of rows that are near each other, told while their product arises.

use pulp::Simd;

use super::product::{LONGEST, Pairs, Panels, VECTORS, Vectors, all_pairs, lines, lines_mut};

/// For each row of a set, how near others have to be, and those that are. Squared distances are −2
/// times the sums of a product whose rows end with −½ of their squared lengths.
#[derive(Default)]
pub(crate) struct Near {
    /// −½ of the largest squared distance that is near each row.
    least: Vec<f32>,
    /// Squared distances, and the places of the others.
    found: Vec<Vec<(f32, u32)>>,
    /// The largest sum of each row, for each place of a panel's line.
    largest: Vec<f32>,
}

/// Where all are near, but for those that are infinitely far.
const ALL: f32 = -0.5 * f32::MAX;

impl Near {
    /// Sets how far others may be that are near each row. To rows beyond the last limit, and those
    /// that are infinitely far from all, none is near. Nothing is found yet.
    pub(crate) fn limit(&mut self, rows: &Panels, limits: impl Iterator<Item = f32>) {
        let least = |(limit, &end): (f32, &f32)| {
            if end == f32::NEG_INFINITY { f32::INFINITY } else { (-0.5 * limit).max(ALL) }
        };
        self.least.clear();
        self.least.extend(limits.zip(rows.ends()).map(least));
        self.least.resize(rows.places(), f32::INFINITY);
        self.found.resize_with(self.found.len().max(rows.rows()), Vec::new);
        self.found.iter_mut().for_each(Vec::clear);
    }

    /// Where all are near, limits them to the nearest: at least `count`, and few more; to the other
    /// rows, none is near any more. False, and nothing is done, if there is no such row, or `count`
    /// is too large.
    pub(crate) fn limit_to_few(&mut self, rows: &Panels, others: &Panels, count: usize) -> bool {
        let width = rows.width();
        if !self.least.contains(&ALL) || count > width {
            return false;
        }
        self.largest.clear();
        self.largest.resize(rows.places() * width, f32::NEG_INFINITY);
        all_pairs(rows, others, &mut Largest(&mut self.largest));
        let by_size = |a: &f32, b: &f32| b.total_cmp(a);
        for (least, largest) in self.least.iter_mut().zip(self.largest.chunks_exact_mut(width)) {
            *least = match *least {
                ALL => largest.select_nth_unstable_by(count - 1, by_size).1.max(ALL),
                _ => f32::INFINITY,
            };
        }
        true
    }

    /// Takes what has been found for each row, but for rows for which nothing has.
    pub(crate) fn take_found(&mut self, mut take: impl FnMut(usize, &mut [(f32, u32)])) {
        for (row, found) in self.found.iter_mut().enumerate() {
            if !found.is_empty() {
                take(row, found);
                found.clear();
            }
        }
    }
}

/// Finds the pairs of a row of one set and one of another that are near for either.
impl Pairs for [Near; 2] {
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Vectors<S>) {
        let [of_row, of_others] = self;
        if any_near(simd, of_row.least[row], &of_others.least[first..], sums) {
            let mut line = [0.0; LONGEST];
            lines_mut::<S>(&mut line)[0] = *sums;
            let least = of_row.least[row];
            let line = line[..VECTORS * S::F32_LANES].iter().zip(&of_others.least[first..]);
            for (column, (&sum, &of_column)) in (first..).zip(line) {
                if sum >= least {
                    of_row.found[row].push((-2.0 * sum, column as u32));
                }
                if sum >= of_column {
                    of_others.found[column].push((-2.0 * sum, row as u32));
                }
            }
        }
    }
}

/// Whether a row is near one of some others, or one of these near it.
#[inline(always)]
fn any_near<S: Simd>(simd: S, least: f32, of_others: &[f32], sums: &Vectors<S>) -> bool {
    let least = simd.splat_f32s(least);
    let near = |v: usize| {
        let least = simd.min_f32s(least, lines::<S>(of_others)[0][v]);
        simd.greater_than_or_equal_f32s(sums[v], least)
    };
    let any = (1..VECTORS).fold(near(0), |any, v| simd.or_m32s(any, near(v)));
    simd.first_true_m32s(any) < S::F32_LANES
}

/// The largest sums of each row of the left, for each place of a line.
struct Largest<'a>(&'a mut [f32]);

impl Pairs for Largest<'_> {
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, row: usize, _: usize, sums: &Vectors<S>) {
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

    fn point(place: usize) -> [f32; 2] {
        [(place * 37 % 101) as f32, (place * 53 % 89) as f32]
    }

    fn distance(a: usize, b: usize) -> f32 {
        point(a).iter().zip(point(b)).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    fn panels(places: Range<usize>) -> Panels {
        let mut panels = Panels::new(places.len(), 2);
        for (row, place) in places.enumerate() {
            let half = -0.5 * point(place).iter().map(|x| x * x).sum::<f32>();
            panels.set(row, &point(place), half);
        }
        panels
    }

    fn taken(near: &mut Near) -> Vec<(usize, u32, f32)> {
        let mut taken = Vec::new();
        near.take_found(|row, found| taken.extend(found.iter().map(|&(d, other)| (row, other, d))));
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
    fn what_is_near_for_either_is_found_for_it() {
        for (rows, others) in [(0..7, 7..9), (0..70, 70..200), (3..103, 103..104)] {
            let mut near = [Near::default(), Near::default()];
            let sets = [panels(rows.clone()), panels(others.clone())];
            for ((near, set), places) in near.iter_mut().zip(&sets).zip([&rows, &others]) {
                near.limit(set, places.clone().map(limit));
            }
            all_pairs(&sets[0], &sets[1], &mut near);
            let [of_rows, of_others] = &mut near;
            assert_eq!(taken(of_rows), expected(rows.clone(), others.clone()));
            assert_eq!(taken(of_others), expected(others, rows));
        }
    }

    #[test]
    fn where_all_are_near_few_are_found() {
        let (rows, mut near) = (panels(0..200), [Near::default(), Near::default()]);
        near[0].limit(&rows, (0..200).map(limit));
        assert!(near[0].limit_to_few(&rows, &rows, 4));
        near[1].limit(&rows, iter::empty());
        all_pairs(&rows, &rows, &mut near);
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
        near[0].limit(&rows, (0..200).map(|_| 5.0));
        assert!(!near[0].limit_to_few(&rows, &rows, 4));
    }
}
