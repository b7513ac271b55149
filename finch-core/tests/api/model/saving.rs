//! Models go into bytes and come back; whatever else the bytes are is an error.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use finch_core::{
    AnyMatrix, BitSamples, Element, ElementType, Error, Finch, Hierarchy, Labels, LinkBound,
    Linkage, Metric, Model, Neighbors, Partition, Refine, Run, Samples, Search,
};
use ndarray::{Array2, array, s};

use crate::common::{Random, inputs};

fn model_of<A: Element>(finch: Finch, matrix: &Array2<A>, keep: bool) -> Model {
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = finch.fit(&samples).unwrap();
    let clusters = [1, hierarchy.finest().clusters(), samples.len()];
    let refined = clusters.map(|clusters| Refine::new(clusters).run(&samples, &hierarchy).unwrap());
    let model =
        Model::new(hierarchy, &samples, refined.map(Labels::from).to_vec(), &mut Run::new())
            .unwrap();
    if keep { model.keep_samples(&samples).unwrap() } else { model }
}

fn small() -> Array2<f64> {
    array![[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0], [5.0, 0.0], [5.0, 1.0], [9.5, 8.5]]
}

/// A model of weighted samples that keeps neighbours.
fn weighted(matrix: &Array2<f64>, metric: Metric) -> Model {
    let samples = Samples::new(matrix.view()).unwrap();
    let weights: Vec<f64> = (0..samples.len()).map(|i| [1.0, 2.0, 0.5, 7.0][i * i % 4]).collect();
    let finch = Finch::new().metric(metric).keep_neighbors(2);
    let run = &mut Run::new();
    let hierarchy = finch.fit_weighted(&samples, &weights, run).unwrap();
    Model::new(hierarchy, &samples, Vec::new(), run).unwrap()
}

#[test]
fn weights_come_back() {
    for (name, matrix) in inputs(40, 3).chain(inputs(1, 2)).chain(inputs(2, 1)) {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let model = weighted(&matrix, metric);
            expect_same(&model, &name);
            assert!(model.hierarchy().weights().is_some());
        }
    }
}

/// A model that has everything.
fn full() -> Model {
    let matrix = array![
        [0.0, 0.0],
        [1.0, 0.0],
        [4.0, 0.0],
        [5.0, 0.0],
        [100.0, 0.0],
        [101.0, 0.0],
        [104.0, 0.0],
        [105.0, 1.0]
    ];
    let finch = Finch::new().keep_neighbors(3).time_limit(Duration::from_millis(1_500)).seed(7);
    model_of(finch, &matrix, true).with_notes(b"of a table".to_vec())
}

fn expect_same(model: &Model, context: &str) {
    let bytes = model.to_bytes().unwrap();
    assert_eq!(bytes.len(), model.serialized_size(), "{context}");
    let back = Model::from_bytes(&bytes).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(back, *model, "{context}");
    assert_eq!(back.hierarchy().levels(), model.hierarchy().levels(), "{context}");
    assert_eq!(back.to_bytes().unwrap(), bytes, "{context}");
}

#[test]
fn models_of_every_kind_come_back() {
    for (name, matrix) in inputs(60, 5).chain(inputs(1, 2)).chain(inputs(2, 1)).chain(inputs(5, 3))
    {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            for (keep, k) in [(false, 0), (true, 0), (true, 4)] {
                let finch = Finch::new().metric(metric).keep_neighbors(k);
                let context = format!("{name}, {metric}, {keep}, {k}");
                expect_same(&model_of(finch, &matrix, keep), &context);
            }
        }
    }
    for keep in [false, true] {
        expect_same(&model_of(Finch::new(), &small().mapv(|value| value as f32), keep), "f32");
        expect_same(
            &model_of(Finch::new(), &small().mapv(|value| (value * 2.0) as u8), keep),
            "u8",
        );
    }
    expect_same(&full(), "a model that has everything");
    let bounded = Finch::new().link_bound(LinkBound::FirstNeighbor);
    expect_same(&model_of(bounded, &small(), true), "a link bound");
}

