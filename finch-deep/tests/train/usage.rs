//! Input and options that cannot be used.

use std::fs;

use finch_deep::train::{Checkpoint, Config};
use ndarray::Array2;
use ndarray_npy::write_npy;

use crate::place::{Place, begin, checkpoints, files, gaussians};

/// Each row: options, and what the message about them has to name.
#[test]
fn bad_input_is_named_before_anything_is_made() {
    let place = Place::new();
    let npy = |name: &str, matrix: Array2<f32>| write_npy(place.at(name), &matrix).unwrap();
    let mut bad = gaussians();
    bad[[7, 2]] = f32::NAN;
    npy("nan.npy", bad);
    fs::write(place.at("short.txt"), "1\n2\n").unwrap();
    let toml = |name: &str, text: &str| fs::write(place.at(name), text).unwrap();
    toml("unknown.toml", "epochs = 2\nhiden = [3]\n");
    toml("type.toml", "# many\n\nbatch = \"many\"\n");
    toml("preset.toml", "preset = \"worst\"\n");
    toml("labels.toml", "pseudo_labels = \"few\"\n");
    toml("broken.toml", "epochs = 2\nbatch\n");
    toml("zero.toml", "weight_decay = -1.0\n");
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("nan.npy", &[], &["nan.npy", "row 7, column 2", "NaN"]),
        ("missing.npy", &[], &["missing.npy", "No such file"]),
        ("samples.npy", &["--clusters=1"], &["clusters", "at least 2"]),
        ("samples.npy", &["--clusters=0"], &["clusters", "at least 2"]),
        ("samples.npy", &["--clusters=601"], &["601 clusters", "600"]),
        ("samples.npy", &["--clusters=301"], &["301 pseudo-labels", "600"]),
        ("samples.npy", &["--pseudo-labels=301"], &["301 pseudo-labels", "600", "fewer"]),
        ("samples.npy", &["--pseudo-labels=76K"], &["304 pseudo-labels", "600", "fewer"]),
        ("samples.npy", &["--pseudo-labels=1"], &["pseudo-labels", "at least 2"]),
        ("samples.npy", &["--pseudo-labels=0K"], &["pseudo-labels"]),
        ("samples.npy", &["--epochs=0"], &["epochs", "1 to 999999"]),
        ("samples.npy", &["--epochs=1000000"], &["epochs", "1 to 999999"]),
        ("samples.npy", &["--relabel-every=0"], &["relabel-every", "above 0"]),
        ("samples.npy", &["--batch=0"], &["batch", "above 0"]),
        ("samples.npy", &["--neighbors=0"], &["neighbors", "above 0"]),
        ("samples.npy", &["--negatives=0"], &["negatives", "above 0"]),
        ("samples.npy", &["--dimensions=0"], &["dimensions", "above 0"]),
        ("samples.npy", &["--least-steps=1000000000"], &["least-steps", "below 1000000000"]),
        ("samples.npy", &["--hidden=0,32"], &["hidden", "above 0"]),
        ("samples.npy", &["--hidden=1000000,1000000"], &["hidden", "narrower"]),
        ("samples.npy", &["--hidden=9223372036854775807,2"], &["hidden", "narrower"]),
        ("samples.npy", &["--learning-rate=nan"], &["learning-rate", "above 0"]),
        ("samples.npy", &["--learning-rate=0"], &["learning-rate", "above 0"]),
        ("samples.npy", &["--learning-rate-divisor=0.5"], &["learning-rate-divisor", "at least 1"]),
        ("samples.npy", &["--momentum=1"], &["momentum", "less than 1"]),
        ("samples.npy", &["--weight-decay=-1"], &["weight-decay", "0 or more"]),
        ("samples.npy", &["--hidden-dropout=1"], &["hidden-dropout", "less than 1"]),
        ("samples.npy", &["--input-dropout=-0.1"], &["input-dropout", "less than 1"]),
        ("samples.npy", &["--label-smoothing=inf"], &["label-smoothing", "less than 1"]),
        ("samples.npy", &["--labels", "short.txt"], &["2 labels", "600 samples"]),
        ("samples.npy", &["--labels", "none.txt"], &["none.txt", "No such file"]),
        ("samples.npy", &["--config=unknown.toml"], &["unknown.toml", "line 2", "hiden"]),
        ("samples.npy", &["--config=type.toml"], &["type.toml", "line 3", "many"]),
        ("samples.npy", &["--config=preset.toml"], &["preset.toml", "line 1", "worst", "paper"]),
        ("samples.npy", &["--config=labels.toml"], &["labels.toml", "line 1", "3K"]),
        ("samples.npy", &["--config=broken.toml"], &["broken.toml", "line 2"]),
        ("samples.npy", &["--config=zero.toml"], &["weight-decay", "0 or more"]),
        ("samples.npy", &["--config=none.toml"], &["none.toml", "No such file"]),
        ("samples.npy", &["--config=."], &[".: ", "director"]),
        #[cfg(not(feature = "cuda"))]
        ("samples.npy", &["--backend=cuda"], &["cuda", "--features cuda"]),
    ];
    for (input, options, named) in cases {
        // Each option once.
        let given = |name: &str| options.iter().any(|o| o.split('=').next() == Some(name));
        let mut arguments = vec!["train", input, "--out", "deep/run"];
        for option in ["--clusters=4", "--epochs=6", "--batch=64", "--hidden=32,32"] {
            if !given(option.split('=').next().unwrap()) {
                arguments.push(option);
            }
        }
        arguments.extend(*options);
        let text = place.error(&arguments);
        for word in *named {
            assert!(text.contains(word), "{options:?}: {text}");
        }
        let toml = options.iter().any(|option| option.ends_with(".toml"));
        assert!(toml || text.lines().count() == 1, "{options:?}: {text}");
        assert!(!place.at("deep").exists(), "{options:?}");
    }
}

