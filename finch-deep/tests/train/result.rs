//! What a run leaves when it comes to its end.

use std::fs;
use std::path::{Path, PathBuf};

use finch_deep::metrics::{Clustering, Measurement, Method};
use finch_deep::run::Facts;
use finch_deep::train::{Backend, Checkpoint, Config, Objective, Preset, PseudoLabels};
use ndarray::{Array1, Array2};
use ndarray_npy::read_npy;
use serde_json::Value;
use toml::Table;

use crate::place::{
    CLASSES, FEATURES, LAST, Place, SAMPLES, assert_differ, assert_same, begin, checkpoints, files,
    metrics, text,
};

#[test]
fn a_run_leaves_all_that_belongs_to_it() {
    let place = Place::new();
    let options = ["--labels", "classes.txt", "--seed", "3", "--input-dropout", "0.1"];
    let run = place.train("deep/run", &options);
    let names: Vec<String> = files(&run)
        .into_keys()
        .map(|path| path.strip_prefix(&run).unwrap().to_str().unwrap().into())
        .collect();
    let expected = [
        "checkpoints/epoch-000006.safetensors",
        LAST,
        "config.toml",
        "embedding.npy",
        "hierarchy.json",
        "labels.csv",
        "labels.npy",
        "lock",
        "metrics.jsonl",
        "model.finch",
        "recipe.json",
        "report.html",
        "requested.npy",
        "run.json",
    ];
    assert_eq!(names, expected);

    // The configuration, with a key for each field.
    let text = fs::read_to_string(run.join("config.toml")).unwrap();
    let config: Config = toml::from_str(&text).unwrap();
    let mut expected = Config::preset(Preset::Best);
    (expected.clusters, expected.seed, expected.input_dropout) = (Some(4), 3, Some(0.1));
    (expected.epochs, expected.relabel_every, expected.batch) = (6, 2, 64);
    (expected.hidden, expected.objectives) = (vec![32, 32], vec![Objective::Labels]);
    // A run keeps the defaults that depend on its samples.
    expected.least_steps = Some(1_500);
    assert_eq!(config, expected);
    let keys = |table: Table| table.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(toml::from_str(&text).unwrap()), keys(Table::try_from(&expected).unwrap()));

    let facts: Facts = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!((facts.samples, facts.features), (SAMPLES, FEATURES));
    assert_eq!((&*facts.version, facts.backend), (env!("CARGO_PKG_VERSION"), Backend::Cpu));
    let input = fs::canonicalize(facts.sources.last().unwrap().to_os_string()).unwrap();
    assert_eq!(input, fs::canonicalize(place.at("samples.npy")).unwrap());

    // A line for each epoch and each clustering, in their order.
    let metrics = metrics(&run);
    let order: Vec<String> = metrics
        .iter()
        .map(|metric| match metric {
            Measurement::Epoch(epoch) => format!("epoch {}", epoch.epoch),
            Measurement::Clustering(clustering) => format!("clustering {}", clustering.epoch),
        })
        .collect();
    let expected = "clustering 0, epoch 1, epoch 2, clustering 2, epoch 3, epoch 4, clustering 4, \
                    epoch 5, epoch 6, clustering 6";
    assert_eq!(order.join(", "), expected);
    let clusterings: Vec<&Clustering> = metrics
        .iter()
        .filter_map(|metric| match metric {
            Measurement::Clustering(clustering) => Some(&**clustering),
            Measurement::Epoch(_) => None,
        })
        .collect();
    for clustering in &clusterings {
        let requested = clustering.requested.as_ref().unwrap();
        assert_eq!(requested.clusters, CLASSES);
        assert_eq!(requested.scores.unwrap().acc, Some(100.0));
        assert_eq!(clustering.agreement.is_some(), [2, 4].contains(&clustering.epoch));
        let last = clustering.epoch == 6;
        assert_eq!(clustering.pseudo_labels, (!last).then_some(CLASSES));
    }

    let embedding: Array2<f32> = read_npy(run.join("embedding.npy")).unwrap();
    assert_eq!(embedding.dim(), (SAMPLES, 32));
    assert!(embedding.iter().all(|value| value.is_finite() && *value >= 0.0), "rectified");
    let labels: Array2<i32> = read_npy(run.join("labels.npy")).unwrap();
    let partitions = &clusterings.last().unwrap().partitions;
    assert_eq!(labels.dim(), (SAMPLES, partitions.len()));
    let requested: Array1<i32> = read_npy(run.join("requested.npy")).unwrap();
    // The classes take turns, and clusters are numbered by their first samples.
    assert!(
        requested.iter().enumerate().all(|(sample, &label)| label as usize == sample % CLASSES)
    );
    let hierarchy: Value =
        serde_json::from_slice(&fs::read(run.join("hierarchy.json")).unwrap()).unwrap();
    assert_eq!((&hierarchy["samples"], &hierarchy["features"]), (&600.into(), &32.into()));
    assert_eq!((&hierarchy["metric"], &hierarchy["exact"]), (&"cosine".into(), &true.into()));
    assert_eq!(hierarchy["requested"]["clusters"], 4);
    let report = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(report.to_lowercase().starts_with("<!doctype html>") && report.contains("</html>"));

    for path in checkpoints(&run) {
        assert_eq!(Checkpoint::load(&path).unwrap().epoch(), 6);
    }
}

