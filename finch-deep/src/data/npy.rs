//! NumPy's `.npy`.

use std::io::Read;

use memmap2::Mmap;
use ndarray::ArrayView2;
use ndarray_npy::npy::header::{Header, ParseHeaderError, ReadHeaderError};
use ndarray_npy::{ViewElement, ViewNpyExt};

use super::element::{
    Array, ByteOrder, Kept, Kind, LabelArray, Layout, read_all, read_end, read_up_to,
};
use super::error::Fault;
use super::source::Source;
use super::{Matrix, Storage};

const FORMAT: &str = "a .npy file";

/// From this size on, a file is mapped into memory and not read.
///
/// Below it, reading takes at most some 30 ms, and the samples are safe from whoever changes the
/// file meanwhile.
const MAP_FROM: u64 = 64 << 20;

/// NumPy refuses longer headers too (`max_header_size`). A real one takes 118 bytes.
const LONGEST_HEADER: usize = 10_000;

/// Texts are only read where one of a few words is expected, of 4 bytes a character.
const LONGEST_TEXT: usize = 256;

/// Headers of arrays nest once; those of records, which are only reported, up to about four times.
/// The parser takes time exponential in the depth.
const DEEPEST_HEADER: usize = 8;

/// Reads a matrix of samples, or maps it if it is large.
pub(super) fn samples(source: Source) -> Result<Storage, Fault> {
    if let Some(mapped) = Mapped::open(&source)? {
        return Ok(Storage::Mapped(mapped));
    }
    let mut reader = source.reader();
    let layout = header(&mut reader)??;
    if layout.shape.len() != 2 {
        return Err(Fault::NotMatrix { shape: layout.shape });
    }
    array(layout, &mut reader).map(Storage::Read)
}

/// Reads a list or a matrix of labels.
pub(super) fn labels(source: Source) -> Result<LabelArray, Fault> {
    let mut reader = source.reader();
    label_array(header(&mut reader)??, &mut reader)
}

/// Reads the labels that follow a header, to the end of the reader. A single row is a list.
pub(super) fn label_array(mut layout: Layout, reader: &mut dyn Read) -> Result<LabelArray, Fault> {
    match layout.shape[..] {
        [1, length] => layout.shape = vec![length],
        [_] | [_, _] => {}
        _ => return Err(Fault::NotLabels { shape: layout.shape }),
    }
    let expected = layout.bytes()?;
    let labels = layout.read_labels(reader)?;
    read_end(reader, expected)?;
    Ok(labels)
}

/// Reads what follows a header, to the end of the reader.
pub(super) fn array(layout: Layout, reader: &mut dyn Read) -> Result<Array, Fault> {
    let expected = layout.bytes()?;
    let array = layout.read(reader)?;
    read_end(reader, expected)?;
    Ok(array)
}

/// Reads a header and stops after it.
///
/// The inner result is about the array: the header may be sound and the elements none of ours.
pub(super) fn header(reader: &mut dyn Read) -> Result<Result<Layout, Fault>, Fault> {
    let Header { type_descriptor, layout, shape } = parse(reader)?;
    let descriptor = type_descriptor.as_string().map_or("", |text| text.as_str());
    Ok(match element(descriptor) {
        Some((kind, order)) => Ok(Layout { kind, order, shape, column_major: layout.is_fortran() }),
        None => Err(Fault::Element { found: describe(descriptor, &type_descriptor.to_string()) }),
    })
}

/// Reads an array of one short text, bytes or Unicode. None if it is anything else.
pub(super) fn text(reader: &mut dyn Read) -> Result<Option<String>, Fault> {
    let Header { type_descriptor, shape, .. } = parse(reader)?;
    let descriptor = type_descriptor.as_string().map_or("", |text| text.as_str());
    let mut bytes = [0; LONGEST_TEXT];
    let read = read_up_to(reader, &mut bytes)?;
    if read == bytes.len() || shape.iter().any(|&length| length != 1) {
        return Ok(None);
    }
    let text = &bytes[..read];
    let characters = |decode: fn([u8; 4]) -> u32| {
        text.as_chunks().0.iter().map(|&bytes| char::from_u32(decode(bytes))).collect()
    };
    let text: Option<String> = match descriptor.get(..2) {
        Some("|S") => std::str::from_utf8(text).ok().map(str::to_owned),
        Some("<U") => characters(u32::from_le_bytes),
        Some(">U") => characters(u32::from_be_bytes),
        _ => None,
    };
    // NumPy pads with zeros.
    Ok(text.map(|text| text.trim_end_matches('\0').to_owned()))
}

