//! NumPy's `.npy`.

use std::io::Read;

use ndarray_npy::npy::header::{Header, ParseHeaderError, ReadHeaderError};

use crate::data::error::Fault;
use crate::data::matrix::dtype::{ByteOrder, Kind, LabelArray, Layout};
use crate::data::matrix::elements::Array;
use crate::data::source::memory::Memory;
use crate::data::source::{Source, read_all, read_up_to};

const FORMAT: &str = "a .npy file";

/// NumPy refuses longer headers too (`max_header_size`). A real one takes 118 bytes.
const LONGEST_HEADER: usize = 10_000;

/// Texts are only read where one of a few words is expected, of 4 bytes a character.
const LONGEST_TEXT: usize = 256;

/// Headers of arrays nest once; those of records, which are only reported, up to about four times.
/// The parser takes time exponential in the depth.
const DEEPEST_HEADER: usize = 8;

/// Reads a matrix of samples, or a list if that will do.
pub(in crate::data) fn samples(
    source: Source,
    lists: bool,
    memory: &Memory,
) -> Result<Array, Fault> {
    let mut reader = source.reader();
    let mut layout = header(&mut reader)??;
    if lists && layout.shape.len() == 1 {
        layout.shape.push(1);
    }
    if layout.shape.len() != 2 {
        return Err(Fault::NotMatrix { shape: layout.shape });
    }
    layout.read_to_end(&mut reader, memory)
}

/// Reads a list or a matrix of labels.
pub(in crate::data) fn labels(source: Source, memory: &Memory) -> Result<LabelArray, Fault> {
    let mut reader = source.reader();
    header(&mut reader)??.read_labels_to_end(&mut reader, memory)
}

/// Reads a header and stops after it.
///
/// The inner result is about the array: the header may be sound, and the elements of a type that
/// cannot be read.
pub(in crate::data) fn header(reader: &mut dyn Read) -> Result<Result<Layout, Fault>, Fault> {
    let Header { type_descriptor, layout, shape } = parse(reader)?;
    let descriptor = type_descriptor.as_string().map_or("", |text| text.as_str());
    Ok(match element(descriptor) {
        Some((kind, order)) => Ok(Layout { kind, order, shape, column_major: layout.is_fortran() }),
        None => Err(Fault::Element { found: describe(descriptor, &type_descriptor.to_string()) }),
    })
}

/// Reads an array of one short text, bytes or Unicode. None if it is anything else.
pub(in crate::data) fn text(reader: &mut dyn Read) -> Result<Option<String>, Fault> {
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
    if !(1..=3).contains(&bytes[6]) {
        let variant = format!("of version {}.{}", bytes[6], bytes[7]);
        return Err(Fault::variant(FORMAT, variant, "save it by numpy.save"));
    }
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
        // The parser's own message draws over several lines where it stopped.
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

/// An element type that cannot be read, in words.
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
