//! Pointers that cross the border: the one file that dereferences them.

use std::ffi::{CStr, c_char};
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::path::Path;
use std::slice;

use ndarray::{ArrayView2, Axis, ShapeBuilder};

use super::fault::Fault;
#[cfg(not(unix))]
use super::integers::invalid_value;

/// The promise of an entry point's caller, kept for the duration of the call: a pointer that is not
/// NULL and is aligned points to as much valid memory as the header says, which nobody writes to
/// meanwhile, and a handle is one that the library gave out and that was not freed.
///
/// Each pointer is checked as far as it can be, since NULL, a cast from `char *` or a negative
/// number as a size are what real programs get wrong.
pub(crate) struct Caller {
    _private: PhantomData<*const ()>,
}

/// A struct that begins with, or comes with, its own size, so that fields can be added to its end.
///
/// # Safety
/// The struct is `repr(C)`. Its fields are numbers and pointers, valid whatever their bits, with no
/// padding where pointers have 64 bits: a field that is appended later changes the size.
pub(crate) unsafe trait Growing: Copy {
    /// The name of the struct in messages.
    const NAME: &'static str;
    /// The size of the struct in its first version, which ended with the last field of that time.
    /// Fields that were appended later do not count.
    const FIRST_SIZE: usize;
    /// The end of the last field.
    const END: usize;
    /// The advice that makes its size right.
    const ADVICE: &'static str;
}

/// The most bytes that a newer caller's struct may have beyond ours. A larger size is a fault, and
/// the bytes are not looked at.
const MOST_BEYOND: usize = 4096;

/// A buffer of the caller's that has been checked, to be written when nothing can fail any more.
pub(crate) struct Output<'c, T> {
    pointer: *mut T,
    /// The number of elements that will be written: none where the caller passed NULL for an
    /// optional output.
    len: usize,
    _caller: PhantomData<&'c Caller>,
}

impl Caller {
    /// # Safety
    /// The promise of [`Caller`] holds until the value is dropped.
    pub(crate) unsafe fn trusted() -> Self {
        Self { _private: PhantomData }
    }

    /// The `len` elements that an argument points to; NULL will do where `len` is 0.
    pub(crate) fn slice<T: Copy>(
        &self,
        what: &'static str,
        pointer: *const T,
        len: usize,
    ) -> Result<&[T], Fault> {
        if len == 0 {
            return Ok(&[]);
        }
        check(what, pointer, len)?;
        // SAFETY: not NULL, aligned and within the address space; valid by the caller's promise.
        Ok(unsafe { slice::from_raw_parts(pointer, len) })
    }

    /// The `len` elements that an argument points to, to be changed in place, by a call that cannot fail
    /// once it has begun to.
    #[allow(clippy::mut_from_ref)] // the memory is the caller's, and `self` no owner of it
    pub(crate) fn slice_in_place<T: Copy>(
        &self,
        what: &'static str,
        pointer: *mut T,
        len: usize,
    ) -> Result<&mut [T], Fault> {
        if len == 0 {
            return Ok(&mut []);
        }
        check(what, pointer, len)?;
        // SAFETY: not NULL, aligned and within the address space; valid, and overlapped by no other
        // argument, by the caller's promise.
        Ok(unsafe { slice::from_raw_parts_mut(pointer, len) })
    }

    /// The text that an argument points to, in UTF-8 and ended by a zero.
    #[cfg(not(unix))]
    pub(crate) fn text(&self, what: &'static str, pointer: *const c_char) -> Result<&str, Fault> {
        check(what, pointer, 1)?;
        // SAFETY: not NULL; ended by a zero by the caller's promise.
        let text = unsafe { CStr::from_ptr(pointer) };
        text.to_str().map_err(|_| invalid_value(what, text.to_string_lossy(), "it in UTF-8"))
    }

