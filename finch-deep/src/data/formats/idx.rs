//! IDX, the format of MNIST: big-endian, a magic number of type and dimensions, then the lengths.

use crate::data::error::Fault;
use crate::data::matrix::dtype::{ByteOrder, Kind, Layout};
use crate::data::matrix::elements::Array;
use crate::data::source::memory::Memory;
use crate::data::source::{Source, read_all};

const FORMAT: &str = "an IDX file";

/// Reads samples; those of more than one dimension, such as images, are flattened to rows.
pub(in crate::data) fn samples(
    source: Source,
    lists: bool,
    memory: &Memory,
) -> Result<Array, Fault> {
    let (mut layout, mut reader) = open(source)?;
    if layout.shape.len() < if lists { 1 } else { 2 } {
        return Err(Fault::NotMatrix { shape: layout.shape });
    }
    layout.elements()?; // So that the product below cannot overflow.
    layout.shape = vec![layout.shape[0], layout.shape[1..].iter().product()];
    layout.read_to_end(&mut reader, memory)
}

/// Reads a list of labels, or a matrix of several.
pub(in crate::data) fn labels(source: Source, memory: &Memory) -> Result<Array, Fault> {
    let (layout, mut reader) = open(source)?;
    if !(1..=2).contains(&layout.shape.len()) {
        return Err(Fault::NotLabels { shape: layout.shape });
    }
    layout.read_to_end(&mut reader, memory)
}

fn open(source: Source) -> Result<(Layout, impl std::io::Read), Fault> {
    let mut reader = source.reader();
    let mut magic = [0; 4];
    read_all(&mut reader, &mut magic, "the header")?;
    let kind = match magic[2] {
        0x08 => Kind::U8,
        0x09 => Kind::I8,
        0x0b => Kind::I16,
        0x0c => Kind::I32,
        0x0d => Kind::F32,
        0x0e => Kind::F64,
        _ => return Err(wrong(&magic)),
    };
    if magic[..2] != [0, 0] || magic[3] == 0 {
        return Err(wrong(&magic));
    }
    let mut lengths = vec![0; 4 * usize::from(magic[3])];
    read_all(&mut reader, &mut lengths, "the header")?;
    let lengths = lengths.as_chunks::<4>().0.iter();
    let shape = lengths.map(|&length| u32::from_be_bytes(length) as usize).collect();
    Ok((Layout { kind, order: ByteOrder::Big, shape, column_major: false }, reader))
}

fn wrong(magic: &[u8]) -> Fault {
    Fault::magic(FORMAT, "two zero bytes, an element type and the number of dimensions", magic)
}
