//! Samples of bits, eight to a byte: binary codes of embeddings, fingerprints of molecules.

use std::cmp::Ordering;
use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, s};

use super::limits::expect_shape;
use crate::error::{Error, Result};

/// The bits of a byte.
pub(crate) const BYTE: usize = u8::BITS as usize;

/// Samples × features: a borrowed view of packed bits, each of which is a feature of value 0 or 1.
///
/// The first feature is the highest bit of the first byte of a row, as NumPy's `packbits` has it. Bits
/// behind the last feature are not looked at. Whatever takes bits gives what it gives for the same
/// samples as bytes of 0 and 1, bit for bit, under every metric; under all but cosine, searches among
/// samples count differing bits, 64 at a time.
///
/// ```
/// use finch_core::{BitSamples, Finch, Metric, Run};
/// use ndarray::array;
///
/// let codes = array![[0b1111_0000_u8], [0b1111_0010], [0b0000_1110], [0b0000_1100]];
/// let samples = BitSamples::new(codes.view(), 7)?;
/// let finch = Finch::new().metric(Metric::Hamming);
/// let first = finch.first_neighbors(&samples, &mut Run::new())?;
/// assert_eq!(first.index(), [1, 0, 3, 2]);
/// assert_eq!(first.distance(), [1.0 / 7.0; 4]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BitSamples<'a>(BitMatrix<'a>);

impl<'a> BitSamples<'a> {
    /// N samples of so many features (d): N rows of ⌈d/8⌉ bytes, of any strides.
    ///
    /// # Errors
    /// [`Error::NoSamples`], [`Error::NoFeatures`], [`Error::TooManySamples`]; [`Error::Shape`] for
    /// rows of another length.
    pub fn new(bytes: ArrayView2<'a, u8>, features: usize) -> Result<Self> {
        let (samples, width) = bytes.dim();
        expect_shape([samples, features])?;
        let expected = features.div_ceil(BYTE);
        if width != expected {
            let (expected, found) = ([samples, expected], [samples, width]);
            return Err(Error::Shape { what: "packed bits", expected, found });
        }
        Ok(Self(BitMatrix { bytes, features }))
    }

    /// The number of samples, N; at least 1.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Always false: a matrix without samples is refused.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of features, d; at least 1.
    pub fn features(&self) -> usize {
        self.0.features
    }

    /// The packed bits, N × d.
    pub fn matrix(&self) -> BitMatrix<'a> {
        self.0
    }

    /// The same matrix, for as long as `self` is borrowed.
    pub(crate) fn reborrow(&self) -> BitMatrix<'_> {
        self.0.reborrow()
    }
}

/// A matrix of bits, eight to a byte, as [`BitSamples`] has them.
#[derive(Clone, Copy, Debug)]
pub struct BitMatrix<'a> {
    bytes: ArrayView2<'a, u8>,
    features: usize,
}

impl<'a> BitMatrix<'a> {
    /// The bytes, N × ⌈d/8⌉.
    pub fn bytes(&self) -> ArrayView2<'a, u8> {
        self.bytes
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The values, 0 and 1: N × d.
    pub fn unpacked(&self) -> Array2<f32> {
        Array2::from_shape_fn((self.len(), self.features), |(row, feature)| {
            self.value(row, feature) as f32
        })
    }

    pub(crate) fn reborrow(&self) -> BitMatrix<'_> {
        BitMatrix { bytes: self.bytes.reborrow(), features: self.features }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.nrows()
    }

    pub(crate) fn part(self, rows: Range<usize>) -> Self {
        Self { bytes: self.bytes.slice_move(s![rows, ..]), ..self }
    }

    /// True if the bits of a row follow each other in memory.
    pub(crate) fn has_contiguous_rows(&self) -> bool {
        self.bytes.strides()[1] == 1
    }

    /// The value of a feature: 0 or 1.
    pub(crate) fn value(&self, row: usize, feature: usize) -> f64 {
        value(self.bytes[[row, feature / BYTE]], feature % BYTE)
    }

    /// Does something with each number of `out` and the values of some features of a row.
    pub(crate) fn for_each_value(
        &self,
        row: usize,
        features: Range<usize>,
        out: &mut [f64],
        each: impl Fn(&mut f64, f64),
    ) {
        let bytes = self.bytes.row(row);
        let head = features.start.next_multiple_of(BYTE).min(features.end) - features.start;
        let (of_head, out) = out.split_at_mut(head);
        for (feature, out) in (features.start..).zip(of_head) {
            each(out, value(bytes[feature / BYTE], feature % BYTE));
        }
        let bytes = bytes.iter().skip((features.start + head) / BYTE);
        for (out, &byte) in out.chunks_mut(BYTE).zip(bytes) {
            match <&mut [f64; BYTE]>::try_from(&mut *out) {
                Ok(out) => (0..BYTE).for_each(|bit| each(&mut out[bit], value(byte, bit))),
                Err(_) => {
                    out.iter_mut().enumerate().for_each(|(bit, out)| each(out, value(byte, bit)));
                }
            }
        }
    }

    /// The features of a row, 64 to a word, in any order that is the same for every row; zeros follow
    /// the last.
    pub(crate) fn words(&self, row: usize) -> impl Iterator<Item = u64> {
        let bytes = self.bytes.index_axis_move(Axis(0), row);
        let spare = bytes.len() * BYTE - self.features;
        let last = bytes.len() - 1;
        let byte = move |place: usize| match place.cmp(&last) {
            Ordering::Less => bytes[place],
            Ordering::Equal => bytes[place] >> spare << spare,
            Ordering::Greater => 0,
        };
        (0..=last).step_by(size_of::<u64>()).map(move |first| match bytes.as_slice() {
            Some(bytes) if first + size_of::<u64>() <= last => {
                let (word, _) = bytes[first..].split_first_chunk().expect("there are 8 bytes");
                u64::from_le_bytes(*word)
            }
            _ => u64::from_le_bytes(std::array::from_fn(|place| byte(first + place))),
        })
    }

    /// True if all values of a row are 0.
    pub(crate) fn is_zero(&self, row: usize) -> bool {
        self.words(row).all(|word| word == 0)
    }

    pub(crate) fn are_equal(&self, [a, b]: [u32; 2]) -> bool {
        self.words(a as usize).eq(self.words(b as usize))
    }
}

/// The bit of a byte, from the highest.
#[inline(always)]
fn value(byte: u8, bit: usize) -> f64 {
    f64::from(byte >> (BYTE - 1 - bit) & 1)
}

/// A matrix of bits with memory of its own.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct BitArray {
    bytes: Array2<u8>,
    features: usize,
}

impl BitArray {
    /// Rows of packed bits, of which those behind the last feature become 0.
    pub(crate) fn of(mut bytes: Array2<u8>, features: usize) -> Self {
        let spare = bytes.ncols() * BYTE - features;
        let last = bytes.ncols() - 1;
        bytes.column_mut(last).mapv_inplace(|byte| byte >> spare << spare);
        Self { bytes, features }
    }

    pub(crate) fn view(&self) -> BitMatrix<'_> {
        BitMatrix { bytes: self.bytes.view(), features: self.features }
    }
}
