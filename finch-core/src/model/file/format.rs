//! The format of a saved model, versions 1 to 4. A model of dense samples is of version 1, and one of
//! sparse samples of version 2. Where a refined labelling has noise, they are of versions 3 and 4.
//!
//! A saved model is a [safetensors](https://github.com/huggingface/safetensors) file: 8 bytes with the
//! length of a header (little-endian), the header as JSON, and the numbers of all tensors, row by row
//! and little-endian. So the numbers of a model can be read in every language that reads safetensors.
//!
//! # Metadata
//! All values are strings, and all but the last three are always there, in this order:
//!
//! | key | value |
//! |---|---|
//! | `crc32` | 8 hexadecimal digits, lower case: the CRC-32 (of IEEE 802.3, as in gzip) of the whole file, with these 8 digits taken as `00000000` |
//! | `finch_model` | the version of the format: `1` to `4` |
//! | `finch` | the version of finch that wrote the file, such as `0.1.0` |
//! | `element` | the type of the samples: `u8`, `i8`, `f16`, `bf16`, `f32`, `f64`; `none` for a hierarchy without samples |
//! | `metric`, `link_bound`, `search` | by the names of options, such as `euclidean`, `none`, `auto` |
//! | `recall`, `seed` | numbers, as options have them |
//! | `time_limit` | nanoseconds, or `none` |
//! | `ties` | the share of first neighbours that are ties, where that is a warning; else left out |
//! | `zero_rows` | under cosine the number of zero rows, a comma, and the number of the first one, from 0; left out where there are none |
//! | `features` | in versions 2 and 4 alone: the number of features, d |
//!
//! The file begins with the length of the header and `{"__metadata__":{"crc32":"`, which is how a model
//! is told from other files, and where every version of the format has its checksum: so a damaged file
//! is told from a file of a newer version.
//!
//! # Tensors
//! N samples, d features, P partitions, R refined labellings, ΣC clusters of all P + R labellings.
//!
//! | name | type | shape | numbers |
//! |---|---|---|---|
//! | `labels` | U32 | P × N | the partitions, finest first: labels from 0, numbered by first appearance |
//! | `refined` | U32 | R × N | the refined labellings, likewise, and in versions 3 and 4 2³² − 1 for noise, which is no cluster and has no mean; left out if there are none |
//! | `first_neighbors` | U32 | N | first neighbours; shape 0 for a single sample |
//! | `first_distances` | F64 | as `first_neighbors` | distances to these, in the metric's unit |
//! | `neighbors` | U32 | N × k | the k nearest neighbours, nearest first; left out if they are not kept |
//! | `distances` | F64 | N × k | distances to these; left out with `neighbors` |
//! | `weights` | F64 | N | the weights of the samples; left out if they have none |
//! | `links` | U32 | as `first_neighbors` | first neighbours of copies: the sample itself, where its copies are nearest to each other; left out with `weights` |
//! | `link_distances` | F64 | as `first_neighbors` | distances to these; left out with `weights` |
//! | `levels` | F64 | levels × 18 | how each level was searched; see below |
//! | `means` | F64, or F32 for samples of all types but f64 | ΣC × d | the means of all labellings, one below the other |
//! | `samples` | F64, F32, F16, BF16, I8 or U8, as `element`; U8 for bits | N × d; N × ⌈d/8⌉ for bits, the first of eight the highest | the samples; left out if they are not kept |
//! | `notes` | U8 | bytes | what the caller keeps beside (the `finch` command: JSON on the table that the samples are of); left out if there is nothing |
//!
//! In versions 2 and 4, `means` and `samples` are compressed sparse rows, each three tensors, of V values:
//!
//! | name | type | shape | numbers |
//! |---|---|---|---|
//! | `means_starts`, `samples_starts` | I64 | rows + 1 | where each row begins among the values, from 0, and where the last one ends |
//! | `means_columns`, `samples_columns` | I32 | V | the feature of each value, from 0, rising within a row |
//! | `means_values`, `samples_values` | F64 or F32, as `element` | V | the values |
//!
//! There are no other tensors. Tensors of the largest numbers come first, so that each tensor is aligned.
//!
//! A row of `levels` is NaN where nothing is known: the number of samples or means; the search, by its
//! place in [`SEARCHES`]; why it ran, by its place in the list in `levels.rs`, and for "an exact search
//! would take long" how many seconds; recall, the lower and upper end of its interval, and the number
//! of rows that it was measured on; distinct rows; intrinsic dimension; and four times a search that was
//! considered, with its seconds.
//!
//! # Reading
//! Whoever reads a model trusts nothing: sizes, types, checksum, that labels are numbered by first
//! appearance, that each partition is a coarsening of the one before and the finest that of the first
//! neighbours (or of the links), that neighbours are other samples and sorted, that numbers are finite. A file may be
//! made by an enemy, with a right checksum: that gives an error, too.

