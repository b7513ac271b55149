//! Many data sets, each clustered by itself, side by side.

use super::Finch;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::run::Run;
use crate::samples::AnySamples;

impl Finch {
    /// Clusters many data sets, each as [`Finch::fit_with`] does, side by side on the threads of the run: small sets,
    /// say, of which one alone has no work for a second thread. For labels alone, or for what else is asked of each
    /// set, see [`Run::batch`].
    ///
    /// ```
    /// use finch_core::{Finch, Run, Samples};
    ///
    /// let matrices = [ndarray::array![[0.0], [1.0], [5.0], [6.0]], ndarray::array![[3.0], [9.0], [8.0]]];
    /// let sets = matrices.iter().map(|matrix| Samples::new(matrix.view()));
    /// let sets = sets.collect::<Result<Vec<_>, _>>()?;
    /// let hierarchies = Finch::new().fit_batch(&sets, &mut Run::new())?;
    /// assert_eq!(hierarchies[0].finest().labels(), [0, 0, 1, 1]);
    /// assert_eq!(hierarchies[1].finest().labels(), [0, 0, 0]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Finch::fit_with`], of the first set that has one.
    pub fn fit_batch<'s, S>(&self, sets: &'s [S], run: &mut Run<'_>) -> Result<Vec<Hierarchy>>
    where
        S: Sync,
        &'s S: Into<AnySamples<'s>>,
    {
        let fit = |set: usize, run: &mut Run<'_>| self.fit_with(&sets[set], run);
        run.batch(sets.len(), fit)?.into_iter().collect()
    }
}
