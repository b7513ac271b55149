//! MATLAB's `.mat`: version 5, which `save -v6` and `save -v7` write, and the choice of version.
//!
//! The format is the "MAT-File Level 5 File Format" of The MathWorks. Crates for it exist, but none
//! of those tried reads a matrix from a file that also holds text or cells, and none says where a
//! file is cut short.

use std::io::Read;

use flate2::bufread::ZlibDecoder;

#[cfg(feature = "mat73")]
use super::mat73;
use super::matlab_object::object;
use super::variable::{Use, Variable, pick};
use super::{hdf5_start, mat4};
use crate::data::error::Fault;
use crate::data::matrix::Kept;
use crate::data::matrix::dtype::{ByteOrder, Kind, Layout};
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::sparse_file::{Compressed, Held};
use crate::data::source::memory::Memory;
use crate::data::source::{Source, read_all, read_up_to};

const FORMAT: &str = "a .mat file";

const HEADER: usize = 128;
const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;
const COMPLEX: u8 = 0x08;
const LOGICAL: u8 = 0x02;
const SPARSE: u8 = 5;
const OPAQUE: u8 = 17;

/// Where the header tells its version and the byte order.
const VERSION: usize = 124;
/// The version of the header of version 5.
const VERSION_5: u16 = 0x0100;

/// Names are at most 63 bytes long and arrays rarely of more than three dimensions; a header that
/// claims more than this is damaged.
const LONGEST_PART: usize = 4096;

