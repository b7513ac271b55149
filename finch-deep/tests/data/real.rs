//! Every file of real data: of the repository, and of the large data where that is at hand.

use std::fs;
use std::path::PathBuf;

use finch_deep::data::{self, Column, LabelOptions, ReadOptions};

use crate::{kind, large, read, real, values};

/// A file of the repository, or of the large data.
fn at_hand(name: &str) -> Option<PathBuf> {
    Some(real(name)).filter(|path| path.is_file()).or_else(|| large(name))
}

/// Shape, type and sum of elements, the last by NumPy.
#[test]
fn samples_have_the_known_shape_type_and_sum() {
    let files = [
        ("planets.csv", (9, 15), "f64", PLANETS),
        ("mice_protein/X.npy", (1077, 77), "f64", 54_528.558_213_796_47),
        ("mice_protein/data.mat", (1077, 77), "f32", 54_528.558),
        ("gestalt/gestalt_X.npy", (399, 2), "f64", 14_438.1),
        ("aggregation/aggregation_rounded_X.npy", (788, 2), "f64", 25_845.0),
        ("aggregation/aggregation_X.npy", (788, 2), "f64", 26_586.0),
        ("mnist/t10k-images-idx3-ubyte.gz", (10_000, 784), "u8", T10K),
        ("mnist/train-images-idx3-ubyte.gz", (60_000, 784), "u8", TRAIN),
        ("usps.npz", (9298, 256), "f32", USPS),
        ("pendigits.npz", (10_992, 16), "f32", PENDIGITS),
        ("letter.npz", (20_000, 16), "f32", LETTER),
        ("birch1.npz", (100_000, 2), "f32", BIRCH),
        ("tdt2_30_tfidf2000.npz", (9394, 2000), "f32", TDT2),
        ("reuters21578_65_tfidf2000.npz", (8293, 2000), "f32", REUTERS),
    ];
    for (name, shape, element, sum) in files {
        let Some(path) = at_hand(name) else { continue };
        let input = read(path);
        assert_eq!((input.samples(), input.features()), shape, "{name}");
        assert_eq!(kind(&input), element, "{name}");
        let found = values(&input).sum();
        assert!((found - sum).abs() <= 1e-7 * sum.abs(), "{name}: {found}, not {sum}");
    }
}

#[test]
fn planets_have_names_and_a_header() {
    let input = read(real("planets.csv"));
    let names = input.names().expect("planets have names");
    assert_eq!(names[..4], ["Mercury", "Venus", "Earth", "Moon"]);
    let values = values(&input);
    assert_eq!(values[[0, 0]], 0.33);
    assert_eq!(values[[8, 14]], 28.3);
}

/// Byte for byte: what is known of one copy is known of the other.
#[test]
fn files_of_the_repository_are_those_of_the_large_data() {
    let files = [
        "planets.csv",
        "mice_protein/X.npy",
        "mice_protein/y.npy",
        "mice_protein/data.mat",
        "mice_protein/labels.mat",
        "gestalt/gestalt.txt",
        "gestalt/gestalt_X.npy",
        "gestalt/gestalt_y.npy",
        "aggregation/aggregation_rounded.txt",
        "aggregation/aggregation_rounded_X.npy",
        "aggregation/aggregation_rounded_y.npy",
    ];
    for name in files {
        let Some(other) = large(name) else { return };
        assert!(fs::read(real(name)).unwrap() == fs::read(other).unwrap(), "{name}");
    }
}

/// MATLAB is column-major, and HDF5 has its dimensions in reverse: a transposed read would differ.
#[test]
fn the_mat_file_of_mice_is_the_npy_file() {
    let (mat, npy) =
        (values(&read(real("mice_protein/data.mat"))), values(&read(real("mice_protein/X.npy"))));
    assert!(mat.indexed_iter().all(|(at, &x)| (x - npy[at]).abs() <= 1e-6 * (1.0 + x.abs())));
}