use crate::neighbors::Search;

/// The version of models of dense samples.
pub(in crate::model) const DENSE: u32 = 1;

/// The version of models of sparse samples.
pub(in crate::model) const SPARSE: u32 = 2;

/// The difference to the version of a model with noise.
pub(in crate::model) const WITH_NOISE: u32 = 2;

/// The last version that is known.
pub(in crate::model) const LAST: u32 = SPARSE + WITH_NOISE;

/// The bytes that stand after the length of the header, before the digits of the checksum.
pub(in crate::model) const BEGINNING: &str = "{\"__metadata__\":{\"crc32\":\"";

/// Where the digits of the checksum begin, in bytes from the start of the file.
pub(in crate::model) const CHECKSUM_AT: usize = 8 + BEGINNING.len();

/// The number of digits of the checksum.
pub(in crate::model) const CHECKSUM_DIGITS: usize = 8;

/// The longest header that is read, in bytes: a thousand times what a header takes. JSON of more would
/// take memory in no proportion to the model.
pub(in crate::model) const LONGEST_HEADER: usize = 1 << 20;

/// The value for what is not there.
pub(in crate::model) const NONE: &str = "none";

/// Searches by their numbers in a file, which do not change.
pub(in crate::model) const SEARCHES: [Search; 6] = [
    Search::Auto,
    Search::Brute,
    Search::KdTree,
    Search::Blocked,
    Search::Projected,
    Search::Approximate,
];

/// The names of the tensors.
pub(in crate::model) mod name {
    pub(crate) const LABELS: &str = "labels";
    pub(crate) const REFINED: &str = "refined";
    pub(crate) const FIRST_NEIGHBORS: &str = "first_neighbors";
    pub(crate) const FIRST_DISTANCES: &str = "first_distances";
    pub(crate) const NEIGHBORS: &str = "neighbors";
    pub(crate) const DISTANCES: &str = "distances";
    pub(crate) const WEIGHTS: &str = "weights";
    pub(crate) const LINKS: &str = "links";
    pub(crate) const LINK_DISTANCES: &str = "link_distances";
    pub(crate) const LEVELS: &str = "levels";
    pub(crate) const MEANS: &str = "means";
    pub(crate) const SAMPLES: &str = "samples";
    pub(crate) const SPARSE_MEANS: [&str; 3] = ["means_starts", "means_columns", "means_values"];
    pub(crate) const SPARSE_SAMPLES: [&str; 3] =
        ["samples_starts", "samples_columns", "samples_values"];
    pub(crate) const NOTES: &str = "notes";
}

/// The checksum of a file that comes in parts, with zeros for its digits.
pub(in crate::model) struct Checksum {
    hasher: crc32fast::Hasher,
    at: usize,
}

impl Checksum {
    pub(in crate::model) fn new() -> Self {
        Self { hasher: crc32fast::Hasher::new(), at: 0 }
    }

    /// Takes the next part of the file.
    pub(in crate::model) fn update(&mut self, part: &[u8]) {
        let digits = CHECKSUM_AT..CHECKSUM_AT + CHECKSUM_DIGITS;
        let place = |at: usize| at.saturating_sub(self.at).min(part.len());
        let [begin, end] = [place(digits.start), place(digits.end)];
        self.hasher.update(&part[..begin]);
        self.hasher.update(&b"00000000"[..end - begin]);
        self.hasher.update(&part[end..]);
        self.at += part.len();
    }

    /// The digits.
    pub(in crate::model) fn digits(self) -> String {
        format!("{:08x}", self.hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_file_do_not_show_in_its_checksum() {
        let mut file: Vec<u8> = (0..100).map(|i| (i * 37 % 251) as u8).collect();
        let digits_of = |file: &[u8], size: usize| {
            let mut checksum = Checksum::new();
            file.chunks(size).for_each(|part| checksum.update(part));
            checksum.digits()
        };
        let expected = digits_of(&file, 100);
        for size in 1..99 {
            assert_eq!(digits_of(&file, size), expected);
        }
        file[CHECKSUM_AT..][..CHECKSUM_DIGITS].copy_from_slice(b"00000000");
        assert_eq!(format!("{:08x}", crc32fast::hash(&file)), expected);
        file[CHECKSUM_AT - 1] ^= 1;
        assert_ne!(digits_of(&file, 7), expected);
    }
}
