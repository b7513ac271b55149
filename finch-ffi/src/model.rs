//! A model: a hierarchy to keep, to save, and to label new samples by.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::ptr::null_mut;

use finch_core::{AnyMatrix, Element, Model, Predict};
use ndarray::ArrayView2;

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::file;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::integers::invalid_value;
use crate::border::numbers::labels_of;
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};
use crate::matrix::{
    AnySamples, Lent, SAMPLES, finch_element, finch_matrix, finch_matrix_csr,
    finch_matrix_row_major,
};
use crate::options::{Options, finch_options};

/// A hierarchy to keep: with labellings that were refined from it, the mean of each cluster, and
/// the samples, if they are kept. It labels new samples, and goes into a file or memory and back.
///
/// Labellings are numbered from 0: the P partitions of the hierarchy, then the R refined
/// labellings. A model never changes. Where it keeps 2,048 samples or more of up to 8 features,
/// under Euclidean or Manhattan distances, the second prediction makes a tree of them, which the
/// model keeps and does not save: 10d + 5 bytes for each sample, and half a byte more for each
/// labelling asked for. Without memory for it, predictions do without.
pub struct finch_model {
    model: Model,
    /// The hierarchy, which is shared, as a handle to lend out.
    hierarchy: finch_hierarchy,
    /// Of kept sparse samples the description to lend out.
    csr: Option<Lent>,
}

impl finch_model {
    fn new(model: Model) -> Result<Self, Fault> {
        let hierarchy = model.hierarchy().clone();
        let link_bound = hierarchy.link_bound();
        let rows = model.samples().and_then(|samples| samples.sparse());
        let csr = rows.map(|rows| Lent::of(&rows)).transpose()?;
        Ok(Self { model, hierarchy: finch_hierarchy::new(hierarchy, link_bound), csr })
    }
}

/// Any thread may read a model, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_model>();
};

/// Makes a model of a hierarchy and the `samples` that were clustered. `*model` becomes a new
/// model, to be freed with `finch_model_free`; it stays valid when the hierarchy is freed.
///
/// With 1 as `keep_samples` the model has a copy of the samples, and predicts by the nearest
/// sample; with 0 it is smaller, and predicts by the nearest mean. `refined` has `refined_count`
/// labellings, one after the other, of N labels each, as `finch_hierarchy_refine` writes them; any
/// numbers will do, and are renumbered by first appearance. -1 is noise: it stays -1, and has no
/// mean; not all samples may be noise. `refined` may be NULL if there are none. `samples` may be
/// NULL for a hierarchy that was made without. Option: `threads`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_new(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    keep_samples: i32,
    refined: *const i32,
    refined_count: usize,
    options: *const finch_options,
    model: *mut *mut finch_model,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(MODEL, model, 1, 1)?;
        let hierarchy = caller.reference(HIERARCHY, hierarchy)?.share();
        let options = Options::read(caller, options)?;
        let keep = match keep_samples {
            0 => false,
            1 => true,
            other => return Err(invalid_value("choice of keep_samples", other, "0 or 1")),
        };
        let count = hierarchy.samples();
        let labels = caller.slice("refined", refined, refined_count.saturating_mul(count))?;
        let mut refined = room(refined_count)?;
        for labels in labels.chunks_exact(count) {
            refined.push(labels_of(labels)?);
        }
        let without = samples.is_null() && hierarchy.features() == 0 && !keep;
        let model = match without {
            true => Model::without_features(hierarchy, refined)?,
            false => {
                let samples = AnySamples::read(caller, SAMPLES, samples)?;
                let model = Model::new(hierarchy, samples.any(), refined, &mut options.run())?;
                if keep { model.keep_samples(samples.any())? } else { model }
            }
        };
        caller.give(output, finch_model::new(model)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a model. Pointers borrowed from the model are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_free(model: *mut finch_model) {
    let body = |caller: &Caller| {
        caller.free(model);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// The hierarchy of a model. Borrowed: it is not to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_hierarchy(
    model: *const finch_model,
) -> *const finch_hierarchy {
    let body = |caller: &Caller| Ok(&raw const caller.reference(MODEL, model)?.hierarchy);
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// Returns 1 and fills `*samples` with the kept samples, whose data is borrowed, sparse ones as a
/// `finch_csr`; or returns 0 where the model keeps none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_samples(
    model: *const finch_model,
    samples: *mut finch_matrix,
) -> i32 {
    let body = |caller: &Caller| {
        let output = caller.output("samples", samples, 1, 1)?;
        let model = caller.reference(MODEL, model)?;
        let Some(kept) = model.model.samples() else { return Ok(0) };
        output.write([match (kept.matrix(), &model.csr) {
            (Some(AnyMatrix::F32(kept)), _) => matrix(kept, finch_element::FINCH_F32),
            (Some(AnyMatrix::F64(kept)), _) => matrix(kept, finch_element::FINCH_F64),
            (Some(AnyMatrix::U8(kept)), _) => matrix(kept, finch_element::FINCH_U8),
            (Some(AnyMatrix::F16(kept)), _) => matrix(kept, finch_element::FINCH_F16),
            (Some(AnyMatrix::BF16(kept)), _) => matrix(kept, finch_element::FINCH_BF16),
            (Some(AnyMatrix::I8(kept)), _) => matrix(kept, finch_element::FINCH_I8),
            (Some(AnyMatrix::Bits(kept)), _) => {
                let bytes = kept.bytes();
                let element = finch_element::FINCH_BITS as i32;
                let data = bytes.as_ptr().cast();
                finch_matrix_row_major(data, element, kept.bytes().nrows(), kept.features())
            }
            (None, csr) => {
                let csr = csr.as_ref().map_or(std::ptr::null(), Lent::csr);
                finch_matrix_csr(csr, kept.len(), kept.features())
            }
        }]);
        Ok(1)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The number of labellings: P partitions and R refined labellings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_labelling_count(model: *const finch_model) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, model)?.labellings())) }
}

