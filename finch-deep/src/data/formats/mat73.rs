//! MATLAB's `.mat` of version 7.3, which is HDF5.
//!
//! A matrix is a dataset of the root group with its dimensions in reverse, since HDF5 is row-major.

use flate2::bufread::ZlibDecoder;
use hdf5_reader::error::Error;
use hdf5_reader::filters::FILTER_DEFLATE;
use hdf5_reader::group::Group;
use hdf5_reader::{
    Attribute, ByteOrder as Order, Dataset, Datatype, FilterRegistry, Hdf5File, OpenOptions,
};

use super::hdf5_layout;
use super::hdf5_start::{SIGNATURE, USER_BLOCK};
use super::matlab_object::object;
use super::variable::{Use, Variable, pick};
use crate::data::error::Fault;
use crate::data::matrix::Kept;
use crate::data::matrix::dtype::{ByteOrder, Kind, Layout};
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::sparse_file::{Compressed, Held};
use crate::data::source::memory::Memory;
use crate::data::source::{DEFLATE_RATIO, read_up_to};

const FORMAT: &str = "a .mat file of version 7.3";
/// Reads the variable that [`pick`] chooses.
pub(in crate::data) fn read(
    mut bytes: Vec<u8>,
    variable: Option<&str>,
    role: Use,
    memory: &Memory,
) -> Result<Held, Fault> {
    let length = bytes.len() as u64;
    if length <= USER_BLOCK as u64 {
        let expected = USER_BLOCK as u64 + 1;
        return Err(Fault::Truncated { what: "the header", expected, found: length });
    }
    let largest = length.saturating_mul(DEFLATE_RATIO);
    let start = if bytes.starts_with(SIGNATURE) { 0 } else { USER_BLOCK };
    hdf5_layout::mend(&mut bytes, start);
    let mut filters = FilterRegistry::new();
    filters.register(FILTER_DEFLATE, Box::new(|_, compressed, _| inflated(compressed)));
    let options = OpenOptions::default()
        .with_max_read_bytes(usize::try_from(largest).unwrap_or(usize::MAX))
        .with_filter_registry(filters);
    let file = Hdf5File::from_vec_with_options(bytes, options).map_err(fault)?;
    let expected = file.superblock().eof_address; // Counted from the start of the user block.
    if expected > length {
        return Err(Fault::Truncated { what: "the file", expected, found: length });
    }

    let (groups, datasets) = file.root_group().and_then(|root| root.members()).map_err(fault)?;
    let (mut variables, mut stored) = (Vec::new(), Vec::new());
    for dataset in datasets {
        let name = dataset.name().trim_start_matches('/').to_owned();
        if name.starts_with('#') {
            continue;
        }
        variables.push(Variable { name, layout: layout(&dataset) });
        stored.push(Stored::Full(Box::new(dataset)));
    }
    for group in groups {
        let name = group.name().trim_start_matches('/').to_owned();
        if name.starts_with('#') {
            continue; // Where MATLAB keeps what cells refer to.
        }
        variables.push(Variable { name, layout: sparse_layout(&group) });
        stored.push(Stored::Sparse(group));
    }
    let position = pick(&variables, variable, role)?;
    let layout = variables.swap_remove(position).layout?;
    match stored.swap_remove(position) {
        Stored::Full(dataset) => full(&dataset, layout, largest, memory).map(Held::Full),
        Stored::Sparse(group) => sparse(&group, layout, largest, memory),
    }
}

enum Stored {
    Full(Box<Dataset>),
    Sparse(Group),
}

/// The class that an attribute says; MATLAB writes one for each variable, other programs none.
fn class(of: impl Fn(&str) -> Result<Attribute, Error>) -> Option<String> {
    of("MATLAB_class").and_then(|text| text.read_string()).ok()
}

/// Why a variable of a class is no matrix of numbers, if it is none.
fn no_numbers(class: Option<&str>) -> Option<Fault> {
    let other = |found: &str| Some(Fault::Element { found: found.to_owned() });
    match class? {
        "double" | "single" | "logical" | "int8" | "uint8" | "int16" | "uint16" | "int32"
        | "uint32" | "int64" | "uint64" | "" => None,
        "char" => other("text"),
        "cell" => other("cells"),
        "struct" => other("structs"),
        // The dataset has a reference to the content of the object.
        class => Some(object(class)),
    }
}

