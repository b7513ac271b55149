//! `finch train`, `finch embed` and `finch cluster --embed`, as a user runs them and as a machine
//! fails under them.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use finch_deep::data::Matrix;
use finch_deep::metrics::{Clustering, Epoch, Metric};
use finch_deep::run::{Facts, Run};
use finch_deep::train::{
    Backend, Checkpoint, Clustered, Config, Event, Preset, Progress, PseudoLabels, TrainError,
    Trainer, embed,
};
use ndarray::{Array1, Array2, ShapeBuilder, s};
use ndarray_npy::{read_npy, write_npy};
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use safetensors::SafeTensors;
use serde_json::Value;
use tempfile::TempDir;
use toml::Table;

const SAMPLES: usize = 600;
const FEATURES: usize = 8;
const CLASSES: usize = 4;
/// What each run here has, but for what a test changes.
const OPTIONS: &[&str] =
    &["--clusters", "4", "--epochs", "6", "--relabel-every", "2", "--batch", "64"];
/// The last checkpoint of such a run.
const LAST: &str = "checkpoints/epoch-000006_clustered.safetensors";
/// What is the same in each run, to the byte.
const RESULT: &[&str] = &["embedding.npy", "labels.npy", "requested.npy", "hierarchy.json"];

/// Classes far apart, that take turns.
fn gaussians() -> Array2<f32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    Array2::from_shape_fn((SAMPLES, FEATURES), |(sample, feature)| {
        let normal: f32 = (0..12).map(|_| random.random_range(-0.5_f32..0.5)).sum();
        normal + if feature == 2 * (sample % CLASSES) { 12.0 } else { 0.0 }
    })
}

/// A folder with `samples.npy`, and `classes.txt` with the truth.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        write_npy(place.at("samples.npy"), &gaussians()).unwrap();
        let classes: Vec<String> =
            (0..SAMPLES).map(|sample| (sample % CLASSES).to_string()).collect();
        fs::write(place.at("classes.txt"), classes.join("\n")).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command, run in the folder.
    fn finch(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
        command.args(arguments).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.finch(arguments).output().unwrap()
    }

    /// Runs to a good end without a word on standard error; returns what is on standard output.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        text(&output.stdout)
    }

    /// Runs into an error of the data or the run; returns what is said.
    fn error(&self, arguments: &[&str]) -> String {
        said(&self.output(arguments))
    }

    /// Trains into a directory, with further options.
    fn train(&self, out: &str, options: &[&str]) -> PathBuf {
        self.done(&begin(out, options));
        self.at(out)
    }

    /// The first steps of a run, each a clustering or an epoch, as a process leaves them that was
    /// killed then.
    fn unfinished(&self, whole: &Path, out: &str, steps: usize) -> PathBuf {
        let config: Config = toml::from_str(&read(whole, "config.toml")).unwrap();
        let facts: Facts = serde_json::from_str(&read(whole, "run.json")).unwrap();
        let mut run = Run::create(&self.at(out), &config, &facts).unwrap();
        let samples = gaussians();
        let mut trainer = Trainer::new(samples.view().into(), config, Backend::Cpu).unwrap();
        for metric in &metrics(whole)[..steps] {
            trainer.advance().unwrap();
            run.note(metric).unwrap();
            run.keep(&trainer.checkpoint()).unwrap();
        }
        self.at(out)
    }
}

fn read(run: &Path, name: &str) -> String {
    fs::read_to_string(run.join(name)).unwrap()
}

/// The arguments of a run.
fn begin<'a>(out: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let hidden = if options.contains(&"--hidden") { &[][..] } else { &["--hidden", "32,32"] };
    // What comes last may be a list of files.
    let first = &["train", "samples.npy", "--out", out, "--quiet"][..];
    [first, OPTIONS, hidden, options].concat()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What an error says.