/// The number of clusters of a labelling.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_cluster_count(
    model: *const finch_model,
    labelling: usize,
) -> usize {
    let body = |caller: &Caller| Ok(read(caller, model)?.labelling(labelling)?.clusters());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The cluster of each sample in a labelling, -1 for noise: N numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_labels(
    model: *const finch_model,
    labelling: usize,
) -> *const i32 {
    let body = |caller: &Caller| {
        let labels = read(caller, model)?.labelling(labelling)?.labels();
        // Labels are at most i32::MAX.
        Ok(labels.as_ptr().cast())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// Writes the mean of each cluster of a labelling into `means`: a C x d matrix, row-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_means(
    model: *const finch_model,
    labelling: usize,
    means: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let model = read(caller, model)?;
        let clusters = model.labelling(labelling)?.clusters();
        let needed = clusters.saturating_mul(model.hierarchy().features());
        let output = caller.output("means", means, capacity, needed)?;
        let means = model.means(labelling)?;
        match means.matrix() {
            Some(AnyMatrix::F64(means)) => output.write(means.iter().copied()),
            Some(AnyMatrix::F32(means)) => output.write(means.iter().map(|mean| mean.to_f64())),
            Some(_) => unreachable!("means are double or float"),
            None => {
                let rows = means.sparse().expect("means are dense or sparse");
                output.write(rows.all_values());
            }
        }
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) }
}

