//! Which exact search is fastest for how many samples and features: what `Search::Auto` goes by.
//!
//! `cargo bench -p finch-core --bench search` prints medians in milliseconds over alternating
//! rounds, for uniform noise (the worst case of a tree) and for samples near a plane (nearer to
//! real data). Without `--bench`, as under `cargo test`, one tiny round.

use std::time::{Duration, Instant};

use finch_core::{Finch, Samples, Search};
use ndarray::Array2;

const SEARCHES: [Search; 3] = [Search::Brute, Search::KdTree, Search::Blocked];

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (sizes, features, rounds): (&[usize], &[usize], usize) = if full {
        (&[50, 100, 200, 1_000, 10_000, 50_000], &[2, 3, 4, 6, 8, 10, 12, 14, 16], 5)
    } else {
        (&[50], &[2, 16], 1)
    };
    println!(
        "| data | samples | features | brute ms | kd-tree ms | blocked ms | kd-tree / blocked |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (name, planar) in [("uniform", false), ("near a plane", true)] {
        for &samples in sizes {
            for &features in features {
                let matrix = data(samples, features, planar);
                let times = medians(&matrix, rounds);
                let [brute, tree, blocked] = times.map(|time| time.map(|t| t.as_secs_f64() * 1e3));
                let cell =
                    |time: Option<f64>| time.map_or("–".into(), |time| format!("{time:.2}"));
                println!(
                    "| {name} | {samples} | {features} | {} | {} | {} | {} |",
                    cell(brute),
                    cell(tree),
                    cell(blocked),
                    cell(tree.zip(blocked).map(|(tree, blocked)| tree / blocked)),
                );
            }
        }
    }
}

/// The median time of each search; none for brute force where it would take minutes.
fn medians(matrix: &Array2<f32>, rounds: usize) -> [Option<Duration>; 3] {
    let samples = Samples::new(matrix.view()).expect("the data is finite");
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        for (search, times) in SEARCHES.into_iter().zip(&mut times) {
            if search == Search::Brute && matrix.nrows() > 10_000 {
                continue;
            }
            let start = Instant::now();
            let found = Finch::new().search(search).first_neighbors(&samples);
            times.push(start.elapsed());
            assert!(found.is_ok_and(|found| found.index().len() == matrix.nrows()));
        }
    }
    times.map(|mut times| {
        times.sort();
        times.get(times.len() / 2).copied()
    })
}

/// Uniform in the unit cube; or on a plane in it, but for a hundredth of noise.
fn data(samples: usize, features: usize, planar: bool) -> Array2<f32> {
    let uniform = |number: usize| {
        let bits = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ (bits >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 40) as f32 / (1u64 << 24) as f32
    };
    Array2::from_shape_fn((samples, features), |(sample, feature)| {
        let noise = uniform(sample * 64 + feature);
        if planar {
            let [u, v] = [1, 2].map(|axis| uniform(sample * 64 + 60 + axis));
            let angle = feature as f32;
            u * angle.cos() + v * angle.sin() + noise / 100.0
        } else {
            noise
        }
    })
}
