//! Tests of pointers from C, also under Miri: `cargo +nightly miri test -p finch-ffi --lib`.

use std::ptr;

use finch_core::Error;

use super::*;
use crate::border::status::finch_status;
use crate::border::status::finch_status::*;

fn caller() -> Caller {
    // SAFETY: the tests pass pointers to their own memory.
    unsafe { Caller::trusted() }
}

fn status<T>(result: Result<T, Fault>) -> finch_status {
    result.err().map_or(FINCH_OK, |fault| fault.status())
}

#[test]
fn matrices_of_any_strides_are_views() {
    let caller = caller();
    let memory: Vec<f32> = (0..60).map(|i| i as f32).collect();
    let shapes = [[1, 1], [1, 5], [5, 1], [2, 3], [3, 4]];
    let strides = [[1, 5], [5, 1], [6, 2], [-6, 2], [6, -2], [-6, -2], [1, 1]];
    for shape in shapes {
        for [row_stride, column_stride] in strides {
            let reach = |stride: isize, len: usize| stride.unsigned_abs() * (len - 1);
            let below = |stride, len| if stride < 0 { reach(stride, len) } else { 0 };
            let start = below(row_stride, shape[0]) + below(column_stride, shape[1]);
            // A box that holds the view and not one element more, so that Miri sees a read beyond
            // it.
            let span = reach(row_stride, shape[0]) + reach(column_stride, shape[1]) + 1;
            let held: Box<[f32]> = memory[..span].into();
            let pointer = &raw const held[start];
            // The pointer may reach all of the box.
            let pointer = held.as_ptr().with_addr(pointer.addr());
            let view = caller.matrix("x", pointer, shape, [row_stride, column_stride]).unwrap();
            assert_eq!(view.dim(), (shape[0], shape[1]));
            for ((row, column), &value) in view.indexed_iter() {
                let offset =
                    start as isize + row as isize * row_stride + column as isize * column_stride;
                assert_eq!(value, offset as f32, "{shape:?} {row_stride} {column_stride}");
            }
        }
    }
}

#[test]
fn strides_of_single_rows_and_columns_do_not_matter() {
    let value = 7.0;
    for stride in [0, 1, -1, isize::MIN, isize::MAX] {
        let caller = caller();
        let view = caller.matrix("x", &value, [1, 1], [stride, stride]).unwrap();
        assert_eq!(view[(0, 0)], 7.0);
    }
}

#[test]
fn impossible_matrices_are_refused() {
    let memory = [0.0f64; 4];
    let matrix = |pointer: *const f64, shape, strides| {
        status(caller().matrix("x", pointer, shape, strides).map(drop))
    };
    let data = memory.as_ptr();
    assert_eq!(matrix(data, [2, 2], [2, 1]), FINCH_OK);
    assert_eq!(matrix(ptr::null(), [2, 2], [2, 1]), FINCH_NULL_POINTER);
    // Nothing is read, and finch-core says what is missing.
    assert_eq!(matrix(ptr::null(), [0, 2], [0, 0]), FINCH_OK);
    assert_eq!(matrix(ptr::null(), [0, usize::MAX], [0, 0]), FINCH_OK);
    assert_eq!(matrix(ptr::null(), [usize::MAX, 0], [0, 0]), FINCH_OK);
    let odd = data.wrapping_byte_add(1);
    assert_eq!(matrix(odd, [1, 2], [2, 1]), FINCH_MISALIGNED);
    assert_eq!(matrix(data, [2, 2], [0, 1]), FINCH_INVALID_STRIDE);
    assert_eq!(matrix(data, [2, 2], [2, 0]), FINCH_INVALID_STRIDE);
    let huge = isize::MAX as usize;
    for shape in [[usize::MAX, 2], [2, usize::MAX], [huge, 1], [huge / 2, 3], [1 << 61, 1]] {
        assert_eq!(matrix(data, shape, [1, 1]), FINCH_INVALID_SIZE, "{shape:?}");
    }
    for stride in [isize::MAX, isize::MIN, isize::MAX / 8, isize::MIN / 8] {
        assert_eq!(matrix(data, [2, 2], [stride, 1]), FINCH_INVALID_SIZE, "{stride}");
        assert_eq!(matrix(data, [2, 2], [1, stride]), FINCH_INVALID_SIZE, "{stride}");
    }
    // Backwards past the beginning of memory, and forwards past its end.
    let low = ptr::without_provenance::<f64>(64);
    assert_eq!(matrix(low, [9, 1], [-1, 1]), FINCH_INVALID_SIZE);
    let high = ptr::without_provenance::<f64>(usize::MAX - 15);
    assert_eq!(matrix(high, [2, 1], [1, 1]), FINCH_INVALID_SIZE);
}

