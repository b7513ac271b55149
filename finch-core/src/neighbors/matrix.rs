//! The products of all rows of two small sets, written out.
//!
//! By the gemm crate, with the widest vectors of the processor it runs on (AVX-512, AVX2, NEON).
//! The kernel of `product.rs`, which tells what is near without writing it, takes about a tenth
//! longer for an approximate search on AVX2: of sets as small as cells it has more to arrange, and
//! most rows have several others near them, so that there is little to pass by.

#![allow(unsafe_code)]

use gemm::{Parallelism, gemm};

/// Rows in f32, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix<'a> {
    values: &'a [f32],
    columns: usize,
}

impl<'a> Matrix<'a> {
    /// Rows of at least one column.
    pub(super) fn new(values: &'a [f32], columns: usize) -> Self {
        assert!(columns > 0 && values.len().is_multiple_of(columns), "rows are whole");
        Self { values, columns }
    }

    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.columns
    }
}

/// Writes −2·x·y for each row x of `left` and y of `right`, a row for each x.
pub(super) fn minus_two_products(left: Matrix<'_>, right: Matrix<'_>, out: &mut [f32]) {
    let (m, n, k) = (left.rows(), right.rows(), left.columns);
    assert_eq!(k, right.columns, "rows of both sides have one length");
    assert_eq!(out.len(), m * n, "there is a place for each pair");
    // SAFETY: the three slices hold m × k, n × k and m × n values, row by row, as the assertions
    // and `Matrix::new` make sure; `out` is borrowed alone; and it is not read, only written.
    unsafe {
        gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            false,
            left.values.as_ptr(),
            1,
            k as isize,
            right.values.as_ptr(),
            k as isize,
            1,
            0.0,
            -2.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
