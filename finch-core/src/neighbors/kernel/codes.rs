//! Rows of bits, of which pairs that differ in few bits are found, 64 bits at a time.
//!
//! Eight rows lie abreast, so that each lane of a vector counts the bits in which one of them differs
//! from a row of the other set; all eight rows of a panel of the other set share what is loaded. A pair
//! of rows of 256 bits takes 0.25 ns on a core of Zen 4, whose AVX-512 counts the bits of eight words by
//! one instruction, and 0.8 ns by AVX2. Rejected: four rows of the other set at a time, for which the
//! compiler keeps the counts in memory (1.2 ns).

use std::ops::Range;

use pulp::NullaryFnOnce;

use crate::samples::bits::BitMatrix;
use crate::support::memory::{filled, push};
use crate::support::simd::widest;

/// Rows that lie abreast: a panel.
const ABREAST: usize = 8;

/// Some rows of bits, abreast.
pub(crate) struct Codes {
    rows: usize,
    /// The words of a row.
    words: usize,
    /// The first word of each row of a panel, the second word of each, ...; panel by panel. Rows of
    /// zeros fill the last panel.
    values: Vec<[u64; ABREAST]>,
    /// The number of bits of each row that are 1.
    ones: Vec<u64>,
}

impl Codes {
    /// Rows of a matrix that follow each other.
    pub(crate) fn of(matrix: &BitMatrix<'_>) -> Self {
        let (rows, words) = (matrix.len(), matrix.words(0).count());
        let panels = rows.div_ceil(ABREAST);
        let mut values = filled([0; ABREAST], panels * words);
        for row in 0..rows {
            let panel = &mut values[row / ABREAST * words..][..words];
            panel.iter_mut().zip(matrix.words(row)).for_each(|(of_panel, word)| {
                of_panel[row % ABREAST] = word;
            });
        }
        let ones_of = |row: usize| matrix.words(row).map(|word| u64::from(word.count_ones())).sum();
        let mut ones = filled(0, panels * ABREAST);
        ones.iter_mut().take(rows).enumerate().for_each(|(row, ones)| *ones = ones_of(row));
        Self { rows, words, values, ones }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The number of panels: of places for rows, divided by [`ABREAST`].
    pub(crate) fn panels(&self) -> usize {
        self.ones.len() / ABREAST
    }

    /// The number of bits of a row that are 1.
    pub(crate) fn ones(&self, row: usize) -> u64 {
        self.ones[row]
    }
}

/// The limit of nearness of a row of another set to a row.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    /// The two rows differ in fewer bits.
    Fewer(u64),
    /// The two rows differ in no larger share of the bits that are 1 in both together.
    Share(f64),
}

/// The unit of a share: products with numbers of bits fit in 64 bits.
const SHARE: f64 = (1u64 << 31) as f64;

/// Limits of all rows of a set, all of one kind.
pub(crate) struct Limits {
    /// True if limits are shares, in units of 1/[`SHARE`], rounded up and one more.
    shares: bool,
    values: Vec<u64>,
}

impl Limits {
    /// The limits of some rows.
    pub(crate) fn of(codes: &Codes, limits: impl Iterator<Item = Limit>) -> Self {
        let mut shares = false;
        let mut values = filled(0, codes.ones.len());
        for (value, limit) in values.iter_mut().zip(limits) {
            *value = match limit {
                // Differences of counts and limits have a sign.
                Limit::Fewer(count) => count.min(i64::MAX as u64),
                Limit::Share(share) => {
                    shares = true;
                    (share.min(1.0) * SHARE) as u64 + 2
                }
            };
        }
        Self { shares, values }
    }

    /// Limits of the same kind that no row is within, for the rows of the other set.
    pub(crate) fn none_of(&self, codes: &Codes) -> Self {
        Self { shares: self.shares, values: filled(0, codes.ones.len()) }
    }
}

/// Two rows that are near each other.
#[derive(Clone, Copy)]
pub(crate) struct NearRows {
    /// The rows, of the left and of the right set.
    pub(crate) rows: [u32; 2],
    /// The number of bits in which they differ.
    pub(crate) differing: u64,
}

/// A set of rows, of which some panels are compared.
#[derive(Clone)]
pub(crate) struct Compared<'a> {
    pub(crate) codes: &'a Codes,
    pub(crate) limits: &'a Limits,
    pub(crate) panels: Range<usize>,
}

