//! A place to run the command in, and what its runs leave.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use finch_deep::metrics::{Epoch, Measurement};
use finch_deep::run::{Facts, Run, recipe};
use finch_deep::train::{Backend, Config, Trainer};
use ndarray::Array2;
use ndarray_npy::write_npy;
use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use safetensors::SafeTensors;
use tempfile::TempDir;

pub(crate) const SAMPLES: usize = 600;
pub(crate) const FEATURES: usize = 8;
pub(crate) const CLASSES: usize = 4;
/// The options of each run here, but for those that a test changes.
pub(crate) const OPTIONS: &[&str] = &[
    "--clusters",
    "4",
    "--epochs",
    "6",
    "--relabel-every",
    "2",
    "--batch",
    "64",
    "--objectives",
    "labels",
];
/// The last checkpoint of such a run.
pub(crate) const LAST: &str = "checkpoints/epoch-000006_clustered.safetensors";
/// The files that are the same in each run, to the byte.
pub(crate) const RESULT: &[&str] = &[
    "embedding.npy",
    "labels.npy",
    "labels.csv",
    "model.finch",
    "requested.npy",
    "hierarchy.json",
];

/// Classes far apart, that take turns.
pub(crate) fn gaussians() -> Array2<f32> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    Array2::from_shape_fn((SAMPLES, FEATURES), |(sample, feature)| {
        let normal: f32 = (0..12).map(|_| random.random_range(-0.5_f32..0.5)).sum();
        normal + if feature == 2 * (sample % CLASSES) { 12.0 } else { 0.0 }
    })
}

/// A folder with `samples.npy`, and `classes.txt` with the truth.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        write_npy(place.at("samples.npy"), &gaussians()).unwrap();
        let classes: Vec<String> =
            (0..SAMPLES).map(|sample| (sample % CLASSES).to_string()).collect();
        fs::write(place.at("classes.txt"), classes.join("\n")).unwrap();
        place
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command, run in the folder.
    pub(crate) fn finch(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
        command.args(arguments).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.finch(arguments).output().unwrap()
    }

    /// Runs to a good end without a word on standard error but the epochs of a run that takes long; returns
    /// what is on standard output.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let told = text(&output.stderr);
        let others: Vec<&str> =
            told.lines().filter(|line| !line.starts_with("finch: epoch ")).collect();
        assert!(others.is_empty(), "{arguments:?}: {others:?}");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        text(&output.stdout)
    }

    /// Runs into an error of the data or the run; returns the error's text.
    pub(crate) fn error(&self, arguments: &[&str]) -> String {
        said(&self.output(arguments))
    }

    /// Trains into a directory, with further options.
    pub(crate) fn train(&self, out: &str, options: &[&str]) -> PathBuf {
        self.done(&begin(out, options));
        self.at(out)
    }

    /// The first steps of a run, each a clustering or an epoch, as a process leaves them that was
    /// killed then.
    pub(crate) fn unfinished(&self, whole: &Path, out: &str, steps: usize) -> PathBuf {
        let config: Config = toml::from_str(&read(whole, "config.toml")).unwrap();
        let facts: Facts = serde_json::from_str(&read(whole, "run.json")).unwrap();
        let mut run = Run::create(&self.at(out), &config, &facts, &recipe(whole).unwrap()).unwrap();
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

pub(crate) fn read(run: &Path, name: &str) -> String {
    fs::read_to_string(run.join(name)).unwrap()
}

/// The arguments of a run.
pub(crate) fn begin<'a>(out: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let hidden = if options.contains(&"--hidden") { &[][..] } else { &["--hidden", "32,32"] };
    // The last option may take a list of files.
    let first = &["train", "samples.npy", "--out", out, "--quiet"][..];
    [first, OPTIONS, hidden, options].concat()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The text of an error.
pub(crate) fn said(output: &Output) -> String {
    let text = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(text.starts_with("finch: ") && !text.ends_with("\n\n"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// Waits until a run has kept its first epoch, and noted the second.
pub(crate) fn wait_for_an_epoch(child: &mut Child, run: &Path) {
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

pub(crate) fn signal(child: &Child, signal: &str) {
    let kill = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Each file under a directory, by its path, with its content.
pub(crate) fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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
pub(crate) fn copy(from: &Path, to: &Path) -> PathBuf {
    for (path, content) in files(from) {
        let path = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    to.to_path_buf()
}

/// Checkpoints, oldest first.
pub(crate) fn checkpoints(run: &Path) -> Vec<PathBuf> {
    let found = files(&run.join("checkpoints"));
    found.into_keys().filter(|path| path.extension().unwrap() == "safetensors").collect()
}

pub(crate) fn metrics(run: &Path) -> Vec<Measurement> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The metrics, without how fast the run was.
pub(crate) fn timeless(run: &Path) -> Vec<Measurement> {
    let timeless = |metric| match metric {
        Measurement::Epoch(epoch) => Measurement::Epoch(Epoch { samples_per_second: 0.0, ..epoch }),
        other => other,
    };
    metrics(run).into_iter().map(timeless).collect()
}

/// The trained values: each tensor of a checkpoint by its name, but for the optimizer's.
pub(crate) fn network(checkpoint: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let tensors = SafeTensors::deserialize(checkpoint).unwrap();
    let tensors = tensors.iter().filter(|(name, _)| *name != "optimizer");
    let tensors = tensors.map(|(name, tensor)| (name.to_string(), tensor.data().to_vec()));
    let tensors: BTreeMap<_, _> = tensors.collect();
    // Two hidden layers and the output, of one network to three; before the first clustering nothing but the
    // input's centre.
    let of_layers =
        tensors.keys().filter(|name| name.ends_with(".weight") || name.ends_with(".bias"));
    let of_layers = of_layers.count();
    let sound = if tensors.len() < 2 { of_layers == 0 } else { [6, 12, 18].contains(&of_layers) };
    assert!(sound, "{:?}", tensors.keys());
    tensors
}

/// Whether two runs have come to the same: result, network, metrics and configuration.
pub(crate) fn assert_same(run: &Path, other: &Path) {
    let last = checkpoints(run).into_iter().next_back().unwrap();
    let last = format!("checkpoints/{}", last.file_name().unwrap().to_str().unwrap());
    let [one, two] = [run, other].map(|run| network(&fs::read(run.join(&last)).unwrap()));
    assert!(one == two, "networks of {} and {} differ", run.display(), other.display());
    for name in RESULT.iter().copied().chain(["config.toml", &last]) {
        let [one, two] = [run, other].map(|run| fs::read(run.join(name)).unwrap());
        assert!(one == two, "{name} of {} and {} differ", run.display(), other.display());
    }
    assert_eq!(timeless(run), timeless(other));
    assert!(checkpoints(run).len() <= 2);
    let stray = files(run).into_keys().find(|path| path.to_string_lossy().contains(".finch-"));
    assert_eq!(stray, None);
}

pub(crate) fn assert_differ(run: &Path, other: &Path, name: &str) {
    assert_ne!(fs::read(run.join(name)).unwrap(), fs::read(other.join(name)).unwrap(), "{name}");
}

/// Large layers, so that much of the time goes to writing checkpoints.
pub(crate) const SLOW: &[&str] = &["--hidden", "256,256"];
/// Larger layers, so that there is time for a signal.
pub(crate) const SLOWER: &[&str] = &["--hidden", "512,512"];