/// Reads the matrix `variable`, else `X`, else the only one, which may be a sparse one.
pub(in crate::data) fn samples(
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
pub(in crate::data) fn labels(
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
    let known = |start: &[u8]| match hdf5_start::recognise(start) || mat4::recognise(start) {
        true => Ok(()),
        false => byte_order(start).map(|_| ()),
    };
    let bytes = source.bytes(hdf5_start::START.max(mat4::START), known, memory)?;
    if hdf5_start::recognise(&bytes) {
        #[cfg(feature = "mat73")]
        return mat73::read(bytes, variable, role, memory);
        #[cfg(not(feature = "mat73"))]
        return Err(Fault::WithoutMat73);
    }
    if mat4::recognise(&bytes) {
        return mat4::read(&bytes, variable, role, memory);
    }
    let (mut variables, mut stored) = (Vec::new(), Vec::new());
    for matrix in matrices(&bytes, byte_order(&bytes)?) {
        let (declared, found) = matrix?.open()?;
        if !is_subsystem(&declared) {
            variables.push(declared);
            stored.push(found);
        }
    }
    let position = pick(&variables, variable, role)?;
    let layout = variables.swap_remove(position).layout?;
    stored.swap_remove(position).read(layout, memory)
}

/// The byte order of a file, by its header of 128 bytes.
fn byte_order(bytes: &[u8]) -> Result<ByteOrder, Fault> {
    let (order, version) = match bytes.get(VERSION..HEADER) {
        Some(&[a, b, b'I', b'M']) => (ByteOrder::Little, u16::from_le_bytes([a, b])),
        Some(&[a, b, b'M', b'I']) => (ByteOrder::Big, u16::from_be_bytes([a, b])),
        None if bytes.starts_with(b"MATLAB") => {
            let (expected, found) = (HEADER as u64, bytes.len() as u64);
            return Err(Fault::Truncated { what: "the header", expected, found });
        }
        _ => {
            let expected = "\"MATLAB 5.0\", \"MATLAB 7.3\" or the header of version 4";
            return Err(Fault::magic(FORMAT, expected, bytes));
        }
    };
    match version {
        VERSION_5 => Ok(order),
        other => {
            let remedy = "save it by save -v7 or save -v7.3";
            Err(Fault::variant(FORMAT, format!("of the version {other:#06x}"), remedy))
        }
    }
}

/// True if a variable is where MATLAB keeps what objects and function handles refer to: bytes without a
/// name.
fn is_subsystem(variable: &Variable) -> bool {
    let is_bytes = |layout: &Layout| layout.kind == Kind::U8 && layout.shape.first() == Some(&1);
    variable.name.is_empty() && variable.layout.as_ref().is_ok_and(is_bytes)
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
    logical: bool,
    /// The type that the variable has in MATLAB, which may store it in a narrower one.
    kept: Kept,
}

impl<'a> Stored<'a> {
    fn new(element: &'a [u8], order: ByteOrder, compressed: bool) -> Self {
        let reader: Box<dyn Read + 'a> = match compressed {
            true => Box::new(ZlibDecoder::new(element)),
            false => Box::new(element),
        };
        Self { reader, order, sparse: false, logical: false, kept: Kept::F64 }
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
        // Opaque objects have no dimensions, but the names of the type system and of the class.
        let shape = if class == OPAQUE { Vec::new() } else { self.shape()? };
        let name = self.text()?;
        let layout = match kind_of_class(class, flags) {
            Ok(Ok(kind)) => Ok(Layout { kind, order: self.order, shape, column_major: true }),
            Ok(Err(found)) => Err(Fault::Element { found: found.to_owned() }),
            Err(Object::Function) => Err(object("function_handle")),
            Err(Object::Classed) => Err(object(&self.text()?)),
            Err(Object::Opaque) => {
                let _type_system = self.text()?;
                Err(object(&self.text()?))
            }
        };
        (self.sparse, self.logical) = (class == SPARSE, flags & LOGICAL != 0);
        self.kept = layout.as_ref().map_or(Kept::F64, |layout| layout.kind.kept());
        Ok((Variable { name, layout }, self))
    }

    /// Reads a part of text.
    fn text(&mut self) -> Result<String, Fault> {
        Ok(String::from_utf8_lossy(&self.part()?).trim_end_matches('\0').to_owned())
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
            let elements =
                self.numbers(Length::Shape(&shape), memory)?.widened(self.kept, memory)?;
            self.finish()?;
            return Ok(Held::Full(Array { elements, shape, column_major: true }));
        }
        let [length, lines] = shape[..] else {
            return Err(Fault::NotMatrix { shape });
        };
        let mut indices = || {
            let whole = self.numbers(Length::Any, memory)?.widened(Kept::F64, memory)?;
            let whole = whole.whole(memory)?;
            whole.ok_or_else(|| {
                Fault::malformed(FORMAT, "an index of the sparse matrix is no index")
            })
        };
        let (mut positions, starts) = (indices()?, indices()?);
        let length_of_values = match self.logical {
            true => Length::Logical(positions.len()),
            false => Length::Any,
        };
        let mut values = self.numbers(length_of_values, memory)?.widened(self.kept, memory)?;
        self.finish()?;
        // MATLAB may reserve more places than there are values.
        let count = starts.last().copied().unwrap_or(0);
        positions.truncate(count);
        values.truncate(count);
        let (format, by_column) = (FORMAT, true);
        let matrix = Compressed { format, by_column, lines, length, starts, positions, values };
        Ok(Held::Compressed(matrix))
    }

    /// Reads on to the end of the variable, which is when a checksum is compared.
    fn finish(&mut self) -> Result<(), Fault> {
        let mut buffer = [0; 1 << 12];
        while read_up_to(&mut self.reader, &mut buffer)? == buffer.len() {}
        Ok(())
    }

    /// Reads a part of numbers, in whatever type they are stored.
    fn numbers(&mut self, length: Length<'_>, memory: &Memory) -> Result<Elements, Fault> {
        let tag = tag(&mut self.reader, self.order)?;
        let kind = match length {
            // MATLAB calls them doubles, and stores a byte for each.
            Length::Logical(count) if tag.length == count => Kind::U8,
            _ => kind_of_part(tag.kind)?,
        };
        let shape = match length {
            Length::Shape(shape) => shape.to_vec(),
            Length::Any | Length::Logical(_) => vec![tag.length / kind.width()],
        };
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

/// The number of numbers of a part.
#[derive(Clone, Copy)]
enum Length<'a> {
    /// As many as the shape says.
    Shape(&'a [usize]),
    /// As many as there are.
    Any,
    /// The values of a sparse logical matrix, this many.
    Logical(usize),
}

/// The bytes before each part: its type and length, or the whole part if that is of 1 to 4 bytes.
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

/// A variable whose class has a name.
enum Object {
    Function,
    /// An object of before MATLAB 7.
    Classed,
    /// Any other, of which only a reference is where values would be.
    Opaque,
}

/// The element type that a variable has in MATLAB, or what its elements are instead.
fn kind_of_class(class: u8, flags: u8) -> Result<Result<Kind, &'static str>, Object> {
    Ok(match class {
        3 => return Err(Object::Classed),
        16 => return Err(Object::Function),
        OPAQUE => return Err(Object::Opaque),
        1 => Err("cells"),
        2 => Err("structs"),
        4 => Err("text"),
        _ if flags & COMPLEX != 0 => Err("complex numbers"),
        5..=15 if flags & LOGICAL != 0 => Ok(Kind::Bool),
        SPARSE | 6 => Ok(Kind::F64),
        7 => Ok(Kind::F32),
        8 => Ok(Kind::I8),
        9 => Ok(Kind::U8),
        10 => Ok(Kind::I16),
        11 => Ok(Kind::U16),
        12 => Ok(Kind::I32),
        13 => Ok(Kind::U32),
        14 => Ok(Kind::I64),
        15 => Ok(Kind::U64),
        _ => Err("of an unknown class"),
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