/// Appends the pairs of a row of the left and a row of the right set that are near for either.
pub(crate) fn near_rows(sets: [Compared<'_>; 2], found: &mut Vec<NearRows>) {
    let task = Task { sets, found };
    #[cfg(target_arch = "x86_64")]
    if let Some(counting) = counting::Counting::try_new() {
        return counting.vectorize(task);
    }
    widest(task);
}

#[cfg(target_arch = "x86_64")]
mod counting {
    pulp::simd_type!({
        /// The instructions of AVX-512 that count bits, which pulp's widest vectors go without.
        pub(super) struct Counting {
            avx512f: f!("avx512f"),
            avx512bw: f!("avx512bw"),
            avx512cd: f!("avx512cd"),
            avx512dq: f!("avx512dq"),
            avx512vl: f!("avx512vl"),
            avx512vpopcntdq: f!("avx512vpopcntdq"),
        }
    });
}

struct Task<'a, 'f> {
    sets: [Compared<'a>; 2],
    found: &'f mut Vec<NearRows>,
}

impl NullaryFnOnce for Task<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.sets[0].limits.shares {
            // The limit of a pair is the larger one.
            false => all_pairs(self.sets, self.found, |limits, _| u64::max(limits[0], limits[1])),
            true => all_pairs(self.sets, self.found, |limits, ones| {
                ((u64::max(limits[0], limits[1]) * ones) >> 31) + 1
            }),
        }
    }
}

/// Rows abreast, with their limits and numbers of ones.
#[derive(Clone, Copy)]
struct Panel<'a> {
    first: usize,
    values: &'a [[u64; ABREAST]],
    limits: &'a [u64; ABREAST],
    ones: &'a [u64; ABREAST],
}

impl<'a> Compared<'a> {
    #[inline(always)]
    fn each_panel(&self) -> impl Iterator<Item = Panel<'a>> {
        let (words, Range { start: first, end }) = (self.codes.words, self.panels.clone());
        let values = &self.codes.values[first * words..end * words];
        let abreast = |values: &'a [u64]| values[first * ABREAST..end * ABREAST].as_chunks().0;
        let (limits, ones) = (abreast(&self.limits.values), abreast(&self.codes.ones));
        let panels = values.chunks_exact(words).zip(limits).zip(ones).zip(first..);
        panels.map(|(((values, limits), ones), panel)| Panel {
            first: panel * ABREAST,
            values,
            limits,
            ones,
        })
    }
}

/// Appends the pairs that differ in fewer bits than their limit: a function of the limits of both rows
/// and of how many bits are 1 in both together.
#[inline(always)]
fn all_pairs(
    [left, right]: [Compared<'_>; 2],
    found: &mut Vec<NearRows>,
    limit: impl Fn([u64; 2], u64) -> u64,
) {
    let rows = [left.codes.len(), right.codes.len()];
    for left in left.each_panel() {
        for right in right.each_panel() {
            let mut differing = [[0; ABREAST]; ABREAST];
            for (of_left, of_right) in left.values.iter().zip(right.values) {
                for row in 0..ABREAST {
                    for lane in 0..ABREAST {
                        let word = of_left[row] ^ of_right[lane];
                        differing[row][lane] += u64::from(word.count_ones());
                    }
                }
            }
            let limit_of = |row: usize, lane: usize| {
                limit([left.limits[row], right.limits[lane]], left.ones[row] + right.ones[lane])
            };
            // The highest bit of a difference tells its sign.
            let mut near = [0; ABREAST];
            for (row, differing) in differing.iter().enumerate() {
                for lane in 0..ABREAST {
                    near[lane] |= differing[lane].wrapping_sub(limit_of(row, lane));
                }
            }
            if near.iter().fold(0, |near, lane| near | lane) >> 63 != 0 {
                let limits =
                    std::array::from_fn(|row| std::array::from_fn(|lane| limit_of(row, lane)));
                append(found, [left.first, right.first], rows, &differing, &limits);
            }
        }
    }
}

/// Appends the near pairs of two panels, of which the last ones have places beyond the last row.
#[cold]
#[inline(never)]
fn append(
    found: &mut Vec<NearRows>,
    first: [usize; 2],
    rows: [usize; 2],
    differing: &[[u64; ABREAST]; ABREAST],
    limits: &[[u64; ABREAST]; ABREAST],
) {
    for (row, (differing, limits)) in (first[0]..rows[0]).zip(differing.iter().zip(limits)) {
        for (lane, (&differing, &limit)) in (first[1]..rows[1]).zip(differing.iter().zip(limits)) {
            if differing < limit {
                push(found, NearRows { rows: [row as u32, lane as u32], differing });
            }
        }
    }
}