/// Ties and zero rows come back, and a file that says nonsense of them is damage.
#[test]
fn warnings_come_back() {
    let line = Array2::from_shape_fn((40, 1), |(row, _)| row as f64);
    let zeros = array![[1.0, 0.0], [1.0, 0.1], [0.0, 0.0], [0.0, 1.0], [0.1, 1.0], [0.0, 0.0]];
    let of = |metric, matrix| model_of(Finch::new().metric(metric), matrix, true);
    let (ties, zero_rows) = (of(Metric::Euclidean, &line), of(Metric::Cosine, &zeros));
    for (model, expected) in [(&ties, "are ties"), (&zero_rows, "2 samples are all zeros")] {
        expect_same(model, expected);
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let warnings = again.hierarchy().warnings();
        assert_eq!(warnings, model.hierarchy().warnings());
        assert!(warnings[0].to_string().contains(expected), "{warnings:?}");
    }
    let plain = model_of(Finch::new(), &array![[0.0], [1.0], [5.0], [7.0]], true);
    assert!(!File::of(&plain).header.contains("\"ties\""), "{}", File::of(&plain).header);
    assert!(plain.hierarchy().warnings().is_empty());
    let [of_ties, of_zeros] = [File::of(&ties), File::of(&zero_rows)];
    let start = of_ties.header.find("\"ties\":").unwrap();
    let length = of_ties.header[start + 8..].find('}').unwrap();
    let text = of_ties.header[start..start + 8 + length].to_string();
    for share in ["1.1", "0.25", "-0.5", "NaN", "inf", "none", ""] {
        expect_damage(&of_ties.clone().with(&text, &format!("\"ties\":\"{share}\"")), share);
    }
    for rows in ["0,2", "2,6", "5,2", "2", "2,-1", "2,2,2", "", "2, 2", "4294967298,2"] {
        let rows = format!("\"zero_rows\":\"{rows}\"");
        expect_damage(&of_zeros.clone().with("\"zero_rows\":\"2,2\"", &rows), &rows);
    }
    // No row of zeros is one under another metric.
    let bytes = of_ties.clone().with(&text, "\"zero_rows\":\"2,2\"");
    expect_damage(&bytes, "under the Euclidean distance");
}

/// How neighbours were searched comes back, too, whichever search it was.
#[test]
fn what_is_said_of_searches_comes_back() {
    let mut random = Random(5);
    let matrix = Array2::from_shape_fn((5_000, 12), |(i, _)| (i % 7) as f64 + random.uniform());
    let samples = Samples::new(matrix.view()).unwrap();
    for search in Search::ALL {
        let finch = Finch::new().search(*search).recall(0.9).refinable(Linkage::Neighbor);
        let hierarchy = finch.fit(&samples).unwrap();
        let model = Model::new(hierarchy, &samples, Vec::new(), &mut Run::new()).unwrap();
        expect_same(&model, search.name());
    }
    let first: Vec<u32> = (0..5_000).map(|i| i ^ 1).collect();
    let given = Finch::new().fit_given(&samples, &first, &mut Run::new()).unwrap();
    expect_same(&Model::new(given, &samples, Vec::new(), &mut Run::new()).unwrap(), "given");
    // Lists of different lengths, the last ones empty.
    let count = samples.len() as i64;
    let index = Array2::from_shape_fn((samples.len(), 3), |(row, place)| match (row, place) {
        (0..20, _) if place > row % 3 => -1,
        (0..20, _) => (row as i64 + 1 + place as i64) % count,
        _ => -1,
    });
    let distance = Array2::from_shape_fn(index.dim(), |(row, place)| (row % 5 + place) as f64);
    let run = &mut Run::new();
    let table = Neighbors::given(index.view(), distance.view(), run).unwrap();
    let ragged = Finch::new().fit_neighbors(&samples, table, run).unwrap();
    let model = Model::new(ragged, &samples, Vec::new(), run).unwrap();
    expect_same(&model, "lists of different lengths");
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.hierarchy().neighbors(), model.hierarchy().neighbors());
    assert_eq!(again.hierarchy().suggest(&samples), model.hierarchy().suggest(&samples));
}

/// Neighbours that the caller brought, of each sample another number of them.
#[test]
fn lists_of_different_lengths_come_back() {
    let mut random = Random(6);
    let matrix = Array2::from_shape_fn((60, 2), |(i, _)| (i % 3) as f64 * 9.0 + random.uniform());
    let samples = Samples::new(matrix.view()).unwrap();
    // The last ones have none.
    let count = samples.len() as i64;
    let index = Array2::from_shape_fn((samples.len(), 3), |(row, place)| match (row, place) {
        (0..40, _) if place > row % 3 => -1,
        (0..40, _) => (row as i64 + 1 + place as i64) % count,
        _ => -1,
    });
    let distance = Array2::from_shape_fn(index.dim(), |(row, place)| (row % 5 + place) as f64);
    let run = &mut Run::new();
    let table = Neighbors::given(index.view(), distance.view(), run).unwrap();
    let ragged = Finch::new().fit_neighbors(&samples, table, run).unwrap();
    let model = Model::new(ragged, &samples, Vec::new(), run).unwrap();
    expect_same(&model, "lists of different lengths");
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.hierarchy().neighbors(), model.hierarchy().neighbors());
    assert_eq!(again.hierarchy().suggest(&samples), model.hierarchy().suggest(&samples));
}