#[test]
fn it_prints_a_table_and_is_silent_where_nobody_looks() {
    let place = Place::new();
    let loud =
        ["train", "samples.npy", "--clusters", "4", "--epochs", "1", "--least-steps", "9", "--out"];
    let output = place.output(&[&loud[..], &["run"]].concat());
    let text = self::text(&output.stdout);
    // The verdict comes first, and the reason for each candidate.
    let first = text.lines().next().unwrap();
    assert!(first.contains("training ") && first.contains("modularity of 0."), "{text}");
    assert!(text.contains("600 samples × 8 features, 3 epochs, "), "{text}");
    assert!(text.contains("after epoch"), "{text}");
    for words in [" clusters of ", " input ", " embedding, from the graph ", " why", "the result: "]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(
        text.contains("\nlook at run/report.html; the labels are in run/labels.csv\nnext:\n"),
        "{text}"
    );
    assert!(text.contains("  finch predict run NEW  "), "{text}");
    // A line an epoch, where standard error is no terminal.
    let told = self::text(&output.stderr);
    let epochs: Vec<&str> = told.lines().collect();
    assert_eq!(epochs.len(), 3, "{told}");
    for (line, epoch) in epochs.iter().zip(["1", "2", "3"]) {
        assert!(line.starts_with(&format!("finch: epoch {epoch} of 3: loss ")), "{told}");
    }
    assert_eq!(place.done(&begin("quiet", &[])), "");

    // Whoever reads it may have seen enough.
    let mut child = place.finch(&[&loud[..], &["piped"]].concat()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let told = self::text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.lines().all(|line| line.starts_with("finch: epoch ")), "{told}");
    assert!(place.at("piped/report.html").exists());
}

#[test]
fn labels_are_for_scores_only() {
    let place = Place::new();
    let none = place.train("none", &[]);
    let truth = place.train("truth", &["--labels", "classes.txt"]);
    // As wrong as labels can be: each class is one fourth of all.
    let wrong: Vec<String> = (0..SAMPLES).map(|sample| (sample / 150).to_string()).collect();
    fs::write(place.at("wrong.txt"), wrong.join("\n")).unwrap();
    let wrong = place.train("wrong", &["--labels", "wrong.txt"]);
    for name in ["embedding.npy", "requested.npy", "labels.npy"] {
        let content = fs::read(none.join(name)).unwrap();
        assert!(content == fs::read(truth.join(name)).unwrap(), "{name}");
        assert!(content == fs::read(wrong.join(name)).unwrap(), "{name}");
    }
    // The labels were looked at, though.
    let acc = |run: &Path| match metrics(run).pop().unwrap() {
        Measurement::Clustering(clustering) => {
            clustering.requested.unwrap().scores.and_then(|s| s.acc)
        }
        Measurement::Epoch(_) => panic!("a run ends with a clustering"),
    };
    assert_eq!((acc(&none), acc(&truth)), (None, Some(100.0)));
    assert!(acc(&wrong).unwrap() < 40.0);
}

#[test]
fn k_means_and_ward_are_beside_the_input_where_the_truth_is_known() {
    let place = Place::new();
    let train = |out: &str, options: &[&str]| {
        let line =
            ["train", "samples.npy", "--clusters", "4", "--epochs", "1", "--least-steps", "9"];
        let output = place.output(&[&line[..], &["--hidden", "8", "--out", out], options].concat());
        assert!(output.status.success(), "{output:?}");
        let run = place.at(out);
        let last = metrics(&run).pop().unwrap();
        let page = fs::read_to_string(run.join("report.html")).unwrap();
        (last.clustering().unwrap().verdict.clone().unwrap().beside, text(&output.stdout), page)
    };
    let (beside, told, page) = train("truth", &["--labels", "classes.txt"]);
    let found: Vec<_> = beside.iter().map(|one| (one.method, one.scores.acc)).collect();
    assert_eq!(found, [(Method::KMeans, Some(100.0)), (Method::Ward, Some(100.0))]);
    for words in ["input, by k-means", "input, by Ward linkage"] {
        assert!(told.contains(words) && page.contains(words), "{words}: {told}");
        // Of modularity, separation and agreement there is nothing, and the scores are under their names.
        let row = told.lines().find(|line| line.contains(words)).unwrap();
        assert_eq!(row.matches('–').count(), 3, "{row}");
    }
    // Classes that have nothing to do with the samples: the scores are those of the truth that is given.
    let wrong: Vec<String> = (0..SAMPLES).map(|sample| (sample / 150).to_string()).collect();
    fs::write(place.at("wrong.txt"), wrong.join("\n")).unwrap();
    let (beside, ..) = train("wrong", &["--labels", "wrong.txt"]);
    assert!(beside.len() == 2 && beside.iter().all(|one| one.scores.acc.unwrap() < 40.0));
    let (beside, told, page) = train("none", &[]);
    assert!(beside.is_empty() && !told.contains("k-means") && !page.contains("k-means"));
}