/// The layout that a dataset declares, in MATLAB's order of dimensions.
fn layout(dataset: &Dataset) -> Result<Layout, Fault> {
    let class = class(|name| dataset.attribute(name));
    if let Some(fault) = no_numbers(class.as_deref()) {
        return Err(fault);
    }
    let other = |found: &str| Fault::Element { found: found.to_owned() };
    let (kind, order) = element(dataset.dtype()).map_err(other)?;
    if !is_plain(dataset.dtype(), &dataset.raw_datatype().map_err(fault)?) {
        return Err(other("numbers of bits that this machine has no type for"));
    }
    let kind =
        if class.as_deref() == Some("logical") && kind == Kind::U8 { Kind::Bool } else { kind };
    let length = |&length: &u64| usize::try_from(length).unwrap_or(usize::MAX);
    let mut shape: Vec<_> = dataset.shape().iter().rev().map(length).collect();
    if dataset.attribute("MATLAB_empty").is_ok() {
        // An empty matrix cannot be stored: its dimensions are, as the values of a list.
        let lengths =
            dataset.read_array::<u64>().map(|lengths| lengths.iter().map(length).collect());
        let is_empty = |shape: &Vec<usize>| shape.contains(&0);
        shape = lengths.ok().filter(is_empty).unwrap_or_else(|| vec![0, 0]);
    }
    Ok(Layout { kind, order, shape, column_major: true })
}

/// The layout that a sparse matrix declares: a group of its row count and of three lists.
fn sparse_layout(group: &Group) -> Result<Layout, Fault> {
    let Ok(rows) = group.attribute("MATLAB_sparse").and_then(|rows| rows.read_scalar::<u64>())
    else {
        let class = class(|name| group.attribute(name));
        let structs = || Fault::Element { found: "structs".to_owned() };
        return Err(no_numbers(class.as_deref()).unwrap_or_else(structs));
    };
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let starts = layout(&group.dataset("jc").map_err(fault)?)?;
    let columns = starts.elements()?.saturating_sub(1);
    let values = group.dataset("data");
    // Without any value there is no list of them.
    let layout = values.map_or(Ok(Layout { kind: Kind::F64, ..starts }), |data| layout(&data))?;
    Ok(Layout { shape: vec![rows, columns], ..layout })
}

fn element(datatype: &Datatype) -> Result<(Kind, ByteOrder), &'static str> {
    let (kind, order) = match datatype {
        Datatype::FixedPoint { size, signed, byte_order } => {
            let kind = match (size, signed) {
                (1, true) => Kind::I8,
                (1, false) => Kind::U8,
                (2, true) => Kind::I16,
                (2, false) => Kind::U16,
                (4, true) => Kind::I32,
                (4, false) => Kind::U32,
                (8, true) => Kind::I64,
                (8, false) => Kind::U64,
                _ => return Err("integers of an unknown width"),
            };
            (kind, byte_order)
        }
        Datatype::FloatingPoint { size: 2, byte_order } => (Kind::F16, byte_order),
        Datatype::FloatingPoint { size: 4, byte_order } => (Kind::F32, byte_order),
        Datatype::FloatingPoint { size: 8, byte_order } => (Kind::F64, byte_order),
        Datatype::FloatingPoint { .. } => return Err("floats of another width"),
        Datatype::Enum { base, .. } => return element(base),
        Datatype::Compound { .. } => return Err("complex numbers or records"),
        Datatype::String { .. } | Datatype::VarLen { .. } => return Err("text"),
        _ => return Err("no numbers"),
    };
    Ok((kind, if matches!(order, Order::BigEndian) { ByteOrder::Big } else { ByteOrder::Little }))
}

