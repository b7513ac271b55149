//! Inputs that searches and merging have to get right, from a fixed seed, and callbacks that stop.

use std::ops::ControlFlow;

use finch_core::Progress;
use ndarray::Array2;

/// A callback that lets a run go on for some calls, and then stops it.
pub(crate) fn stop_after(calls: usize) -> impl FnMut(Progress) -> ControlFlow<()> + Send {
    let mut left = calls;
    move |_| {
        if left == 0 {
            return ControlFlow::Break(());
        }
        left -= 1;
        ControlFlow::Continue(())
    }
}

/// SplitMix64: the same numbers in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

type Fill = fn(&mut Random, usize, usize) -> f64;

/// What each kind of input is made of: a value for (random numbers, row, column).
const KINDS: &[(&str, Fill)] = &[
    ("uniform", |random, _, _| random.uniform()),
    ("ties on a grid", |random, _, _| random.below(3) as f64),
    ("all equal", |_, _, _| 0.7),
    ("all zero", |_, _, _| 0.0),
    ("a shared coordinate", |random, _, column| if column == 0 { 3.5 } else { random.uniform() }),
    (
        "constant features",
        |random, _, column| {
            if column % 2 == 0 { -1.25 } else { random.below(5) as f64 }
        },
    ),
    (
        "far outliers",
        |random, row, _| {
            if row % 29 == 7 { 1e12 * random.uniform() } else { random.uniform() }
        },
    ),
    ("far from the origin", |random, _, _| 1e8 + random.uniform()),
    ("huge", |random, _, _| 1e139 * random.uniform() - 5e138),
    // With one value of usual size, without which the input would be refused.
    (
        "squares that lose digits",
        |random, _, column| {
            if column == 0 { 1.0 } else { 1e-162 * random.uniform() }
        },
    ),
    (
        "squares that vanish",
        |random, row, _| {
            if row == 0 { 1.0 } else { 1e-170 * random.uniform() }
        },
    ),
    ("zero rows", |random, row, _| if row % 3 == 0 { 0.0 } else { random.uniform() - 0.5 }),
    ("one row that is not zero", |random, row, _| if row == 1 { random.uniform() } else { 0.0 }),
    ("signed zeros", |random, _, _| [0.0, -0.0, 1.0, -1.0][random.below(4)]),
    ("clusters", |random, row, column| {
        ((row * 7 + column * 3) % 5) as f64 * 10.0 + random.uniform()
    }),
];

/// Every kind at the given size, with its name.
pub(crate) fn inputs(rows: usize, columns: usize) -> impl Iterator<Item = (String, Array2<f64>)> {
    let kinds = KINDS.iter().map(move |(name, fill)| {
        let mut random = Random(rows as u64 * 1000 + columns as u64);
        let matrix =
            Array2::from_shape_fn((rows, columns), |(row, column)| fill(&mut random, row, column));
        (format!("{name}, {rows} × {columns}"), matrix)
    });
    let mut random = Random(3);
    let base = Array2::from_shape_fn((rows, columns), |_| random.uniform());
    let distinct = rows.div_ceil(4);
    let repeated =
        Array2::from_shape_fn((rows, columns), |(row, column)| base[(row % distinct, column)]);
    kinds.chain([(format!("each row four times, {rows} × {columns}"), repeated)])
}
