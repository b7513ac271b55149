//! How fast a table of 20 columns of numbers is read, as text from a file and from a pipe, and as Parquet.
//!
//! `cargo bench -p finch-deep --bench reading` prints medians over alternating rounds, for 1,000,000 rows:
//! seconds, those of processors (user and system, of reading alone), and megabytes a second. Without
//! `--bench`, as under `cargo test`, one tiny round.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use finch_deep::data::{self, ColumnValues, Format, ReadOptions, write_columns};

const COLUMNS: usize = 20;
/// Ticks of a processor's time in a second, on Linux.
const TICKS: f64 = 100.0;

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (rows, rounds) = if full { (1_000_000, 5) } else { (200, 1) };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let (text, pipe, parquet) = (path("x.csv"), path("pipe"), path("x.parquet"));
    write(rows, &text, &parquet);
    let made = Command::new("mkfifo").arg(&pipe).status();
    let mut sources = vec![("text, file", &text, Format::Text)];
    if made.is_ok_and(|made| made.success()) {
        sources.push(("text, pipe", &pipe, Format::Text));
    }
    if cfg!(feature = "parquet") {
        sources.push(("Parquet, file", &parquet, Format::Parquet));
    }
    let mut found = vec![Vec::new(); sources.len()];
    for _ in 0..rounds {
        for ((_, source, format), found) in sources.iter().zip(&mut found) {
            let line = "cat \"$0\" > \"$1\"";
            let mut fills = (*source == &pipe).then(|| {
                let mut cat = Command::new("sh");
                cat.args(["-c", line]).arg(&text).arg(&pipe).spawn().expect("a shell")
            });
            let mut options = ReadOptions::default();
            options.format = Some(*format);
            let (start, before) = (Instant::now(), processors());
            let input = data::read(&[source], &options).expect("the table is sound");
            found.push((start.elapsed().as_secs_f64(), processors() - before));
            assert_eq!((input.samples(), input.features()), (rows, COLUMNS));
            fills.iter_mut().for_each(|cat| assert!(cat.wait().expect("a shell").success()));
        }
    }
    println!("| {rows} × {COLUMNS} | MB | s | s of processors | MB/s |");
    println!("|---|--:|--:|--:|--:|");
    for ((name, source, _), mut found) in sources.into_iter().zip(found) {
        let file = if source == &pipe { &text } else { source };
        let megabytes = fs::metadata(file).expect("a file").len() as f64 / 1e6;
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, of_processors) = found[rounds / 2];
        let speed = megabytes / seconds;
        println!("| {name} | {megabytes:.0} | {seconds:.2} | {of_processors:.2} | {speed:.0} |");
    }
}

/// Writes numbers of six digits, the same on every machine (SplitMix64).
fn write(rows: usize, text: &Path, parquet: &Path) {
    let mut state = 0_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % 2_000_000) as f64 / 1e6 - 1.0
    };
    let mut columns = vec![Vec::new(); COLUMNS];
    let mut file = BufWriter::new(fs::File::create(text).expect("the folder is writable"));
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("c{column}")).collect();
    writeln!(file, "{}", names.join(",")).expect("the folder is writable");
    for _ in 0..rows {
        for (at, column) in columns.iter_mut().enumerate() {
            let (value, end) = (next(), if at + 1 < COLUMNS { "," } else { "\n" });
            write!(file, "{value:.6}{end}").expect("the folder is writable");
            column.push(Some(value));
        }
    }
    file.flush().expect("the folder is writable");
    let columns = columns.into_iter().map(ColumnValues::Numbers);
    let columns: Vec<_> = names.into_iter().zip(columns).collect();
    if cfg!(feature = "parquet") {
        let mut file = fs::File::create(parquet).expect("the folder is writable");
        write_columns(Format::Parquet, &columns, &mut file).expect("the folder is writable");
    }
}

/// The seconds that processors spent on this process; 0 where the system does not tell.
fn processors() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}