#[test]
fn tables_of_text_are_their_npy_files() {
    for name in ["gestalt/gestalt", "aggregation/aggregation_rounded", "aggregation/aggregation"] {
        let files = [format!("{name}.txt"), format!("{name}_X.npy")];
        let [Some(text), Some(array)] = files.each_ref().map(|file| at_hand(file)) else {
            continue;
        };
        let mut options = ReadOptions::default();
        options.exclude = vec![Column::Index(2)];
        let text = data::read(&[text], &options).expect(name);
        assert_eq!(values(&text), values(&read(array)), "{name}");
        assert_eq!(text.names(), None);
    }
}

#[test]
fn mnist_stacks() {
    let files = ["train", "t10k"].map(|part| large(&format!("mnist/{part}-images-idx3-ubyte.gz")));
    let [Some(train), Some(t10k)] = files else { return };
    let input = data::read(&[&train, &t10k], &ReadOptions::default()).expect("MNIST");
    assert_eq!((input.samples(), input.features(), kind(&input)), (70_000, 784, "u8"));
    assert_eq!(values(&input).sum(), TRAIN + T10K);
    let t10k = values(&read(t10k));
    assert_eq!(values(&input).slice(ndarray::s![60_000.., ..]), t10k);
}

/// The number of classes that the data's documentation states.
#[test]
fn labels_have_the_known_classes() {
    let files = [
        ("mice_protein/y.npy", 1077, 8),
        ("mice_protein/labels.mat", 1077, 8),
        ("gestalt/gestalt_y.npy", 399, 6),
        ("gestalt/gestalt.txt", 399, 6),
        ("aggregation/aggregation_y.npy", 788, 7),
        ("aggregation/aggregation.txt", 788, 7),
        ("aggregation/aggregation_rounded_y.npy", 788, 7),
        ("aggregation/aggregation_rounded.txt", 788, 7),
        ("mnist/train-labels-idx1-ubyte.gz", 60_000, 10),
        ("mnist/t10k-labels-idx1-ubyte.gz", 10_000, 10),
        ("usps.npz", 9298, 10),
        ("pendigits.npz", 10_992, 10),
        ("letter.npz", 20_000, 26),
        ("birch1.npz", 100_000, 100),
        ("tdt2_30_tfidf2000.npz", 9394, 30),
        ("reuters21578_65_tfidf2000.npz", 8293, 65),
    ];
    for (name, samples, classes) in files {
        let Some(path) = at_hand(name) else { continue };
        let labels = data::read_labels(&[path], &LabelOptions::default()).expect(name);
        let [labelling] = &labels.columns[..] else { panic!("{name}: one labelling") };
        assert_eq!((labelling.labels.len(), labelling.classes), (samples, classes), "{name}");
        assert_eq!(labelling.labels[0], 0, "{name}: numbered by first appearance");
        assert!(labelling.labels.iter().all(|&label| (label as usize) < classes), "{name}");
    }
}

#[test]
fn labels_of_different_formats_agree() {
    let same = [
        ["mice_protein/y.npy", "mice_protein/labels.mat"],
        ["gestalt/gestalt_y.npy", "gestalt/gestalt.txt"],
        ["aggregation/aggregation_rounded_y.npy", "aggregation/aggregation_rounded.txt"],
        ["aggregation/aggregation_y.npy", "aggregation/aggregation.txt"],
    ];
    for pair in same {
        let [Some(a), Some(b)] = pair.map(at_hand) else { continue };
        let [a, b] =
            [a, b].map(|path| data::read_labels(&[path], &LabelOptions::default()).expect(pair[0]));
        assert_eq!(a.columns, b.columns, "{pair:?}");
    }
}

const PLANETS: f64 = 577461.309;
const TRAIN: f64 = 1567298545.0;
const T10K: f64 = 264923200.0;
const USPS: f64 = 612482.5626103282;
const PENDIGITS: f64 = 8918653.0;
const LETTER: f64 = 1896149.0;
const BIRCH: f64 = 99186486900.0;
const TDT2: f64 = 3238228.140130222;
const REUTERS: f64 = 1910358.926716119;
