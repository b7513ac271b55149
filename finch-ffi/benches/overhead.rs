//! What the C border costs: the same run from C and from Rust, time and peak memory; and how soon a
//! run from C ends when its callback asks.
//!
//! `cargo bench -p finch-ffi --bench overhead` takes all of MNIST; as a test it takes a
//! few rows of noise.

#[path = "../tests/common/mod.rs"]
mod common;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use common::{C99, compile, large, root, run, scratch};
use finch_core::{Finch, Samples};
use ndarray::ArrayView2;

const PIXELS: usize = 784;
/// Bytes before the pixels of an IDX file of images.
const HEADER: usize = 16;

fn main() {
    let args: Vec<String> = env::args().collect();
    if let [_, role, path, rows] = &args[..]
        && role == "rust"
    {
        return cluster(Path::new(path), rows.parse().unwrap());
    }
    let full = args.iter().any(|arg| arg == "--bench");
    let (rows, runs) = if full { (70_000, 5) } else { (500, 1) };
    let samples = if full { mnist(rows) } else { noise(rows) };
    let program = program(full);
    let myself = env::current_exe().unwrap();

    // Alternating, in one process each.
    let from_rust =
        || Run::of(Command::new(&myself).arg("rust").arg(&samples).arg(rows.to_string()));
    let from_c = || Run::of(&mut c(&program, "cluster", &samples, rows));
    let both: Vec<[Run; 2]> = (0..runs).map(|_| [from_rust(), from_c()]).collect();
    assert!(both.iter().all(|[rust, c]| rust.clusters == c.clusters), "the two disagree");
    let median = |value: &dyn Fn(&[Run; 2]) -> f64| {
        let mut values: Vec<f64> = both.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    println!("{rows} × {PIXELS} uint8, {runs} runs each, medians\n");
    println!("| from | s | peak MB |\n|---|---|---|");
    for (side, name) in ["Rust", "C"].into_iter().enumerate() {
        let (seconds, peak) = (median(&|run| run[side].seconds), median(&|run| run[side].peak));
        println!("| {name} | {seconds:.3} | {peak:.1} |");
    }
    let ratio = median(&|[rust, c]| c.seconds / rust.seconds);
    let more = median(&|[rust, c]| c.peak - rust.peak);
    println!("\nC / Rust, run by run: {ratio:.4}; C takes {more:+.1} MB more");

    let latencies = run(&mut c(&program, "cancel", &samples, rows));
    let latencies: Vec<f64> = latencies.lines().map(|line| line.parse().unwrap()).collect();
    println!("ms from the callback to the end of the call, of runs stopped later and later:");
    println!("{latencies:.1?}");
}

/// The Rust side of the comparison: prints what the C program prints.
fn cluster(path: &Path, rows: usize) {
    let pixels = fs::read(path).unwrap();
    let matrix = ArrayView2::from_shape((rows, PIXELS), &pixels).unwrap();
    let start = Instant::now();
    // The C call checks its matrix, too.
    let hierarchy = Finch::new().fit(&Samples::new(matrix).unwrap()).unwrap();
    let (seconds, clusters) = (start.elapsed().as_secs_f64(), hierarchy.finest().clusters());
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("{seconds:.6} {clusters} {}", peak.trim().trim_end_matches(" kB"));
}

/// Raw pixels of so many images of MNIST, train before test.
fn mnist(rows: usize) -> PathBuf {
    let path = scratch("overhead").join(format!("mnist-{rows}.u8"));
    let mut pixels = Vec::new();
    for name in ["mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"] {
        let file = large(name).expect("the benchmark needs MNIST");
        let output = common::output(Command::new("gzip").arg("-dc").arg(file));
        pixels.extend_from_slice(&output.stdout[HEADER..]);
    }
    fs::write(&path, &pixels[..rows * PIXELS]).unwrap();
    path
}

fn noise(rows: usize) -> PathBuf {
    let path = scratch("overhead").join(format!("noise-{rows}.u8"));
    // The high bits of a multiplicative hash of the position.
    let hash = |at: usize| ((at as u32).wrapping_mul(2_654_435_761) >> 24) as u8;
    fs::write(&path, (0..rows * PIXELS).map(hash).collect::<Vec<u8>>()).unwrap();
    path
}

fn program(full: bool) -> PathBuf {
    let program = scratch("overhead").join(format!("overhead-{full}"));
    let source = root().join("finch-ffi/benches/overhead.c");
    let flags = [&C99[..], &["-D_POSIX_C_SOURCE=200809L"]].concat();
    compile("cc", &flags, &[&source], &program);
    program
}

fn c(program: &Path, mode: &str, samples: &Path, rows: usize) -> Command {
    let mut command = Command::new(program);
    command.arg(mode).arg(samples).args([rows, PIXELS].map(|number| number.to_string()));
    command
}

struct Run {
    seconds: f64,
    clusters: f64,
    /// The most memory the process had at once, in MB.
    peak: f64,
}

impl Run {
    fn of(command: &mut Command) -> Self {
        let text = run(command);
        let words: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let [seconds, clusters, kilobytes] = words[..] else { panic!("{text}") };
        Self { seconds, clusters, peak: kilobytes / 1024.0 }
    }
}