#[test]
fn a_run_depends_on_its_seed_and_not_on_threads() {
    let place = Place::new();
    let run = place.train("one", &["--threads", "1"]);
    for threads in ["1", "2", "3"] {
        assert_same(&place.train(&format!("again-{threads}"), &["--threads", threads]), &run);
    }
    let other = place.train("other", &["--seed", "1"]);
    assert_differ(&run, &other, "embedding.npy");
    assert_differ(&run, &other, "metrics.jsonl");
}

#[test]
fn checkpoints_are_the_same_bytes_on_one_thread_and_on_two() {
    let place = Place::new();
    for optimizer in ["adam", "sgd"] {
        let [one, two] = ["1", "2"].map(|threads| {
            let options = ["--optimizer", optimizer, "--threads", threads];
            let run = place.train(&format!("{optimizer}-{threads}"), &options);
            let content = |path: PathBuf| (path.file_name().unwrap().to_owned(), fs::read(path));
            checkpoints(&run).into_iter().map(content).map(|(name, bytes)| (name, bytes.unwrap()))
        });
        let (one, two): (Vec<_>, Vec<_>) = (one.collect(), two.collect());
        assert_eq!(one.len(), 2);
        assert!(one == two, "checkpoints of {optimizer} differ");
    }
}

#[test]
fn presets_and_files_and_options_come_in_this_order() {
    let place = Place::new();
    fs::write(place.at("some.toml"), "preset = \"paper\"\nepochs = 2\nseed = 5\n").unwrap();
    let config = |out: &str, options: &[&str]| -> Config {
        let arguments = ["train", "samples.npy", "--clusters", "4", "--quiet", "--hidden", "8"];
        place.done(&[&arguments[..], &["--out", out], options].concat());
        let text = fs::read_to_string(place.at(out).join("config.toml")).unwrap();
        toml::from_str(&text).unwrap()
    };
    let found = config("a", &["--config", "some.toml", "--seed", "6", "--partition", "1"]);
    let mut expected = Config::preset(Preset::Paper);
    (expected.clusters, expected.epochs, expected.seed) = (Some(4), 2, 6);
    (expected.hidden, expected.pseudo_labels) = (vec![8], PseudoLabels::Partition(1));
    expected.least_steps = Some(1_500);
    assert_eq!(found, expected);
    // The configuration of a run makes the same run.
    let found = config("b", &["--config", "a/config.toml"]);
    assert_eq!(found, expected);
    assert_eq!(
        fs::read(place.at("a/embedding.npy")).unwrap(),
        fs::read(place.at("b/embedding.npy")).unwrap()
    );
    let found = config("c", &["--preset", "best", "--config", "some.toml", "--least-steps", "9"]);
    assert_eq!((found.preset, found.epochs, found.seed), (Preset::Best, 2, 5));
}

#[test]
fn the_report_shows_what_clusters_are_like() {
    let place = Place::new();
    let run = place.train("run", &["--image", "2x4"]);
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 4 * 7);
    // Pixels are no features that a person reads.
    assert!(!page.contains("feature 0"));
    let again = place.unfinished(&run, "again", 3);
    place.done(&["train", "--resume", "again", "--quiet"]);
    let again = fs::read_to_string(again.join("report.html")).unwrap();
    assert_eq!(again.matches("data:image").count(), page.matches("data:image").count());
    // Samples without pictures go by their number, and a suggested K by its score.
    let free = ["train", "samples.npy", "--out", "free", "--quiet", "--hidden", "16", "--epochs"];
    place.done(&[&free[..], &["1", "--least-steps", "16"]].concat());
    let page = fs::read_to_string(place.at("free/report.html")).unwrap();
    assert!(page.contains("sample ") && !page.contains("data:image"));
    // Each class is apart from the others in a feature of its own, with even numbers.
    for feature in [0, 2, 4, 6] {
        assert!(page.contains(&format!("feature {feature}</th>")), "{feature}");
    }
    assert!(page.contains("4 clusters fit best"));

    let wrong = place.error(&begin("wrong", &["--image", "3x4"]));
    assert!(wrong.contains("--image 3x4 has 12 values, and the samples have 8"), "{wrong}");
    assert!(!place.at("wrong").exists());
}
