//! A table of neighbours that the caller brings, as other programs give it.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::distances::sound;
use super::nearest::Nearest;
use super::table::Neighbors;
use crate::error::{Error, Result};
use crate::memory::{collected_in_parallel, filled, reserve};
use crate::run::Run;

/// In place of a neighbour, where a search of FAISS has found none.
const NOBODY: i64 = -1;

impl Neighbors {
    /// The neighbours of N samples as another program found them: N × m numbers from 0, and their
    /// distances.
    ///
    /// FAISS, PyNNDescent and scikit-learn's `kneighbors(X)` name each sample as a neighbour of its
    /// own, mostly in the first column; where rows are equal, in any. A sample's own number is left
    /// out wherever it is, with the distance beside it, and so is −1, which stands for no neighbour.
    /// A neighbour at an infinite distance, or at NaN, is none either. Each row keeps what it then has:
    /// rows may be of any length (radius graphs, lists that a search did not fill), and
    /// [`Neighbors::k`] is the length of the longest. A sample whose row has nobody is a cluster of its
    /// own in the first partition, unless it is the first neighbour of another sample. It is told by
    /// [`Neighbors::alone`], and [`Neighbors::expect_none_alone`] takes it for an error. Rows may be in
    /// any order: they are sorted by distance, and equal distances by number, as searches of this crate
    /// sort them.
    ///
    /// Distances of any kind will do for the first partition, the smaller the nearer. Where they are
    /// compared with other distances, they have to be lengths, or under cosine 1 − cos: FAISS gives
    /// *squared* Euclidean distances, of which the root is to be taken before clusters merge by
    /// neighbour linkage, or are linked by mean distance
    /// ([`Finch::fit_graph`](crate::Finch::fit_graph)), or their means are linked under
    /// [`LinkBound::FirstNeighbor`](crate::LinkBound::FirstNeighbor). Inner products are no distances.
    ///
    /// ```
    /// use finch_core::{Neighbors, Run};
    /// use ndarray::array;
    ///
    /// let index = array![[0, 2, 3], [1, 3, 2], [2, 0, 3], [3, 1, -1_i64]];
    /// let distance = array![[0.0, 1.0, 4.5], [0.0, 0.5, 4.0], [0.0, 1.0, 3.5], [0.0, 0.5, 9.9_f32]];
    /// let neighbors = Neighbors::given(index.view(), distance.view(), &mut Run::new())?;
    /// assert_eq!(neighbors.index(), array![[2, 3], [3, 2], [0, 3], [1, Neighbors::NONE]]);
    /// assert_eq!(neighbors.count(3), 1);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Shape`]: `distance` has another shape than `index`.
    /// - [`Error::NoSamples`], [`Error::TooManySamples`].
    /// - [`Error::InvalidNeighborAt`]: a number that no sample has, or that is in a row twice.
    /// - [`Error::InvalidDistance`]: negative, or above 10²⁸⁰ and not infinite.
    /// - [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn given<I, D>(
        index: ArrayView2<'_, I>,
        distance: ArrayView2<'_, D>,
        run: &mut Run<'_>,
    ) -> Result<Self>
    where
        I: Copy + Into<i64> + Sync,
        D: Copy + Into<f64> + Sync,
    {
        let [(samples, columns), found] = [index.dim(), distance.dim()];
        if (samples, columns) != found {
            let (expected, found) = ([samples, columns], [found.0, found.1]);
            return Err(Error::Shape { what: "the table of distances", expected, found });
        }
        match samples {
            0 => Err(Error::NoSamples),
            _ if i32::try_from(samples).is_err() => Err(Error::TooManySamples { samples }),
            _ => run.operate(samples, |run| run.install(|| Given { index, distance }.table())?),
        }
    }
}

struct Given<'a, I, D> {
    index: ArrayView2<'a, I>,
    distance: ArrayView2<'a, D>,
}

impl<I, D> Given<'_, I, D>
where
    I: Copy + Into<i64> + Sync,
    D: Copy + Into<f64> + Sync,
{
    fn table(&self) -> Result<Neighbors> {
        /// The length of a row at fault, which is then read again for the fault.
        const FAULTY: u32 = u32::MAX;
        let samples = self.index.nrows();
        let lens = (0..samples).into_par_iter().map_init(Vec::new, |others, row| {
            self.read(row, others).map_or(FAULTY, |()| others.len() as u32)
        });
        let lens = collected_in_parallel(lens);
        if let Some(faulty) = lens.iter().position(|&len| len == FAULTY) {
            self.read(faulty, &mut Vec::new())?;
        }
        let longest = lens.iter().max().map_or(0, |&len| len as usize);
        // There is a place for a first neighbour, even where nobody has one.
        let k = longest.max(usize::from(samples > 1));
        let mut index = filled(Neighbors::NONE, samples * k);
        let mut distance = filled(f64::INFINITY, samples * k);
        let rows = index.par_chunks_mut(k.max(1)).zip(distance.par_chunks_mut(k.max(1)));
        rows.enumerate().for_each_init(Vec::new, |others, (row, (index, distance))| {
            self.read(row, others).expect("sound a moment ago");
            for (place, other) in others.iter().enumerate() {
                (index[place], distance[place]) = (other.index, other.key);
            }
        });
        Ok(Neighbors::brought(samples, k, index, distance))
    }

    /// Reads the other samples of a row, the nearest first.
    ///
    /// # Errors
    /// [`Error::InvalidNeighborAt`], [`Error::InvalidDistance`].
    fn read(&self, row: usize, others: &mut Vec<Nearest>) -> Result<()> {
        others.clear();
        reserve(others, self.index.ncols());
        let pairs = self.index.row(row).into_iter().zip(self.distance.row(row));
        for (column, (&neighbor, &distance)) in pairs.enumerate() {
            let neighbor: i64 = neighbor.into();
            if neighbor == NOBODY || neighbor == row as i64 {
                continue;
            }
            let number = u32::try_from(neighbor).ok();
            let Some(index) = number.filter(|&number| (number as usize) < self.index.nrows())
            else {
                let reason = "is no sample: count samples from 0, and give -1 for none";
                return Err(Error::InvalidNeighborAt { row, column, neighbor, reason });
            };
            let distance: f64 = distance.into();
            if distance.is_nan() || distance == f64::INFINITY {
                continue;
            }
            others.push(Nearest { key: sound(row, column, distance)?, index });
        }
        others.sort_unstable_by_key(|other| other.index);
        if let Some(twice) = others.windows(2).find(|pair| pair[0].index == pair[1].index) {
            let neighbor = i64::from(twice[0].index);
            let mut places = self.index.row(row).into_iter().map(|&index| index.into());
            let column = places.rposition(|index: i64| index == neighbor).expect("it was read");
            let reason = "is in the row twice";
            return Err(Error::InvalidNeighborAt { row, column, neighbor, reason });
        }
        others.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.index.cmp(&b.index)));
        Ok(())
    }
}
