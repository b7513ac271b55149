//! How long exactly K clusters take by each linkage, from the first partition down to 10 clusters.
//!
//! `cargo bench -p finch-core --bench merging` prints medians in seconds over alternating rounds, for
//! uniform samples in 2 columns, of which the first partition makes about 25,000, 50,000 and 100,000
//! clusters. Without `--bench`, as under `cargo test`, one tiny round.

use std::time::Instant;

use finch_core::{Finch, Linkage, Refine, Run, Samples};
use ndarray::Array2;

const LINKAGES: [Linkage; 3] = [Linkage::Neighbor, Linkage::Centroid, Linkage::Ward];
const LEFT: usize = 10;

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (sizes, rounds): (&[usize], usize) =
        if full { (&[82_000, 164_000, 328_000], 3) } else { (&[200], 1) };
    println!("| samples | clusters | neighbor s | centroid s | ward s |");
    println!("|--:|--:|--:|--:|--:|");
    for &samples in sizes {
        let matrix = uniform(samples);
        let samples = Samples::new(matrix.view()).expect("the data is finite");
        let finch = Finch::new().refinable(Linkage::Neighbor);
        let hierarchy = finch.fit(&samples).expect("the data can be clustered");
        let mut seconds = [const { Vec::new() }; LINKAGES.len()];
        for _ in 0..rounds {
            for (linkage, seconds) in LINKAGES.into_iter().zip(&mut seconds) {
                let refine = Refine::new(LEFT).linkage(linkage).from(0);
                let start = Instant::now();
                let merged = refine.dendrogram(&samples, &hierarchy, &mut Run::new());
                seconds.push(start.elapsed().as_secs_f64());
                merged.expect("the first partition has more than 10 clusters");
            }
        }
        let [neighbor, centroid, ward] = seconds.map(|mut seconds| {
            seconds.sort_by(f64::total_cmp);
            seconds[rounds / 2]
        });
        println!(
            "| {} | {} | {neighbor:.2} | {centroid:.2} | {ward:.2} |",
            matrix.nrows(),
            hierarchy.finest().clusters(),
        );
    }
}

/// Samples in 2 columns, uniform from 0 to 1, the same on every machine (SplitMix64).
fn uniform(samples: usize) -> Array2<f64> {
    let mut state = 0_u64;
    Array2::from_shape_simple_fn((samples, 2), || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / 2_f64.powi(53)
    })
}
