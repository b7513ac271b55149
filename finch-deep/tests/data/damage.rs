//! Valid files, cut at many lengths and with bytes changed: an error or a result, never a panic, an
//! abort or an allocation beyond reason.

use std::collections::HashSet;
use std::fs;

use finch_deep::data::{self, Fault, Format, LabelOptions, ReadOptions};

use crate::{fixture, folder, gzip, idx, npy, npz, real};

#[path = "../../fuzz/file.rs"]
mod file;

/// The most memory that a damaged file of some kilobytes may take: a request for more aborts the
/// test.
const MEMORY: usize = 1 << 30;

/// The limit of memory that readers are given: sparse matrices made dense may be far larger than
/// their files.
const SPARE: u64 = 16 << 20;

/// Counts what is allocated at once, so that a declared size that is believed does not pass.
struct Limited;

// SAFETY: every call goes to the system's allocator, or is refused as allocators may.
unsafe impl std::alloc::GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        match layout.size() > MEMORY {
            true => std::ptr::null_mut(),
            // SAFETY: the caller's promise is the same.
            false => unsafe { std::alloc::System.alloc(layout) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: the pointer came from `alloc` above.
        unsafe { std::alloc::System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Marsaglia's xorshift64: the same damage in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let array = npy("'<f8'", false, "(5, 2)", &[3; 80]);
    let list = npy("'|u1'", false, "(5,)", &[1, 2, 1, 2, 1]);
    let long = |values: &[i32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        npy("'<i4'", false, &format!("({},)", values.len()), &bytes)
    };
    let sparse = npz(&[
        ("data", npy("'|u1'", false, "(3,)", &[1, 2, 3])),
        ("indices", long(&[0, 2, 1])),
        ("indptr", long(&[0, 2, 3])),
        ("shape", long(&[2, 3])),
    ]);
    let table = "id,a,b\nx,1,2\n\"y \"\"z\"\"\",3,4e5\nw,nan,-1\n".repeat(5).into_bytes();
    let mut files = vec![
        ("x.npy", array.clone()),
        ("x.npy.gz", gzip(&array)),
        ("x.npz", npz(&[("X", array), ("y", list)])),
        ("x.npz", sparse),
        (
            "x.mtx",
            b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2.5\n3 2 -1".to_vec(),
        ),
        ("x.svmlight", b"+1 1:2.5 3:-1\n-1 qid:2 2:1 # x\n".to_vec()),
        ("x.csv", table.clone()),
        ("x.csv.gz", gzip(&table)),
        ("x.txt", b"1 2\n3 4\n".to_vec()),
        ("x.json", crate::as_text::JSON.into()),
        ("x.jsonl", b"{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2.5}\n".to_vec()),
        ("x.arff", crate::as_text::ARFF.into()),
        ("unknown", b"5.1,3.5,x\n4.9,3.0,y\n".to_vec()),
        ("x.xlsx", crate::as_text::workbook()),
        ("x.ods", crate::as_text::document()),
        ("unknown", crate::as_text::workbook()),
        ("x.idx", idx(8, &[3, 2, 2], &[7; 12])),
    ];
    for name in [
        "everything",
        "plain",
        "sparse",
        "i8",
        "big_endian",
        "full_73",
        "sparse_73",
        "v4",
        "hdf5_1_6",
    ] {
        let file = fs::read(fixture(&format!("{name}.mat"))).expect("a fixture");
        files.push(("x.mat", file));
    }
    files.push(("x.mat", fs::read(real("mice_protein/labels.mat")).expect("labels")));
    let of_columns = [
        ("x.parquet", "pandas.parquet"),
        ("x.parquet", "types.parquet"),
        ("x.arrow", "pandas.feather"),
        ("x.arrow", "before_0_15_file.arrow"),
    ];
    if cfg!(feature = "parquet") {
        let read = |(name, from)| (name, fs::read(fixture(from)).expect("a fixture"));
        files.extend(of_columns.map(read));
    }
    files
}

/// Reads a file as samples and as labels; a panic in a reader comes back as a fault of its own.
fn survives(path: &std::path::Path, what: &str) {
    let mut options = ReadOptions::default();
    options.memory_limit = Some(SPARE);
    let mut label_options = LabelOptions::default();
    label_options.memory_limit = Some(SPARE);
    let samples = data::read(&[path], &options).map(|input| {
        let shape = (input.samples(), input.features());
        assert_eq!(crate::values(&input).dim(), shape);
    });
    let labels = data::read_labels(&[path], &label_options);
    for fault in [samples.err(), labels.err()].into_iter().flatten() {
        let bug = matches!(fault.fault, Fault::Parser(_) | Fault::Memory { .. });
        assert!(!bug, "{what}: {fault}");
        assert!(!fault.to_string().is_empty());
    }
}

#[test]
fn cut_at_every_length() {
    let folder = folder();
    for (name, content) in samples() {
        let path = folder.path().join(name);
        let step = 1 + content.len() / if name == "x.parquet" { 150 } else { 600 };
        for length in (0..content.len()).step_by(step) {
            fs::write(&path, &content[..length]).expect("the folder is writable");
            survives(&path, &format!("{name} cut to {length}"));
            let of_lines = ["csv", "txt", "jsonl", "arff", "svmlight", "unknown"];
            let binary = !of_lines.iter().any(|part| name.contains(part));
            let whole = data::read(&[&path], &ReadOptions::default()).is_ok();
            // Tables may be valid at any length, and so may MATLAB files between two variables.
            assert!(!(binary && whole) || name == "x.mat", "{name} cut to {length} is no error");
        }
    }
}

#[test]
fn bytes_changed() {
    let folder = folder();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, content) in samples() {
        let path = folder.path().join(name);
        // Headers are where a change matters most; at least every second change is in the header.
        let header = content.len().min(700);
        // Those of columns take longer to read, and most of what reads them is not of this crate.
        let of_columns = name == "x.parquet" || name == "x.arrow";
        for round in 0..if of_columns { 300 } else { 1500 } {
            let mut damaged = content.clone();
            for _ in 0..1 + random.below(4) {
                let length = if random.below(2) == 0 { header } else { damaged.len() };
                let at = random.below(length);
                damaged[at] = match random.below(4) {
                    0 => 0xff,
                    1 => 0,
                    2 => damaged[at] ^ 1 << random.below(8),
                    _ => random.below(256) as u8,
                };
            }
            fs::write(&path, &damaged).expect("the folder is writable");
            survives(&path, &format!("{name}, round {round}"));
        }
    }
}

/// Whatever finch reads, compressed or not.
#[test]
fn the_fuzzer_makes_files_of_every_format() {
    let made: HashSet<&str> = (0..=255).map(|format| file::of(&[format]).unwrap().0).collect();
    for (word, _) in Format::WORDS {
        assert!(made.contains(word), "{word}");
    }
    for compressed in ["csv.gz", "csv.zst", "npz.zst"] {
        assert!(made.contains(compressed), "{compressed}");
    }
    // The formats of the cases stay what they were.
    let first = [0, 1, 2, 4, 6, 0xfe].map(|format| file::of(&[format]).unwrap().0);
    assert_eq!(first, ["npy", "npz", "csv", "mat", "csv.gz", "csv"]);
}

/// Files that led the fuzzer (`fuzz/fuzz_targets/readers.rs`) to code it had not been in.
#[test]
fn cases_that_the_fuzzer_found() {
    let folder = folder();
    let cases = include_str!("../../fuzz/cases.txt").lines().filter(|line| !line.starts_with('#'));
    for case in cases {
        let byte = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
        let bytes: Vec<u8> = case.as_bytes().chunks(2).map(byte).collect();
        let (name, content) = file::of(&bytes).expect("a case has a format");
        let path = folder.path().join(format!("x.{name}"));
        fs::write(&path, content).expect("the folder is writable");
        survives(&path, case);
    }
}