#[test]
fn slices_and_outputs_are_checked() {
    let caller = caller();
    let mut memory = [1i32, 2, 3];
    let pointer = memory.as_mut_ptr();
    assert_eq!(caller.slice("x", pointer.cast_const(), 3).unwrap(), [1, 2, 3]);
    assert_eq!(caller.slice("x", ptr::null::<i32>(), 0).unwrap(), [0; 0]);
    let bad = |pointer: *const i32, len| status(caller.slice("x", pointer, len));
    assert_eq!(bad(ptr::null(), 1), FINCH_NULL_POINTER);
    assert_eq!(bad(pointer.wrapping_byte_add(2), 1), FINCH_MISALIGNED);
    assert_eq!(bad(pointer, usize::MAX), FINCH_INVALID_SIZE);
    assert_eq!(bad(pointer, usize::MAX / 4), FINCH_INVALID_SIZE);

    caller.output("x", pointer, 3, 2).unwrap().write([7, 8]);
    assert_eq!(memory, [7, 8, 3]);
    let pointer = memory.as_mut_ptr();
    let bad =
        |pointer, capacity, needed| status(caller.output::<i32>("x", pointer, capacity, needed));
    assert_eq!(bad(pointer, 1, 2), FINCH_BUFFER_TOO_SMALL);
    assert_eq!(bad(ptr::null_mut(), 2, 2), FINCH_NULL_POINTER);
    assert_eq!(bad(ptr::null_mut(), 2, 0), FINCH_OK);
    assert_eq!(bad(pointer.wrapping_byte_add(1), 2, 2), FINCH_MISALIGNED);
    caller.optional_output("x", ptr::null_mut::<i32>(), 0, 2).unwrap().write([7, 8]);
}

/// An output may be the memory of an input, once that has been read.
#[test]
fn outputs_may_replace_inputs() {
    let caller = caller();
    let mut memory = [1.0, 2.0];
    let pointer = memory.as_mut_ptr();
    let output = caller.output("x", pointer, 2, 2).unwrap();
    let input = caller.slice("x", pointer.cast_const(), 2).unwrap();
    let doubled: Vec<f64> = input.iter().map(|x| 2.0 * x).collect();
    output.write(doubled);
    assert_eq!(memory, [2.0, 4.0]);
}

#[test]
fn handles_are_freed_once() {
    let caller = caller();
    let mut handle: *mut Vec<u8> = ptr::null_mut();
    let output = caller.output("x", &raw mut handle, 1, 1).unwrap();
    caller.give(output, vec![1, 2, 3]);
    assert_eq!(caller.reference("x", handle.cast_const()).unwrap(), &[1, 2, 3]);
    caller.free(handle);
    caller.free::<Vec<u8>>(ptr::null_mut());
}

/// A struct as it is now, and as a later version may have it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Small {
    size: usize,
    value: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Large {
    size: usize,
    value: u64,
    more: [u64; 2],
}

// SAFETY: whole numbers of one size.
unsafe impl Growing for Small {
    const NAME: &'static str = "x";
    const FIRST_SIZE: usize = size_of::<Self>();
    const END: usize = size_of::<Self>();
    const ADVICE: &'static str = "begin with its size";
}
// SAFETY: whole numbers of one size.
unsafe impl Growing for Large {
    const NAME: &'static str = "x";
    const FIRST_SIZE: usize = size_of::<Small>();
    const END: usize = size_of::<Self>();
    const ADVICE: &'static str = "begin with its size";
}

#[test]
fn structs_may_grow() {
    let caller = caller();
    let (small_size, large_size) = (size_of::<Small>(), size_of::<Large>());
    // An older caller, a newer library.
    let small = Small { size: small_size, value: 7 };
    let default = Large { size: large_size, value: 1, more: [2, 3] };
    let read = caller.read_sized((&raw const small).cast::<Large>(), default).unwrap();
    assert_eq!(read, Large { size: small_size, value: 7, more: [2, 3] });
    let mut small = small;
    caller.write_sized((&raw mut small).cast::<Large>(), small_size, true, default).unwrap();
    assert_eq!(small, Small { size: large_size, value: 1 });

    // A newer caller, an older library.
    let mut large = Large { size: large_size, value: 7, more: [0, 0] };
    let default = Small { size: small_size, value: 1 };
    let read = |large: &Large| caller.read_sized((large as *const Large).cast(), default);
    assert_eq!(read(&large).unwrap(), Small { size: large_size, value: 7 });
    large.more[1] = 1;
    assert_eq!(status(read(&large)), FINCH_INVALID_SIZE);
    for size in [0, small_size - 1, usize::MAX] {
        large.size = size;
        assert_eq!(status(read(&large)), FINCH_INVALID_SIZE);
    }
    let mut write = |size, zero_beyond| {
        let large = (&raw mut large).cast::<Small>();
        status(caller.write_sized(large, size, zero_beyond, default))
    };
    assert_eq!(write(large_size, false), FINCH_INVALID_SIZE);
    assert_eq!(write(large_size, true), FINCH_OK);
    for size in [0, small_size - 1, usize::MAX] {
        assert_eq!(write(size, true), FINCH_INVALID_SIZE);
    }
    assert_eq!(large, Large { size: small_size, value: 1, more: [0, 0] });
}

#[test]
fn faults_say_which_argument() {
    let fault = caller().slice("keys", ptr::null::<f64>(), 1).unwrap_err();
    assert_eq!(fault.to_string(), "keys is NULL");
    let fault = Fault::Core(Error::NoSamples);
    assert_eq!(fault.to_string(), Error::NoSamples.to_string());
}
