//! Pointers that cross the border: the one file that dereferences them.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

use ndarray::{ArrayView2, Axis, ShapeBuilder};

use crate::status::Fault;

/// The promise of an entry point's caller, kept for the duration of the call: a pointer that is not
/// NULL and is aligned points to as much valid memory as the header says, which nobody writes to
/// meanwhile, and a handle is one that the library gave out and that was not freed.
///
/// What can be checked of a pointer is checked all the same, since NULL, a cast from `char *` or a
/// negative number as a size are what real programs get wrong.
pub(crate) struct Caller {
    _private: PhantomData<*const ()>,
}

/// A struct that begins with, or comes with, its own size, so that fields can be added to its end.
///
/// # Safety
/// All fields are plain numbers and pointers, valid whatever their bits, without padding.
pub(crate) unsafe trait Growing: Copy {
    /// Its name in messages.
    const NAME: &'static str;
    /// The size that it had in the first version.
    const FIRST_SIZE: usize;
}

/// A buffer of the caller's that has been checked, to be written when all is done.
pub(crate) struct Output<'c, T> {
    /// None where the caller does not want it.
    pointer: Option<*mut T>,
    len: usize,
    _caller: PhantomData<&'c Caller>,
}

impl Caller {
    /// # Safety
    /// The promise above holds, until this is dropped.
    pub(crate) unsafe fn trusted() -> Self {
        Self { _private: PhantomData }
    }

    /// The elements that an argument points to; NULL is none of none.
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

    /// The handle or struct that an argument points to.
    pub(crate) fn reference<T>(&self, what: &'static str, pointer: *const T) -> Result<&T, Fault> {
        check(what, pointer, 1)?;
        // SAFETY: not NULL and aligned; valid by the caller's promise.
        Ok(unsafe { &*pointer })
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
        Ok(Output { pointer: Some(pointer), len: needed, _caller: PhantomData })
    }

    /// A buffer like [`Caller::output`]'s, or NULL where the caller does not want what would be in it.
    pub(crate) fn optional_output<T: Copy>(
        &self,
        what: &'static str,
        pointer: *mut T,
        capacity: usize,
        needed: usize,
    ) -> Result<Output<'_, T>, Fault> {
        match pointer.is_null() {
            true => Ok(Output { pointer: None, len: needed, _caller: PhantomData }),
            false => self.output(what, pointer, capacity, needed),
        }
    }

    /// Reads a struct that begins with its size, over `default`: what an older caller's lacks keeps
    /// its default, and what a newer caller's has beyond must be zero.
    pub(crate) fn read_sized<T: Growing>(&self, pointer: *const T, default: T) -> Result<T, Fault> {
        check(T::NAME, pointer, 1)?;
        // SAFETY: every such struct begins with its size, a size_t.
        let size = unsafe { pointer.cast::<usize>().read() };
        if size < T::FIRST_SIZE {
            let advice = "fill it with its initialiser first";
            return Err(Fault::StructSize { what: T::NAME, found: size, advice });
        }
        let beyond = size.saturating_sub(size_of::<T>());
        // A size that nobody's struct will ever have is a fault, not something to walk through.
        if beyond > 4096 {
            let advice = "fill it with its initialiser first";
            return Err(Fault::StructSize { what: T::NAME, found: size, advice });
        }
        // SAFETY: the struct is as long as it says.
        let beyond = unsafe { slice::from_raw_parts(pointer.add(1).cast::<u8>(), beyond) };
        if beyond.iter().any(|&byte| byte != 0) {
            let advice = "it has options set that a newer version has";
            return Err(Fault::StructSize { what: T::NAME, found: size, advice });
        }
        let mut value = MaybeUninit::new(default);
        let common = size.min(size_of::<T>());
        // SAFETY: both are at least so long, and any bits are valid by the contract of Growing.
        unsafe {
            pointer.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr().cast(), common);
            Ok(value.assume_init())
        }
    }

    /// Writes a struct whose size the caller gives: no more of it than the caller knows. What a
    /// newer caller's has beyond is zeroed if `zero_beyond`, and refused otherwise.
    pub(crate) fn write_sized<T: Growing>(
        &self,
        pointer: *mut T,
        size: usize,
        zero_beyond: bool,
        value: T,
    ) -> Result<(), Fault> {
        check(T::NAME, pointer, 1)?;
        let too_large = size > size_of::<T>() + if zero_beyond { 4096 } else { 0 };
        if size < T::FIRST_SIZE || too_large {
            let advice = "pass sizeof of the struct, and use a library no older than its header";
            return Err(Fault::StructSize { what: T::NAME, found: size, advice });
        }
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
        pointer: *const A,
        shape: [usize; 2],
        strides: [isize; 2],
    ) -> Result<ArrayView2<'_, A>, Fault> {
        const WHAT: &str = "the matrix";
        let unreachable = || Fault::Unreachable(WHAT);
        if shape.contains(&0) {
            // Without elements; the core says what is missing.
            return Ok(ArrayView2::from_shape(shape, &[]).expect("no elements take no memory"));
        }
        let count = shape[0].checked_mul(shape[1]);
        count.filter(|&count| isize::try_from(count).is_ok()).ok_or_else(unreachable)?;
        // How far, in elements, the last row is from the first, and the last column.
        let mut strides_by_size = [0; 2];
        let [mut below, mut above] = [0usize; 2];
        for axis in 0..2 {
            let name = ["row", "column"][axis];
            let steps = shape[axis] - 1;
            if steps == 0 {
                continue;
            }
            if strides[axis] == 0 {
                return Err(Fault::Stride(name));
            }
            strides_by_size[axis] = strides[axis].unsigned_abs();
            let reach = steps.checked_mul(strides_by_size[axis]).ok_or_else(unreachable)?;
            let side = if strides[axis] < 0 { &mut below } else { &mut above };
            *side = side.checked_add(reach).ok_or_else(unreachable)?;
        }
        let span = below.checked_add(above).and_then(|reach| reach.checked_add(1));
        let span = span.ok_or_else(unreachable)?;
        check_alignment(WHAT, pointer)?;
        let lowest = below
            .checked_mul(size_of::<A>())
            .and_then(|bytes| pointer.addr().checked_sub(bytes))
            .filter(|&address| address > 0)
            .ok_or_else(unreachable)?;
        check(WHAT, pointer.with_addr(lowest), span)?;
        let shape = (shape[0], shape[1]).strides((strides_by_size[0], strides_by_size[1]));
        // SAFETY: from the lowest address on, `span` elements are within the address space, aligned
        // and valid by the caller's promise; the view reaches no farther, and all its strides and
        // the product of its lengths are at most isize::MAX.
        let mut view = unsafe { ArrayView2::from_shape_ptr(shape, pointer.sub(below)) };
        for axis in 0..2 {
            if strides[axis] < 0 && view.len_of(Axis(axis)) > 1 {
                view.invert_axis(Axis(axis));
            }
        }
        Ok(view)
    }
}

impl<T: Copy> Output<'_, T> {
    /// Writes as many values as the buffer was checked for.
    pub(crate) fn write(self, values: impl IntoIterator<Item = T>) {
        let Some(pointer) = self.pointer else { return };
        let mut values = values.into_iter();
        for i in 0..self.len {
            let value = values.next().expect("as many values as the buffer was checked for");
            // SAFETY: `len` elements were checked, and are valid by the caller's promise. Writing
            // through the pointer makes no reference, so an input that lies there is not touched
            // before it was read to the end.
            unsafe { pointer.add(i).write(value) };
        }
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
