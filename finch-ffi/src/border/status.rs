//! The status that an entry point returns: the numbers and names of `finch_status`.

use std::ffi::c_char;

use super::enums::named;

/// The status that a call returns: 0 if all went well. Otherwise no output was written, and
/// `finch_last_error_message` says what was wrong. A later library may return other numbers.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum finch_status {
    /// All went well.
    FINCH_OK = 0,
    /// The progress callback asked to stop.
    FINCH_CANCELLED = 1,
    /// A bug in the library: please report it with the message.
    FINCH_PANIC = 2,
    /// An error without a number of its own: see the message.
    FINCH_FAILED = 3,
    /// A pointer is NULL that may not be NULL.
    FINCH_NULL_POINTER = 4,
    /// A pointer is not aligned for the type it points to.
    FINCH_MISALIGNED = 5,
    /// More bytes than addresses, or an unknown size of a struct.
    FINCH_INVALID_SIZE = 6,
    /// A stride is 0 along more than one row or column.
    FINCH_INVALID_STRIDE = 7,
    /// An integer is not in its enum, or a number out of its range.
    FINCH_INVALID_VALUE = 8,
    /// An output buffer has too little room.
    FINCH_BUFFER_TOO_SMALL = 9,
    /// The matrix has no rows.
    FINCH_NO_SAMPLES = 10,
    /// The matrix has no columns.
    FINCH_NO_FEATURES = 11,
    /// There are more samples than an int32_t can number.
    FINCH_TOO_MANY_SAMPLES = 12,
    /// A value is NaN or infinite: the message says where.
    FINCH_NON_FINITE = 13,
    /// A value is beyond 1e140: squared distances would overflow.
    FINCH_VALUE_TOO_LARGE = 14,
    /// No value reaches 1e-140: squared distances would vanish.
    FINCH_VALUES_TOO_SMALL = 15,
    /// The number of clusters asked for is not from 1 to N.
    FINCH_CLUSTER_COUNT = 16,
    /// The hierarchy has no partition, or the model no labelling, of this number.
    FINCH_NO_SUCH_PARTITION = 17,
    /// The partition to refine from has too few clusters.
    FINCH_TOO_COARSE = 18,
    /// The given first neighbours are not one for each sample.
    FINCH_NEIGHBOR_COUNT = 19,
    /// A given first neighbour is the sample itself, or no sample.
    FINCH_INVALID_NEIGHBOR = 20,
    /// The search does not serve this metric or number of features.
    FINCH_UNSUPPORTED_SEARCH = 21,
    /// Two inputs differ in their number of samples.
    FINCH_SAMPLE_COUNT = 22,
    /// Two inputs differ in their number of features.
    FINCH_FEATURE_COUNT = 23,
    /// Worker threads could not be started.
    FINCH_THREADS = 24,
    /// The system refused memory: the message says how many bytes.
    FINCH_OUT_OF_MEMORY = 25,
    /// A weight is not a finite number above 0: the message says which.
    FINCH_INVALID_WEIGHT = 26,
    /// A file could not be read or written: the message says which, and why.
    FINCH_IO = 27,
    /// The bytes are no saved model, or not as they were saved.
    FINCH_DAMAGED = 28,
    /// The model was saved in a format that this version of finch does not know.
    FINCH_MODEL_VERSION = 29,
    /// The call takes samples, and the model or the hierarchy was made without.
    FINCH_NEEDS_SAMPLES = 30,
    /// A given distance is no distance, or one that is looked at is not given: see the message.
    FINCH_INVALID_DISTANCE = 31,
    /// The dendrogram does not go to this number of clusters.
    FINCH_NO_SUCH_CUT = 32,
    /// Clusters cannot keep a rule of `finch_constraints`: the message names the pair or the size.
    FINCH_INVALID_CONSTRAINT = 33,
    /// Sparse rows are not sound: the message says where. Or the call takes dense matrices alone.
    FINCH_INVALID_SPARSE = 34,
    /// A row of a shard has a number or label that it cannot have: the message says which.
    FINCH_INVALID_SHARD = 35,
    /// A time stamp is not finite, or the call does not look at times: the message says which.
    FINCH_INVALID_TIMES = 36,
    /// A metric of 0 and 1, and a sample with another value: the message says where.
    FINCH_NOT_BINARY = 37,
    /// The samples are not those that were clustered: the message says which one tells.
    FINCH_OTHER_SAMPLES = 38,
}

named!(finch_status {
    FINCH_OK,
    FINCH_CANCELLED,
    FINCH_PANIC,
    FINCH_FAILED,
    FINCH_NULL_POINTER,
    FINCH_MISALIGNED,
    FINCH_INVALID_SIZE,
    FINCH_INVALID_STRIDE,
    FINCH_INVALID_VALUE,
    FINCH_BUFFER_TOO_SMALL,
    FINCH_NO_SAMPLES,
    FINCH_NO_FEATURES,
    FINCH_TOO_MANY_SAMPLES,
    FINCH_NON_FINITE,
    FINCH_VALUE_TOO_LARGE,
    FINCH_VALUES_TOO_SMALL,
    FINCH_CLUSTER_COUNT,
    FINCH_NO_SUCH_PARTITION,
    FINCH_TOO_COARSE,
    FINCH_NEIGHBOR_COUNT,
    FINCH_INVALID_NEIGHBOR,
    FINCH_UNSUPPORTED_SEARCH,
    FINCH_SAMPLE_COUNT,
    FINCH_FEATURE_COUNT,
    FINCH_THREADS,
    FINCH_OUT_OF_MEMORY,
    FINCH_INVALID_WEIGHT,
    FINCH_IO,
    FINCH_DAMAGED,
    FINCH_MODEL_VERSION,
    FINCH_NEEDS_SAMPLES,
    FINCH_INVALID_DISTANCE,
    FINCH_NO_SUCH_CUT,
    FINCH_INVALID_CONSTRAINT,
    FINCH_INVALID_SPARSE,
    FINCH_INVALID_SHARD,
    FINCH_INVALID_TIMES,
    FINCH_NOT_BINARY,
    FINCH_OTHER_SAMPLES,
});

/// The name of a status, such as "FINCH_NON_FINITE", or "unknown" for a number that no status has:
/// a string that is always valid.
#[unsafe(no_mangle)]
pub extern "C" fn finch_status_name(status: i32) -> *const c_char {
    finch_status::name_of(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_own_number_and_name() {
        assert!(finch_status::ALL.is_sorted_by(|a, b| (*a as i32) < *b as i32));
        assert!(finch_status::ALL.is_sorted_by(|before, after| (*before as i32) < *after as i32));
        for status in finch_status::ALL {
            assert_eq!(status.name().to_str().unwrap(), format!("{status:?}"));
        }
    }
}
