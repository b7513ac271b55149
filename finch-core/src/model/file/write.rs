//! The writer of a model: from a model to bytes.

use std::fmt::Write as _;
use std::io;

use half::{bf16, f16};
use ndarray::ArrayView2;

use super::format::{
    BEGINNING, CHECKSUM_AT, CHECKSUM_DIGITS, Checksum, DENSE, NONE, SPARSE, WITH_NOISE, name,
};
use super::levels;
use crate::error::Result;
use crate::error::warning::Warning;
use crate::model::Model;
use crate::model::means::{Means, stacked_starts};
use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::samples::element::{AnyMatrix, ElementType};
use crate::samples::owned::OwnedSamples;
use crate::samples::sparse::{OwnedValues, SparseMatrix};
use crate::support::memory::{caught, room};

/// Numbers that are turned into bytes at a time.
const PART: usize = 4096;

impl Model {
    /// The model as the bytes of a file, for [`Model::from_bytes`]: the same bytes for equal models that
    /// were searched for alike, on every machine. The format is a safetensors file.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        caught(|| {
            let mut bytes = room(self.serialized_size());
            self.write(&mut bytes).expect("a vector takes what there is room for");
            Ok(bytes)
        })
    }

    /// The number of bytes that [`Model::to_bytes`] gives.
    pub fn serialized_size(&self) -> usize {
        let made = self.made();
        let tensors = self.tensors(&made);
        let numbers = tensors.iter().map(Tensor::bytes).sum::<usize>();
        8 + self.header(&tensors).len() + numbers
    }

    /// Writes the bytes of [`Model::to_bytes`], part by part, into a file or elsewhere.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let made = self.made();
        let tensors = self.tensors(&made);
        let header = self.header(&tensors);
        let mut start = (header.len() as u64).to_le_bytes().to_vec();
        start.extend_from_slice(header.as_bytes());
        // The checksum stands before the numbers, which are therefore gone through twice.
        let mut checksum = Checksum::new();
        checksum.update(&start);
        for tensor in &tensors {
            tensor.each_part(&mut |part| {
                checksum.update(part);
                Ok(())
            })?;
        }
        start[CHECKSUM_AT..][..CHECKSUM_DIGITS].copy_from_slice(checksum.digits().as_bytes());
        writer.write_all(&start)?;
        tensors.iter().try_for_each(|tensor| tensor.each_part(&mut |part| writer.write_all(part)))
    }

    fn made(&self) -> Made {
        let levels = self.hierarchy.levels().iter().flat_map(levels::numbers).collect();
        let starts = match &self.means {
            Means::Dense(_) => Vec::new(),
            Means::Sparse(means) => stacked_starts(means),
        };
        Made { levels, starts }
    }

    /// All tensors, those of the largest numbers first.
    fn tensors<'a>(&'a self, made: &'a Made) -> Vec<Tensor<'a>> {
        let hierarchy = &*self.hierarchy;
        let samples = hierarchy.samples();
        let first = hierarchy.first_neighbors();
        let labels = |name, all: Vec<&'a [u32]>| Tensor::<'a> {
            name,
            shape: vec![all.len(), samples],
            numbers: Numbers::U32(all),
        };
        let of_numbers = |name, shape, numbers| Tensor { name, shape, numbers };
        let count = first.index().len();
        let mut tensors = vec![
            labels(name::LABELS, hierarchy.partitions().iter().map(Partition::labels).collect()),
            of_numbers(name::FIRST_NEIGHBORS, vec![count], Numbers::U32(vec![first.index()])),
            of_numbers(name::FIRST_DISTANCES, vec![count], Numbers::F64(vec![first.distance()])),
            of_numbers(
                name::LEVELS,
                vec![hierarchy.levels().len(), levels::WIDTH],
                Numbers::F64(vec![&made.levels]),
            ),
        ];
        match &self.means {
            Means::Dense(means) => tensors.push(Tensor::of_matrix(name::MEANS, means.view())),
            Means::Sparse(means) => {
                tensors.extend(Tensor::of_sparse(name::SPARSE_MEANS, &made.starts, means));
            }
        }
        if !self.refined.is_empty() {
            let refined = self.refined.iter().map(Labels::labels).collect();
            tensors.push(labels(name::REFINED, refined));
        }
        if let Some(neighbors) = hierarchy.neighbors() {
            let index = Numbers::U32(vec![values(neighbors.index())]);
            let shape = vec![samples, neighbors.k()];
            tensors.push(of_numbers(name::NEIGHBORS, shape, index));
            tensors.push(Tensor::of_matrix(name::DISTANCES, AnyMatrix::F64(neighbors.distance())));
        }
        if let Some(weights) = hierarchy.weights() {
            let links = hierarchy.links();
            tensors.extend([
                of_numbers(name::WEIGHTS, vec![samples], Numbers::F64(vec![weights])),
                of_numbers(name::LINKS, vec![count], Numbers::U32(vec![links.index()])),
                of_numbers(name::LINK_DISTANCES, vec![count], Numbers::F64(vec![links.distance()])),
            ]);
        }
        match &self.samples {
            None => {}
            Some(OwnedSamples::Dense(matrix)) => {
                tensors.push(Tensor::of_matrix(name::SAMPLES, matrix.view()));
            }
            Some(OwnedSamples::Sparse(rows)) => {
                let one = std::slice::from_ref(rows);
                tensors.extend(Tensor::of_sparse(name::SPARSE_SAMPLES, rows.starts(), one));
            }
        }
        if let Some(notes) = &self.notes {
            let bytes = Numbers::U8(vec![notes]);
            tensors.push(of_numbers(name::NOTES, vec![notes.len()], bytes));
        }
        tensors.sort_by_key(|tensor| std::cmp::Reverse(tensor.numbers.size()));
        tensors
    }

    /// The header, with zeros for the checksum, as long as a multiple of 8.
    ///
    /// Rejected: the serializer of the safetensors crate, which has all bytes in memory at once, and
    /// metadata in the order of a hash map, another one in each process.
    fn header(&self, tensors: &[Tensor<'_>]) -> String {
        let query = self.hierarchy.query();
        let of_kind = if self.means.are_sparse() { SPARSE } else { DENSE };
        let has_noise = self.refined.iter().any(|labels| labels.noise() > 0);
        let version = of_kind + if has_noise { WITH_NOISE } else { 0 };
        let mut header = format!("{BEGINNING}00000000\"");
        let element = self.element.map_or(NONE, ElementType::name);
        let time_limit =
            query.time_limit.map_or(NONE.to_string(), |limit| limit.as_nanos().to_string());
        for (key, value) in [
            ("finch_model", version.to_string()),
            ("finch", env!("CARGO_PKG_VERSION").to_string()),
            ("element", element.to_string()),
            ("metric", query.metric.name().to_string()),
            ("link_bound", self.hierarchy.link_bound().name().to_string()),
            ("search", query.search.name().to_string()),
            ("recall", query.recall.to_string()),
            ("seed", query.seed.to_string()),
            ("time_limit", time_limit),
        ] {
            // Neither keys nor values have a character that JSON would escape.
            write!(header, ",\"{key}\":\"{value}\"").expect("text takes all");
        }
        for warning in self.hierarchy.warnings() {
            match warning {
                Warning::Ties { share } => write!(header, ",\"ties\":\"{share}\""),
                Warning::ZeroRows { rows, first } => {
                    write!(header, ",\"zero_rows\":\"{rows},{first}\"")
                }
                // The levels tell of recall, and hierarchies nothing of new samples.
                Warning::LowRecall { .. } | Warning::NothingNear { .. } => Ok(()),
            }
            .expect("text takes all");
        }
        if self.means.are_sparse() {
            let features = self.hierarchy.features();
            write!(header, ",\"features\":\"{features}\"").expect("text takes all");
        }
        header.push('}');
        let mut begin = 0;
        for tensor in tensors {
            let (name, end) = (tensor.name, begin + tensor.bytes());
            let dtype = tensor.numbers.dtype();
            let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
            let shape = shape.join(",");
            write!(
                header,
                ",\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":[{shape}],\
                 \"data_offsets\":[{begin},{end}]}}"
            )
            .expect("text takes all");
            begin = end;
        }
        header.push('}');
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        header
    }
}

