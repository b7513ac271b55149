//! MATLAB's `.mat`: version 5, which `save -v6` and `save -v7` write, and the choice of version.
//!
//! The format is the "MAT-File Level 5 File Format" of The MathWorks. Crates for it exist, but none
//! of those tried reads a matrix from a file that also holds text or cells, and none says where a
//! file is cut short.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

use super::elements::{Array, Elements};
use super::error::Fault;
use super::layout::{ByteOrder, Kind, Layout};
use super::mat73;
use super::matrix::Kept;
use super::memory::Memory;
use super::source::Source;
use super::sparse::{Compressed, Held};
use super::stream::{read_all, read_up_to};
use super::variable::{Use, Variable, pick};

const FORMAT: &str = "a .mat file";

const HEADER: usize = 128;
const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;
const COMPLEX: u8 = 0x08;
const LOGICAL: u8 = 0x02;

/// Names are at most 63 bytes long and arrays rarely of more than three dimensions; a header that
/// claims more than this is damaged.
const LONGEST_PART: usize = 4096;

/// Reads the matrix `variable`, else `X`, else the only one, which may be a sparse one.
pub(super) fn samples(
    source: Source,
    variable: Option<&str>,
    memory: &Memory,
) -> Result<Held, Fault> {
    match read(source, variable, Use::Samples, memory)? {
        Held::Full(array) if array.shape.len() != 2 => Err(Fault::NotMatrix { shape: array.shape }),
        held => Ok(held),
    }
}

/// Reads `variable`, else `y`, else the only list, which is a matrix of one row or column.
pub(super) fn labels(
    source: Source,
    variable: Option<&str>,
    memory: &Memory,
) -> Result<Array, Fault> {
    let mut array = read(source, variable, Use::Labels, memory)?.array(memory)?;
    match array.shape[..] {
        [1, length] => array.shape = vec![length],
        [_, _] => {}
        _ => return Err(Fault::NotLabels { shape: array.shape }),
    }
    Ok(array)
}

fn read(source: Source, variable: Option<&str>, role: Use, memory: &Memory) -> Result<Held, Fault> {
    let known = |start: &[u8]| match mat73::recognise(start) {
        true => Ok(()),
        false => byte_order(start).map(|_| ()),
    };
    let bytes = source.bytes(mat73::START, known, memory)?;
    if mat73::recognise(&bytes) {
        return mat73::read(bytes, variable, role, memory);
    }
    let (mut variables, mut stored) = (Vec::new(), Vec::new());
    for matrix in matrices(&bytes, byte_order(&bytes)?) {
        let (declared, found) = matrix?.open()?;
        variables.push(declared);
        stored.push(found);
    }
    let position = pick(&variables, variable, role)?;
    let layout = variables.swap_remove(position).layout?;
    stored.swap_remove(position).read(layout, memory)
}

/// The byte order of a file, by its header of 128 bytes.
fn byte_order(bytes: &[u8]) -> Result<ByteOrder, Fault> {
    match bytes.get(HEADER - 2..HEADER) {
        Some(b"IM") => Ok(ByteOrder::Little),
        Some(b"MI") => Ok(ByteOrder::Big),
        None if bytes.starts_with(b"MATLAB") => {
            let (expected, found) = (HEADER as u64, bytes.len() as u64);
            Err(Fault::Truncated { what: "the header", expected, found })
        }
        _ => Err(Fault::magic(FORMAT, "\"MATLAB 5.0\" or \"MATLAB 7.3\"", bytes)),
    }
}

/// The variables of a file, which follow each other after the header.
fn matrices(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = Result<Stored<'_>, Fault>> {
    let mut start = HEADER;
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let (kind, length) = match tag(&mut &bytes[start..], order) {
                Ok(Tag { kind, length, .. }) => (kind, length),
                Err(fault) => {
                    start = bytes.len();
                    return Some(Err(fault));
                }
            };
            let (element, end) = (start, (start + 8).saturating_add(length));
            start = end;
            if end > bytes.len() {
                let (expected, found) = (end as u64, bytes.len() as u64);
                return Some(Err(Fault::Truncated { what: "the file", expected, found }));
            }
            match kind {
                MI_MATRIX => return Some(Ok(Stored::new(&bytes[element..end], order, false))),
                MI_COMPRESSED => {
                    return Some(Ok(Stored::new(&bytes[element + 8..end], order, true)));
                }
                _ => {} // An element for MATLAB's own use.
            }
        }
        None
    })
}

