//! A tensor of a file, as it is read.

use half::{bf16, f16};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use super::check::damaged;
use crate::error::{Error, Result};
use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::support::memory::collected;

/// A tensor of a file.
pub(in crate::model) struct Tensor<'a> {
    pub(in crate::model) name: &'static str,
    pub(in crate::model) view: TensorView<'a>,
}

impl Tensor<'_> {
    pub(in crate::model) fn damaged(&self, what: &str) -> Error {
        damaged(format!("the tensor {} {what}", self.name))
    }

    /// The shape, of so many axes.
    pub(in crate::model) fn shape<const AXES: usize>(&self) -> Result<[usize; AXES]> {
        let shape = self.view.shape().try_into();
        shape.map_err(|_| self.damaged(&format!("has other than {AXES} axes")))
    }

    pub(in crate::model) fn expect<const AXES: usize>(
        &self,
        expected: [usize; AXES],
        found: [usize; AXES],
    ) -> Result<()> {
        match found == expected {
            true => Ok(()),
            false => Err(self.damaged(&format!("has shape {found:?} instead of {expected:?}"))),
        }
    }

    /// The numbers of `SIZE` bytes each.
    fn numbers<T, const SIZE: usize>(
        &self,
        dtype: Dtype,
        number: impl Fn([u8; SIZE]) -> T,
    ) -> Result<Vec<T>> {
        if self.view.dtype() != dtype {
            let what = format!("is of type {} instead of {dtype}", self.view.dtype());
            return Err(self.damaged(&what));
        }
        let (numbers, _) = self.view.data().as_chunks();
        Ok(collected(numbers.iter().map(|bytes| number(*bytes))))
    }

    pub(in crate::model) fn u32s(&self) -> Result<Vec<u32>> {
        self.numbers(Dtype::U32, u32::from_le_bytes)
    }

    pub(in crate::model) fn i64s(&self) -> Result<Vec<i64>> {
        self.numbers(Dtype::I64, i64::from_le_bytes)
    }

    pub(in crate::model) fn i32s(&self) -> Result<Vec<i32>> {
        self.numbers(Dtype::I32, i32::from_le_bytes)
    }

    pub(in crate::model) fn f64s(&self) -> Result<Vec<f64>> {
        self.numbers(Dtype::F64, f64::from_le_bytes)
    }

    pub(in crate::model) fn f32s(&self) -> Result<Vec<f32>> {
        self.numbers(Dtype::F32, f32::from_le_bytes)
    }

    pub(in crate::model) fn f16s(&self) -> Result<Vec<f16>> {
        self.numbers(Dtype::F16, f16::from_le_bytes)
    }

    pub(in crate::model) fn bf16s(&self) -> Result<Vec<bf16>> {
        self.numbers(Dtype::BF16, bf16::from_le_bytes)
    }

    pub(in crate::model) fn i8s(&self) -> Result<Vec<i8>> {
        self.numbers(Dtype::I8, i8::from_le_bytes)
    }

    pub(in crate::model) fn u8s(&self) -> Result<Vec<u8>> {
        self.numbers(Dtype::U8, |[byte]| byte)
    }

    /// The rows of labels, as many as samples each.
    pub(in crate::model) fn partitions(
        &self,
        count: usize,
        samples: usize,
    ) -> Result<Vec<Partition>> {
        let rows = self.labels(count, samples)?.into_iter();
        rows.map(|row| Partition::of_numbered(row).map_err(|at| self.out_of_order(at))).collect()
    }

    /// The rows of labels of which some may be noise, but not all.
    pub(in crate::model) fn noisy_labels(
        &self,
        count: usize,
        samples: usize,
    ) -> Result<Vec<Labels>> {
        let labels = |row: Vec<u32>| {
            let mut clusters = 0;
            for (sample, &label) in row.iter().enumerate() {
                match label {
                    Labels::NOISE => {}
                    _ if label > clusters => return Err(self.out_of_order(sample)),
                    _ => clusters += u32::from(label == clusters),
                }
            }
            match clusters {
                0 => Err(self.damaged("has labels that are all noise")),
                _ => Ok(Labels::of_parts(row, clusters as usize)),
            }
        };
        self.labels(count, samples)?.into_iter().map(labels).collect()
    }

    fn out_of_order(&self, sample: usize) -> Error {
        self.damaged(&format!("has a label at sample {sample} that is out of order"))
    }

    fn labels(&self, count: usize, samples: usize) -> Result<Vec<Vec<u32>>> {
        if samples == 0 || i32::try_from(samples).is_err() {
            return Err(self.damaged("has no samples, or too many"));
        }
        if self.view.dtype() != Dtype::U32 {
            return Err(self.damaged("is not of type U32"));
        }
        let (numbers, _) = self.view.data().as_chunks();
        let rows = numbers.chunks_exact(samples).take(count);
        let labels =
            |row: &[[u8; 4]]| collected(row.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        Ok(rows.map(labels).collect())
    }
}
