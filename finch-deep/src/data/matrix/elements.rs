//! Elements in memory, in one of the three types that they are kept in.

use ndarray::{ArrayView2, ShapeBuilder};

use super::{Kept, Matrix};
use crate::data::error::Fault;
use crate::data::source::memory::Memory;

/// Elements in one of the three types that samples are kept in, from the narrowest to the widest.
#[derive(Debug)]
pub(in crate::data) enum Elements {
    U8(Vec<u8>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// The same expression for each type of elements.
macro_rules! each {
    ($of:expr, $elements:ident => $do:expr) => {
        match $of {
            Elements::U8($elements) => $do,
            Elements::F32($elements) => $do,
            Elements::F64($elements) => $do,
        }
    };
}

impl Elements {
    pub(in crate::data) fn matrix(
        &self,
        rows: usize,
        columns: usize,
        column_major: bool,
    ) -> Matrix<'_> {
        let shape = (rows, columns).set_f(column_major);
        each!(self, elements => {
            let view = ArrayView2::from_shape(shape, elements);
            view.expect("an array has as many elements as its shape says").into()
        })
    }

    /// No elements yet, and room for `count`.
    pub(in crate::data) fn with_room(
        kept: Kept,
        count: usize,
        memory: &Memory,
    ) -> Result<Self, Fault> {
        fn room<T>(count: usize, memory: &Memory) -> Result<Vec<T>, Fault> {
            let mut elements = Vec::new();
            memory.reserve(&mut elements, count)?;
            Ok(elements)
        }
        Ok(match kept {
            Kept::U8 => Elements::U8(room(count, memory)?),
            Kept::F32 => Elements::F32(room(count, memory)?),
            Kept::F64 => Elements::F64(room(count, memory)?),
        })
    }

    /// Appends the rows of `matrix`, converted to the type of `self`, which holds them exactly.
    pub(in crate::data) fn append(&mut self, matrix: &Matrix<'_>) {
        match (self, matrix) {
            (Elements::U8(to), Matrix::U8(from)) => to.extend(from),
            (Elements::F32(to), Matrix::U8(from)) => to.extend(from.iter().map(|&x| f32::from(x))),
            (Elements::F32(to), Matrix::F32(from)) => to.extend(from),
            (Elements::F64(to), Matrix::U8(from)) => to.extend(from.iter().map(|&x| f64::from(x))),
            (Elements::F64(to), Matrix::F32(from)) => to.extend(from.iter().map(|&x| f64::from(x))),
            (Elements::F64(to), Matrix::F64(from)) => to.extend(from),
            _ => unreachable!("elements are only appended to a type that is as wide or wider"),
        }
    }

    /// The same elements as the type `kept`, if that is wider than their own type.
    pub(in crate::data) fn widened(self, kept: Kept, memory: &Memory) -> Result<Self, Fault> {
        let flat = self.matrix(self.len(), 1, false);
        if flat.kept() >= kept {
            return Ok(self);
        }
        let mut wider = Elements::with_room(kept, self.len(), memory)?;
        wider.append(&flat);
        Ok(wider)
    }

    pub(in crate::data) fn len(&self) -> usize {
        each!(self, elements => elements.len())
    }

    pub(in crate::data) fn truncate(&mut self, length: usize) {
        each!(self, elements => elements.truncate(length))
    }

    /// The elements as counts or positions, if they all are.
    pub(in crate::data) fn whole(self, memory: &Memory) -> Result<Option<Vec<usize>>, Fault> {
        let bytes = self.bytes();
        let Elements::F64(elements) = self else {
            return Ok(None);
        };
        let whole = |x: f64| x >= 0.0 && x < usize::MAX as f64 && x.fract() == 0.0;
        if !elements.iter().all(|&x| whole(x)) {
            return Ok(None);
        }
        let mut counts = Vec::new();
        memory.reserve(&mut counts, elements.len())?;
        counts.extend(elements.iter().map(|&x| x as usize));
        memory.give_back(bytes);
        Ok(Some(counts))
    }

    /// The bytes that the elements take.
    fn bytes(&self) -> u64 {
        each!(self, elements => size_of_val(&elements[..]) as u64)
    }
}

/// Elements with their shape and storage order.
#[derive(Debug)]
pub(in crate::data) struct Array {
    pub(in crate::data) elements: Elements,
    pub(in crate::data) shape: Vec<usize>,
    pub(in crate::data) column_major: bool,
}

impl Array {
    /// No samples.
    pub(in crate::data) fn empty() -> Self {
        Self { elements: Elements::U8(Vec::new()), shape: vec![0, 0], column_major: false }
    }

    /// Makes the rows of the matrix its columns.
    pub(in crate::data) fn transpose(&mut self) {
        let columns = self.shape[1..].iter().product();
        self.shape = vec![columns, self.shape[0]];
        self.column_major = !self.column_major;
    }

    /// True if the rows lie one after another, in elements that may be `scaled`, if they are to be.
    pub(in crate::data) fn is_plain(&self, scaled: bool) -> bool {
        let scalable = !scaled || !matches!(self.elements, Elements::U8(_));
        !self.column_major && self.shape.len() == 2 && scalable
    }

    /// One element of a list or a matrix.
    pub(in crate::data) fn value(&self, row: usize, column: usize) -> f64 {
        match self.matrix() {
            Matrix::F64(view) => view[[row, column]],
            Matrix::F32(view) => view[[row, column]].into(),
            Matrix::U8(view) => view[[row, column]].into(),
        }
    }

    /// The bytes that the elements take.
    pub(in crate::data) fn bytes(&self) -> u64 {
        self.elements.bytes()
    }

    /// The array as a matrix; a list is one column.
    pub(in crate::data) fn matrix(&self) -> Matrix<'_> {
        let columns = self.shape[1..].iter().product();
        self.elements.matrix(self.shape[0], columns, self.column_major)
    }
}