#[test]
fn a_model_has_what_it_was_made_of() {
    let matrix = small();
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy: Arc<Hierarchy> = Finch::new().fit(&samples).unwrap().into();
    let two = Partition::new(&[9, 9, 4, 4, 9, 9, 4]).unwrap();
    let run = &mut Run::new();
    let model = Model::new(hierarchy.clone(), &samples, vec![two.clone().into()], run).unwrap();
    let partitions = hierarchy.partitions().len();
    assert_eq!(model.labellings(), partitions + 1);
    assert_eq!(model.labelling(partitions).unwrap().to_labels(), Labels::from(&two));
    assert_eq!(model.element(), Some(ElementType::F64));
    assert!(model.samples().is_none());
    for labelling in 0..=partitions {
        let expected = match labelling == partitions {
            true => two.means(&samples).unwrap(),
            false => hierarchy.partitions()[labelling].means(&samples).unwrap(),
        };
        let means = model.means(labelling).unwrap().matrix();
        let Some(AnyMatrix::F64(means)) = means else { panic!("means in f64") };
        assert_eq!(means, expected);
    }
    let missing = Error::NoSuchLabelling { labelling: 9, labellings: partitions + 1 };
    assert_eq!(model.labelling(9), Err(missing.clone()));
    assert_eq!(model.means(9).map(|_| ()), Err(missing));

    let kept = model.clone().keep_samples(&samples).unwrap();
    let copy = kept.samples().unwrap().matrix();
    let Some(AnyMatrix::F64(copy)) = copy else { panic!("samples in f64") };
    assert_eq!(copy, matrix);
    assert!(kept != model && kept.forget_samples() == model);

    let other = array![[1.0, 2.0]];
    let other = Samples::new(other.view()).unwrap();
    let wrong = Error::SampleCount { expected: 7, found: 1 };
    assert_eq!(model.clone().keep_samples(&other), Err(wrong.clone()));
    assert_eq!(Model::new(hierarchy.clone(), &other, Vec::new(), run), Err(wrong.clone()));
    let one = vec![Labels::new(&[Some(0)]).unwrap()];
    assert_eq!(Model::new(hierarchy.clone(), &samples, one, run), Err(wrong));
    let narrower = matrix.mapv(|value| value as f32);
    let narrower = Samples::new(narrower.view()).unwrap();
    let wrong = Error::ElementType { expected: "f64", found: "f32" };
    assert_eq!(model.keep_samples(&narrower), Err(wrong));
    let refused = Model::without_features(hierarchy, Vec::new());
    assert!(matches!(refused, Err(Error::NeedsSamples { .. })));
}

fn expect_damage(bytes: &[u8], context: &str) -> String {
    match Model::from_bytes(bytes) {
        Err(Error::Damaged { what }) => what,
        other => panic!("{context}: {other:?}"),
    }
}

#[test]
fn every_cut_every_flip_and_every_addition_is_damage() {
    for model in [full(), model_of(Finch::new(), &array![[1_u8, 2]], false)] {
        let bytes = model.to_bytes().unwrap();
        for end in 0..bytes.len() {
            expect_damage(&bytes[..end], &format!("the first {end} bytes"));
        }
        let mut altered = bytes.clone();
        for place in 0..bytes.len() {
            for bit in 0..8 {
                altered[place] = bytes[place] ^ (1 << bit);
                expect_damage(&altered, &format!("bit {bit} of byte {place}"));
            }
            altered[place] = !bytes[place];
            expect_damage(&altered, &format!("byte {place}"));
            altered[place] = bytes[place];
        }
        expect_damage(&[&bytes[..], &[0]].concat(), "one byte more");
        expect_damage(&[&bytes[..], &bytes].concat(), "the file twice");
        expect_damage(&bytes[1..], "without the first byte");
    }
}