fn said(output: &Output) -> String {
    let text = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(text.starts_with("finch: ") && !text.ends_with("\n\n"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Waits until a run has kept its first epoch, and noted the second.
fn wait_for_an_epoch(child: &mut Child, run: &Path) {
    let began = Instant::now();
    let noted = || {
        fs::read_to_string(run.join("metrics.jsonl")).is_ok_and(|text| text.contains("epoch\":2,"))
    };
    while !noted() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its second epoch");
        assert!(began.elapsed() < Duration::from_secs(60), "no epoch in {}", run.display());
        sleep(Duration::from_millis(1));
    }
}

fn signal(child: &Child, signal: &str) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Each file under a directory, by its path, with its content.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
    found
}

/// Copies a run as it is.
fn copy(from: &Path, to: &Path) -> PathBuf {
    for (path, content) in files(from) {
        let path = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    to.to_path_buf()
}

/// Checkpoints, oldest first.
fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let found = files(&run.join("checkpoints"));
    found.into_keys().filter(|path| path.extension().unwrap() == "safetensors").collect()
}

fn metrics(run: &Path) -> Vec<Metric> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same, but for how fast it was.
fn timeless(run: &Path) -> Vec<Metric> {
    let timeless = |metric| match metric {
        Metric::Epoch(epoch) => Metric::Epoch(Epoch { samples_per_second: 0.0, ..epoch }),
        other => other,
    };
    metrics(run).into_iter().map(timeless).collect()
}

/// What is trained: each tensor of a checkpoint by its name, but for the optimizer's, whose parts
/// are in no order.
fn network(checkpoint: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let tensors = SafeTensors::deserialize(checkpoint).unwrap();
    let tensors = tensors.iter().filter(|(name, _)| *name != "optimizer");
    let tensors = tensors.map(|(name, tensor)| (name.to_string(), tensor.data().to_vec()));
    let tensors: BTreeMap<_, _> = tensors.collect();
    // Two hidden layers, the output, and the pseudo-labels; nothing before the first clustering.
    assert!([0, 7].contains(&tensors.len()), "{:?}", tensors.keys());
    tensors
}

/// Whether two runs have come to the same: result, network, metrics and configuration.
fn assert_same(run: &Path, other: &Path) {
    let [one, two] = [run, other].map(|run| network(&fs::read(run.join(LAST)).unwrap()));
    assert!(one == two, "networks of {} and {} differ", run.display(), other.display());
    for name in RESULT.iter().chain(&["config.toml"]) {
        let [one, two] = [run, other].map(|run| fs::read(run.join(name)).unwrap());
        assert!(one == two, "{name} of {} and {} differ", run.display(), other.display());
    }
    assert_eq!(timeless(run), timeless(other));
    assert!(checkpoints(run).len() <= 2);
    let stray = files(run).into_keys().find(|path| path.to_string_lossy().contains(".finch-"));
    assert_eq!(stray, None);
}

fn assert_differ(run: &Path, other: &Path, name: &str) {
    assert_ne!(fs::read(run.join(name)).unwrap(), fs::read(other.join(name)).unwrap(), "{name}");
}

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
        "labels.npy",
        "lock",
        "metrics.jsonl",
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
    expected.hidden = vec![32, 32];
    assert_eq!(config, expected);
    let keys = |table: Table| table.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(toml::from_str(&text).unwrap()), keys(Table::try_from(&expected).unwrap()));

    let facts: Facts = serde_json::from_slice(&fs::read(run.join("run.json")).unwrap()).unwrap();
    assert_eq!((facts.samples, facts.features), (SAMPLES, FEATURES));
    assert_eq!((&*facts.version, facts.backend), (env!("CARGO_PKG_VERSION"), Backend::Cpu));
    let input = fs::canonicalize(facts.sources.last().unwrap()).unwrap();
    assert_eq!(input, fs::canonicalize(place.at("samples.npy")).unwrap());

    // A line for each epoch and each clustering, in their order.
    let metrics = metrics(&run);
    let order: Vec<String> = metrics
        .iter()
        .map(|metric| match metric {
            Metric::Epoch(epoch) => format!("epoch {}", epoch.epoch),
            Metric::Clustering(clustering) => format!("clustering {}", clustering.epoch),
        })
        .collect();
    let expected = "clustering 0, epoch 1, epoch 2, clustering 2, epoch 3, epoch 4, clustering 4, \
                    epoch 5, epoch 6, clustering 6";
    assert_eq!(order.join(", "), expected);
    let clusterings: Vec<&Clustering> = metrics
        .iter()
        .filter_map(|metric| match metric {
            Metric::Clustering(clustering) => Some(clustering),
            Metric::Epoch(_) => None,
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
    let loud = ["train", "samples.npy", "--clusters", "4", "--epochs", "1", "--out"];
    let text = place.done(&[&loud[..], &["run"]].concat());
    assert!(text.starts_with("600 samples × 8 features, 1 epoch, "), "{text}");
    assert!(text.contains("after epoch"), "{text}");
    assert!(text.ends_with("\nlook at run/report.html\n"), "{text}");
    assert_eq!(place.done(&begin("quiet", &[])), "");

    // Whoever reads it may have seen enough.
    let mut child = place.finch(&[&loud[..], &["piped"]].concat()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), self::text(&output.stderr).as_str()), (Some(0), ""));
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
    // They were looked at, though.
    let acc = |run: &Path| match metrics(run).pop().unwrap() {
        Metric::Clustering(clustering) => clustering.requested.unwrap().scores.and_then(|s| s.acc),
        Metric::Epoch(_) => panic!("a run ends with a clustering"),
    };
    assert_eq!((acc(&none), acc(&truth)), (None, Some(100.0)));
    assert!(acc(&wrong).unwrap() < 40.0);
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