    /// The path of a file that an argument points to, ended by a zero: its bytes are the system's, and on
    /// Windows in UTF-8.
    pub(crate) fn path(&self, what: &'static str, pointer: *const c_char) -> Result<&Path, Fault> {
        check(what, pointer, 1)?;
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            // SAFETY: not NULL; ended by a zero by the caller's promise.
            let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
            Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
        }
        #[cfg(not(unix))]
        self.text(what, pointer).map(Path::new)
    }

    /// The handle or struct that an argument points to.
    pub(crate) fn reference<T>(&self, what: &'static str, pointer: *const T) -> Result<&T, Fault> {
        check(what, pointer, 1)?;
        // SAFETY: not NULL and aligned; valid by the caller's promise.
        Ok(unsafe { &*pointer })
    }

    /// The string that a pointer points to; `None` for NULL.
    pub(crate) fn string(&self, pointer: *const c_char) -> Option<&CStr> {
        // SAFETY: not NULL; a string that ends with a zero by the caller's promise.
        (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
    }

    /// A buffer of `capacity` elements, of which `needed` will be written.
    pub(crate) fn output<T: Copy>(
        &self,
        what: &'static str,
        pointer: *mut T,
        capacity: usize,
        needed: usize,
    ) -> Result<Output<'_, T>, Fault> {
        if capacity < needed {
            return Err(Fault::Capacity { what, capacity, needed });
        }
        if needed > 0 {
            check(what, pointer, needed)?;
        }
        Ok(Output { pointer, len: needed, _caller: PhantomData })
    }

    /// A buffer like [`Caller::output`]'s, or NULL where the caller does not want the output.
    pub(crate) fn optional_output<T: Copy>(
        &self,
        what: &'static str,
        pointer: *mut T,
        capacity: usize,
        needed: usize,
    ) -> Result<Output<'_, T>, Fault> {
        match pointer.is_null() {
            true => Ok(Output { pointer, len: 0, _caller: PhantomData }),
            false => self.output(what, pointer, capacity, needed),
        }
    }

    /// Reads a struct that begins with its own size. Fields that an older caller's struct lacks are
    /// those of `default`; bytes that a newer caller's struct has beyond ours must be zero.
    pub(crate) fn read_sized<T: Growing>(&self, pointer: *const T, default: T) -> Result<T, Fault> {
        check(T::NAME, pointer, 1)?;
        // SAFETY: every struct that is read here begins with its size, a size_t.
        let size = unsafe { pointer.cast::<usize>().read() };
        check_size::<T>(size, MOST_BEYOND, T::ADVICE)?;
        let beyond = size.saturating_sub(size_of::<T>());
        let bytes = pointer.cast::<u8>();
        // SAFETY: the caller's struct has `size` bytes.
        let set = (0..beyond).any(|i| unsafe { bytes.add(size_of::<T>() + i).read() } != 0);
        if set {
            let advice = "it has options set that only a newer version of finch has";
            return Err(Fault::StructSize { what: T::NAME, found: size, advice });
        }
        let mut value = MaybeUninit::new(default);
        let common = size.min(size_of::<T>());
        // SAFETY: both structs have `common` bytes, and any bits are valid by the contract of
        // Growing.
        unsafe {
            bytes.copy_to_nonoverlapping(value.as_mut_ptr().cast(), common);
            Ok(value.assume_init())
        }
    }

    /// Writes a struct whose size the caller gives: only the fields that the caller knows. Bytes
    /// that a newer caller's struct has beyond ours become zero if `zero_beyond`, and are a fault
    /// otherwise.
    pub(crate) fn write_sized<T: Growing>(
        &self,
        pointer: *mut T,
        size: usize,
        zero_beyond: bool,
        value: T,
    ) -> Result<(), Fault> {
        check(T::NAME, pointer, 1)?;
        let most_beyond = if zero_beyond { MOST_BEYOND } else { 0 };
        let advice = "pass sizeof of the struct, and use a library no older than its header";
        check_size::<T>(size, most_beyond, advice)?;
        let common = size.min(size_of::<T>());
        let bytes = pointer.cast::<u8>();
        // SAFETY: the caller's struct has `size` bytes, and the value at least `common`.
        unsafe {
            bytes.copy_from_nonoverlapping((&raw const value).cast(), common);
            bytes.add(common).write_bytes(0, size - common);
        }
        Ok(())
    }

    /// Gives a value to the caller, who frees it with [`Caller::free`].
    pub(crate) fn give<T>(&self, output: Output<'_, *mut T>, value: T) {
        output.write([Box::into_raw(Box::new(value))]);
    }

    /// Takes back what [`Caller::give`] gave.
    pub(crate) fn free<T>(&self, handle: *mut T) {
        if !handle.is_null() {
            // SAFETY: made by `give`, and freed once, by the caller's promise.
            drop(unsafe { Box::from_raw(handle) });
        }
    }

    /// A matrix in the caller's memory: its element (0, 0), its shape, and strides in elements.
    pub(crate) fn matrix<A: Copy>(
        &self,
        what: &'static str,
        pointer: *const A,
        shape: [usize; 2],
        strides: [isize; 2],
    ) -> Result<ArrayView2<'_, A>, Fault> {
        let unreachable = || Fault::Unreachable(what);
        if shape.contains(&0) {
            // A view without elements, of which finch-core says whether rows or columns are
            // missing. The length that is not 0 may be any.
            let empty = ArrayView2::from_shape(shape.map(|len| len.min(1)), &[]);
            return Ok(empty.expect("no elements take no memory"));
        }
        let count = shape[0].checked_mul(shape[1]);
        count.filter(|&count| isize::try_from(count).is_ok()).ok_or_else(unreachable)?;
        // The distance, in elements, of the farthest element before the first and after it.
        let [mut below, mut above] = [0usize; 2];
        let mut steps = [0; 2];
        for (axis, (&len, &stride)) in shape.iter().zip(&strides).enumerate() {
            if len == 1 {
                continue;
            }
            if stride == 0 {
                return Err(Fault::Stride { what, axis: ["row", "column"][axis] });
            }
            steps[axis] = stride.unsigned_abs();
            let reach = (len - 1).checked_mul(steps[axis]).ok_or_else(unreachable)?;
            let side = if stride < 0 { &mut below } else { &mut above };
            *side = side.checked_add(reach).ok_or_else(unreachable)?;
        }
        let span = below.checked_add(above).and_then(|reach| reach.checked_add(1));
        let span = span.ok_or_else(unreachable)?;
        check_alignment(what, pointer)?;
        let lowest = below
            .checked_mul(size_of::<A>())
            .and_then(|bytes| pointer.addr().checked_sub(bytes))
            .filter(|&address| address > 0)
            .ok_or_else(unreachable)?;
        check(what, pointer.with_addr(lowest), span)?;
        let lengths = (shape[0], shape[1]).strides((steps[0], steps[1]));
        // SAFETY: from the lowest address on, `span` elements are within the address space, aligned
        // and valid by the caller's promise; the view reaches no farther, and all its strides and
        // the product of its lengths are at most isize::MAX.
        let mut view = unsafe { ArrayView2::from_shape_ptr(lengths, pointer.sub(below)) };
        // The view has begun at the lowest address; now its rows and columns get their order.
        for (axis, (&len, &stride)) in shape.iter().zip(&strides).enumerate() {
            if len > 1 && stride < 0 {
                view.invert_axis(Axis(axis));
            }
        }
        Ok(view)
    }
}

