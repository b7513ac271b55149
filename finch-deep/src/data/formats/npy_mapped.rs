//! Large `.npy` files, mapped into memory and not read.

use std::fs::File;
use std::time::SystemTime;

use bytemuck::AnyBitPattern;
use memmap2::Mmap;
use ndarray::{ArrayView2, ShapeBuilder};

use super::npy::header;
use crate::data::error::Fault;
use crate::data::matrix::Matrix;
use crate::data::matrix::dtype::{ByteOrder, Kind, Layout};
use crate::data::source::Source;

/// From this size on, a file is mapped into memory and not read.
///
/// Below it, reading takes at most some 30 ms, and the samples are safe from whoever changes the
/// file meanwhile.
const MAP_FROM: u64 = 64 << 20;

/// A matrix in a memory-mapped file, of a type and byte order that is used as it is.
pub(in crate::data) struct Mapped {
    map: Mmap,
    /// The layout that the header declared when the file was mapped.
    layout: Layout,
    /// Where in the file the elements begin.
    start: usize,
    file: File,
    /// The state of the file when it was mapped.
    state: State,
}

/// The numbers that change with every change of a file: its length and the time of the last change.
type State = (u64, SystemTime);

fn state(file: &File) -> Result<State, Fault> {
    let metadata = file.metadata().map_err(Fault::Unreadable)?;
    Ok((metadata.len(), metadata.modified().map_err(Fault::Unreadable)?))
}

impl Mapped {
    /// Maps the file if it is large and can be used as it lies there.
    pub(in crate::data) fn open(source: &Source) -> Result<Option<Self>, Fault> {
        let Some((file, length)) = source.plain().filter(|&(_, length)| length >= MAP_FROM) else {
            return Ok(None);
        };
        let file = file.try_clone().map_err(Fault::Unreadable)?;
        let state = state(&file)?;
        // SAFETY: the map is only read, and its length was checked against the header below. The
        // file must not be truncated or changed while the samples are in use: no system offers a
        // way to enforce that, and the documentation of `read` asks it of the caller.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(Fault::Unreadable)?;
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
        let start = map.len() - rest.len();
        let mapped = Self { map, layout, start, file, state };
        // Otherwise it is read: elements of another type or byte order are converted then, and what
        // is no matrix is reported.
        Ok(mapped.view().is_some().then_some(mapped))
    }

    /// Makes the rows of the matrix its columns.
    pub(in crate::data) fn transpose(&mut self) {
        self.layout.shape.reverse();
        self.layout.column_major = !self.layout.column_major;
    }

    /// Checks that nobody wrote to the file since it was mapped.
    pub(in crate::data) fn expect_unchanged(&self) -> Result<(), Fault> {
        if state(&self.file)? == self.state { Ok(()) } else { Err(Fault::Changed) }
    }

    /// The elements as they lie in the file, if they can be used so.
    fn view(&self) -> Option<Matrix<'_>> {
        fn view<'a, A: AnyBitPattern>(map: &'a [u8], layout: &Layout) -> Option<Matrix<'a>>
        where
            ArrayView2<'a, A>: Into<Matrix<'a>>,
        {
            let [rows, columns] = layout.shape[..] else { return None };
            let shape = (rows, columns).set_f(layout.column_major);
            // Bytes that lie unaligned are no elements.
            let elements = bytemuck::try_cast_slice(map).ok()?;
            ArrayView2::from_shape(shape, elements).ok().map(Into::into)
        }
        let (elements, layout) = (&self.map[self.start..], &self.layout);
        match layout.kind {
            Kind::U8 => view::<u8>(elements, layout),
            Kind::F32 if layout.order == ByteOrder::NATIVE => view::<f32>(elements, layout),
            Kind::F64 if layout.order == ByteOrder::NATIVE => view::<f64>(elements, layout),
            _ => None,
        }
    }

    /// After this, reading a row costs the row's own pages, and not the pages around them, which
    /// would take the place of other rows in memory.
    pub(in crate::data) fn expect_any_order(&self) {
        // Advice that the system does not take only costs time.
        #[cfg(unix)]
        let _ = self.map.advise(memmap2::Advice::Random);
    }

    pub(in crate::data) fn matrix(&self) -> Matrix<'_> {
        self.view().expect("the mapped file was a sound matrix when it was opened")
    }
}
