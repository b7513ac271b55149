//! Which exact search is fastest for how many samples and features, and what `Search::Auto` takes.
//!
//! `cargo bench -p finch-core --bench search` prints medians in milliseconds over alternating
//! rounds, for uniform noise (the worst case of a tree, and of principal axes) and for samples near a
//! plane (nearer to real data). Without `--bench`, as under `cargo test`, one tiny round.
//!
//! A loop of its own: criterion and divan run one function to its end before the next begins, so that
//! a machine that slows down meanwhile changes the ratio of two; here rounds alternate.

use std::time::{Duration, Instant};

use finch_core::{Finch, Run, Samples, Search};
use ndarray::Array2;

const SEARCHES: [Search; 4] = [Search::Brute, Search::KdTree, Search::Blocked, Search::Auto];

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (sizes, features, rounds): (&[usize], &[usize], usize) = if full {
        let features = &[2, 3, 4, 6, 8, 10, 12, 14, 16, 32, 64, 128, 256, 784];
        (&[50, 100, 200, 1_000, 4_000, 10_000, 50_000], features, 5)
    } else {
        (&[50], &[2, 64], 1)
    };
    println!(
        "| data | samples | features | brute ms | kd-tree ms | blocked ms | auto ms | auto takes | \
         kd-tree / blocked | auto / blocked |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|---|--:|--:|");
    for (name, planar) in [("uniform", false), ("near a plane", true)] {
        for &samples in sizes {
            for &features in features {
                let matrix = data(samples, features, planar);
                let (times, taken) = medians(&matrix, rounds);
                let cell =
                    |time: Option<f64>| time.map_or("–".into(), |time| format!("{time:.2}"));
                let [brute, tree, blocked, auto] =
                    times.map(|time| time.map(|time| time.as_secs_f64() * 1e3));
                let ratio = |time: Option<f64>| cell(time.zip(blocked).map(|(a, b)| a / b));
                println!(
                    "| {name} | {samples} | {features} | {} | {} | {} | {} | {taken} | {} | {} |",
                    cell(brute),
                    cell(tree),
                    cell(blocked),
                    cell(auto),
                    ratio(tree),
                    ratio(auto),
                );
            }
        }
    }
}

/// The median time of each search, and which one `Auto` takes; none where brute force, or a tree
/// that visits all rows, would take minutes.
fn medians(matrix: &Array2<f32>, rounds: usize) -> ([Option<Duration>; 4], &'static str) {
    let samples = Samples::new(matrix.view()).expect("the data is finite");
    let mut times = [const { Vec::new() }; 4];
    let mut taken = "";
    for _ in 0..rounds {
        for (search, times) in SEARCHES.into_iter().zip(&mut times) {
            let values = matrix.len() * matrix.nrows();
            if matches!(search, Search::Brute | Search::KdTree) && values > 2_000_000_000 {
                continue;
            }
            let start = Instant::now();
            let found = Finch::new().search(search).first_neighbors(&samples, &mut Run::new());
            times.push(start.elapsed());
            let found = found.expect("the data can be searched");
            assert_eq!(found.index().len(), matrix.nrows());
            taken = found.search().map_or("", Search::name);
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times.get(times.len() / 2).copied()
    };
    (times.map(median), taken)
}

/// Uniform in the unit cube; or on a plane in it, but for a hundredth of noise.
fn data(samples: usize, features: usize, planar: bool) -> Array2<f32> {
    let uniform = |number: usize| {
        let bits = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ (bits >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 40) as f32 / (1u64 << 24) as f32
    };
    Array2::from_shape_fn((samples, features), |(sample, feature)| {
        let noise = uniform(sample * 1024 + feature);
        if planar {
            let [u, v] = [1, 2].map(|axis| uniform(sample * 1024 + 1000 + axis));
            let angle = feature as f32;
            u * angle.cos() + v * angle.sin() + noise / 100.0
        } else {
            noise
        }
    })
}