/// Numbers of tensors that a model does not have as they are written.
struct Made {
    levels: Vec<f64>,
    /// Where the sparse means of all labellings begin.
    starts: Vec<i64>,
}

/// A tensor to be written.
struct Tensor<'a> {
    name: &'static str,
    shape: Vec<usize>,
    numbers: Numbers<'a>,
}

/// The numbers of a tensor, in parts that follow each other.
enum Numbers<'a> {
    I64(Vec<&'a [i64]>),
    I32(Vec<&'a [i32]>),
    U32(Vec<&'a [u32]>),
    F64(Vec<&'a [f64]>),
    F32(Vec<&'a [f32]>),
    F16(Vec<&'a [f16]>),
    BF16(Vec<&'a [bf16]>),
    I8(Vec<&'a [i8]>),
    U8(Vec<&'a [u8]>),
}

impl<'a> Tensor<'a> {
    fn of_matrix(name: &'static str, matrix: AnyMatrix<'a>) -> Self {
        let shape = match matrix {
            AnyMatrix::Bits(bits) => bits.bytes().shape().to_vec(),
            _ => vec![matrix.len(), matrix.features()],
        };
        let numbers = match matrix {
            AnyMatrix::F64(matrix) => Numbers::F64(vec![values(matrix)]),
            AnyMatrix::F32(matrix) => Numbers::F32(vec![values(matrix)]),
            AnyMatrix::F16(matrix) => Numbers::F16(vec![values(matrix)]),
            AnyMatrix::BF16(matrix) => Numbers::BF16(vec![values(matrix)]),
            AnyMatrix::I8(matrix) => Numbers::I8(vec![values(matrix)]),
            AnyMatrix::U8(matrix) => Numbers::U8(vec![values(matrix)]),
            AnyMatrix::Bits(bits) => Numbers::U8(vec![values(bits.bytes())]),
        };
        Self { name, shape, numbers }
    }

    /// Rows of matrices, one below the other.
    fn of_sparse(
        names: [&'static str; 3],
        starts: &'a [i64],
        matrices: &'a [SparseMatrix],
    ) -> [Self; 3] {
        let count = starts[starts.len() - 1] as usize;
        let columns = matrices.iter().map(SparseMatrix::columns).collect();
        let (mut singles, mut doubles) = (Vec::new(), Vec::new());
        for matrix in matrices {
            match matrix.values() {
                OwnedValues::F32(values) => singles.push(&values[..]),
                OwnedValues::F64(values) => doubles.push(&values[..]),
            }
        }
        // All are of one type.
        let values = match singles.is_empty() {
            true => Numbers::F64(doubles),
            false => Numbers::F32(singles),
        };
        let parts = [Numbers::I64(vec![starts]), Numbers::I32(columns), values];
        let shapes = [starts.len(), count, count];
        let mut parts = names.into_iter().zip(shapes).zip(parts);
        std::array::from_fn(|_| {
            let ((name, length), numbers) = parts.next().expect("three tensors");
            Self { name, shape: vec![length], numbers }
        })
    }

    fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.numbers.size()
    }

    /// Hands over the bytes of all numbers, little-endian, part by part.
    fn each_part(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match &self.numbers {
            Numbers::I64(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::I32(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::U32(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::F64(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::F32(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::F16(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::BF16(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::I8(parts) => each_part(parts, |number| number.to_le_bytes(), take),
            Numbers::U8(parts) => parts.iter().try_for_each(|part| take(part)),
        }
    }
}

impl Numbers<'_> {
    /// The bytes of a number.
    fn size(&self) -> usize {
        match self {
            Self::F64(_) | Self::I64(_) => 8,
            Self::U32(_) | Self::I32(_) | Self::F32(_) => 4,
            Self::F16(_) | Self::BF16(_) => 2,
            Self::I8(_) | Self::U8(_) => 1,
        }
    }

    /// The name of the type in a header.
    fn dtype(&self) -> &'static str {
        match self {
            Self::I64(_) => "I64",
            Self::I32(_) => "I32",
            Self::F64(_) => "F64",
            Self::U32(_) => "U32",
            Self::F32(_) => "F32",
            Self::F16(_) => "F16",
            Self::BF16(_) => "BF16",
            Self::I8(_) => "I8",
            Self::U8(_) => "U8",
        }
    }
}

fn each_part<T: Copy, const SIZE: usize>(
    parts: &[&[T]],
    bytes_of: impl Fn(T) -> [u8; SIZE],
    take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = [0; 8 * PART];
    let (buffer, _) = buffer.as_chunks_mut::<SIZE>();
    for part in parts.iter().flat_map(|part| part.chunks(PART)) {
        let buffer = &mut buffer[..part.len()];
        buffer.iter_mut().zip(part).for_each(|(bytes, &number)| *bytes = bytes_of(number));
        take(buffer.as_flattened())?;
    }
    Ok(())
}

/// The values of a matrix whose rows follow each other.
fn values<A>(matrix: ArrayView2<'_, A>) -> &[A] {
    matrix.to_slice().expect("the rows of a model follow each other")
}