/// Large layers, so that much of the time goes to writing checkpoints.
const SLOW: &[&str] = &["--hidden", "256,256"];
/// Larger ones, so that there is time for a signal.
const SLOWER: &[&str] = &["--hidden", "512,512"];

#[test]
fn killed_again_and_again_it_ends_as_if_it_had_not_been() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    for round in 0..2 {
        let out = format!("killed-{round}");
        let run = place.at(&out);
        let (mut kills, mut resumed, mut damaged) = (0, 0, None);
        loop {
            let arguments = match run.join("run.json").exists() {
                true => vec!["train", "--resume", &out, "--quiet"],
                false => begin(&out, SLOW),
            };
            resumed += usize::from(arguments[1] == "--resume");
            let mut child = place.finch(&arguments).spawn().unwrap();
            // From the first moments of the process to a few epochs; longer each time, so that it
            // ends on any machine.
            let pause = 9 * round + 25 * kills;
            sleep(Duration::from_millis(pause));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                None => {}
                Some(0) => break,
                Some(_) => panic!("{output:?}"),
            }
            // What has its name is whole.
            let kept = if run.join("run.json").exists() { checkpoints(&run) } else { Vec::new() };
            for path in kept.iter().filter(|path| Some(*path) != damaged.as_ref()) {
                Checkpoint::load(path).unwrap();
            }
            if kept.len() >= 2 && damaged.is_none() {
                let newest = kept.last().unwrap();
                damaged = Some(newest.clone());
                let bytes = fs::read(newest).unwrap();
                fs::write(newest, &bytes[..bytes.len() - 1]).unwrap();
                for name in [".finch-stray.tmp", "checkpoints/.finch-stray.tmp"] {
                    fs::write(run.join(name), &bytes[..99]).unwrap();
                }
            }
            assert!(kills < 500, "it does not come to an end");
        }
        assert!(kills > 3 && resumed > 1 && damaged.is_some(), "{kills} {resumed} {damaged:?}");
        assert_same(&run, &whole);
    }
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let place = Place::new();
    let whole = place.train("whole", SLOWER);
    let mut child = place.finch(&begin("a run", SLOWER)).spawn().unwrap();
    let run = place.at("a run");
    wait_for_an_epoch(&mut child, &run);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let newest = Checkpoint::load(checkpoints(&run).last().unwrap()).unwrap();
    let message = format!(
        "finch: stopped by Ctrl-C, after epoch {}; go on with: finch train --resume 'a run'\n",
        newest.epoch()
    );
    assert_eq!(text(&output.stderr), message);
    assert!((1..6).contains(&newest.epoch()));
    place.done(&["train", "--resume", "a run", "--quiet"]);
    assert_same(&run, &whole);
}

#[test]
fn a_second_process_is_kept_off() {
    let place = Place::new();
    let whole = place.train("whole", SLOWER);
    let mut child = place.finch(&begin("run", SLOWER)).spawn().unwrap();
    wait_for_an_epoch(&mut child, &place.at("run"));
    // So that it cannot end meanwhile. It takes a moment until all of its threads stand still.
    signal(&child, "STOP");
    sleep(Duration::from_millis(300));
    let before = files(&place.at("run"));
    let busy = place.error(&["train", "--resume", "run"]);
    assert_eq!(busy, "finch: another process is training in run: let it end, or stop it\n");
    let taken = place.error(&begin("run", SLOWER));
    assert!(taken.contains("run is not empty"), "{taken}");
    // To read is allowed.
    place.done(&["embed", "run", "samples.npy", "--out", "embedding.npy"]);
    assert!(files(&place.at("run")) == before);
    signal(&child, "CONT");
    assert!(child.wait().unwrap().success());
    assert_same(&place.at("run"), &whole);
}

#[test]
fn a_finished_run_is_left_alone() {
    let place = Place::new();
    let run = place.train("run", &["--seed", "1"]);
    let before = files(&run);
    assert_eq!(place.done(&["train", "--resume", "run"]), "run is done, with 6 epochs\n");
    let taken = place.error(&begin("run", &[]));
    assert!(taken.contains("run is not empty") && taken.contains("--resume"), "{taken}");
    // Nor do other commands write over its labels.
    let taken = place.error(&["cluster", "samples.npy", "--out", "run"]);
    assert!(taken.contains("run is a run of finch train"), "{taken}");
    assert!(files(&run) == before);
}

