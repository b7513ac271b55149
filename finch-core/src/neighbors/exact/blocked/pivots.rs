//! The number of distances of a sample that rounding blurs, and the pivots that part the rows of the
//! sample where rounding blurs most.

use ndarray::Array2;
use rayon::prelude::*;

use super::frame::{Frame, blurred};
use crate::neighbors::exact::tuning::{MANY_BLURRED, PIVOTS, PROBES};
use crate::run::progress::Meter;
use crate::samples::metric::squares;
use crate::support::memory::{collected, collected_in_parallel, filled, gathered, push, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;

/// A sample of rows, in their frame.
pub(in crate::neighbors::exact) struct Blur {
    rows: Array2<f64>,
    squared_lengths: Vec<f64>,
}

impl Blur {
    /// No rows: nothing is blurred.
    pub(in crate::neighbors::exact) fn none() -> Self {
        Self { rows: Array2::default((0, 0)), squared_lengths: Vec::new() }
    }

    /// Moves and scales a sample into a frame.
    pub(in crate::neighbors::exact) fn of(mut rows: Array2<f64>, frame: &Frame) -> Self {
        let mut squared_lengths = room(rows.nrows());
        for mut row in rows.outer_iter_mut() {
            let row = row.as_slice_mut().expect("rows are contiguous");
            squared_lengths.push(frame.move_and_scale(row));
        }
        Self { rows, squared_lengths }
    }

    /// True if rounding blurs so many distances that groups pay.
    pub(in crate::neighbors::exact) fn is_much(&self, meter: &Meter) -> bool {
        let count = self.rows.nrows();
        let probes: Vec<usize> = collected(spread(count, count.div_ceil(PROBES).max(1)));
        let blurred =
            probes.par_iter().map(|&probe| self.near(probe, meter).count()).shared().sum::<usize>();
        blurred as f64 > MANY_BLURRED * (probes.len() * count) as f64
    }

    /// The other rows whose distances from a row are blurred; none, if the run is stopped.
    fn near(&self, row: usize, meter: &Meter) -> impl Iterator<Item = usize> {
        let of = |row: usize| self.rows.row(row).to_slice().expect("rows are contiguous");
        let blurs = move |other: &usize| {
            let lengths = self.squared_lengths[row] + self.squared_lengths[*other];
            let is_other = *other != row && !meter.stopped();
            is_other && squares(of(row), of(*other)) <= blurred(self.rows.ncols(), lengths)
        };
        (0..self.rows.nrows()).filter(blurs)
    }

    /// Pivots that part the rows where rounding blurs most. Each pivot is the row with the most blurred
    /// distances to rows that are left; a pivot takes itself and these rows from what is left. The last
    /// pivot is the origin, near which rounding blurs least.
    pub(in crate::neighbors::exact) fn pivots(&self, meter: &Meter) -> Pivots {
        let count = self.rows.nrows();
        let near = (0..count).into_par_iter().map(|row| gathered(self.near(row, meter)));
        let near: Vec<Vec<usize>> = collected_in_parallel(near);
        let mut is_left = filled(true, count);
        let mut pivots = Vec::new();
        while pivots.len() < PIVOTS {
            let left = (0..count)
                .filter(|row| is_left[*row])
                .map(|row| (near[row].iter().filter(|other| is_left[**other]).count(), row));
            let Some((around, row)) = left.max() else { break };
            if around < 2 {
                break;
            }
            is_left[row] = false;
            near[row].iter().for_each(|other| is_left[*other] = false);
            push(&mut pivots, self.rows.row(row).to_vec());
        }
        push(&mut pivots, filled(0.0, self.rows.ncols()));
        Pivots::of(pivots)
    }
}

/// Points in a frame, around which rows are grouped.
pub(in crate::neighbors::exact) struct Pivots {
    points: Vec<Vec<f64>>,
    /// For each pivot, a quarter of the squared distance to the pivot nearest to it. A row within that
    /// squared distance of the pivot is nearer to it than to all other pivots.
    own: Vec<f64>,
}

impl Pivots {
    fn of(points: Vec<Vec<f64>>) -> Self {
        let own = points.iter().enumerate().map(|(place, point)| {
            let others = points.iter().enumerate().filter(|(other, _)| *other != place);
            others.map(|(_, other)| squares(point, other) / 4.0).fold(f64::INFINITY, f64::min)
        });
        let own = collected(own);
        Self { points, own }
    }

    /// The number of pivots.
    pub(in crate::neighbors::exact) fn len(&self) -> usize {
        self.points.len()
    }

    /// The number of the pivot that is nearest to a row; 0 for a row without a direction.
    pub(in crate::neighbors::exact) fn nearest(&self, row: &[f64]) -> usize {
        let (mut least, mut nearest) = (f64::INFINITY, 0);
        for (pivot, (point, own)) in self.points.iter().zip(&self.own).enumerate() {
            let distance = squares(row, &point[..]);
            if distance < least {
                (least, nearest) = (distance, pivot);
            }
            if distance < *own {
                break;
            }
        }
        nearest
    }
}
