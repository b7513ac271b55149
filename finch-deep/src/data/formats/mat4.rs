//! MATLAB's `.mat` of version 4, which `save -v4` writes: matrices one after another, each behind a
//! header of five integers.
//!
//! The format is the "MAT-File Level 4 File Format" of The MathWorks.

use super::variable::{Use, Variable, pick};
use crate::data::error::Fault;
use crate::data::matrix::Kept;
use crate::data::matrix::dtype::{ByteOrder, Kind, Layout};
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::sparse_file::{Coordinates, Held};
use crate::data::source::memory::Memory;

const FORMAT: &str = "a .mat file of version 4";

/// Bytes of a header: the type, the rows, the columns, whether it is complex, the length of the name.
const HEADER: usize = 20;

/// MATLAB's names are at most 63 bytes long, and those of other programs not much longer.
const LONGEST_NAME: usize = 256;

/// Bytes by which such a file is recognised.
pub(in crate::data) const START: usize = HEADER + LONGEST_NAME;

/// True if the file begins with a header and a name. Files of later versions begin with text.
pub(in crate::data) fn recognise(start: &[u8]) -> bool {
    let is_name = |header: Header| {
        let name = &start[HEADER..start.len().min(HEADER + header.name)];
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        // Latin-1, which SciPy writes, has letters above 0x80.
        !name.is_empty() && name.iter().all(|&byte| byte.is_ascii_graphic() || byte >= 0x80)
    };
    Header::of(start).is_some_and(is_name)
}

/// Reads the variable that [`pick`] chooses.
pub(in crate::data) fn read(
    bytes: &[u8],
    variable: Option<&str>,
    role: Use,
    memory: &Memory,
) -> Result<Held, Fault> {
    let (mut variables, mut stored) = (Vec::new(), Vec::new());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (declared, found, after) = Stored::next(rest, bytes.len(), memory)?;
        variables.push(declared);
        stored.push(found);
        rest = after;
    }
    let position = pick(&variables, variable, role)?;
    let layout = variables.swap_remove(position).layout?;
    stored.swap_remove(position).read(layout, memory)
}

/// The header of a matrix.
#[derive(Clone, Copy)]
struct Header {
    order: ByteOrder,
    /// The format of floats, from 0: IEEE 754 in either byte order, VAX D and G, Cray.
    machine: u32,
    kind: Kind,
    text: bool,
    sparse: bool,
    shape: [usize; 2],
    complex: bool,
    /// Bytes of the name.
    name: usize,
}

impl Header {
    fn of(bytes: &[u8]) -> Option<Self> {
        [ByteOrder::Little, ByteOrder::Big]
            .into_iter()
            .find_map(|order| Self::in_order(bytes, order))
    }

    /// The header, if it makes sense in a byte order.
    fn in_order(bytes: &[u8], order: ByteOrder) -> Option<Self> {
        let words = bytes.get(..HEADER)?.as_chunks::<4>().0;
        let word = |at: usize| match order {
            ByteOrder::Little => u32::from_le_bytes(words[at]),
            ByteOrder::Big => u32::from_be_bytes(words[at]),
        };
        // Four decimal digits: the machine, 0, the element type, and what the matrix is.
        let machine = word(0) / 1000;
        let [zero, element, what] = [100, 10, 1].map(|power| word(0) / power % 10);
        let kind = match element {
            0 => Kind::F64,
            1 => Kind::F32,
            2 => Kind::I32,
            3 => Kind::I16,
            4 => Kind::U16,
            5 => Kind::U8,
            _ => return None,
        };
        let of_order = match machine {
            0 | 2 | 3 => order == ByteOrder::Little,
            1 | 4 => order == ByteOrder::Big,
            _ => false,
        };
        let length =
            |at| i32::try_from(word(at)).ok().and_then(|length| usize::try_from(length).ok());
        let name = usize::try_from(word(4)).ok()?;
        let sound = of_order && zero == 0 && what <= 2 && word(3) <= 1;
        (sound && (1..=LONGEST_NAME).contains(&name)).then_some(Self {
            order,
            machine,
            kind,
            text: what == 1,
            sparse: what == 2,
            shape: [length(1)?, length(2)?],
            complex: word(3) == 1,
            name,
        })
    }
}

/// A variable in the file.
struct Stored<'a> {
    header: Header,
    /// The elements, by column.
    elements: &'a [u8],
}

