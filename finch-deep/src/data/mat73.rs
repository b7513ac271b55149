//! MATLAB's `.mat` of version 7.3, which is HDF5.
//!
//! A matrix is a dataset of the root group with its dimensions in reverse, since HDF5 is row-major.

use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::{ByteOrder as Order, Dataset, Datatype, Hdf5File, OpenOptions};

use super::elements::{Array, Elements};
use super::error::Fault;
use super::layout::{ByteOrder, Kind, Layout};
use super::matrix::Kept;
use super::memory::Memory;
use super::source::DEFLATE_RATIO;
use super::sparse::{Compressed, Held};
use super::variable::{Use, Variable, pick};

const FORMAT: &str = "a .mat file of version 7.3";
const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// MATLAB's own header, before the HDF5 file.
const USER_BLOCK: usize = 512;
/// Bytes by which such a file is recognised.
pub(super) const START: usize = USER_BLOCK + SIGNATURE.len();

/// Whether the file is HDF5, or says so in MATLAB's header even if what follows is damaged.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB 7.3")
        || bytes.starts_with(SIGNATURE)
        || bytes.get(USER_BLOCK..).is_some_and(|rest| rest.starts_with(SIGNATURE))
}

/// Reads the variable that [`pick`] chooses.
pub(super) fn read(
    bytes: Vec<u8>,
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
    let options =
        OpenOptions::default().with_max_read_bytes(usize::try_from(largest).unwrap_or(usize::MAX));
    let file = Hdf5File::from_vec_with_options(bytes, options).map_err(fault)?;
    let expected = file.superblock().eof_address; // Counted from the start of the user block.
    if expected > length {
        return Err(Fault::Truncated { what: "the file", expected, found: length });
    }

    let (groups, datasets) = file.root_group().and_then(|root| root.members()).map_err(fault)?;
    let (mut variables, mut stored) = (Vec::new(), Vec::new());
    for dataset in datasets {
        let name = dataset.name().trim_start_matches('/').to_owned();
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

/// What a dataset declares, in MATLAB's order of dimensions.
fn layout(dataset: &Dataset) -> Result<Layout, Fault> {
    let text = |name| dataset.attribute(name).and_then(|text| text.read_string()).ok();
    let class = text("MATLAB_class").unwrap_or_default();
    let other = |found: &str| Err(Fault::Element { found: found.to_owned() });
    match class.as_str() {
        "char" | "string" => return other("text"),
        "cell" => return other("cells"),
        "struct" => return other("structs"),
        _ => {}
    }
    let (kind, order) = match element(dataset.dtype()) {
        Ok(element) => element,
        Err(found) => return other(found),
    };
    let kind = if class == "logical" && kind == Kind::U8 { Kind::Bool } else { kind };
    let length = |&length: &u64| usize::try_from(length).unwrap_or(usize::MAX);
    let mut shape: Vec<_> = dataset.shape().iter().rev().map(length).collect();
    if dataset.attribute("MATLAB_empty").is_ok() {
        // An empty matrix cannot be stored: its dimensions are, as the values of a list.
        shape = vec![0, 0];
    }
    Ok(Layout { kind, order, shape, column_major: true })
}

/// What a sparse matrix declares: a group of its row count and of three lists.
fn sparse_layout(group: &Group) -> Result<Layout, Fault> {
    let Ok(rows) = group.attribute("MATLAB_sparse").and_then(|rows| rows.read_scalar::<u64>())
    else {
        return Err(Fault::Element { found: "structs or objects".to_owned() });
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