/// True if numbers fill their bytes, and floats are those of IEEE 754. `raw` is the message "Datatype",
/// of which the reader leaves out the bits (HDF5 File Format Specification, IV.A.2.d).
fn is_plain(datatype: &Datatype, raw: &[u8]) -> bool {
    // The base of an enumeration follows its own beginning.
    let raw = if matches!(datatype, Datatype::Enum { .. }) { raw.get(8..) } else { Some(raw) };
    let Some(&[class, flags, sign, _, size, _, _, _, 0, 0, bits, 0, ref float @ ..]) = raw else {
        return false;
    };
    let whole = size <= 8 && bits == 8 * size;
    // The place and length of the exponent, those of the fraction, and the exponent of 1.
    let [exponent, fraction, one] = match size {
        2 => [5, 10, 15],
        4 => [8, 23, 127],
        8 => [11, 52, 1023],
        _ => [0; 3],
    };
    match class & 0xf {
        1 => {
            const VAX: u8 = 0x40;
            let of_ieee = [fraction as u8, exponent as u8, 0, fraction as u8];
            let [one_low, one_high] = u16::to_le_bytes(one);
            whole
                && flags & VAX == 0
                && sign == bits - 1
                && float.starts_with(&of_ieee)
                && float[4..].starts_with(&[one_low, one_high, 0, 0])
        }
        _ => whole,
    }
}

/// Reads a dataset, if it can come from a file that decompresses to `largest` bytes at most.
fn full(dataset: &Dataset, layout: Layout, largest: u64, memory: &Memory) -> Result<Array, Fault> {
    let bytes = layout.bytes()?;
    if bytes > largest {
        let reason = format!("the {largest} that a file of this size can hold");
        return Err(Fault::TooLarge { shape: layout.shape, bytes, reason });
    }
    memory.take(bytes)?; // The reader asks for them all, and infallibly.
    let content = if bytes == 0 { Vec::new() } else { dataset.read_raw_bytes().map_err(fault)? };
    layout.read(&mut &content[..], memory)
}

fn sparse(group: &Group, shape: Layout, largest: u64, memory: &Memory) -> Result<Held, Fault> {
    let list = |name| match group.dataset(name) {
        Ok(dataset) => full(&dataset, layout(&dataset)?, largest, memory).map(Some),
        Err(Error::DatasetNotFound(_)) => Ok(None),
        Err(error) => Err(fault(error)),
    };
    let indices = |name| {
        let list = match list(name)? {
            Some(list) => list.elements.whole(memory)?,
            None => Some(Vec::new()),
        };
        list.ok_or_else(|| Fault::malformed(FORMAT, "an index of the sparse matrix is no index"))
    };
    let [length, lines] = shape.shape[..] else {
        return Err(Fault::NotMatrix { shape: shape.shape });
    };
    let values = match list("data")? {
        Some(values) => values.elements,
        None => Elements::with_room(Kept::F64, 0, memory)?,
    };
    let (starts, positions) = (indices("jc")?, indices("ir")?);
    let (format, by_column) = (FORMAT, true);
    let matrix = Compressed { format, by_column, lines, length, starts, positions, values };
    Ok(Held::Compressed(matrix))
}

/// A stream of zlib, up to its checksum: the reader's own filter stops at the last byte of the chunk.
fn inflated(compressed: &[u8]) -> Result<Vec<u8>, Error> {
    const STEP: usize = 1 << 16;
    let failed = |reason: String| Error::DecompressionError(format!("DEFLATE: {reason}"));
    let (mut decoder, mut bytes) = (ZlibDecoder::new(compressed), Vec::new());
    loop {
        let start = bytes.len();
        bytes.try_reserve(STEP).map_err(|error| failed(error.to_string()))?;
        bytes.resize(start + STEP, 0);
        let read = read_up_to(&mut decoder, &mut bytes[start..]);
        let read = read.map_err(|error| failed(error.to_string()))?;
        bytes.truncate(start + read);
        if read < STEP {
            return Ok(bytes);
        }
    }
}

fn fault(error: Error) -> Fault {
    match error {
        Error::Context { source, .. } => fault(*source),
        Error::Io(error) => error.into(),
        Error::UnexpectedEof { offset, needed, available } => Fault::Truncated {
            what: "the file",
            expected: offset.saturating_add(needed),
            found: offset.saturating_add(available),
        },
        error => Fault::malformed(FORMAT, error),
    }
}