/// A variable in the file: its element, from which `reader` reads on.
struct Stored<'a> {
    reader: Box<dyn Read + 'a>,
    order: ByteOrder,
    sparse: bool,
    /// The type that the variable has in MATLAB, which may store it in a narrower one.
    kept: Kept,
}

impl<'a> Stored<'a> {
    fn new(element: &'a [u8], order: ByteOrder, compressed: bool) -> Self {
        let reader: Box<dyn Read + 'a> = match compressed {
            true => Box::new(ZlibDecoder::new(element)),
            false => Box::new(element),
        };
        Self { reader, order, sparse: false, kept: Kept::F64 }
    }

    /// Reads what precedes the values: flags, dimensions and name.
    fn open(mut self) -> Result<(Variable, Self), Fault> {
        let Tag { kind: MI_MATRIX, .. } = tag(&mut self.reader, self.order)? else {
            return Err(Fault::malformed(FORMAT, "a compressed variable is no matrix"));
        };
        let flags = self.part()?;
        let &[a, b, c, d, ..] = &flags[..] else {
            return Err(Fault::malformed(FORMAT, "a variable without its flags"));
        };
        let [class, flags] = match self.order {
            ByteOrder::Little => [a, b],
            ByteOrder::Big => [d, c],
        };
        // Opaque objects, of class 17, have no dimensions.
        let shape = if class == 17 { Vec::new() } else { self.shape()? };
        let name = String::from_utf8_lossy(&self.part()?).trim_end_matches('\0').to_owned();
        let kind = kind_of_class(class, flags);
        let layout = match kind {
            Ok(kind) => Ok(Layout { kind, order: self.order, shape, column_major: true }),
            Err(found) => Err(Fault::Element { found: found.to_owned() }),
        };
        self.sparse = class == 5;
        self.kept = kind.map_or(Kept::F64, Kind::kept);
        Ok((Variable { name, layout }, self))
    }

    fn shape(&mut self) -> Result<Vec<usize>, Fault> {
        let part = self.part()?;
        let lengths = part.as_chunks::<4>().0.iter().map(|&length| match self.order {
            ByteOrder::Little => i32::from_le_bytes(length),
            ByteOrder::Big => i32::from_be_bytes(length),
        });
        let shape: Result<_, _> = lengths.map(usize::try_from).collect();
        shape.map_err(|_| Fault::malformed(FORMAT, "a negative dimension"))
    }

    /// Reads the values of a variable that `open` was called on.
    fn read(mut self, layout: Layout, memory: &Memory) -> Result<Held, Fault> {
        let shape = layout.shape;
        if !self.sparse {
            let elements = self.numbers(Some(&shape), memory)?.widened(self.kept, memory)?;
            return Ok(Held::Full(Array { elements, shape, column_major: true }));
        }
        let [length, lines] = shape[..] else {
            return Err(Fault::NotMatrix { shape });
        };
        let mut indices = || {
            let whole = self.numbers(None, memory)?.widened(Kept::F64, memory)?.whole(memory)?;
            whole.ok_or_else(|| {
                Fault::malformed(FORMAT, "an index of the sparse matrix is no index")
            })
        };
        let (mut positions, starts) = (indices()?, indices()?);
        let mut values = self.numbers(None, memory)?.widened(self.kept, memory)?;
        // MATLAB may reserve more places than there are values.
        let count = starts.last().copied().unwrap_or(0);
        positions.truncate(count);
        values.truncate(count);
        let (format, by_column) = (FORMAT, true);
        let matrix = Compressed { format, by_column, lines, length, starts, positions, values };
        Ok(Held::Compressed(matrix))
    }

    /// Reads a part of numbers, in whatever type they are stored: as many as `shape` says, if any.
    fn numbers(&mut self, shape: Option<&[usize]>, memory: &Memory) -> Result<Elements, Fault> {
        let tag = tag(&mut self.reader, self.order)?;
        let kind = kind_of_part(tag.kind)?;
        let count = tag.length / kind.width();
        let shape = shape.unwrap_or(&[count]).to_vec();
        let layout = Layout { kind, order: self.order, shape, column_major: true };
        if layout.bytes()? != tag.length as u64 {
            let reason = format!("{} bytes for {}", tag.length, layout.describe());
            return Err(Fault::malformed(FORMAT, reason));
        }
        let elements = match tag.small {
            Some(bytes) => layout.read(&mut &bytes[..], memory)?.elements,
            None => layout.read(&mut self.reader, memory)?.elements,
        };
        self.skip_padding(&tag)?;
        Ok(elements)
    }

    /// Reads a part of a few bytes.
    fn part(&mut self) -> Result<Vec<u8>, Fault> {
        let tag = tag(&mut self.reader, self.order)?;
        if tag.length > LONGEST_PART {
            let reason = format!("{} bytes for the flags, shape or name", tag.length);
            return Err(Fault::malformed(FORMAT, reason));
        }
        if let Some(bytes) = tag.small {
            return Ok(bytes[..tag.length].to_vec());
        }
        let mut bytes = vec![0; tag.length];
        read_all(&mut self.reader, &mut bytes, "a variable")?;
        self.skip_padding(&tag)?;
        Ok(bytes)
    }

    /// Parts are padded to 8 bytes, but the last need not be.
    fn skip_padding(&mut self, tag: &Tag) -> Result<(), Fault> {
        if tag.small.is_none() {
            let padding = tag.length.next_multiple_of(8) - tag.length;
            read_up_to(&mut self.reader, &mut [0; 8][..padding])?;
        }
        Ok(())
    }
}

