//! The element types of files, and the type that each is read as.

use std::io::Read;

use super::Kept;
use super::elements::{Array, Elements};
use crate::data::error::Fault;
use crate::data::error::text::Shape;
use crate::data::source::memory::Memory;
use crate::data::source::{read_end, read_up_to};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;

/// The byte order of multi-byte elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The byte order of this machine.
    pub(in crate::data) const NATIVE: Self =
        if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little };
}

/// Every element type that is understood: how it is stored, what it is kept as and how it gets there.
macro_rules! kinds {
    ($($kind:ident $name:literal: $stored:ty => $kept:ident($type:ty) by $keep:expr;)*) => {
        /// An element type of a file, of those that one of u8, f32 and f64 holds exactly.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::data) enum Kind { $($kind),* }

        impl Kind {
            pub(in crate::data) fn width(self) -> usize {
                match self { $(Kind::$kind => size_of::<$stored>()),* }
            }

            pub(in crate::data) fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }

            pub(in crate::data) fn kept(self) -> Kept {
                match self { $(Kind::$kind => Kept::$kept),* }
            }

            /// Reads as many elements as `layout` declares.
            fn read(
                self,
                layout: &Layout,
                reader: &mut dyn Read,
                memory: &Memory,
            ) -> Result<Elements, Fault> {
                Ok(match self {
                    $(Kind::$kind => Elements::$kept(fill(layout, reader, memory, |bytes| {
                        let keep: fn($stored) -> Result<$type, i128> = $keep;
                        keep(match layout.order {
                            ByteOrder::Little => <$stored>::from_le_bytes(bytes),
                            ByteOrder::Big => <$stored>::from_be_bytes(bytes),
                        })
                    })?)),*
                })
            }
        }
    };
}

kinds! {
    Bool "bool": u8 => U8(u8) by |x| Ok(u8::from(x != 0));
    U8 "uint8": u8 => U8(u8) by Ok;
    I8 "int8": i8 => F32(f32) by |x| Ok(x.into());
    I16 "int16": i16 => F32(f32) by |x| Ok(x.into());
    U16 "uint16": u16 => F32(f32) by |x| Ok(x.into());
    F16 "float16": u16 => F32(f32) by |x| Ok(finch_core::f16::from_bits(x).to_f32());
    F32 "float32": f32 => F32(f32) by Ok;
    I32 "int32": i32 => F64(f64) by |x| Ok(x.into());
    U32 "uint32": u32 => F64(f64) by |x| Ok(x.into());
    I64 "int64": i64 => F64(f64) by |x| exact(x.into(), x as f64);
    U64 "uint64": u64 => F64(f64) by |x| exact(x.into(), x as f64);
    F64 "float64": f64 => F64(f64) by Ok;
}

impl Kind {
    /// True if the type is one of whole numbers.
    pub(in crate::data) fn is_integer(self) -> bool {
        !matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }
}

/// The nearest f64, if it is the integer itself.
fn exact(integer: i128, nearest: f64) -> Result<f64, i128> {
    // The cast back is exact: beyond 2^53 every f64 is whole, and 2^64 fits i128.
    if nearest as i128 == integer { Ok(nearest) } else { Err(integer) }
}

/// The layout that a header declares of an array.
#[derive(Clone, Debug)]
pub(in crate::data) struct Layout {
    pub(in crate::data) kind: Kind,
    pub(in crate::data) order: ByteOrder,
    pub(in crate::data) shape: Vec<usize>,
    pub(in crate::data) column_major: bool,
}

impl Layout {
    /// The number of elements.
    pub(in crate::data) fn elements(&self) -> Result<usize, Fault> {
        let product = |total: usize, &length: &usize| total.checked_mul(length);
        let elements = self.shape.iter().try_fold(1, product);
        // Kept elements are at most 8 bytes each; a matrix beyond isize::MAX bytes cannot exist.
        let possible = elements.filter(|&elements| elements <= isize::MAX as usize / 8);
        // An axis of length 0 hides an impossible product of the others.
        let rest = self.shape.iter().filter(|&&length| length > 0).try_fold(1, product);
        let overflow = || Fault::Overflow { shape: self.shape.clone() };
        rest.filter(|&rest| rest <= isize::MAX as usize / 8).and(possible).ok_or_else(overflow)
    }

    /// The bytes that the elements take in the file.
    pub(in crate::data) fn bytes(&self) -> Result<u64, Fault> {
        Ok(self.elements()? as u64 * self.kind.width() as u64)
    }

    /// Reads the elements, which have to end where the reader ends.
    pub(in crate::data) fn read_to_end(
        self,
        reader: &mut dyn Read,
        memory: &Memory,
    ) -> Result<Array, Fault> {
        let expected = self.bytes()?;
        let array = self.read(reader, memory)?;
        read_end(reader, expected)?;
        Ok(array)
    }