/// Writes the number of bytes that `finch_model_serialize` writes into `*size`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_serialized_size(
    model: *const finch_model,
    size: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("size", size, 1, 1)?;
        output.write([read(caller, model)?.serialized_size()]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Writes a model into memory, in the format of a file: a safetensors file with a checksum. The
/// bytes of equal models are equal, on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_serialize(
    model: *const finch_model,
    bytes: *mut u8,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let model = read(caller, model)?;
        let output = caller.output(BYTES, bytes, capacity, model.serialized_size())?;
        output.write_by(|writer| model.write(writer));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Reads a model from `size` bytes in memory. Bytes that were cut or altered, whether by accident
/// or on purpose, are FINCH_DAMAGED, and those of a later format FINCH_MODEL_VERSION. `*model`
/// becomes a new model, to be freed with `finch_model_free`, equal to the one that was saved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_deserialize(
    bytes: *const u8,
    size: usize,
    model: *mut *mut finch_model,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(MODEL, model, 1, 1)?;
        let bytes = caller.slice(BYTES, bytes, size)?;
        caller.give(output, finch_model::new(Model::from_bytes(bytes)?)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Saves a model in the file `path`: the bytes of its name as the system has them, in UTF-8 on
/// Windows. The file is written beside and renamed when complete: whatever fails, what was there
/// before is there, and nothing else. A file that is replaced passes on its mode and, where the
/// system lets it, its owner; a symbolic link stays, and the file is replaced that it leads to.
/// Files that a process that was killed while it saved left in the folder are removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_save(
    model: *const finch_model,
    path: *const c_char,
) -> finch_status {
    let body = |caller: &Caller| {
        let model = read(caller, model)?;
        file::write(caller.path(PATH, path)?, |writer| model.write(writer))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Loads a model from the file `path`, whose bytes are as in `finch_model_save`, as
/// `finch_model_deserialize` does from memory. Its hierarchy has the warnings that it had when
/// the model was saved (`finch_hierarchy_warning_count` of `finch_model_hierarchy`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_load(
    path: *const c_char,
    model: *mut *mut finch_model,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(MODEL, model, 1, 1)?;
        let path = caller.path(PATH, path)?;
        let loaded = Model::from_bytes(&file::read(path)?);
        let name = || path.display().to_string();
        let loaded = loaded.map_err(|fault| Fault::Content { path: name(), fault })?;
        caller.give(output, finch_model::new(loaded)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Finds the cluster of new samples in a labelling: that of the nearest kept sample or, in a model
/// without samples, of the nearest mean; of equally near ones the smallest number counts. Kept
/// samples get their own labels, unless the labelling tears equal samples apart. Where the nearest
/// kept sample is noise, the label is -1; a mean is never noise.
///
/// Writes one number for each row of `samples`: the cluster into `labels`; the number of the
/// nearest sample or mean into `neighbor`; its distance d, in the metric's unit, into `distance`;
/// into `other_distance` the distance o to the nearest sample or mean of another cluster, as which
/// noise counts, infinite if there is none; and into `confidence` 1 / (1 + (d/o)^8), from 0.5 to 1,
/// which is about the share of such labels that are right (for cosine, d and o are chords). All but
/// `labels` may be NULL; where the last two are, the search is shorter. Writes into `*recall`,
/// which may be NULL, the part of the true nearest that was found: 1 after an exact search, and
/// after an approximate one as measured on at most 1,024 random rows of `samples`.
///
/// The element type is that of the model's samples, or one all of whose values that type holds:
/// double holds all, float all but double, and both types of 16 bits hold uint8_t and int8_t. Means
/// are float, or double for samples of double. To a model of sparse samples the new ones may be
/// sparse or dense; to a model of dense samples they are dense. The options `threads`, `progress`,
/// `search`, `recall` and `seed` are used. FINCH_SEARCH_BRUTE and FINCH_SEARCH_BLOCKED serve here,
/// and FINCH_SEARCH_APPROXIMATE, which takes a copy of the kept and the new samples, and is refused
/// where a model that keeps samples is asked for `other_distance` or `confidence`. The metric is
/// the model's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_predict(
    model: *const finch_model,
    samples: *const finch_matrix,
    labelling: usize,
    options: *const finch_options,
    labels: *mut i32,
    neighbor: *mut i32,
    distance: *mut f64,
    other_distance: *mut f64,
    confidence: *mut f64,
    capacity: usize,
    recall: *mut f64,
) -> finch_status {
    let size = size_of::<finch_predictions>();
    let outputs = finch_predictions {
        size,
        capacity,
        labels,
        neighbor,
        distance,
        other_distance,
        confidence,
        recall: 1.0,
    };
    let body = |caller: &Caller| {
        let to_recall = caller.optional_output("recall", recall, 1, 1)?;
        let found = predict(caller, model, samples, labelling, options, &outputs)?;
        to_recall.write([found]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The outputs of a prediction. Set `size`, `capacity`, `labels` and the buffers of whatever else
/// you want to know, and the rest to 0. It grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_predictions {
    /// `sizeof(finch_predictions)`.
    pub size: usize,
    /// The numbers that each buffer has room for: one for each new sample, or more.
    pub capacity: usize,
    /// Gets clusters. Never NULL.
    pub labels: *mut i32,
    /// Gets the number of the nearest sample or mean, or NULL.
    pub neighbor: *mut i32,
    /// Gets the distance of the nearest sample or mean, or NULL.
    pub distance: *mut f64,
    /// Gets the distance of the nearest one of another cluster, or NULL.
    pub other_distance: *mut f64,
    /// Gets confidences, or NULL.
    pub confidence: *mut f64,
    /// Gets the part of the true nearest that was found.
    pub recall: f64,
}

// SAFETY: numbers and pointers.
unsafe impl Growing for finch_predictions {
    const NAME: &'static str = "predictions";
    const FIRST_SIZE: usize = offset_of!(Self, recall) + size_of::<f64>();
    const END: usize = Self::FIRST_SIZE;
    const ADVICE: &'static str = "set its size to sizeof(finch_predictions)";
}

/// Finds the clusters of new samples as `finch_model_predict` does, into a struct of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_predict_into(
    model: *const finch_model,
    samples: *const finch_matrix,
    labelling: usize,
    options: *const finch_options,
    predictions: *mut finch_predictions,
) -> finch_status {
    let none = finch_predictions {
        size: 0,
        capacity: 0,
        labels: null_mut(),
        neighbor: null_mut(),
        distance: null_mut(),
        other_distance: null_mut(),
        confidence: null_mut(),
        recall: 1.0,
    };
    let body = |caller: &Caller| {
        let outputs = caller.read_sized(predictions, none)?;
        let recall = predict(caller, model, samples, labelling, options, &outputs)?;
        let told = finch_predictions { recall, ..outputs };
        caller.write_sized(predictions, outputs.size, true, told)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Predicts, and writes all but the recall, which it returns.
fn predict(
    caller: &Caller,
    model: *const finch_model,
    samples: *const finch_matrix,
    labelling: usize,
    options: *const finch_options,
    outputs: &finch_predictions,
) -> Result<f64, Fault> {
    let finch_predictions { capacity, other_distance, confidence, .. } = *outputs;
    let model = read(caller, model)?;
    let options = Options::read(caller, options)?;
    let samples = AnySamples::read(caller, SAMPLES, samples)?;
    let needed = samples.len();
    let certainty = !(other_distance.is_null() && confidence.is_null());
    let labels = caller.output("labels", outputs.labels, capacity, needed)?;
    let neighbor = caller.optional_output("neighbor", outputs.neighbor, capacity, needed)?;
    let distance = caller.optional_output("distance", outputs.distance, capacity, needed)?;
    let other_distance =
        caller.optional_output("other_distance", other_distance, capacity, needed)?;
    let confidence = caller.optional_output("confidence", confidence, capacity, needed)?;
    let predict = Predict::new(labelling)
        .search(options.search)
        .recall(options.recall)
        .seed(options.seed)
        .certainty(certainty);
    let found = predict.run(model, samples.any(), &mut options.run())?;
    labels.write(found.labels.iter().map(|&label| label as i32));
    neighbor.write(found.neighbor.iter().map(|&neighbor| neighbor as i32));
    distance.write(found.distance);
    if let Some(certainty) = found.certainty {
        other_distance.write(certainty.other_distance);
        confidence.write(certainty.confidence);
    }
    Ok(found.recall.map_or(1.0, |recall| recall.estimate))
}

/// Makes a model of the samples that `model` keeps and new `samples`, of as many features: its
/// hierarchy is that of `finch_hierarchy_extend` for all of them. `*extended` becomes a new model,
/// which keeps all samples and has no refined labellings. `finch_keep_labels` keeps names.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_model_extend(
    model: *const finch_model,
    samples: *const finch_matrix,
    options: *const finch_options,
    extended: *mut *mut finch_model,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("extended", extended, 1, 1)?;
        let model = &caller.reference(MODEL, model)?.model;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let grown = model.extend(&options.finch, samples.any(), &mut options.run())?;
        caller.give(output, finch_model::new(grown)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

const MODEL: &str = "model";
const BYTES: &str = "bytes";
const PATH: &str = "path";

fn read(caller: &Caller, model: *const finch_model) -> Result<&Model, Fault> {
    Ok(&caller.reference(MODEL, model)?.model)
}

/// A matrix whose rows follow each other, as C has it.
fn matrix<A>(matrix: ArrayView2<'_, A>, element: finch_element) -> finch_matrix {
    let data: *const c_void = matrix.as_ptr().cast();
    finch_matrix_row_major(data, element as i32, matrix.nrows(), matrix.ncols())
}
