//! Whoever asks for a number of threads gets these, and rayon's global pool is not started beside them.
//! A process of its own, since the pool stays once it is there.

use finch_core::{Finch, Run, Samples};
use ndarray::{Array2, array};

#[test]
fn the_global_pool_is_not_started_by_a_run_that_has_threads_of_its_own() {
    let finch = Finch::new();
    let many = Array2::from_shape_fn((300, 3), |(i, j)| ((i * 7 + j * 3) % 101) as f64);
    // A single sample, all in one cluster at once, and many samples.
    for matrix in [array![[1.0, 2.0, 3.0]], array![[0.0], [1.0], [2.0]], many] {
        let samples = Samples::new(matrix.view()).unwrap();
        finch.fit_with(&samples, &mut Run::new().threads(1)).unwrap();
        finch.first_neighbors(&samples, &mut Run::new().threads(1)).unwrap();
    }
    assert!(rayon::ThreadPoolBuilder::new().num_threads(1).build_global().is_ok());
}