    /// Reads labels, which have to end where the reader ends. A single row is a list.
    pub(in crate::data) fn read_labels_to_end(
        mut self,
        reader: &mut dyn Read,
        memory: &Memory,
    ) -> Result<LabelArray, Fault> {
        match self.shape[..] {
            [1, length] => self.shape = vec![length],
            [_] | [_, _] => {}
            _ => return Err(Fault::NotLabels { shape: self.shape }),
        }
        let expected = self.bytes()?;
        let labels = self.read_labels(reader, memory)?;
        read_end(reader, expected)?;
        Ok(labels)
    }

    /// Reads the elements. The bytes that follow them in the reader are left there.
    pub(in crate::data) fn read(
        self,
        reader: &mut dyn Read,
        memory: &Memory,
    ) -> Result<Array, Fault> {
        let elements = self.kind.read(&self, reader, memory)?;
        let Self { shape, column_major, .. } = self;
        Ok(Array { elements, shape, column_major })
    }

    /// Reads the elements as labels. The bytes that follow them in the reader are left there.
    fn read_labels(self, reader: &mut dyn Read, memory: &Memory) -> Result<LabelArray, Fault> {
        if !matches!(self.kind, Kind::I64 | Kind::U64) {
            return self.read(reader, memory).map(LabelArray::Numbers);
        }
        let bits = fill(&self, reader, memory, |bytes| {
            Ok(match self.order {
                ByteOrder::Little => u64::from_le_bytes(bytes),
                ByteOrder::Big => u64::from_be_bytes(bytes),
            })
        })?;
        let signed = self.kind == Kind::I64;
        Ok(LabelArray::Integers(Integers { bits, signed, layout: self }))
    }

    /// The inverse of [`Layout::place`].
    fn index(&self, row: usize, column: usize) -> usize {
        let columns: usize = self.shape[1..].iter().product();
        if self.column_major { column * self.shape[0] + row } else { row * columns + column }
    }

    /// Row and column of the element at `index` in the file; a list is one column.
    fn place(&self, index: usize) -> (usize, usize) {
        let rows = self.shape.first().copied().unwrap_or(1).max(1);
        let columns = self.shape[1.min(self.shape.len())..].iter().product::<usize>().max(1);
        match self.column_major {
            true => (index % rows, index / rows),
            false => (index / columns, index % columns),
        }
    }

    /// `float64 1077 × 77`.
    pub(in crate::data) fn describe(&self) -> String {
        format!("{} {}", self.kind.name(), Shape(&self.shape))
    }
}

/// Reads `layout`'s elements, W bytes each.
fn fill<T: Default, const W: usize>(
    layout: &Layout,
    reader: &mut dyn Read,
    memory: &Memory,
    keep: impl Fn([u8; W]) -> Result<T, i128>,
) -> Result<Vec<T>, Fault> {
    let count = layout.elements()?;
    let mut kept = Vec::new();
    let mut buffer = vec![0; CHUNK.min(count * W)];
    while kept.len() < count {
        let wanted = buffer.len().min((count - kept.len()) * W);
        let read = read_up_to(reader, &mut buffer[..wanted])?;
        if read < wanted {
            let found = (kept.len() * W + read) as u64;
            return Err(Fault::Truncated { what: "the array", expected: layout.bytes()?, found });
        }
        memory.reserve_of(&mut kept, read / W, count)?;
        let start = kept.len();
        let mut fault = None;
        let elements = buffer[..read].as_chunks::<W>().0.iter().enumerate();
        kept.extend(elements.map(|(index, &bytes)| {
            keep(bytes).unwrap_or_else(|value| {
                fault.get_or_insert((start + index, value));
                T::default()
            })
        }));
        if let Some((index, value)) = fault {
            let (row, column) = layout.place(index);
            return Err(Fault::Inexact { row, column, value });
        }
    }
    Ok(kept)
}

/// An array of labels: integers of 64 bits stay as they are, since f64 does not tell all apart.
pub(in crate::data) enum LabelArray {
    Numbers(Array),
    Integers(Integers),
}

/// Integers of 64 bits, as a matrix.
pub(in crate::data) struct Integers {
    bits: Vec<u64>,
    signed: bool,
    layout: Layout,
}

impl LabelArray {
    /// The rows and columns; a list is one column.
    pub(in crate::data) fn dim(&self) -> (usize, usize) {
        let shape = match self {
            LabelArray::Numbers(array) => &array.shape,
            LabelArray::Integers(integers) => &integers.layout.shape,
        };
        (shape[0], shape[1..].iter().product())
    }
}

impl Integers {
    pub(in crate::data) fn value(&self, row: usize, column: usize) -> i128 {
        let bits = self.bits[self.layout.index(row, column)];
        if self.signed { i128::from(bits.cast_signed()) } else { i128::from(bits) }
    }
}
