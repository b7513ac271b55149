//! Saved models, made of any bytes. Used by the fuzzer, and by a test.
//!
//! A fuzzer does not find checksums. So the bytes are read as they are, and once more with the
//! checksum set right, as an enemy would set it. What is read is used by all functions that take a
//! model.

use std::{ptr, slice};

use finch::finch_status::*;
use finch::*;

/// What stands before the digits of the checksum.
const BEGINNING: &[u8] = b"{\"__metadata__\":{\"crc32\":\"";

/// Bytes with the right length of their header, if they have one, and the right checksum.
pub(crate) fn signed(bytes: &[u8]) -> Option<Vec<u8>> {
    let digits = 8 + BEGINNING.len();
    if bytes.len() < digits + 8 || !bytes[8..].starts_with(BEGINNING) {
        return None;
    }
    let mut bytes = bytes.to_vec();
    bytes[digits..][..8].copy_from_slice(b"00000000");
    let checksum = format!("{:08x}", checksum(&bytes));
    bytes[digits..][..8].copy_from_slice(checksum.as_bytes());
    Some(bytes)
}

/// CRC-32 bit by bit, by its definition.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(sum & 1))
        })
    })
}

/// Reads bytes as a model, and uses what it gets. Returns how many models there were.
pub(crate) fn read(bytes: &[u8]) -> usize {
    let found = as_they_are(bytes);
    found + signed(bytes).map_or(0, |bytes| as_they_are(&bytes))
}

fn as_they_are(bytes: &[u8]) -> usize {
    let mut model = ptr::null_mut();
    // SAFETY: the bytes are as many as is said.
    let status = unsafe { finch_model_deserialize(bytes.as_ptr(), bytes.len(), &mut model) };
    if status != FINCH_OK {
        assert!(matches!(status, FINCH_DAMAGED | FINCH_MODEL_VERSION), "{status:?}");
        assert!(model.is_null());
        return 0;
    }
    // SAFETY: a model that has been made, which is freed once.
    unsafe {
        use_model(model, bytes);
        finch_model_free(model);
    }
    1
}

/// # Safety
/// `model` is a model, which was read from `bytes`.
unsafe fn use_model(model: *const finch_model, bytes: &[u8]) {
    // SAFETY: outputs are as large as they are said to be.
    unsafe {
        let hierarchy = finch_model_hierarchy(model);
        let rows = finch_hierarchy_sample_count(hierarchy);
        let features = finch_hierarchy_feature_count(hierarchy);
        let mut samples = finch_matrix_row_major(ptr::null(), 1, 0, 0);
        let kept = finch_model_samples(model, &mut samples) == 1;
        assert!(!kept || (samples.rows, samples.columns) == (rows, features));
        for labelling in 0..finch_model_labelling_count(model) {
            let clusters = finch_model_cluster_count(model, labelling);
            let labels = slice::from_raw_parts(finch_model_labels(model, labelling), rows);
            let largest = labels.iter().max().map(|&largest| largest as usize + 1);
            assert!(labels.iter().all(|&label| label >= 0) && largest == Some(clusters));
            let mut means = vec![f64::NAN; clusters * features];
            assert_eq!(
                finch_model_means(model, labelling, means.as_mut_ptr(), means.len()),
                FINCH_OK
            );
            assert!(means.iter().all(|mean| mean.is_finite()));
            let means = finch_matrix_row_major(means.as_ptr().cast(), 1, clusters, features);
            predict(model, labelling, &means, if kept { rows } else { clusters });
            if kept {
                predict(model, labelling, &samples, rows);
            }
        }
        if kept {
            let mut refined = vec![-1; rows];
            for clusters in [1, rows.div_ceil(2), rows] {
                let out = refined.as_mut_ptr();
                let refine =
                    finch_hierarchy_refine(hierarchy, &samples, clusters, ptr::null(), out, rows);
                // Samples that were changed are others than those that were clustered.
                assert!(matches!(refine, FINCH_OK | FINCH_OTHER_SAMPLES), "{refine:?}");
                if refine == FINCH_OK {
                    assert_eq!(refined.iter().max(), Some(&(clusters as i32 - 1)));
                }
            }
        }
        // What is written is read again, and written again alike.
        let mut size = 0;
        assert_eq!(finch_model_serialized_size(model, &mut size), FINCH_OK);
        let mut written = vec![0; size];
        assert_eq!(finch_model_serialize(model, written.as_mut_ptr(), size), FINCH_OK);
        let mut again = ptr::null_mut();
        assert_eq!(finch_model_deserialize(written.as_ptr(), size, &mut again), FINCH_OK);
        let mut rewritten = vec![0; size];
        assert_eq!(finch_model_serialize(again, rewritten.as_mut_ptr(), size), FINCH_OK);
        assert_eq!(rewritten, written);
        finch_model_free(again);
        assert!(bytes.len() + 4096 > size, "a model of {size} bytes from {}", bytes.len());
    }
}

/// Predicts samples, which may be of a wider type than the model's, by so many samples or means.
///
/// # Safety
/// The matrix has the memory that it describes.
unsafe fn predict(
    model: *const finch_model,
    labelling: usize,
    samples: &finch_matrix,
    base: usize,
) {
    let rows = samples.rows;
    let (mut labels, mut numbers) = (vec![-1; 2 * rows], vec![f64::NAN; 3 * rows]);
    // SAFETY: each output has room for as many numbers as rows.
    let status = unsafe {
        let (labels, numbers) = (labels.as_mut_ptr(), numbers.as_mut_ptr());
        finch_model_predict(
            model,
            samples,
            labelling,
            ptr::null(),
            labels,
            labels.add(rows),
            numbers,
            numbers.add(rows),
            numbers.add(2 * rows),
            rows,
            ptr::null_mut(),
        )
    };
    if status == FINCH_OK {
        // SAFETY: a model and a labelling that it has.
        let clusters = unsafe { finch_model_cluster_count(model, labelling) };
        let (labels, neighbors) = labels.split_at(rows);
        assert!(labels.iter().all(|&label| (label as usize) < clusters));
        assert!(neighbors.iter().all(|&neighbor| (neighbor as usize) < base));
        assert!(numbers.iter().all(|number| *number >= 0.0));
    } else {
        // Means may be too small together for samples, wider than the model's samples, and no bits.
        let refused = matches!(
            status,
            FINCH_INVALID_VALUE
                | FINCH_VALUES_TOO_SMALL
                | FINCH_NEEDS_SAMPLES
                | FINCH_NO_FEATURES
                | FINCH_NOT_BINARY
        );
        assert!(refused, "{status:?}");
    }
}