fn parse(reader: &mut dyn Read) -> Result<Header, Fault> {
    // Magic, version, and the length of what follows: 2 bytes in version 1, else 4.
    let mut bytes = vec![0; 10];
    read_all(reader, &mut bytes[..6], "the header")?;
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(Fault::magic(FORMAT, "\"\\x93NUMPY\"", &bytes[..6]));
    }
    read_all(reader, &mut bytes[6..], "the header")?;
    if bytes[6] > 1 {
        bytes.resize(12, 0);
        read_all(reader, &mut bytes[10..], "the header")?;
    }
    let length = bytes[8..].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    if length > LONGEST_HEADER {
        return Err(Fault::malformed(FORMAT, format!("a header of {length} bytes")));
    }
    let start = bytes.len();
    bytes.resize(start + length, 0);
    read_all(reader, &mut bytes[start..], "the header")?;
    let depth = bytes[start..].iter().scan(0usize, |depth, byte| {
        match byte {
            b'(' | b'[' | b'{' => *depth += 1,
            b')' | b']' | b'}' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(*depth)
    });
    if depth.max() > Some(DEEPEST_HEADER) {
        return Err(Fault::malformed(FORMAT, "a header of too many brackets"));
    }
    Header::from_reader(&mut &bytes[..]).map_err(|error| match error {
        ReadHeaderError::Io(error) => Fault::malformed(FORMAT, error),
        // The parser would draw where it stopped, over several lines.
        ReadHeaderError::Parse(ParseHeaderError::DictParse(_)) => {
            Fault::malformed(FORMAT, "the header is not a valid dictionary")
        }
        ReadHeaderError::Parse(error) => Fault::malformed(FORMAT, error),
    })
}

/// The element type that NumPy calls `descriptor`, such as `<f8`.
fn element(descriptor: &str) -> Option<(Kind, ByteOrder)> {
    let kind = match descriptor.trim_start_matches(['<', '>', '|', '=']) {
        "b1" => Kind::Bool,
        "u1" => Kind::U8,
        "i1" => Kind::I8,
        "i2" => Kind::I16,
        "u2" => Kind::U16,
        "i4" => Kind::I32,
        "u4" => Kind::U32,
        "i8" => Kind::I64,
        "u8" => Kind::U64,
        "f2" => Kind::F16,
        "f4" => Kind::F32,
        "f8" => Kind::F64,
        _ => return None,
    };
    Some((kind, if descriptor.starts_with('>') { ByteOrder::Big } else { ByteOrder::Little }))
}

/// What an element type that is not ours is, in words.
fn describe(descriptor: &str, literal: &str) -> String {
    let words = match descriptor.trim_start_matches(['<', '>', '|', '=']).as_bytes() {
        [b'O', ..] => "Python objects",
        [b'S' | b'U' | b'a', ..] => "strings",
        [b'c', ..] => "complex numbers",
        [b'f', ..] => "floats of another width",
        [b'M' | b'm', ..] => "dates or times",
        _ => "records or of an unknown type",
    };
    format!("{words} (NumPy's {literal})")
}

/// A matrix in a memory-mapped file, of a type and byte order that is used as it is.
pub(super) struct Mapped {
    map: Mmap,
    kept: Kept,
}

impl Mapped {
    /// Maps the file if it is large and can be used as it lies there.
    fn open(source: &Source) -> Result<Option<Self>, Fault> {
        let Some((file, length)) = source.plain().filter(|&(_, length)| length >= MAP_FROM) else {
            return Ok(None);
        };
        // SAFETY: the map is only read, and its length was checked against the header below. The
        // file must not be truncated or changed while the samples are in use: no system offers a
        // way to enforce that, and the documentation of `read` asks it of the caller.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(file) }.map_err(Fault::Unreadable)?;
        let mut rest = &map[..];
        let layout = header(&mut rest)??;
        let expected = layout.bytes()?;
        match rest.len() as u64 {
            found if found < expected => {
                return Err(Fault::Truncated { what: "the array", expected, found });
            }
            found if found > expected => return Err(Fault::Surplus { expected }),
            _ => debug_assert!(length >= expected),
        }
        // The view is refused, and the file read, if elements need conversion, are in the other
        // byte order or lie unaligned; or if it is no matrix, which reading reports.
        let mapped = Self { map, kept: layout.kind.kept() };
        Ok(mapped.view().is_some().then_some(mapped))
    }

    fn view(&self) -> Option<Matrix<'_>> {
        fn view<'a, A: ViewElement + 'a>(map: &'a [u8]) -> Option<Matrix<'a>>
        where
            ArrayView2<'a, A>: Into<Matrix<'a>>,
        {
            ArrayView2::<A>::view_npy(map).ok().map(Into::into)
        }
        match self.kept {
            Kept::U8 => view::<u8>(&self.map),
            Kept::F32 => view::<f32>(&self.map),
            Kept::F64 => view::<f64>(&self.map),
        }
    }

    /// A row that is read from anywhere then costs its own pages, and not those that lie around it,
    /// which would take the place of others in memory.
    pub(super) fn expect_any_order(&self) {
        // Advice that the system does not take only costs time.
        #[cfg(unix)]
        let _ = self.map.advise(memmap2::Advice::Random);
    }

    pub(super) fn matrix(&self) -> Matrix<'_> {
        self.view().expect("the mapped file was a sound matrix when it was opened")
    }
}
