//! The `finch` command, as a user runs it.

mod common;

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::{Array1, Array2};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn planets() -> PathBuf {
    common::data("planets.csv")
}

/// A file of the repository's data, as an argument.
fn data(name: &str) -> String {
    common::data(name).to_str().unwrap().to_string()
}

/// A file of the large data, as an argument, where it is at hand.
fn large(name: &str) -> Option<String> {
    common::large(name).map(|path| path.to_str().unwrap().to_string())
}

fn finch(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_finch")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let text = stdout(&finch(&[arguments, &["--json"]].concat()));
    assert_eq!(text.lines().count(), 1, "one object in one line");
    serde_json::from_str(&text).unwrap()
}

/// Runs the command into an error of the data or the run: exit code 1 and one line, which this returns, with
/// those on all columns of a table below.
fn error(arguments: &[&str]) -> String {
    let output = finch(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert!(text.lines().count() == 1 || text.contains(" --auto\n"), "{text}");
    assert!(text.starts_with("finch: "), "{text}");
    text
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A zip archive of one file.
fn npz(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, SimpleFileOptions::default()).unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

/// A file in a folder, as text.
fn file(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn planets_form_the_three_groups_of_the_paper() {
    let output = finch(&["cluster", planets().to_str().unwrap()]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("column \"name\" is taken as the names of the samples"), "{told}");
    assert!(told.contains("--standardize zscore"), "{told}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("9 samples × 15 features, euclidean"), "{text}");
    let groups = "\npartition 0\
                  \n  0: Mercury, Venus, Earth, Moon, Mars\
                  \n  1: Jupiter, Saturn\
                  \n  2: Uranus, Neptune\n";
    assert!(text.ends_with(groups), "{text}");
}

#[test]
fn shapes_are_refined_as_in_the_paper() {
    let cases = [
        ("gestalt/gestalt.txt", "6", "1", 84.92),
        ("aggregation/aggregation_rounded.txt", "7", "1", 98.23),
    ];
    for (name, clusters, from, nmi) in cases {
        let path = data(name);
        let found = json(&[
            "cluster",
            &path,
            "--exclude",
            "2",
            "--labels",
            &path,
            "--clusters",
            clusters,
            "--from",
            from,
            "--linkage",
            "centroid",
        ]);
        let requested = &found["requested"];
        assert_eq!(requested["clusters"].to_string(), clusters);
        assert!((requested["nmi"].as_f64().unwrap() - nmi).abs() < 0.005, "{requested}");
    }
}

/// Sentence embeddings are clustered by means, and the table and the JSON say so.
#[test]
fn means_are_taken_where_neighbours_are_noise() {
    let Some(debian) = large("embeddings/debian.npz") else { return };
    let given = ["cluster", &debian, "--metric", "cosine", "--clusters", "11", "--labels", &debian];
    let requested = &json(&given)["requested"];
    assert_eq!(requested["linkage"], "means");
    assert!(requested["acc"].as_f64().unwrap() > 66.0, "{requested}");
    let told = stdout(&finch(&given));
    assert!(told.contains("requested, by means"), "{told}");
    let by_neighbors = json(&[&given[..], &["--linkage", "neighbor"]].concat());
    assert_eq!(by_neighbors["requested"]["acc"], 61.5236);
}

#[test]
fn k_is_suggested_and_had_by_neighbor_linkage() {
    let Some(usps) = large("usps.npz") else { return };
    let found = json(&["cluster", &usps, "--labels", &usps, "--clusters", "10", "--suggest"]);
    let requested = &found["requested"];
    assert_eq!((&requested["linkage"], &requested["from"]), (&"neighbor".into(), &0.into()));
    // The definition in plain Python has 94.7516, and these figures after moves (benches/linkage.md).
    assert_eq!(requested["acc"], 95.4399);
    let suggested = &found["suggested"];
    assert_eq!(suggested["clusters"], 8);
    let persistence = suggested["persistence"].as_f64().unwrap();
    assert!(0.7 < persistence && persistence < 1.0, "{persistence}");
    let alone = json(&["suggest", &usps]);
    assert_eq!(alone["persistence_of_best"][0], suggested["persistence"]);
    assert_eq!(alone["persistence"].as_array().unwrap().len(), 8);
    let share = format!("{:.0} %", 100.0 * persistence);
    let told = stdout(&finch(&["suggest", &usps]));
    assert!(told.starts_with(&format!(
        "8 clusters, which would come back from other samples to {share}; next"
    )));
    // No partition is closer to the truth.
    let partition = suggested["partition"].as_u64().unwrap() as usize;
    let ari = |level: &Value| level["ari"].as_f64().unwrap();
    let partitions = found["partitions"].as_array().unwrap();
    let best = partitions.iter().map(ari).fold(0.0, f64::max);
    assert_eq!(ari(&partitions[partition]), best);
    assert!(found["seconds"]["merging"].as_f64().unwrap() > 0.0);
}

#[test]
fn json_has_all_that_scripts_need() {
    let (samples, truth) = (data("mice_protein/data.mat"), data("mice_protein/labels.mat"));
    let found = json(&[
        "cluster",
        &samples,
        "--labels",
        &truth,
        "--link-bound",
        "first-neighbor",
        "--metric",
        "cosine",
    ]);
    assert_eq!(found["samples"], 1077);
    assert_eq!(found["features"], 77);
    assert_eq!(found["metric"], "cosine");
    assert_eq!(found["link_bound"], "first-neighbor");
    assert_eq!(found["exact"], true);
    let partitions = found["partitions"].as_array().unwrap();
    let counts: Vec<u64> = partitions.iter().map(|p| p["clusters"].as_u64().unwrap()).collect();
    // Table 8 of the paper, and what its table of partitions calls ACC.
    assert_eq!(counts, [351, 106, 24, 8, 4, 3]);
    let purity: Vec<f64> = partitions.iter().map(|p| p["purity"].as_f64().unwrap()).collect();
    assert_eq!(purity, [99.7214, 96.9359, 64.624, 51.2535, 26.9266, 15.506]);
    let of_eight = &partitions[3];
    assert_eq!((of_eight["nmi"].as_f64().unwrap() * 100.0).round(), 5164.0);
    for measure in ["nmi_arithmetic", "acc", "ari"] {
        assert!(of_eight[measure].is_f64(), "{measure}");
    }
    for measure in ["precision", "recall", "f"] {
        assert!(of_eight["pairwise"][measure].is_f64() && of_eight["bcubed"][measure].is_f64());
    }
    for time in ["read", "neighbors", "total"] {
        assert!(found["seconds"][time].as_f64().unwrap() > 0.0, "{time}");
    }
    assert!(found["peak_memory_bytes"].as_u64().unwrap() > 1_000_000);
    assert!(found.get("requested").is_none());
}

#[test]
fn files_hold_what_was_found_and_are_the_same_in_every_run() {
    let folder = TempDir::new().unwrap();
    let samples = data("gestalt/gestalt_X.npy");
    let run = |name: &str, threads: &str| {
        let out = folder.path().join(name).join("deeper");
        let arguments =
            ["cluster", &samples, "--clusters", "6", "--threads", threads, "--quiet", "--suggest"];
        let text = stdout(&finch(&[&arguments[..], &["--out", out.to_str().unwrap()]].concat()));
        assert_eq!(text, "");
        out
    };
    let [first, second] = [run("a", "1"), run("b", "3")];
    let labels: Array2<i32> = read_npy(first.join("labels.npy")).unwrap();
    assert_eq!(labels.dim(), (399, 4));
    let counts: Vec<i32> =
        labels.columns().into_iter().map(|c| 1 + c.iter().max().unwrap()).collect();
    assert_eq!(counts, [91, 23, 6, 2]);
    let requested: Array1<i32> = read_npy(first.join("requested.npy")).unwrap();
    assert_eq!((requested.len(), requested.iter().max()), (399, Some(&5)));
    let text = fs::read_to_string(first.join("hierarchy.json")).unwrap();
    let hierarchy: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(hierarchy["requested"]["from"], 0);
    let suggested: Array1<i32> = read_npy(first.join("suggested.npy")).unwrap();
    let clusters = 1 + suggested.iter().max().unwrap();
    assert_eq!(hierarchy["suggested"]["clusters"], clusters);
    let names = || fs::read_dir(&first).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names().count(), 4, "{:?}", names().collect::<Vec<_>>());
    for name in names() {
        assert_eq!(fs::read(first.join(&name)).unwrap(), fs::read(second.join(&name)).unwrap());
    }

    // A single partition is written as a matrix, too.
    let two = file(&folder, "two.csv", "0\n1\n");
    let out = folder.path().join("c");
    stdout(&finch(&["cluster", &two, "--quiet", "--out", out.to_str().unwrap()]));
    let labels: Array2<i32> = read_npy(out.join("labels.npy")).unwrap();
    assert_eq!(labels.dim(), (2, 1));
    // A file of an earlier run that this run does not have is removed.
    stdout(&finch(&[
        "cluster",
        &two,
        "--quiet",
        "--clusters",
        "1",
        "--force",
        "--out",
        out.to_str().unwrap(),
    ]));
    assert!(out.join("requested.npy").exists());
    stdout(&finch(&["cluster", &two, "--quiet", "--force", "--out", out.to_str().unwrap()]));
    assert!(!out.join("requested.npy").exists());
}

#[test]
fn inputs_and_labels_are_stacked() {
    let folder = TempDir::new().unwrap();
    let [a, b] = [file(&folder, "a.csv", "0,0\n1,0\n"), file(&folder, "b.tsv", "9\t9\n9\t8\n")];
    let [p, q] = [file(&folder, "p.txt", "x\nx\n"), file(&folder, "q.txt", "y\ny\n")];
    let found = json(&["cluster", &a, &b, "--labels", &p, &q]);
    assert_eq!(found["samples"], 4);
    assert_eq!(found["partitions"][0]["acc"], 100.0);
}

#[test]
fn every_search_and_metric_can_be_asked_for() {
    let path = data("gestalt/gestalt_X.npy");
    for metric in ["euclidean", "cosine", "manhattan"] {
        let auto = json(&["cluster", &path, "--metric", metric]);
        for search in ["brute", "kd-tree", "blocked"] {
            let found = json(&["cluster", &path, "--metric", metric, "--neighbors", search]);
            assert_eq!(found["neighbors"], search);
            assert_eq!(found["partitions"], auto["partitions"], "{metric} {search}");
        }
    }
}

/// Which search ran, why, and what the search found: for people, and for scripts.
#[test]
fn searches_say_what_they_found() {
    let Some(path) = large("usps.npz") else { return };
    let arguments = ["cluster", &path, "--variable", "X", "--neighbors", "approximate"];
    let output =
        finch(&[&arguments[..], &["--recall", "0.9", "--seed", "5", "--verbose"]].concat());
    let [text, told] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{told}");
    assert!(text.contains("approximate search, recall 0.9"), "{text}");
    assert!(told.lines().any(|line| line.starts_with("level 0, ")), "{told}");
    assert!(told.contains("approximate search, as asked for; recall 0.9"), "{told}");

    let found = json(&arguments);
    assert_eq!(found["exact"], false);
    let searches = found["searches"].as_array().unwrap();
    assert_eq!(searches.len(), found["partitions"].as_array().unwrap().len() + 1);
    let first = &searches[0];
    assert_eq!((&first["samples"], &first["search"]), (&found["samples"], &"approximate".into()));
    let [recall, low, high] = ["/recall", "/recall_interval/0", "/recall_interval/1"]
        .map(|place| first.pointer(place).unwrap().as_f64().unwrap());
    assert!(0.98 < recall && low <= recall && recall <= high && high <= 1.0, "{first}");
    assert_eq!(first["recall_samples"], 1024);

    let hurried = finch(&[&arguments[..], &["--time-limit", "0.000001"]].concat());
    let told = String::from_utf8(hurried.stderr).unwrap();
    assert!(hurried.status.success() && told.contains("99 % were asked for"), "{told}");
    let hurried = finch(&[&arguments[..], &["--time-limit", "0.000001", "--json"]].concat());
    let hurried: Value = serde_json::from_slice(&hurried.stdout).unwrap();
    let warning = hurried["warnings"][0].as_str().unwrap();
    assert!(warning.contains("99 % were asked for") && told.contains(warning), "{warning}: {told}");
    assert_eq!(found.get("warnings"), None);
    let exact = json(&["cluster", &path, "--variable", "X", "--time-limit", "600"]);
    assert!(exact["searches"][0]["seen"]["dimension"].as_f64() > Some(3.0), "{exact}");
    assert_eq!(exact["exact"], true);
    assert_eq!(exact["searches"][0].get("recall"), None);
    assert_ne!(exact["searches"][0]["reason"], "");
}

#[test]
fn score_prints_every_measure() {
    let folder = TempDir::new().unwrap();
    let labels = file(&folder, "labels.txt", "0\n0\n1\n1\n2\n2\n");
    let truth = file(&folder, "truth.txt", "a\na\na\nb\nb\nb\n");
    let text = stdout(&finch(&["score", &labels, &truth]));
    for line in ["ACC", "purity", "NMI (geometric)", "NMI (arithmetic)", "ARI", "B-cubed F"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.contains("83.3333"), "{text}");
    let found: Value =
        serde_json::from_str(&stdout(&finch(&["score", &labels, &truth, "--json"]))).unwrap();
    assert_eq!(found[0]["acc"], 66.6667);

    // Noise is left out.
    let noisy = file(&folder, "noisy.txt", "0\n0\n-1\n1\n1\n1\n");
    let text = stdout(&finch(&["score", &noisy, &truth]));
    let last = text.lines().last().unwrap();
    assert!(last.contains("noise, left out") && last.contains("16.6667"), "{text}");
    let found: Value =
        serde_json::from_str(&stdout(&finch(&["score", &noisy, &truth, "--json"]))).unwrap();
    assert_eq!((&found[0]["acc"], &found[0]["noise"]), (&100.0.into(), &16.6667.into()));
    let all = file(&folder, "all.txt", "-1\n-1\n-1\n-1\n-1\n-1\n");
    assert!(error(&["score", &all, &truth]).contains("every label is -1, which is noise"));

    // A column for each partition of a run.
    let out = folder.path().join("run");
    let samples = data("gestalt/gestalt_X.npy");
    stdout(&finch(&["cluster", &samples, "--quiet", "--out", out.to_str().unwrap()]));
    let labels = out.join("labels.npy");
    let truth = data("gestalt/gestalt_y.npy");
    let found: Value = serde_json::from_str(&stdout(&finch(&[
        "score",
        labels.to_str().unwrap(),
        &truth,
        "--json",
    ])))
    .unwrap();
    let purity: Vec<f64> =
        found.as_array().unwrap().iter().map(|s| s["purity"].as_f64().unwrap()).collect();
    assert_eq!(purity, [95.2381, 90.2256, 73.9348, 41.604]);
}

/// Each row: what is wrong, and what the one line about the error has to name.
#[test]
fn bad_input_is_one_clear_line_and_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let good = file(&folder, "good.csv", "1,2\n3,4\n5,7\n");
    let npy = |name: &str, matrix: Array2<f64>| {
        let path = folder.path().join(name);
        write_npy(&path, &matrix).unwrap();
        path.to_str().unwrap().to_string()
    };
    let whole = fs::read(npy("whole.npy", Array2::zeros((50, 3)))).unwrap();
    let cut = |name: &str, bytes: &[u8]| file(&folder, name, &bytes[..bytes.len() / 2]);
    let idx = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2], &[7u8; 5][..]].concat();
    let pixels: Vec<u8> =
        (0..8000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let images = [&[0, 0, 8, 3, 0, 0, 0, 80, 0, 0, 0, 10, 0, 0, 0, 10], &pixels[..]].concat();
    let three = file(&folder, "three.txt", "1\n2\n2\n");
    let missing = folder.path().join("missing.csv");
    let cases: Vec<(Vec<String>, &[&str])> = vec![
        (vec![file(&folder, "empty.csv", "")], &["empty.csv", "empty"]),
        (vec![npy("no_rows.npy", Array2::zeros((0, 3)))], &["no"]),
        (vec![npy("no_columns.npy", Array2::zeros((3, 0)))], &["no"]),
        (
            vec![file(&folder, "nan.csv", "1,2\n3,nan\n")],
            &["line 2, column 1 (from 0)", "--missing"],
        ),
        (vec![npy("nan.npy", ndarray::array![[1.0], [f64::NAN]])], &["row 1", "--missing"]),
        (
            vec![npy("infinite.npy", ndarray::array![[1.0], [f64::NEG_INFINITY]])],
            &["row 1, column 0", "inf"],
        ),
        (vec![npy("huge.npy", ndarray::array![[1.0], [1e200]])], &["row 1, column 0", "rescale"]),
        (vec![file(&folder, "ragged.csv", "1,2\n3,4\n5\n")], &["ragged.csv", "line 3"]),
        (vec![file(&folder, "word.csv", "1,2\n3,four\n5,6\n")], &["word.csv", "four"]),
        (vec![file(&folder, "cut.npy", &whole[..whole.len() - 9])], &["cut.npy", "cut short"]),
        (vec![cut("cut.mat", &fs::read(data("mice_protein/data.mat")).unwrap())], &["cut.mat"]),
        (vec![file(&folder, "cut-idx3-ubyte", idx)], &["cut-idx3-ubyte", "cut short"]),
        (vec![cut("cut-idx3-ubyte.gz", &gzip(&images))], &["cut short"]),
        (vec![cut("cut.npz", &npz("X.npy", &whole))], &["cut.npz"]),
        (vec![file(&folder, "samples.xyz", "\0")], &["samples.xyz", ".npy"]),
        (vec![missing.to_str().unwrap().into()], &["missing.csv", "No such file"]),
        (vec![folder.path().to_str().unwrap().into()], &["director"]),
        (vec![good.clone(), file(&folder, "narrow.csv", "1\n2\n")], &["narrow.csv", "good.csv"]),
        (vec![good.clone(), "--clusters".into(), "0".into()], &["0 clusters", "1 to 3"]),
        (vec![good.clone(), "--clusters".into(), "4".into()], &["4 clusters", "1 to 3"]),
        (
            ["--clusters", "1", "--from", "9"].map(String::from).into_iter().collect(),
            &["no partition 9"],
        ),
        (
            vec![good.clone(), "--labels".into(), file(&folder, "two.txt", "1\n2\n")],
            &["labels", "3", "2"],
        ),
        (
            vec![npy("thin.npy", Array2::zeros((9, 7))), "--neighbors".into(), "projected".into()],
            &["projected", "8 features"],
        ),
        (
            [
                vec![npy("bits.npy", Array2::ones((9, 2)))],
                ["--neighbors", "approximate", "--metric", "jaccard"].map(String::from).to_vec(),
            ]
            .concat(),
            &["approximate", "Jaccard"],
        ),
        (["--neighbors", "projected"].map(String::from).to_vec(), &["projected", "8 features"]),
        (
            vec![npy("column.npy", Array2::zeros((9, 2))), "--exclude".into(), "1".into()],
            &["column.npy", "--exclude", "tables"],
        ),
        (
            vec![good.clone(), "--labels".into(), npy("classes.npy", Array2::ones((3, 2)))],
            &["classes.npy", "one label", "2"],
        ),
    ];
    for (mut arguments, named) in cases {
        if arguments[0].starts_with("--") {
            arguments.insert(0, good.clone());
        }
        let out = folder.path().join("out");
        let mut all = vec!["cluster".to_string()];
        all.append(&mut arguments);
        all.extend(["--out".to_string(), out.to_str().unwrap().to_string()]);
        let text = error(&all.iter().map(String::as_str).collect::<Vec<_>>());
        for word in named {
            assert!(text.contains(word), "{all:?}: {text}");
        }
        assert!(!out.exists(), "{all:?}");
    }
    // No folders on the way are left, and no user's own files are written over.
    let deep = folder.path().join("a/b/c");
    error(&["cluster", &good, "--clusters", "1", "--from", "9", "--out", deep.to_str().unwrap()]);
    assert!(!folder.path().join("a").exists());
    let own = file(&folder, "labels.npy", "mine");
    let here = folder.path().to_str().unwrap();
    assert!(error(&["cluster", &good, "--out", here]).contains("labels.npy"));
    assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
    // Places where the output cannot go.
    let output = finch(&["cluster", &good, "--out", &three]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("name the file of --out"), "{text}");
    assert_eq!(fs::read_to_string(&three).unwrap(), "1\n2\n2\n");
    let text = error(&["score", &three, &file(&folder, "two.txt", "1\n2\n")]);
    assert!(text.contains('3') && text.contains('2'), "{text}");
}

/// Two rows of 30 samples each, two samples beside each other, and one far out; and a row without a value.
fn with_far_ones(folder: &TempDir) -> String {
    let rows = (0..63).map(|row| match row {
        62 => String::from("9000"),
        row => format!("{}.{}", row % 30 + row / 30 * 100, row * row % 7),
    });
    let rows: Vec<String> = rows.collect();
    file(folder, "rows.csv", format!("x\n{}\nNA\n", rows.join("\n")))
}

#[test]
fn small_clusters_and_outliers_are_noise_if_asked_for() {
    let folder = TempDir::new().unwrap();
    let rows = with_far_ones(&folder);
    let out = folder.path().join("labels.csv").to_str().unwrap().to_string();
    let cluster = |options: &str| {
        let options: Vec<&str> = options.split(' ').collect();
        let found = json(
            &[&["cluster", &rows, "-q", "--missing", "drop", "--force", "-o", &out], &options[..]]
                .concat(),
        );
        let table = fs::read_to_string(&out).unwrap();
        let mut lines = table.lines();
        let header: Vec<String> = lines.next().unwrap().split(',').map(String::from).collect();
        let columns: Vec<Vec<String>> = (0..header.len())
            .map(|at| {
                let lines = table.lines().skip(1);
                lines.map(|line| line.split(',').nth(at).unwrap().to_string()).collect()
            })
            .collect();
        let column = move |name: &str| {
            columns[header.iter().position(|column| column == name).unwrap()].clone()
        };
        (found, column)
    };
    let (plain, labels) = cluster("-k 3");
    assert_eq!(plain["requested"].get("noise"), None);
    assert!(labels("requested").iter().all(|label| label != "-1"));
    let (found, labels) = cluster("-k 3 --suggest --min-cluster-size 4 --membership");
    assert_eq!(found["requested"]["noise"], 3);
    assert_eq!(found["requested"]["clusters"], 2);
    let requested = labels("requested");
    assert_eq!(requested[60..], ["-1", "-1", "-1", ""]);
    assert!(requested[..60].iter().all(|label| label != "-1"));
    let sure = labels("requested_probability");
    assert_eq!((&*sure[10], &*sure[61], &*sure[63]), ("1", "0", ""));
    assert_eq!(labels("suggested_probability").len(), 64);
    let (found, labels) = cluster("-k 3 --min-cluster-size 4 --small join");
    assert_eq!(
        (&found["requested"]["clusters"], found["requested"].get("noise")),
        (&2.into(), None)
    );
    assert!(labels("requested").iter().all(|label| label != "-1"));
    let (_, labels) = cluster("-k 2 --outliers 0.02");
    assert_eq!(labels("requested").iter().filter(|label| *label == "-1").count(), 1);
    assert_eq!(labels("requested")[62], "-1");
    let (_, labels) = cluster("-k 2 --outlier-threshold 0.99");
    assert_eq!(labels("requested")[62], "-1");

    // Nothing is left of clusters that are all too small.
    let options = ["--missing", "drop", "-k", "3", "--min-cluster-size", "1000"];
    let output = finch(&[&["cluster", &rows], &options[..]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("all samples are noise in the requested clusters"), "{told}");
    // A model keeps noise, and predicts it; a page shows it.
    let model = folder.path().join("m.finch").to_str().unwrap().to_string();
    let page = folder.path().join("page.html").to_str().unwrap().to_string();
    let options = format!("-k 3 --min-cluster-size 4 --model {model} --report {page}");
    let (_, kept) = cluster(&options);
    let requested = kept("requested");
    let predicted = stdout(&finch(&["predict", &model, &rows, "-q", "--out", "-"]));
    let column: Vec<&str> =
        predicted.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(column, requested);
    let told = json(&["describe", &model]);
    assert_eq!(told["clusters"].as_array().unwrap().len(), 2);
    let grown = folder.path().join("grown.finch").to_str().unwrap().to_string();
    let extended = finch(&["extend", &model, &rows, "--model", &grown, "--same-names"]);
    let told = String::from_utf8(extended.stderr).unwrap();
    assert!(
        told.contains("the labels of the model have noise, which the new model has not"),
        "{told}"
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(
        page.contains("3 samples are noise, in no cluster.") && page.contains(">noise<"),
        "{page}"
    );
    assert!(page.contains("--c20") && page.contains("; 3 samples of noise"));

    // Into a directory, and scores without noise.
    let truth: Vec<String> = (0..63).map(|row| (row / 30).to_string()).collect();
    let truth = file(&folder, "truth.csv", format!("{}\n7\n", truth.join("\n")));
    let directory = folder.path().join("run").to_str().unwrap().to_string();
    let arguments = ["cluster", &rows, "--missing", "drop", "-k", "3", "--min-cluster-size", "4"];
    let found = json(&[&arguments[..], &["-q", "--labels", &truth, "--out", &directory]].concat());
    assert_eq!(found["requested"]["ari"], 100.0);
    let labels: Array1<i32> = read_npy(folder.path().join("run/requested.npy")).unwrap();
    assert_eq!(labels.iter().filter(|&&label| label == -1).count(), 3);
    let text = String::from_utf8(finch(&arguments).stdout).unwrap();
    let row = text.lines().find(|line| line.contains("requested")).unwrap();
    assert!(text.contains("noise") && row.trim_end().ends_with(" 3"), "{text}");
    assert!(
        error(&[&arguments[..6], &["--min-cluster-size", "64", "--small", "join"]].concat())
            .contains("64 cannot be")
    );
    for wrong in [
        &["cluster", &rows, "--min-cluster-size", "4"][..],
        &["cluster", &rows, "-k", "2", "--outliers", "1"],
        &["cluster", &rows, "-k", "2", "--outliers", "0"],
        &["cluster", &rows, "-k", "2", "--outlier-threshold", "2"],
        &["cluster", &rows, "-k", "2", "--small", "join"],
        &["cluster", &rows, "-k", "2", "--membership"],
    ] {
        assert_eq!(finch(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn zero_rows_are_a_cluster_of_their_own_under_cosine() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "zero.csv", "0,0\n1,1\n2,2\n-1,1\n-2,2\n");
    let output = finch(&["cluster", &path, "--metric", "cosine", "--json"]);
    let told = "sample 0 (from 0) is all zeros";
    assert!(String::from_utf8(output.stderr).unwrap().starts_with(&format!("finch: {told}")));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["warnings"][0].as_str().unwrap().starts_with(told));
    assert_eq!(found["partitions"][0]["clusters"], 3);
    assert_eq!(found["partitions"][0]["smallest"], 1);
    // Rows that are left out count, too.
    let path = file(&folder, "gaps.csv", "a,b\nNA,1\n,2\n1,1\n0,0\n2,2\n-1,1\n-2,2\n");
    let output = finch(&["cluster", &path, "--metric", "cosine", "--missing", "drop"]);
    let told = "sample 3 (from 0) is all zeros";
    assert!(String::from_utf8(output.stderr).unwrap().contains(told));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let path = planets();
    let path = path.to_str().unwrap();
    let cases: &[&[&str]] = &[
        &[],
        &["cluster"],
        &["cluster", path, "--metric", "chebyshev"],
        &["cluster", path, "--threads", "0"],
        &["cluster", path, "--threads", "1000000"],
        &["cluster", path, "--clusters", "-1"],
        &["cluster", path, "--linkage", "ward"],
        &["cluster", path, "--from", "0"],
        &["cluster", path, "--unknown"],
        &["cluster", path, "-k", "2", "--min-size", "5", "--max-size", "4"],
        &["cluster", path, "--precomputed", "--metric", "cosine"],
        &["cluster", path, "--recall", "0"],
        &["cluster", path, "--recall", "1.5"],
        &["cluster", path, "--seed", "-1"],
        &["cluster", path, "--seed=-1"],
        &["cluster", path, "--seed=18446744073709551615"],
        &["score", path],
    ];
    for case in cases {
        let output = finch(case);
        assert_eq!(output.status.code(), Some(2), "{case:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{case:?}");
    }
    for case in [&["--help"][..], &["cluster", "--help"], &["score", "-h"], &["--version"]] {
        assert!(stdout(&finch(case)).contains("finch"), "{case:?}");
    }
}

/// `--help` has few options, with the way to the others, and `--help-all` has them all.
#[test]
fn help_is_short_and_begins_with_the_kinds_of_clusters() {
    let help = stdout(&finch(&["cluster", "--help"]));
    let usage = help.find("Usage:").unwrap();
    for kind in ["--suggest", "--clusters K", "partitions"] {
        assert!(help[..usage].contains(kind), "{kind}: {help}");
    }
    let place = |option: &str| help.find(&format!("  {option}")).expect(option);
    let first = ["--suggest", "-k, --clusters", "--metric", "-o, --out", "--report"];
    let others = ["-m, --model", "--labels", "--standardize"];
    assert!(first.iter().all(|one| others.iter().all(|other| place(one) < place(other))), "{help}");
    assert_eq!(stdout(&finch(&["cluster", "-h"])), help);

    let commands = ["cluster", "predict", "suggest", "tree", "neighbors", "describe", "extend"];
    let of_training = cfg!(feature = "train").then_some("train");
    for command in commands.into_iter().chain(of_training) {
        let (short, all) = (finch(&[command, "--help"]), finch(&[command, "--help-all"]));
        let (short, all) = (stdout(&short), stdout(&all));
        assert!(short.contains("--help-all") && short.lines().count() <= 100, "{command}: {short}");
        assert!(!short.contains("--delimiter") && all.contains("--delimiter"), "{command}");
        // Both say the whole of what the command does.
        let about = |help: &str| help.split("Usage:").next().unwrap().to_owned();
        assert_eq!(about(&short), about(&all));
        assert!(about(&short).lines().count() > 3, "{command}: {short}");
    }
    let score = stdout(&finch(&["score", "--help"]));
    assert!(score.contains("--label-column"), "{score}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_finch"))
        .args(["cluster", planets().to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.lines().all(|line| line.starts_with("finch: column ")), "{told}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_and_leaves_nothing_behind() {
    use std::time::Duration;
    let folder = TempDir::new().unwrap();
    let samples = folder.path().join("samples.npy");
    // Minutes of work for brute force.
    let matrix = Array2::from_shape_fn((40_000, 200), |(i, j)| ((i * 7 + j * j) as f64).sin());
    write_npy(&samples, &matrix).unwrap();
    let out = folder.path().join("out");
    let child = Command::new(env!("CARGO_BIN_EXE_finch"))
        .args(["cluster", samples.to_str().unwrap(), "--neighbors", "brute"])
        .args(["--out", out.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The directory appears when reading is done and the search begins.
    while !out.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "finch: stopped by Ctrl-C, nothing was written\n");
    assert!(output.stdout.is_empty() && !out.exists());
}

/// The largest data at hand, from the files that everybody has: exact, within the memory that is
/// promised (the pixels as f32, and 1 GB).
#[test]
fn mnist_70k_end_to_end() {
    let [Some(train), Some(test), Some(train_labels), Some(test_labels)] = [
        "mnist/train-images-idx3-ubyte.gz",
        "mnist/t10k-images-idx3-ubyte.gz",
        "mnist/train-labels-idx1-ubyte.gz",
        "mnist/t10k-labels-idx1-ubyte.gz",
    ]
    .map(large) else {
        return;
    };
    let found = json(&["cluster", &train, &test, "--labels", &train_labels, &test_labels]);
    let partitions = found["partitions"].as_array().unwrap();
    let counts: Vec<u64> = partitions.iter().map(|p| p["clusters"].as_u64().unwrap()).collect();
    assert_eq!(counts, [12_691, 2_023, 385, 87, 23, 8, 3]);
    assert_eq!(partitions[3]["purity"], 92.6414);
    assert_eq!(found["exact"], true);
    let peak = found["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 70_000 * 784 * 4 + 1_000_000_000, "{peak}");
}