#[test]
fn pseudo_labels_that_teach_nothing_leave_nothing_behind() {
    let place = Place::new();
    // Each sample's nearest is the next: FINCH links all of them at once.
    let line: Vec<String> = (0..12).map(|step| (-f64::powi(0.5, step)).to_string()).collect();
    fs::write(place.at("line.csv"), line.join("\n")).unwrap();
    let options = ["--input-metric", "euclidean", "--clusters", "2", "--batch", "4"];
    let first = ["train", "line.csv", "--partition", "0", "--out"];
    let arguments = [&first[..], &["deep/run"]].concat();
    let text = place.error(&[&arguments[..], &options].concat());
    assert!(text.contains("one cluster only") && text.contains("finer partition"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(!place.at("deep").exists());
    // A directory that was there stays, empty.
    fs::create_dir(place.at("own")).unwrap();
    let arguments = [&first[..], &["own"]].concat();
    place.error(&[&arguments[..], &options].concat());
    assert!(files(&place.at("own")).is_empty());
}

#[test]
fn a_loss_without_bounds_stops_the_run() {
    let place = Place::new();
    let options = ["--optimizer", "sgd", "--learning-rate", "1e30"];
    let text = place.error(&begin("run", &options));
    assert!(text.contains("epoch 1") && text.contains("lower the learning rate"), "{text}");
    // Going on would end in the same error.
    assert!(!text.contains("--resume") && text.contains("--config run/config.toml"), "{text}");
    let kept = checkpoints(&place.at("run"));
    assert_eq!(kept.len(), 1);
    assert_eq!(Checkpoint::load(&kept[0]).unwrap().epoch(), 0);
    let advised =
        ["train", "samples.npy", "--config", "run/config.toml", "--learning-rate", "0.01"];
    place.done(&[&advised[..], &["--out", "better", "--quiet"]].concat());
    let text = fs::read_to_string(place.at("better/config.toml")).unwrap();
    let config: Config = toml::from_str(&text).unwrap();
    assert_eq!((config.learning_rate, config.epochs, &*config.hidden), (0.01, 6, &[32, 32][..]));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let place = Place::new();
    place.train("run", &[]);
    let before = files(place.folder.path());
    let cases: &[&[&str]] = &[
        &["train"],
        &["train", "samples.npy"],
        &["train", "--out", "new"],
        &["train", "samples.npy", "--out", "new", "--preset", "worst"],
        &["train", "samples.npy", "--out", "new", "--optimizer", "worst"],
        &["train", "samples.npy", "--out", "new", "--pseudo-labels", "few"],
        &["train", "samples.npy", "--out", "new", "--pseudo-labels", "3", "--partition", "1"],
        &["train", "samples.npy", "--out", "new", "--hidden", "3,"],
        &["train", "samples.npy", "--out", "new", "--hidden", "wide"],
        &["train", "samples.npy", "--out", "new", "--seed", "-1"],
        &["train", "samples.npy", "--out", "new", "--seed=18446744073709551615"],
        &["train", "samples.npy", "--out", "new", "--hidden=18446744073709551615"],
        &["train", "samples.npy", "--out", "new", "--threads", "0"],
        &["train", "samples.npy", "--out", "new", "--backend", "abacus"],
        &["train", "--resume", "run", "--out", "new"],
        &["train", "--resume", "run", "--epochs", "9"],
        &["train", "--resume", "run", "--config", "run/config.toml"],
        &["train", "--resume", "run", "--partition", "1"],
        &["train", "--resume", "run", "--backend", "cpu"],
        &["train", "--resume", "run", "--labels", "classes.txt"],
        &["train", "--resume", "run", "--exclude", "1"],
        &["embed", "run", "samples.npy"],
        &["embed", "run", "--out", "e.npy"],
        &["embed", "run", "samples.npy", "--out", "e.csv"],
        &["embed", "--out", "e.npy"],
    ];
    for case in cases {
        let output = place.output(case);
        assert_eq!(output.status.code(), Some(2), "{case:?}: {output:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{case:?}");
    }
    assert!(files(place.folder.path()) == before);
    for case in [&["train", "--help"][..], &["embed", "--help"], &["train", "-h"]] {
        assert!(place.done(case).contains("finch"), "{case:?}");
    }
}