/// What stands before each part: its type and length, or the whole part if that is of 1 to 4 bytes.
struct Tag {
    kind: u32,
    length: usize,
    small: Option<[u8; 4]>,
}

fn tag(reader: &mut dyn Read, order: ByteOrder) -> Result<Tag, Fault> {
    let mut bytes = [0; 8];
    read_all(reader, &mut bytes, "a variable")?;
    let [first, second] = [0, 4].map(|at| {
        let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        match order {
            ByteOrder::Little => u32::from_le_bytes(word),
            ByteOrder::Big => u32::from_be_bytes(word),
        }
    });
    match first >> 16 {
        0 => Ok(Tag { kind: first, length: second as usize, small: None }),
        length @ 1..=4 => {
            let small = Some([bytes[4], bytes[5], bytes[6], bytes[7]]);
            Ok(Tag { kind: first & 0xffff, length: length as usize, small })
        }
        length => Err(Fault::malformed(FORMAT, format!("a small part of {length} bytes"))),
    }
}

/// The element type that a variable has in MATLAB, or what it is instead.
fn kind_of_class(class: u8, flags: u8) -> Result<Kind, &'static str> {
    if flags & COMPLEX != 0 {
        return Err("complex numbers");
    }
    if flags & LOGICAL != 0 {
        return Ok(Kind::Bool);
    }
    Ok(match class {
        5 | 6 => Kind::F64, // 5: sparse.
        7 => Kind::F32,
        8 => Kind::I8,
        9 => Kind::U8,
        10 => Kind::I16,
        11 => Kind::U16,
        12 => Kind::I32,
        13 => Kind::U32,
        14 => Kind::I64,
        15 => Kind::U64,
        1 => return Err("cells"),
        2 => return Err("structs"),
        4 => return Err("text"),
        16 => return Err("functions"),
        _ => return Err("objects"),
    })
}

/// The element type that a part is stored in.
fn kind_of_part(kind: u32) -> Result<Kind, Fault> {
    Ok(match kind {
        1 => Kind::I8,
        2 => Kind::U8,
        3 => Kind::I16,
        4 => Kind::U16,
        5 => Kind::I32,
        6 => Kind::U32,
        7 => Kind::F32,
        9 => Kind::F64,
        12 => Kind::I64,
        13 => Kind::U64,
        _ => {
            return Err(Fault::malformed(FORMAT, format!("numbers of the unknown type {kind}")));
        }
    })
}
