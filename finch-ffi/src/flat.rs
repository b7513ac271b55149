//! Flat labels in one call: of one matrix, or of many side by side.

use std::fmt::{self, Display, Formatter};

use finch_core::{Finch, Labels, Linkage, Noise, Refine, Run, Warning};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::integers::from_c;
use crate::border::message::remember_warning;
use crate::border::numbers::signed_labels;
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::matrix::{AnySamples, SAMPLES, Unchecked, finch_matrix};
use crate::options::{Options, finch_options};
use crate::warning::{warned_as, warned_of_call};

/// One clustering out of a hierarchy, with a number that goes with it.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_flat {
    /// Partition `number`, from 0, the finest; of fewer the coarsest.
    FINCH_FLAT_PARTITION = 0,
    /// Exactly `number` clusters, as by `finch_hierarchy_refine`.
    FINCH_FLAT_CLUSTERS = 1,
    /// As many clusters as `finch_hierarchy_suggest` recommends.
    FINCH_FLAT_SUGGESTED = 2,
}

/// Clusters the rows of `samples` as `finch_cluster` does, and writes the cluster of each row
/// into `labels`: N numbers, of the one clustering that `flat`, a `finch_flat`, and `number`
/// name. `*clusters`, unless `clusters` is NULL, becomes the number of clusters.
///
/// Take FINCH_FLAT_CLUSTERS, if you know how many there are; FINCH_FLAT_SUGGESTED, if you do
/// not; FINCH_FLAT_PARTITION for FINCH as the paper has it, where 0 is many small groups. A
/// hierarchy of `finch_cluster` has them all. Labels are -1, noise, only where options ask for it.
///
/// `finch_last_warning_message` has the warnings of the hierarchy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_labels(
    samples: *const finch_matrix,
    options: *const finch_options,
    flat: i32,
    number: usize,
    labels: *mut i32,
    capacity: usize,
    clusters: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let flat = Flat::read(flat, number, &options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let labels = caller.output("labels", labels, capacity, samples.len())?;
        let clusters = caller.optional_output("clusters", clusters, 1, 1)?;
        let mut run = options.run();
        let (found, warnings) = flat.of(&samples, &mut run)?;
        drop(run);
        remember_warning(warned_of_call(&warnings));
        clusters.write([found.clusters()]);
        labels.write(signed_labels(found.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Clusters `count` matrices, each by itself, as `finch_labels` does, side by side on the
/// threads of `options`: many small matrices, say, of which one alone has no work for a second
/// thread. The matrices may differ in rows, columns and element types. `labels` are those of
/// `samples[0]`, then those of `samples[1]`, and so on, numbered from 0 in each: as many
/// numbers as all have rows. `clusters` has the number of clusters of each matrix, `count`
/// numbers, unless it is NULL.
///
/// `time_limit` is one for each matrix. A progress function that stops the run lets the
/// matrices under way come to their end. `finch_last_warning_message` has the first warning of
/// the first matrix that has one. If a matrix is at fault, the message has its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_batch(
    samples: *const finch_matrix,
    count: usize,
    options: *const finch_options,
    flat: i32,
    number: usize,
    labels: *mut i32,
    capacity: usize,
    clusters: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let options = Options::read(caller, options)?;
        let flat = Flat::read(flat, number, &options)?;
        let of = |number: usize| {
            move |fault: Fault| Fault::OfMany { what: SAMPLES[0], number, fault: Box::new(fault) }
        };
        let samples = caller.slice(SAMPLES[0], samples, count)?;
        let mut matrices = room(count)?;
        let mut rows = 0usize;
        for (number, matrix) in samples.iter().enumerate() {
            rows = rows.saturating_add(matrix.rows);
            let matrix = Unchecked::read(caller, "data", matrix).map_err(of(number))?;
            matrices.push(matrix);
        }
        let labels = caller.output("labels", labels, capacity, rows)?;
        let clusters = caller.optional_output("clusters", clusters, count, count)?;
        let mut run = options.run();
        let made = run.batch(count, |number, run| {
            // Here, since to look at every value takes about as long as to compare a few rows.
            let samples = matrices[number].check()?;
            flat.of(&samples, run)
        })?;
        drop(run);
        let mut found = room(count)?;
        let mut first = None;
        for (number, made) in made.into_iter().enumerate() {
            let (labels, warnings) = made.map_err(of(number))?;
            first = first.or(warnings.first().map(|&warning| OfMany { number, warning }));
            found.push(labels);
        }
        remember_warning(first.map(|first| warned_as(&first.warning, &first)));
        clusters.write(found.iter().map(Labels::clusters));
        labels.write(found.iter().flat_map(|one| signed_labels(one.labels())));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// A clustering out of a hierarchy, and the options of the hierarchy.
struct Flat {
    finch: Finch,
    cut: Cut,
    noise: Noise,
}

enum Cut {
    Partition(usize),
    Clusters(Refine<'static>),
    Suggested,
}

impl Flat {
    fn read(flat: i32, number: usize, options: &Options) -> Result<Self, Fault> {
        let cut = from_c!(flat, "flat clustering", finch_flat {
            FINCH_FLAT_PARTITION => Cut::Partition(number),
            FINCH_FLAT_CLUSTERS => Cut::Clusters(options.refine(number)),
            FINCH_FLAT_SUGGESTED => Cut::Suggested,
        });
        let finch = match cut {
            Cut::Partition(_) => options.finch,
            Cut::Clusters(_) => options.finch.refinable(options.linkage),
            Cut::Suggested => options.finch.refinable(Linkage::Neighbor),
        };
        // Not refinable for noise, too: an approximate search for more neighbours may find other first ones, and
        // samples that are no noise keep their labels.
        Ok(Self { finch, cut, noise: options.noise })
    }

    /// Clusters samples; the clustering, and the warnings of the hierarchy.
    fn of(
        &self,
        samples: &AnySamples<'_>,
        run: &mut Run<'_>,
    ) -> Result<(Labels, Vec<Warning>), Fault> {
        let samples = samples.any();
        let hierarchy = self.finch.fit_with(samples, run)?;
        let partition = match self.cut {
            Cut::Partition(number) => {
                let last = hierarchy.partitions().len() - 1;
                hierarchy.partition(number.min(last))?.clone()
            }
            Cut::Clusters(refine) => refine.run_with(samples, &hierarchy, run)?,
            Cut::Suggested => hierarchy.suggest_with(samples, run)?.cut,
        };
        let labels = Labels::from(partition);
        let labels = match self.noise.is_none() {
            true => labels,
            false => self.noise.run(samples, &hierarchy, &labels, run)?,
        };
        Ok((labels, hierarchy.warnings()))
    }
}

/// A warning of one matrix of many, by its number.
struct OfMany {
    number: usize,
    warning: Warning,
}

impl Display for OfMany {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: ", SAMPLES[0], self.number + usize::from(f.alternate()))?;
        self.warning.fmt(f)
    }
}
