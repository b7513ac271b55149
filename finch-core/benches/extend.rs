//! Extending a hierarchy by new samples beside clustering all samples anew, by turns:
//! `cargo bench -p finch-core --bench extend -- MATRIX [COLUMNS [f32]]` for a file of raw values, row by
//! row (u8, by default 784 columns), or without, on made data. The results:
//! [`neighbors.md`](../../benches/neighbors.md#extending-beside-clustering-anew).

use std::fs;
use std::time::Instant;

use finch_core::{Element, Finch, Run, Samples};
use ndarray::{Array2, ArrayView2, s};

/// Seconds on the clock, and seconds of all threads (0 where the system does not tell).
#[derive(Clone, Copy, Default)]
struct Seconds {
    clock: f64,
    threads: f64,
}

/// The time that all threads of this program have taken: two fields of Linux, in hundredths.
fn of_threads() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Seconds) {
    let (began, before) = (Instant::now(), of_threads());
    let made = work();
    (made, Seconds { clock: began.elapsed().as_secs_f64(), threads: of_threads() - before })
}

/// The medians of each kind of seconds.
fn medians(runs: &[Seconds]) -> Seconds {
    let median = |of: &dyn Fn(&Seconds) -> f64| {
        let mut sorted: Vec<f64> = runs.iter().map(of).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    Seconds { clock: median(&|one| one.clock), threads: median(&|one| one.threads) }
}

fn measure<A: Element>(name: &str, matrix: ArrayView2<'_, A>) {
    let all = Samples::new(matrix).expect("values are finite");
    let finch = Finch::new().recall(1.0);
    for percent in [1, 10, 50] {
        let first = all.len() - all.len() * percent / 100;
        let before = Samples::new(matrix.slice(s![..first, ..])).expect("values are finite");
        let hierarchy = finch.fit(&before).expect("the first samples are clustered");
        let (mut by_extending, mut of_all) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let (extended, seconds) = timed(|| finch.extend(&hierarchy, &all, &mut Run::new()));
            by_extending.push(seconds);
            let (anew, seconds) = timed(|| finch.fit(&all));
            of_all.push(seconds);
            assert!(extended.is_ok() && extended == anew, "{name}: extending differs");
        }
        let [by_extending, of_all] = [by_extending, of_all].map(|runs| medians(&runs));
        println!(
            "{name}, {} x {}, {percent} % new: {:.2} s ({:.2} s of all threads), anew {:.2} s ({:.2} s), \
             ratio {:.3} ({:.3})",
            all.len(),
            all.features(),
            by_extending.clock,
            by_extending.threads,
            of_all.clock,
            of_all.threads,
            by_extending.clock / of_all.clock,
            by_extending.threads / of_all.threads
        );
    }
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    // In a test of the benchmarks, tiny.
    let samples = if std::env::args().any(|argument| argument == "--bench") { 50_000 } else { 300 };
    let Some(path) = arguments.first() else {
        let wave = |i: usize, j: usize| ((i * (j % 5 + 1)) as f32 * 0.37 + j as f32).sin();
        for features in [2, 64] {
            let waves = Array2::from_shape_fn((samples, features), |(i, j)| wave(i, j));
            measure("waves", waves.view());
        }
        return;
    };
    let bytes = fs::read(path).expect("the file can be read");
    let columns = arguments.get(1).map_or(784, |columns| columns.parse().expect("a number"));
    if arguments.get(2).is_some_and(|element| element == "f32") {
        let (values, _) = bytes.as_chunks();
        let values: Vec<f32> = values.iter().map(|&value| f32::from_le_bytes(value)).collect();
        let matrix = ArrayView2::from_shape((values.len() / columns, columns), &values);
        measure(path, matrix.expect("rows are whole"));
    } else {
        let matrix = ArrayView2::from_shape((bytes.len() / columns, columns), &bytes);
        measure(path, matrix.expect("rows are whole"));
    }
}