#[test]
fn random_bytes_are_damage() {
    let mut random = Random(11);
    let bytes = full().to_bytes().unwrap();
    for length in 0..3_000 {
        let mut noise: Vec<u8> = (0..length % 600).map(|_| random.next() as u8).collect();
        expect_damage(&noise, "noise");
        // Behind a beginning that is right, and signed.
        let kept = bytes.len().min(50 + length % 700);
        noise.splice(..0, bytes[..kept].iter().copied());
        expect_damage(&signed(noise), "noise behind a right beginning");
    }
}

/// The file with its length of the header and its checksum set right, by another way than finch's.
fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digits = bytes.windows(9).position(|window| window == b"\"crc32\":\"");
    let digits = digits.expect("a checksum") + 9;
    bytes[digits..][..8].copy_from_slice(b"00000000");
    let checksum = format!("{:08x}", crc32fast::hash(&bytes));
    bytes[digits..][..8].copy_from_slice(checksum.as_bytes());
    bytes
}

/// A file taken apart: its header, and the bytes of its tensors.
#[derive(Clone)]
struct File {
    header: String,
    numbers: Vec<u8>,
}

impl File {
    fn of(model: &Model) -> Self {
        let bytes = model.to_bytes().unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
        Self { header, numbers: bytes[8 + length..].to_vec() }
    }

    fn bytes(&self) -> Vec<u8> {
        let length = (self.header.len() as u64).to_le_bytes();
        signed([&length, self.header.as_bytes(), &self.numbers].concat())
    }

    /// With other text in the header.
    fn with(mut self, old: &str, new: &str) -> Vec<u8> {
        assert_eq!(self.header.matches(old).count(), 1, "{old} in {}", self.header);
        self.header = self.header.replace(old, new);
        self.bytes()
    }

    /// With other bytes at a place of a tensor.
    fn set(mut self, tensor: &str, place: usize, number: &[u8]) -> Vec<u8> {
        let bytes = self.bytes();
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let view = file.tensor(tensor).unwrap();
        let first = view.data().as_ptr() as usize - bytes.as_ptr() as usize;
        let begin = first - 8 - self.header.len() + place * number.len();
        assert!((place + 1) * number.len() <= view.data().len());
        self.numbers[begin..][..number.len()].copy_from_slice(number);
        self.bytes()
    }
}