impl<T: Copy> Output<'_, T> {
    /// Writes as many values as the buffer was checked for.
    pub(crate) fn write(self, values: impl IntoIterator<Item = T>) {
        let mut values = values.into_iter();
        for i in 0..self.len {
            let value = values.next().expect("as many values as the buffer was checked for");
            // SAFETY: `len` elements were checked, and are valid by the caller's promise. Writing
            // through the pointer makes no reference, so an input that lies there is not touched
            // before it was read to the end.
            unsafe { self.pointer.add(i).write(value) };
        }
    }
}

impl Output<'_, u8> {
    /// Writes as many bytes as the buffer was checked for, as `write` hands them over.
    pub(crate) fn write_by(self, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) {
        let mut rest = Rest(self);
        write(&mut rest).expect("no more bytes than the buffer was checked for");
        assert_eq!(rest.0.len, 0, "as many bytes as the buffer was checked for");
    }
}

/// The rest of a buffer that is being filled.
struct Rest<'c>(Output<'c, u8>);

impl io::Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0.len);
        // SAFETY: `len` bytes from the pointer on were checked, and are valid by the caller's promise.
        // The bytes are finch's own, so the two do not overlap.
        unsafe {
            self.0.pointer.copy_from_nonoverlapping(bytes.as_ptr(), count);
            self.0.pointer = self.0.pointer.add(count);
        }
        self.0.len -= count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Checks that a struct of some version may have this size.
fn check_size<T: Growing>(
    size: usize,
    most_beyond: usize,
    advice: &'static str,
) -> Result<(), Fault> {
    const { assert!(T::END == size_of::<T>() || size_of::<usize>() < 8, "padding at the end") }
    let known = (T::FIRST_SIZE..=size_of::<T>() + most_beyond).contains(&size);
    match known && size.is_multiple_of(align_of::<T>()) {
        true => Ok(()),
        false => Err(Fault::StructSize { what: T::NAME, found: size, advice }),
    }
}

/// Checks that a pointer may point to so many elements.
fn check<T>(what: &'static str, pointer: *const T, len: usize) -> Result<(), Fault> {
    check_alignment(what, pointer)?;
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
    let end = bytes.and_then(|bytes| pointer.addr().checked_add(bytes));
    end.map(|_| ()).ok_or(Fault::Unreachable(what))
}

fn check_alignment<T>(what: &'static str, pointer: *const T) -> Result<(), Fault> {
    if pointer.is_null() {
        return Err(Fault::Null(what));
    }
    match pointer.is_aligned() {
        true => Ok(()),
        false => Err(Fault::Misaligned(what, align_of::<T>())),
    }
}

#[cfg(test)]
mod tests;