impl<'a> Stored<'a> {
    /// The variable at the beginning of `rest`, of a file of `length` bytes, and what follows it.
    fn next(
        rest: &'a [u8],
        length: usize,
        memory: &Memory,
    ) -> Result<(Variable, Self, &'a [u8]), Fault> {
        let start = length - rest.len();
        let cut = |end: u64| Fault::Truncated {
            what: "the file",
            expected: (start as u64).saturating_add(end),
            found: length as u64,
        };
        if rest.len() < HEADER {
            return Err(cut(HEADER as u64));
        }
        let damaged = || Fault::malformed(FORMAT, format!("no variable begins at byte {start}"));
        let header = Header::of(rest).ok_or_else(damaged)?;
        let machine = match header.machine {
            0 | 1 => None,
            2 | 3 => Some("of a VAX"),
            _ => Some("of a Cray"),
        };
        if let Some(machine) = machine {
            let remedy = "load it by MATLAB and save it again by save -v7";
            return Err(Fault::variant(FORMAT, format!("with floats {machine}"), remedy));
        }
        let kind = header.kind;
        let all =
            Layout { kind, order: header.order, shape: header.shape.to_vec(), column_major: true };
        let parts = if header.complex { 2 } else { 1 };
        let begin = HEADER + header.name;
        let end = all.bytes()?.saturating_mul(parts).saturating_add(begin as u64);
        let whole = usize::try_from(end).ok().and_then(|end| rest.split_at_checked(end));
        let (found, after) = whole.ok_or_else(|| cut(end))?;
        let name: String = found[HEADER..begin].iter().map(|&byte| char::from(byte)).collect();
        let name = name.trim_end_matches('\0').to_owned();
        let stored = Self { header, elements: &found[begin..] };
        let other = |found: &str| Err(Fault::Element { found: found.to_owned() });
        let layout = match header {
            Header { text: true, .. } => other("text"),
            Header { complex: true, .. } => other("complex numbers"),
            Header { sparse: true, shape: [_, 4], .. } => other("complex numbers"),
            Header { sparse: true, .. } => {
                stored.sparse_shape(memory).map(|shape| Layout { shape: shape.to_vec(), ..all })
            }
            _ => Ok(all),
        };
        Ok((Variable { name, layout }, stored, after))
    }

    /// The rows and columns of a sparse matrix, which stand below the places and values.
    fn sparse_shape(&self, memory: &Memory) -> Result<[usize; 2], Fault> {
        let Header { kind, order, shape: [rows, columns], .. } = self.header;
        if rows == 0 || columns != 3 {
            let reason = format!("a sparse matrix as a table of {rows} × {columns}");
            return Err(Fault::malformed(FORMAT, reason));
        }
        let length = |column: usize| {
            let at = (column * rows + rows - 1) * kind.width();
            let layout = Layout { kind, order, shape: vec![1], column_major: true };
            let length = layout.read(&mut &self.elements[at..], memory)?.elements;
            Ok::<_, Fault>(self.whole(length, memory)?[0])
        };
        Ok([length(0)?, length(1)?])
    }

    fn whole(&self, elements: Elements, memory: &Memory) -> Result<Vec<usize>, Fault> {
        let whole = elements.widened(Kept::F64, memory)?.whole(memory)?;
        whole.ok_or_else(|| Fault::malformed(FORMAT, "an index of the sparse matrix is no index"))
    }

    /// Reads the values, which are doubles in MATLAB, however narrow they are stored.
    fn read(self, layout: Layout, memory: &Memory) -> Result<Held, Fault> {
        if !self.header.sparse {
            let Array { elements, shape, column_major } =
                layout.read(&mut &*self.elements, memory)?;
            let elements = elements.widened(Kept::F64, memory)?;
            return Ok(Held::Full(Array { elements, shape, column_major }));
        }
        let Header { kind, order, shape: [table, _], .. } = self.header;
        let column = |column: usize| {
            let layout = Layout { kind, order, shape: vec![table - 1], column_major: true };
            let at = column * table * kind.width();
            let elements = layout.read(&mut &self.elements[at..], memory)?.elements;
            elements.widened(Kept::F64, memory)
        };
        let place = |at: usize, length: usize| {
            let mut places = self.whole(column(at)?, memory)?;
            match places.iter().all(|from_1| (1..=length).contains(from_1)) {
                true => places.iter_mut().for_each(|place| *place -= 1),
                false => {
                    let reason = "the sparse matrix has a value outside of its shape";
                    return Err(Fault::malformed(FORMAT, reason));
                }
            }
            Ok(places)
        };
        let shape = [layout.shape[0], layout.shape[1]];
        let (rows, columns) = (place(0, shape[0])?, place(1, shape[1])?);
        Ok(Held::Coordinates(Coordinates { shape, rows, columns, values: column(2)? }))
    }
}