#[test]
fn a_file_made_by_an_enemy_is_damage() {
    let file = File::of(&full());
    assert_eq!(Model::from_bytes(&file.clone().bytes()), Ok(full()));
    assert_eq!(full().hierarchy().cluster_counts(), [4, 2]);
    let set_label =
        |tensor: &str, place, number: u32| file.clone().set(tensor, place, &number.to_le_bytes());
    let set =
        |tensor: &str, place, number: f64| file.clone().set(tensor, place, &number.to_le_bytes());
    let with = |old: &str, new: &str| file.clone().with(old, new);
    let hostile: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a label beyond all", set_label("labels", 3, u32::MAX), "label at sample 3"),
        ("a label out of order", set_label("labels", 0, 1), "label at sample 0"),
        ("a refined label out of order", set_label("refined", 8, 2), "tensor refined"),
        ("another finest partition", set_label("labels", 5, 0), "partition"),
        ("a partition that is no coarsening", set_label("labels", 13, 0), "coarsening"),
        ("a neighbour that is no sample", set_label("first_neighbors", 2, 8), "neighbour"),
        ("a sample that is its own neighbour", set_label("first_neighbors", 2, 2), "neighbour"),
        ("another first neighbour", set_label("first_neighbors", 0, 4), "finest partition"),
        ("one of the k nearest twice", set_label("neighbors", 2, 2), "neighbours of sample 0"),
        (
            "one of the k nearest beyond all",
            set_label("neighbors", 2, 99),
            "neighbours of sample 0",
        ),
        (
            "a sample among its own k nearest",
            set_label("neighbors", 1, 0),
            "neighbours of sample 0",
        ),
        ("a first column of others", set_label("neighbors", 0, 6), "neighbours of sample 0"),
        ("a distance that is NaN", set("first_distances", 1, f64::NAN), "distance"),
        ("a negative distance", set("first_distances", 1, -1.0), "distance"),
        ("an infinite distance", set("distances", 4, f64::INFINITY), "distance"),
        ("distances that fall", set("distances", 2, 0.5), "neighbours of sample 0"),
        ("another first distance", set("first_distances", 0, 0.5), "neighbours of sample 0"),
        ("a mean that is NaN", set("means", 0, f64::NAN), "mean"),
        ("an infinite mean", set("means", 3, f64::INFINITY), "mean"),
        ("a huge mean", set("means", 3, 1e150), "mean"),
        ("a sample that is NaN", set("samples", 5, f64::NAN), "row 2, column 1"),
        ("a huge sample", set("samples", 4, -1e150), "row 2, column 0"),
        ("a search that there is not", set("levels", 1, 17.0), "levels"),
        ("a level of other samples", set("levels", 0, 7.0), "levels"),
        ("half a search", set("levels", 1, 0.5), "levels"),
        ("a recall of 2", set("levels", 4, 2.0), "levels"),
        ("another metric", with("\"euclidean\"", "\"euclidian\""), "metric"),
        ("no metric", with("\"metric\"", "\"metrik\""), "no metric"),
        (
            "another link bound",
            with("\"link_bound\":\"none\"", "\"link_bound\":\"all\""),
            "link_bound",
        ),
        ("recall 0", with("\"recall\":\"0.99\"", "\"recall\":\"0\""), "recall"),
        ("recall NaN", with("\"recall\":\"0.99\"", "\"recall\":\"NaN\""), "recall"),
        ("a seed below 0", with("\"seed\":\"7\"", "\"seed\":\"-7\""), "seed"),
        (
            "a time beyond all",
            with("\"1500000000\"", "\"99999999999999999999999999999999\""),
            "time",
        ),
        ("another type of samples", with("\"element\":\"f64\"", "\"element\":\"f32\""), "means"),
        ("no type of samples", with("\"element\":\"f64\"", "\"element\":\"none\""), "means"),
        ("a shape too large", with("\"shape\":[2,8]", "\"shape\":[2,9]"), "header"),
        (
            "a shape that overflows",
            with("\"shape\":[2,8]", "\"shape\":[4294967296,4294967297]"),
            "header",
        ),
        ("a shape of other samples", with("\"shape\":[2,8]", "\"shape\":[1,16]"), "refined"),
        ("a shape of no samples", with("\"shape\":[2,8]", "\"shape\":[16,1]"), "label"),
        ("a shape of one axis", with("\"shape\":[2,8]", "\"shape\":[16]"), "axes"),
        (
            "a type of the same size",
            with("\"labels\":{\"dtype\":\"U32\"", "\"labels\":{\"dtype\":\"I32\""),
            "U32",
        ),
        (
            "another type of means",
            with("\"means\":{\"dtype\":\"F64\"", "\"means\":{\"dtype\":\"I64\""),
            "F64",
        ),
        ("a tensor without a name", with("\"refined\":", "\"\":"), "which no model has"),
        ("a tensor that is missing", with("\"levels\":", "\"tables\":"), "tables"),
        (
            "distances of no neighbours",
            with("\"neighbors\":", "\"weights_of\":"),
            "which no model has",
        ),
        ("a header that is no JSON", with("}}", "}]"), "header"),
        ("JSON without end", with("}}", "},"), "header"),
    ];
    for (context, bytes, expected) in &hostile {
        let what = expect_damage(bytes, context);
        assert!(what.contains(expected), "{context}: {what}");
    }
    // A header of a length that takes no memory, and one that nobody should parse.
    let mut bytes = file.bytes();
    for length in [0, 1, 7, 1 << 20, (1 << 20) + 8, 100_000_000, u64::MAX / 2, u64::MAX] {
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        expect_damage(&signed(bytes.clone()), &format!("a header of {length}"));
    }
    let nested = format!("\"labels\":{}1{}", "[".repeat(300_000), "]".repeat(300_000));
    expect_damage(
        &file.clone().with("\"labels\":{\"dtype\"", &format!("{nested},\"x\":{{\"dtype\"")),
        "deep",
    );
}

#[test]
fn another_version_is_said_to_be_one() {
    let file = File::of(&full());
    for found in [0, 5, 77, u32::MAX] {
        let version = format!("\"finch_model\":\"{found}\"");
        let bytes = file.clone().with("\"finch_model\":\"1\"", &version);
        let refused = Model::from_bytes(&bytes).unwrap_err();
        assert_eq!(refused, Error::ModelVersion { found, known: 4 });
        // No version was before the first.
        assert_eq!(refused.to_string().contains("use a newer finch"), found > 2, "{refused}");
    }
    // That of labels with noise, of which there are none.
    expect_damage(&file.clone().with("\"finch_model\":\"1\"", "\"finch_model\":\"3\""), "noise");
    // That of sparse samples.
    expect_damage(&file.clone().with("\"finch_model\":\"1\"", "\"finch_model\":\"2\""), "2");
    for text in ["", "1.0", "-1", "one", "99999999999"] {
        let version = format!("\"finch_model\":\"{text}\"");
        expect_damage(&file.clone().with("\"finch_model\":\"1\"", &version), text);
    }
}

