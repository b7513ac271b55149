//! Orthonormal axes of the space that a few samples of many features span.

use ndarray::{Array2, ArrayView1, ArrayViewMut1, s};
use rand::RngExt;
use rayon::prelude::*;

use crate::train::random::Random;

/// The least length that a row may have beside all axes so far, as a share of the longest row, to give
/// another axis: of a row of f32 less is rounding.
const BESIDE: f64 = 1e-6;

/// Axes, r × d, of the space that `rows` (N × d) span, or None for rows of zeros.
///
/// Distances between rows along the axes are those along all features. The axes lie in the space at random:
/// along principal axes the first few would hold most of the variance, and a network that never sees some of
/// its inputs (dropout) would then see almost nothing of some samples.
pub(in crate::train) fn axes(rows: Array2<f64>, random: &mut Random) -> Option<Array2<f64>> {
    let axes = orthonormal(rows);
    let count = axes.nrows();
    let mut normal = || {
        // Box and Muller (1958).
        let [radius, angle] = [random.random_range(0.0_f64..1.0), random.random_range(0.0..1.0)];
        (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    };
    let turn = orthonormal(Array2::from_shape_simple_fn((count, count), &mut normal));
    let features = axes.ncols();
    let mut turned = Array2::<f64>::zeros((count, features));
    let values = turned.as_slice_mut().expect("it is contiguous");
    let rows = values.par_chunks_exact_mut(features).enumerate();
    rows.for_each(|(row, values)| {
        let mut values = ArrayViewMut1::from(values);
        for (axis, &weight) in axes.outer_iter().zip(turn.row(row)) {
            values.scaled_add(weight, &axis);
        }
    });
    (count > 0).then_some(turned)
}

/// An orthonormal basis of the space that rows span, by Gram–Schmidt, the longest row that is left first.
/// The sums of each row are one thread's.
fn orthonormal(mut rows: Array2<f64>) -> Array2<f64> {
    let (count, features) = rows.dim();
    let values = rows.as_slice_mut().expect("it is contiguous");
    let (mut done, mut least) = (0, None);
    while done < count.min(features) {
        let left = &mut values[done * features..];
        let length = |row: &[f64]| ArrayView1::from(row).dot(&ArrayView1::from(row)).sqrt();
        let lengths: Vec<f64> = left.par_chunks_exact(features).map(length).collect();
        let first = |best: usize, row: usize| if lengths[row] > lengths[best] { row } else { best };
        let longest = (1..lengths.len()).fold(0, first);
        if lengths[longest] <= *least.get_or_insert(BESIDE * lengths[longest]) {
            break;
        }
        let (axis, after) = left.split_at_mut(features);
        if longest > 0 {
            axis.swap_with_slice(&mut after[(longest - 1) * features..][..features]);
        }
        axis.iter_mut().for_each(|value| *value /= lengths[longest]);
        let axis = ArrayView1::from(&*axis);
        after.par_chunks_exact_mut(features).for_each(|row| {
            let mut row = ArrayViewMut1::from(row);
            let along = row.dot(&axis);
            row.scaled_add(-along, &axis);
        });
        done += 1;
    }
    rows.slice_move(s![..done, ..])
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;
    use crate::train::random::{Purpose, stream};

    #[test]
    fn distances_along_the_axes_are_those_along_all_features() {
        let random = &mut stream(0, Purpose::Weights, 0);
        let mut value = || random.random_range(-1.0..1.0);
        // Most of the variance is along one axis.
        let mut rows = Array2::from_shape_simple_fn((12, 40), &mut value);
        rows.column_mut(3).mapv_inplace(|x| 20.0 * x);
        let sum = &rows.row(2) + &rows.row(7);
        rows.row_mut(9).assign(&sum);
        rows.row_mut(4).fill(0.0);
        let found = axes(rows.clone(), &mut stream(0, Purpose::Axes, 0)).unwrap();
        assert_eq!(found.dim(), (10, 40));
        let products = found.dot(&found.t()) - Array2::<f64>::eye(10);
        assert!(products.iter().all(|product| product.abs() < 1e-12));
        let along = rows.dot(&found.t());
        let difference = along.dot(&along.t()) - rows.dot(&rows.t());
        assert!(difference.iter().all(|difference| difference.abs() < 1e-8));
        // No axis of those found holds most of it.
        let of_axis = along.map_axis(Axis(0), |values| values.dot(&values));
        assert!(of_axis.iter().all(|&one| one < 0.5 * of_axis.sum()), "{of_axis}");

        assert_eq!(axes(Array2::zeros((3, 9)), &mut stream(0, Purpose::Axes, 0)), None);
        let more = Array2::from_shape_simple_fn((9, 2), value);
        assert_eq!(axes(more, &mut stream(0, Purpose::Axes, 0)).unwrap().dim(), (2, 2));
    }

    #[test]
    fn axes_do_not_depend_on_threads() {
        let value = |(i, j): (usize, usize)| ((i * 31 + j * 17 + i * j) % 29) as f64;
        let of = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let rows = Array2::from_shape_fn((20, 90), value);
            pool.install(|| axes(rows, &mut stream(3, Purpose::Axes, 0)).unwrap())
        };
        assert_eq!(of(1), of(3));
    }
}