#[test]
fn what_is_there_already_is_not_touched() {
    let place = Place::new();
    fs::create_dir(place.at("mine")).unwrap();
    // Names that a run has, too.
    for name in ["config.toml", "notes.txt"] {
        fs::write(place.at("mine").join(name), "mine").unwrap();
    }
    let before = files(&place.at("mine"));
    let text = place.error(&begin("mine", &[]));
    assert!(text.contains("mine is not empty: choose another directory"), "{text}");
    let text = place.error(&["train", "--resume", "mine"]);
    assert!(text.contains("mine/config.toml") || text.contains("mine is no run"), "{text}");
    assert!(files(&place.at("mine")) == before);
    fs::remove_file(place.at("mine/config.toml")).unwrap();
    let text = place.error(&["train", "--resume", "mine"]);
    assert!(text.contains("mine is no run directory of finch: config.toml is missing"), "{text}");
    let text = place.error(&["train", "--resume", "missing"]);
    assert!(text.contains("missing is no run directory"), "{text}");
    for [command, first] in [["embed", "mine"], ["embed", "missing"]] {
        let text = place.error(&[command, first, "samples.npy", "--out", "e.npy"]);
        assert!(text.contains(first) && text.contains("no run directory"), "{text}");
    }
    assert_eq!(files(&place.at("mine")).len(), 1);
    assert!(!place.at("missing").exists() && !place.at("e.npy").exists());

    // A file in the way.
    for out in ["samples.npy", "samples.npy/run"] {
        let text = place.error(&begin(out, &[]));
        assert!(text.contains(&format!("{out}: ")) && text.to_lowercase().contains("not a dir"));
    }
    assert_eq!(read_npy::<_, Array2<f32>>(place.at("samples.npy")).unwrap(), gaussians());
    if cfg!(target_os = "linux") {
        let text = place.error(&begin("/proc/run", &[]));
        assert!(text.starts_with("finch: /proc/run: "), "{text}");
    }
}

#[test]
fn a_process_killed_before_it_began_does_not_block_the_directory() {
    let place = Place::new();
    let whole = place.train("whole", &[]);
    // All that there is before run.json.
    let run = place.at("run");
    fs::create_dir_all(run.join("checkpoints")).unwrap();
    for name in ["lock", "metrics.jsonl", "config.toml", ".finch-x.tmp"] {
        fs::write(run.join(name), "").unwrap();
    }
    fs::remove_file(run.join(".finch-x.tmp")).unwrap();
    assert_same(&place.train("run", &[]), &whole);
}

/// A way to damage a file.
type Damage = fn(&mut Vec<u8>);

const DAMAGES: [(&str, Damage); 6] = [
    ("a bit of a weight", |bytes| {
        let place = bytes.len() / 2;
        bytes[place] ^= 1;
    }),
    ("the last byte", |bytes| *bytes.last_mut().unwrap() ^= 0x80),
    ("half", |bytes| bytes.truncate(bytes.len() / 2)),
    ("empty", Vec::clear),
    ("garbage", |bytes| bytes.fill(0xa5)),
    ("a length without end", |bytes| bytes[..8].fill(0xff)),
];

#[test]
fn damaged_checkpoints_are_passed_over() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "stopped", 5);
    for (number, (name, damage)) in DAMAGES.into_iter().enumerate() {
        let out = format!("damaged-{number}");
        let run = copy(&stopped, &place.at(&out));
        let newest = checkpoints(&run).pop().unwrap();
        let mut bytes = fs::read(&newest).unwrap();
        damage(&mut bytes);
        fs::write(&newest, bytes).unwrap();
        let output = place.output(&["train", "--resume", &out, "--quiet"]);
        assert!(output.status.success(), "{name}: {output:?}");
        let warning = text(&output.stderr);
        let file = newest.file_name().unwrap().to_str().unwrap();
        let start = format!("finch: passed over {out}/checkpoints/{file}: ");
        assert!(warning.starts_with(&start), "{name}: {warning}");
        assert_eq!(warning.lines().count(), 1, "{name}: {warning}");
        assert_same(&run, &whole);
    }

    // All of them: nothing can be done, and nothing is.
    let run = copy(&stopped, &place.at("lost"));
    for path in checkpoints(&run) {
        fs::write(path, "no checkpoint").unwrap();
    }
    let before = files(&run);
    let commands: [&[&str]; 3] = [
        &["train", "--resume", "lost"],
        &["embed", "lost", "samples.npy", "--out", "e.npy"],
        &["cluster", "--embed", "lost", "samples.npy"],
    ];
    for command in commands {
        let text = place.error(command);
        assert!(text.starts_with("finch: no checkpoint in lost/checkpoints can be read"), "{text}");
        for path in checkpoints(&run) {
            assert!(text.contains(path.file_name().unwrap().to_str().unwrap()), "{text}");
        }
    }
    assert!(files(&run) == before);

    // Other commands pass over, too, and say so.
    let run = copy(&whole, &place.at("half"));
    fs::write(run.join(LAST), "no checkpoint").unwrap();
    let output = place.output(&["embed", "half", "samples.npy", "--out", "e.npy"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains(LAST), "{output:?}");
    assert_eq!(fs::read(place.at("e.npy")).unwrap(), fs::read(run.join("embedding.npy")).unwrap());
}

