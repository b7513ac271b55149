//! The squared distance of two short rows in f32.

use crate::vector::stored;

/// Σ(xᵢ−yᵢ)² in f32, always summed in the same order: the result is the same on every machine.
#[inline(always)]
pub(crate) fn squared_distance(x: &[f32], y: &[f32]) -> f32 {
    const LANES: usize = 16;
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut lanes = [0.0_f32; LANES];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            lanes[lane] += (x[lane] - y[lane]) * (x[lane] - y[lane]);
        }
    }
    let lanes = stored(lanes);
    let quarter = |lane| (lanes[lane] + lanes[lane + 4]) + (lanes[lane + 8] + lanes[lane + 12]);
    let mut sum = (quarter(0) + quarter(1)) + (quarter(2) + quarter(3));
    for (x, y) in x_rest.iter().zip(y_rest) {
        sum += (x - y) * (x - y);
    }
    sum
}