/// The model of a kept file, which is the expected one.
fn kept(kind: &str, expected: &Model) -> Model {
    let element = expected.element().unwrap();
    let name = format!("tests/models/version-1-{element}-{kind}.safetensors");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    // Only a file that is not there yet is written.
    if env::var_os("FINCH_BLESS").is_some() && !path.exists() {
        fs::write(&path, expected.to_bytes().unwrap()).unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    let model = Model::from_bytes(&bytes).unwrap();
    assert_eq!(model, *expected, "{}", path.display());
    // Nothing that the file says is lost.
    let mut metadata = BTreeMap::new();
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    metadata.extend(header.metadata().clone().unwrap());
    assert_eq!(metadata["finch_model"], "1");
    assert_eq!(metadata["element"], element.name());
    model
}

/// Saved by finch 0.1.0, and to be loaded for ever.
#[test]
fn kept_files_load() {
    fn check<A: Element>(matrix: &Array2<A>) {
        let samples = Samples::new(matrix.view()).unwrap();
        let finch = Finch::new().refinable(Linkage::Neighbor);
        let hierarchy = finch.fit(&samples).unwrap();
        let two = Refine::new(2).linkage(Linkage::Ward).run(&samples, &hierarchy).unwrap();
        let expected = Model::new(hierarchy, &samples, vec![two.into()], &mut Run::new()).unwrap();
        let with_samples = expected.clone().keep_samples(&samples).unwrap();
        for (kind, expected) in [("means", expected), ("samples", with_samples)] {
            let model = kept(kind, &expected);
            let labels = |labelling| model.labelling(labelling).unwrap().labels().to_vec();
            assert_eq!(labels(0), [0, 0, 1, 1, 2, 2, 1]);
            assert_eq!(labels(model.labellings() - 1), [0, 0, 1, 1, 0, 0, 1]);
            let new = Array2::from_shape_vec((1, 2), matrix.row(3).to_vec()).unwrap();
            let new = Samples::new(new.view()).unwrap();
            let prediction = model.predict(&new, 0, &mut Run::new()).unwrap();
            assert_eq!(prediction.labels, [1]);
        }
    }
    check(&small());
    check(&small().mapv(|value| value as f32));
    check(&small().mapv(|value| (2.0 * value) as u8));
    let codes = array![[0xf0_u8, 0x80], [0xf8, 0x80], [0x0f, 0x00], [0x0e, 0x00], [0xff, 0xc0]];
    let samples = BitSamples::new(codes.view(), 10).unwrap();
    let hierarchy = Finch::new().metric(Metric::Jaccard).fit(&samples).unwrap();
    let expected = Model::new(hierarchy, &samples, Vec::new(), &mut Run::new()).unwrap();
    let model = kept("samples", &expected.keep_samples(&samples).unwrap());
    assert_eq!(model.labelling(0).unwrap().labels(), [0, 0, 1, 1, 0]);
}

#[test]
fn a_model_of_more_samples_is_that_of_all_at_once() {
    for (name, matrix) in inputs(60, 3) {
        let run = &mut Run::new();
        let before = matrix.slice(s![..50, ..]).to_owned();
        let all = Samples::new(matrix.view()).unwrap();
        let of_all = Finch::new().fit(&all).unwrap();
        let of_all = Model::new(of_all, &all, Vec::new(), run).unwrap();
        let of_all = of_all.keep_samples(&all).unwrap().with_notes(vec![7, 9]);
        let model = model_of(Finch::new(), &before, true).with_notes(vec![7, 9]);
        let new = matrix.slice(s![50.., ..]).to_owned();
        let new = Samples::new(new.view());
        // Values of ten rows alone may all be too small to be samples.
        if let Ok(new) = new {
            let extended = model.extend(&Finch::new(), &new, run).unwrap();
            assert_eq!(extended, of_all, "{name}");
            let forgetful = model.forget_samples();
            let refused = forgetful.extend(&Finch::new(), &new, run);
            assert!(matches!(refused, Err(Error::NeedsSamples { .. })));
        }
    }
}
