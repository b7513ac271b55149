//! Extending a hierarchy by new samples beside clustering all samples anew:
//! `cargo bench -p finch-core --bench extend -- MATRIX` for a file of raw bytes, or without, on made data.

use std::time::Instant;

use finch_core::{Element, Finch, Run, Samples};
use ndarray::{Array2, ArrayView2, s};

/// Seconds of the median of three.
fn median(mut run: impl FnMut() -> f64) -> f64 {
    let mut seconds = [run(), run(), run()];
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[1]
}

fn measure<A: Element>(name: &str, matrix: ArrayView2<'_, A>) {
    let all = Samples::new(matrix).expect("values are finite");
    let finch = Finch::new().recall(1.0);
    let seconds = |work: &mut dyn FnMut()| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    };
    for percent in [1, 10, 50] {
        let first = all.len() - all.len() * percent / 100;
        let before = Samples::new(matrix.slice(s![..first, ..])).expect("values are finite");
        let hierarchy = finch.fit(&before).expect("the first samples are clustered");
        let (mut extended, mut anew) = (None, None);
        let by_extending = median(|| {
            seconds(&mut || extended = finch.extend(&hierarchy, &all, &mut Run::new()).ok())
        });
        let of_all = median(|| seconds(&mut || anew = finch.fit(&all).ok()));
        assert!(extended.is_some() && extended == anew, "{name}: extending differs");
        println!(
            "{name}, {} x {}, {percent} % new: {by_extending:.3} s, anew {of_all:.3} s, ratio {:.3}",
            all.len(),
            all.features(),
            by_extending / of_all
        );
    }
}

fn main() {
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    // In a test of the benchmarks, tiny.
    let samples = if std::env::args().any(|argument| argument == "--bench") { 50_000 } else { 300 };
    match path {
        Some(path) => {
            let bytes = std::fs::read(&path).expect("the file can be read");
            let matrix = ArrayView2::from_shape((bytes.len() / 784, 784), &bytes);
            measure("pixels", matrix.expect("784 bytes a sample"));
        }
        None => {
            let wave = |i: usize, j: usize| ((i * (j % 5 + 1)) as f32 * 0.37 + j as f32).sin();
            for features in [2, 64] {
                measure(
                    "waves",
                    Array2::from_shape_fn((samples, features), |(i, j)| wave(i, j)).view(),
                );
            }
        }
    }
}
