//! Whoever asks for a number of threads gets these, and rayon's global pool is not started beside them.
//! A process of its own, since the pool stays once it is there.

use finch_core::{Describe, Finch, LinkBound, Metric, Run, Samples, SparseSamples, Times};
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
    // Little work, with ties, equal rows and zero rows, is for no thread beside the caller's.
    for (rows, columns) in [(2, 5), (15, 3), (40, 7), (150, 20)] {
        let matrix = Array2::from_shape_fn((rows, columns), |(i, j)| (i * j * 7 % 5) as f32);
        for metric in [Metric::Euclidean, Metric::Cosine] {
            for link_bound in [LinkBound::None, LinkBound::FirstNeighbor] {
                let finch = finch.metric(metric).link_bound(link_bound);
                finch.fit(&Samples::new(matrix.view()).unwrap()).unwrap();
                finch.fit(&Samples::new(matrix.mapv(f64::from).view()).unwrap()).unwrap();
            }
        }
    }
    let one = &mut Run::new().threads(1);
    // What stands for clusters, more times than rayon sorts on one thread, and sparse rows of which each has
    // a length.
    let matrix = Array2::from_shape_fn((3_000, 2), |(i, j)| ((i * 7 + j * 3) % 101) as f64);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = finch.fit_with(&samples, one).unwrap();
    Describe::new(2).run(&samples, hierarchy.finest(), hierarchy.metric(), one).unwrap();
    let stamps: Vec<f64> = (0..3_000).map(|i| f64::from(i * 7 % 3_000)).collect();
    finch.fit_timed(&samples, Times::new(&stamps).contiguous(true), one).unwrap();
    let (starts, columns) = ([0_i32, 1, 2, 4], [0_i32, 1, 0, 1]);
    let sparse =
        SparseSamples::new(2, &starts[..], &columns[..], &[1.0_f64, 1.0, 2.0, 3.0][..]).unwrap();
    finch.metric(Metric::Cosine).fit_given(&sparse, &[1, 2, 1], one).unwrap();
    assert!(rayon::ThreadPoolBuilder::new().num_threads(1).build_global().is_ok());
}