#[test]
fn damaged_records_are_named() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "stopped", 5);
    let cases = [
        ("config.toml", "hiden = [3]\n", "unknown field `hiden`"),
        ("config.toml", "epochs = \"many\"\n", "invalid type"),
        ("run.json", "{", "EOF"),
        ("run.json", "", "EOF"),
    ];
    for (number, (name, content, expected)) in cases.into_iter().enumerate() {
        let out = format!("damaged-{number}");
        let run = copy(&stopped, &place.at(&out));
        fs::write(run.join(name), content).unwrap();
        let before = files(&run);
        let text = place.error(&["train", "--resume", &out]);
        assert!(text.contains(&format!("{out}/{name}: ")) && text.contains(expected), "{text}");
        assert!(files(&run) == before);
    }
    // A line that was cut is one of those lost.
    let run = copy(&stopped, &place.at("cut"));
    let mut lines = fs::read(run.join("metrics.jsonl")).unwrap();
    lines.extend(b"{\"event\":\"epoch\",\"epoch\":4,\"lo");
    fs::write(run.join("metrics.jsonl"), lines).unwrap();
    place.done(&["train", "--resume", "cut", "--quiet"]);
    assert_same(&run, &whole);
}

/// Runs the command where no file may have more than this many blocks of 512 or 1024 bytes.
fn on_full_disk(place: &Place, blocks: usize, arguments: &[&str]) -> String {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_finch")])
        .args(arguments)
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    said(&output)
}

#[test]
fn a_full_disk_costs_what_came_after_the_last_checkpoint() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);

    // At the first checkpoint.
    let text = on_full_disk(&place, 100, &begin("first", SLOW));
    assert!(text.contains("first/checkpoints/epoch-000000_clustered.safetensors: "), "{text}");
    assert!(text.contains("File too large"), "{text}");
    assert!(text.contains("go on with: finch train --resume first"), "{text}");
    assert!(checkpoints(&place.at("first")).is_empty());
    place.done(&["train", "--resume", "first", "--quiet"]);
    assert_same(&place.at("first"), &whole);

    // At a later one.
    let later = place.unfinished(&whole, "later", 5);
    let before = files(&later.join("checkpoints"));
    let text = on_full_disk(&place, 100, &["train", "--resume", "later", "--quiet"]);
    assert!(text.contains("later/checkpoints/epoch-00000"), "{text}");
    assert!(text.contains("File too large"), "{text}");
    let kept = |path: &&PathBuf| path.extension().is_some_and(|end| end == "safetensors");
    for path in before.keys().filter(kept) {
        assert_eq!(fs::read(path).unwrap(), before[path]);
    }
    place.done(&["train", "--resume", "later", "--quiet"]);
    assert_same(&later, &whole);

    // At the result: 600 × 512 × 4 bytes.
    let options = ["--hidden", "16,512"];
    let whole = place.train("whole-narrow", &options);
    let text = on_full_disk(&place, 600, &begin("result", &options));
    assert!(text.contains("result/embedding.npy: "), "{text}");
    assert!(!place.at("result/embedding.npy").exists() && !place.at("result/labels.npy").exists());
    place.done(&["train", "--resume", "result", "--quiet"]);
    assert_same(&place.at("result"), &whole);
    let text = on_full_disk(&place, 600, &["embed", "result", "samples.npy", "--out", "e.npy"]);
    assert!(text.contains("e.npy: cannot write: File too large"), "{text}");
    assert!(!place.at("e.npy").exists());
}

