//! From C and from C++: the golden numbers, and label for label what the Rust library gives, from
//! row-major, column-major and other memory.

mod common;

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use common::{C99, CXX17, compile, data, has, large, root, run, scratch};
use finch_core::{Element, Finch, LinkBound, Linkage, Metric, Refine, Samples};
use ndarray::{Array1, Array2};
use ndarray_npy::ReadNpyExt;
use serde_json::Value;

/// Name in the golden file, files, and the number of clusters to refine to.
const SETS: [(&str, &str, usize); 3] = [
    ("mice_protein", "mice_protein/", 8),
    ("gestalt_compound", "gestalt/gestalt_", 6),
    ("aggregation_rounded_finchrepo", "aggregation/aggregation_rounded_", 7),
];

/// A set of the large data, described likewise.
const LARGE: (&str, &str, usize) = ("aggregation", "aggregation/aggregation_", 7);

/// `c/golden.c` and `cpp/golden.cpp`, which do the same.
fn programs() -> Vec<PathBuf> {
    let tests = root().join("finch-ffi/tests");
    let of_c = scratch("golden").join("from-c");
    compile("cc", &C99, &[&tests.join("c/golden.c")], &of_c);
    let mut programs = vec![of_c];
    if has("g++") {
        let of_cpp = scratch("golden").join("from-cpp");
        compile("g++", &CXX17, &[&tests.join("cpp/golden.cpp")], &of_cpp);
        programs.push(of_cpp);
    }
    programs
}

/// The samples and classes of one set, as files of raw numbers.
struct Files<'a> {
    name: &'a str,
    truth: PathBuf,
    clusters: usize,
}

fn write(name: &str, bytes: impl IntoIterator<Item = u8>) -> PathBuf {
    let path = scratch("golden").join(name);
    fs::write(&path, bytes.into_iter().collect::<Vec<u8>>()).unwrap();
    path
}

/// Every metric and bound: all programs against the Rust library, and against the golden numbers
/// where there are some. Returns how many of these were checked.
fn check<A: Element>(
    programs: &[PathBuf],
    files: &Files,
    matrix: &Array2<A>,
    [element, path]: [&str; 2],
    golden: &Value,
) -> usize {
    let mut checked = 0;
    let samples = Samples::new(matrix.view()).unwrap();
    for (metric_number, metric) in Metric::OF_NUMBERS.iter().copied().enumerate() {
        for (bound_number, bound) in LinkBound::ALL.iter().copied().enumerate() {
            let expected = labels(&samples, metric, bound, files.clusters);
            let (rows, columns) = matrix.dim();
            let numbers = [rows, columns, metric_number, bound_number, files.clusters];
            let key = format!("{}/{metric}/{}", files.name, bound.name().replace('-', "_"));
            for program in programs {
                let written = scratch("golden").join("labels");
                let _ = fs::remove_file(&written);
                let text = run(Command::new(program)
                    .arg(path)
                    .arg(&files.truth)
                    .arg(element)
                    .args(numbers.map(|number| number.to_string()))
                    .arg(&written));
                let context = format!("{}, {key}, {element}", program.display());
                assert!(fs::read(written).unwrap() == expected, "{context}: other labels");
                // Golden numbers are of f64.
                if let Some(golden) = golden.get(&key).filter(|_| element == "f64") {
                    match BY_FRACTIONS.iter().find(|(name, _)| *name == key) {
                        Some((_, counts)) => assert_counts(&text, counts, &context),
                        None => assert_golden(&text, golden, &context),
                    }
                    checked += 1;
                }
            }
        }
    }
    checked
}

/// What the programs write: the labels of all partitions, and refined by each linkage.
fn labels<A: Element>(
    samples: &Samples<'_, A>,
    metric: Metric,
    bound: LinkBound,
    clusters: usize,
) -> Vec<u8> {
    let hierarchy = Finch::new().metric(metric).link_bound(bound).fit(samples).unwrap();
    let refined = Linkage::ALL
        .iter()
        .map(|&linkage| Refine::new(clusters).linkage(linkage).run(samples, &hierarchy).unwrap());
    let all = hierarchy.partitions().iter().cloned().chain(refined);
    let labels = all.flat_map(|partition| partition.labels().to_vec());
    labels.flat_map(|label| label.to_ne_bytes()).collect()
}

/// Settings whose golden numbers are of a rounded cosine key, which breaks ties of whole numbers.
const BY_FRACTIONS: [(&str, &[usize]); 2] = [
    ("aggregation_rounded_finchrepo/cosine/none", &[228, 60, 17, 3]),
    ("aggregation_rounded_finchrepo/cosine/first_neighbor", &[228, 60, 22, 21]),
];

/// The first word of each line.
fn assert_counts(text: &str, expected: &[usize], context: &str) {
    let first = |line: &str| line.split(' ').next().unwrap().parse::<usize>().unwrap();
    let counts: Vec<usize> = text.lines().map(first).collect();
    assert_eq!(counts, expected, "{context}");
}

/// Lines of cluster count, purity, NMI and ACC, against percentages with 4, 2 and 2 decimals.
fn assert_golden(text: &str, expected: &Value, context: &str) {
    assert_eq!(text.lines().count(), expected["clusters"].as_array().unwrap().len(), "{context}");
    for (partition, line) in text.lines().enumerate() {
        let found: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let expected = |name: &str| expected[name][partition].as_f64().unwrap();
        assert_eq!(found[0], expected("clusters"), "{context}");
        let columns = [("purity", 4), ("nmi_geometric", 2), ("acc", 2)];
        for (&found, (name, decimals)) in found[1..].iter().zip(columns) {
            let rounding = 0.5 * 10f64.powi(-decimals) + 1e-9;
            let off = (100.0 * found - expected(name)).abs();
            assert!(off <= rounding, "{context} {name}: {found} is not {}", expected(name));
        }
    }
}

fn check_set(
    programs: &[PathBuf],
    (name, prefix, clusters): (&str, &str, usize),
    find: impl Fn(&str) -> PathBuf,
    golden: &Value,
) {
    let open = |array: &str| File::open(find(&format!("{prefix}{array}.npy"))).unwrap();
    let doubles: Array2<f64> = Array2::read_npy(open("X")).unwrap();
    let singles = doubles.mapv(|value| value as f32);
    let truth: Array1<i32> = Array1::read_npy(open("y")).unwrap();
    let truth = write("truth", truth.iter().flat_map(|label| label.to_ne_bytes()));
    let of_doubles = write("f64", doubles.iter().flat_map(|value| value.to_ne_bytes()));
    let of_singles = write("f32", singles.iter().flat_map(|value| value.to_ne_bytes()));
    let files = Files { name, truth, clusters };
    let f64_file = ["f64", of_doubles.to_str().unwrap()];
    let f32_file = ["f32", of_singles.to_str().unwrap()];
    let checked = check(programs, &files, &doubles, f64_file, golden)
        + check(programs, &files, &singles, f32_file, golden);
    let listed = golden.as_object().unwrap().keys();
    let of_set = listed.filter(|key| key.split('/').next() == Some(name)).count();
    assert!(of_set > 0, "{name} is not in the golden file");
    assert_eq!(checked, programs.len() * of_set, "{name}");
}

#[test]
fn labels_and_scores_are_the_golden_ones() {
    let programs = programs();
    let read = |path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let golden: Value = read(data("golden/partitions.json"));
    for set in SETS {
        check_set(&programs, set, data, &golden);
    }
    if let Some(golden) = large("golden/partitions.json") {
        check_set(&programs, LARGE, |name| large(name).unwrap(), &read(golden));
    }
}