/// Each row: options, and what the message about them has to name.
#[test]
fn bad_input_is_named_before_anything_is_made() {
    let place = Place::new();
    let npy = |name: &str, matrix: Array2<f32>| write_npy(place.at(name), &matrix).unwrap();
    let mut bad = gaussians();
    bad[[7, 2]] = f32::NAN;
    npy("nan.npy", bad);
    npy("few.npy", gaussians().slice(s![..63, ..]).to_owned());
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
        ("few.npy", &[], &["batch of 64", "63"]),
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
        ("samples.npy", &["--batch=601"], &["batch of 601", "600"]),
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
    let arguments = ["train", "line.csv", "--partition", "0", "--out", "deep/run"];
    let text = place.error(&[&arguments[..], &options].concat());
    assert!(text.contains("one cluster only") && text.contains("finer partition"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(!place.at("deep").exists());
    // A directory that was there stays, empty.
    fs::create_dir(place.at("own")).unwrap();
    let arguments = ["train", "line.csv", "--partition", "0", "--out", "own"];
    place.error(&[&arguments[..], &options].concat());
    assert!(files(&place.at("own")).is_empty());
}

#[test]
fn a_loss_without_bounds_stops_the_run() {
    let place = Place::new();
    let options = ["--optimizer", "sgd", "--learning-rate", "1e30"];
    let text = place.error(&begin("run", &options));
    assert!(text.contains("epoch 1") && text.contains("lower the learning rate"), "{text}");
    // The same again would help nobody.
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
fn a_run_goes_on_with_its_own_samples_only() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "run", 2);
    let before = files(&stopped);
    let npy = |name: &str, matrix: Array2<f32>| write_npy(place.at(name), &matrix).unwrap();
    let mut other = gaussians();
    other[[599, 7]] += 1.0;
    npy("other.npy", other);
    npy("narrow.npy", gaussians().slice(s![.., ..7]).to_owned());
    npy("few.npy", gaussians().slice(s![..50, ..]).to_owned());
    let cases = [
        ("other.npy", "other.npy: the input is not the one that the run began with: a value"),
        ("few.npy", "few.npy: the input is not the one that the run began with: the number of"),
        ("narrow.npy", "narrow.npy: the network was trained on 8 features"),
    ];
    for (name, expected) in cases {
        let text = place.error(&["train", "--resume", "run", name]);
        assert!(text.contains(expected), "{text}");
    }
    let text = place.error(&["embed", "run", "narrow.npy", "--out", "e.npy"]);
    assert!(text.contains("narrow.npy: ") && text.contains("8 features"), "{text}");
    let text = place.error(&["cluster", "--embed", "run", "narrow.npy"]);
    assert!(text.contains("narrow.npy: ") && text.contains("has 7"), "{text}");
    assert!(!place.at("e.npy").exists());

    // Nor before the first checkpoint.
    let early = copy(&stopped, &place.at("early"));
    fs::remove_dir_all(early.join("checkpoints")).unwrap();
    fs::create_dir(early.join("checkpoints")).unwrap();
    let text = place.error(&["train", "--resume", "early", "other.npy"]);
    assert!(text.contains("other.npy: the input is not the one"), "{text}");
    place.done(&["train", "--resume", "early", "--quiet"]);
    assert_same(&early, &whole);

    // Moved samples are found if they are named; so is a run that was moved, from anywhere.
    fs::rename(place.at("samples.npy"), place.at("moved.npy")).unwrap();
    let text = place.error(&["train", "--resume", "run"]);
    assert!(text.contains("samples.npy: cannot read: No such file"), "{text}");
    assert!(text.contains("finch train --resume run INPUT"), "{text}");
    assert!(files(&stopped) == before);
    let folder = place.at("another folder, ü");
    fs::create_dir(&folder).unwrap();
    fs::rename(&stopped, folder.join("run")).unwrap();
    std::os::unix::fs::symlink(folder.join("run"), place.at("link")).unwrap();
    place.done(&["train", "--resume", "link", "moved.npy", "--quiet"]);
    assert_same(&folder.join("run"), &whole);
}

#[test]
fn a_run_reads_its_files_again_as_it_did() {
    let place = Place::new();
    // Two tables with a header, a name for each sample, its class, and a column to leave out.
    let matrix = gaussians();
    for (name, rows) in [("first.csv", 0..200), ("second.csv", 200..SAMPLES)] {
        let mut text = String::from("sample,a,b,c,d,e,f,g,h,-x,class\n");
        for row in rows {
            let values: Vec<String> = matrix.row(row).iter().map(f32::to_string).collect();
            text += &format!("s{row},{},7,{}\n", values.join(","), row % CLASSES);
        }
        fs::write(place.at(name), text).unwrap();
    }
    let options = ["--exclude=class", "--exclude=-x", "--header", "--names", "sample"];
    let labels = ["--labels", "first.csv", "second.csv", "--label-column", "class"];
    let sources = [&["first.csv", "second.csv"], &options[..], &labels, SLOWER, OPTIONS].concat();
    let begin = |out| [&["train", "--quiet", "--out", out], &sources[..]].concat();
    place.done(&begin("whole"));
    let mut child = place.finch(&begin("run")).spawn().unwrap();
    wait_for_an_epoch(&mut child, &place.at("run"));
    child.kill().unwrap();
    child.wait().unwrap();
    let elsewhere = place.at("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let mut resume = place.finch(&["train", "--resume", "../run", "--quiet"]);
    let output = resume.current_dir(&elsewhere).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_same(&place.at("run"), &place.at("whole"));
    match metrics(&place.at("run")).pop().unwrap() {
        Metric::Clustering(clustering) => {
            assert_eq!(clustering.requested.unwrap().scores.unwrap().acc, Some(100.0));
        }
        Metric::Epoch(_) => panic!("a run ends with a clustering"),
    }
}

#[test]
fn a_name_that_cannot_be_stored_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = OsStr::from_bytes(b"\xff.npy");
    if fs::copy(place.at("samples.npy"), place.folder.path().join(name)).is_err() {
        return; // Nor can this system have such a file.
    }
    let mut command = place.finch(&["train", "--out", "run", "--clusters", "4"]);
    let text = said(&command.arg(name).output().unwrap());
    assert!(text.contains("not a name in Unicode") && !text.contains("standard output"), "{text}");
    assert!(!place.at("run").exists());
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
    assert_eq!(found, expected);
    // The configuration of a run makes the same run.
    let found = config("b", &["--config", "a/config.toml"]);
    assert_eq!(found, expected);
    assert_eq!(
        fs::read(place.at("a/embedding.npy")).unwrap(),
        fs::read(place.at("b/embedding.npy")).unwrap()
    );
    let found = config("c", &["--preset", "best", "--config", "some.toml"]);
    assert_eq!((found.preset, found.epochs, found.seed), (Preset::Best, 2, 5));
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

#[test]
fn a_network_embeds_its_own_samples_as_in_training_and_others_as_well() {
    let place = Place::new();
    let run = place.train("run", &["--embedding-metric", "euclidean", "--rectified", "false"]);
    place.done(&["embed", "run", "samples.npy", "--out", "all.npy"]);
    let all = fs::read(place.at("all.npy")).unwrap();
    assert_eq!(all, fs::read(run.join("embedding.npy")).unwrap());
    // Rows are embedded one by one: what else is in the file does not matter, nor its type.
    let all: Array2<f32> = read_npy(place.at("all.npy")).unwrap();
    assert!(all.iter().any(|value| *value < 0.0), "not rectified");
    let part = gaussians().slice(s![100..333;-1, ..]).mapv(f64::from);
    write_npy(place.at("part.npy"), &part).unwrap();
    place.done(&["embed", "run", "part.npy", "--out", "part-embedding.npy"]);
    let part: Array2<f32> = read_npy(place.at("part-embedding.npy")).unwrap();
    assert_eq!(part, all.slice(s![100..333;-1, ..]));

    // Both steps at once.
    let arguments = ["cluster", "--embed", "run", "samples.npy", "--clusters", "4", "--json"];
    let found: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    assert_eq!(found["metric"], "euclidean");
    assert_eq!((&found["features"], &found["requested"]["clusters"]), (&32.into(), &4.into()));
    let arguments = ["cluster", "all.npy", "--clusters", "4", "--json", "--metric", "euclidean"];
    let separate: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    for key in ["partitions", "requested", "features", "samples", "metric"] {
        assert_eq!(found[key], separate[key], "{key}");
    }
    let arguments = ["cluster", "--embed", "run", "samples.npy", "--metric", "cosine", "--json"];
    let found: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    assert_eq!(found["metric"], "cosine");

    let output = place.output(&["embed", "run", "missing.npy", "--out", "none.npy"]);
    assert!(said(&output).contains("missing.npy"));
    let mut bad = gaussians();
    bad[[7, 2]] = f32::INFINITY;
    write_npy(place.at("bad.npy"), &bad).unwrap();
    let text = place.error(&["embed", "run", "bad.npy", "--out", "none.npy"]);
    assert!(text.contains("bad.npy: ") && text.contains("row 7, column 2"), "{text}");
    let text = place.error(&["cluster", "--embed", "run", "bad.npy"]);
    assert!(text.contains("bad.npy: ") && text.contains("row 7, column 2"), "{text}");
    assert!(!place.at("none.npy").exists());
}

/// For the library: as the runs of the command, but shorter.
fn config() -> Config {
    let mut config = Config::default();
    (config.clusters, config.epochs, config.relabel_every) = (Some(CLASSES), 4, 2);
    (config.batch, config.hidden) = (64, vec![32, 32]);
    config
}

/// Epoch, and what is trained.
fn state(trainer: &Trainer<'_>) -> (String, BTreeMap<String, Vec<u8>>) {
    let checkpoint = trainer.checkpoint();
    (checkpoint.file_name(), network(&checkpoint.to_bytes()))
}

/// Trains to the end; returns the last clustering and checkpoint.
fn trained(samples: Matrix<'_>) -> (Clustered, Checkpoint) {
    let mut trainer = Trainer::new(samples, config(), Backend::Cpu).unwrap();
    loop {
        match trainer.advance().unwrap() {
            Event::Clustered(clustered) if trainer.is_done() => {
                return (*clustered, trainer.checkpoint());
            }
            _ => {}
        }
    }
}

#[test]
fn the_type_and_the_order_of_samples_in_memory_do_not_matter() {
    // Whole numbers up to 255 are exact in all types.
    let bytes = gaussians().mapv(|value| (value * 8.0 + 60.0).clamp(0.0, 255.0) as u8);
    let (f32s, f64s) = (bytes.mapv(f32::from), bytes.mapv(f64::from));
    let mut columns = Array2::zeros((SAMPLES, FEATURES).f());
    columns.assign(&f32s);
    assert!(!columns.is_standard_layout());
    let mut sparse = Array2::zeros((2 * SAMPLES, FEATURES + 1));
    sparse.slice_mut(s![..;2, 1..]).assign(&f64s);
    let (expected, expected_end) = trained(f32s.view().into());
    let cases: [(&str, Matrix<'_>); 4] = [
        ("f64", f64s.view().into()),
        ("u8", bytes.view().into()),
        ("by columns", columns.view().into()),
        ("parts of rows", sparse.slice(s![..;2, 1..]).into()),
    ];
    for (name, samples) in cases {
        let (found, checkpoint) = trained(samples);
        assert_eq!(found.embedding, expected.embedding, "{name}");
        assert_eq!(found.clusters, expected.clusters, "{name}");
        assert_eq!(network(&checkpoint.to_bytes()), network(&expected_end.to_bytes()), "{name}");
    }
    let embedded =
        embed(&expected_end, bytes.view().into(), Backend::Cpu, &mut |_| ControlFlow::Continue(()));
    assert_eq!(embedded.unwrap(), expected.embedding.unwrap());
}

#[test]
fn a_stop_leaves_the_trainer_as_it_was() {
    let samples = gaussians();
    let samples = || Matrix::from(samples.view());
    let (expected, expected_end) = trained(samples());
    let mut trainer = Trainer::new(samples(), config(), Backend::Cpu).unwrap();
    let mut stops = 0;
    loop {
        // Each step is stopped at its first look, and at later ones, before it may come to its end.
        let before = state(&trainer);
        for looks in [1, 2, 3, 5, 8] {
            let mut seen = 0;
            let stopped = trainer.advance_watched(&mut |_| {
                seen += 1;
                if seen == looks { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(matches!(stopped, Err(TrainError::Stopped)), "{stopped:?} at {looks}");
            assert_eq!(state(&trainer), before);
            stops += 1;
        }
        let mut parts = Vec::new();
        let event = trainer.advance_watched(&mut |progress| {
            parts.push(match progress {
                Progress::Training { fraction, .. } | Progress::Embedding { fraction } => fraction,
                Progress::Clustering(progress) => progress.fraction,
                _ => panic!("unknown progress"),
            });
            ControlFlow::Continue(())
        });
        let event = event.unwrap();
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{parts:?}");
        match event {
            Event::Trained(_) => {
                assert!(parts.is_sorted() && parts.last() == Some(&1.0), "{parts:?}");
            }
            Event::Clustered(found) if trainer.is_done() => {
                assert_eq!(found.embedding, expected.embedding);
                assert_eq!(found.clusters, expected.clusters);
                break;
            }
            Event::Clustered(_) => {}
        }
    }
    assert_eq!(network(&trainer.checkpoint().to_bytes()), network(&expected_end.to_bytes()));
    // Three clusterings and four epochs.
    assert_eq!(stops, 7 * 5);
}

#[test]
fn a_trainer_goes_on_from_any_checkpoint() {
    let samples = gaussians();
    let samples = || Matrix::from(samples.view());
    let folder = TempDir::new().unwrap();
    let (expected, expected_end) = trained(samples());
    let mut trainer = Trainer::new(samples(), config(), Backend::Cpu).unwrap();
    let mut last = None;
    let mut names = Vec::new();
    while !trainer.is_done() {
        let checkpoint = trainer.checkpoint();
        let path = folder.path().join(checkpoint.file_name());
        names.push(checkpoint.file_name());
        checkpoint.save(&path).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.to_bytes(), checkpoint.to_bytes());
        assert_eq!(loaded.config(), trainer.config());
        // Before the first epoch there is no network, or one at random.
        let untrained = embed(&loaded, samples(), Backend::Cpu, &mut |_| ControlFlow::Continue(()));
        assert_eq!(matches!(untrained, Err(TrainError::Untrained)), names.len() <= 2);
        trainer = Trainer::resume(samples(), &loaded, Backend::Cpu).unwrap();
        if let Event::Clustered(clustered) = trainer.advance().unwrap() {
            last = Some(clustered);
        }
    }
    assert!(names.is_sorted(), "{names:?}");
    assert_eq!(last.unwrap().embedding, expected.embedding);
    assert_eq!(network(&trainer.checkpoint().to_bytes()), network(&expected_end.to_bytes()));
    // At the end, the same clustering once more.
    match trainer.advance().unwrap() {
        Event::Clustered(again) => assert_eq!(again.embedding, expected.embedding),
        Event::Trained(epoch) => panic!("epoch {} of 4", epoch.epoch),
    }

    let narrow = gaussians().slice(s![.., ..7]).to_owned();
    let found = Trainer::resume(narrow.view().into(), &expected_end, Backend::Cpu).err();
    assert!(matches!(found, Some(TrainError::Features { found: 7, expected: 8 })), "{found:?}");
    let mut other = gaussians();
    other.swap([0, 0], [1, 0]);
    let found = Trainer::resume(other.view().into(), &expected_end, Backend::Cpu).err();
    assert!(matches!(found, Some(TrainError::OtherInput { .. })), "{found:?}");
}
