//! A run directory in use: it is locked, its metrics are written, and its checkpoints are kept.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

use super::error::RunError;
use super::facts::Facts;
use super::files::{EMBEDDING, FACTS, LABELS, MODEL, RECIPE, REPORT};
use crate::data::{Recipe, UNFINISHED, missing_folders, write_atomically, write_json};
use crate::metrics::Measurement;
use crate::train::{Checkpoint, Config, TrainError};

const CONFIG: &str = "config.toml";
const METRICS: &str = "metrics.jsonl";
const CHECKPOINTS: &str = "checkpoints";
const LOCK: &str = "lock";
/// The files with which a run begins, but for the facts.
const BEGUN: [&str; 3] = [RECIPE, CONFIG, METRICS];
/// The files of a result.
const RESULT: [&str; 7] =
    [EMBEDDING, LABELS, MODEL, REPORT, "labels.npy", "requested.npy", "hierarchy.json"];
/// Checkpoints that are kept.
const KEPT: usize = 2;

/// A run directory that no other process trains in.
#[derive(Debug)]
pub struct Run {
    directory: PathBuf,
    /// The folders made for this run, innermost first.
    made: Vec<PathBuf>,
    metrics: File,
    _lock: File,
}

impl Run {
    /// Begins a run in a directory that is empty or new, or in which a process was killed before it
    /// had begun one.
    ///
    /// # Errors
    /// [`RunError::Taken`], [`RunError::Busy`], and what the system says.
    pub fn create(
        directory: &Path,
        config: &Config,
        facts: &Facts,
        recipe: &Recipe,
    ) -> Result<Self, RunError> {
        let system = |source| RunError::System { path: directory.into(), source };
        let config = text_of(config, directory)?;
        if directory.exists() && !directory.is_dir() {
            return Err(system(io::ErrorKind::NotADirectory.into()));
        }
        let made = missing_folders(directory);
        fs::create_dir_all(directory).map_err(system)?;
        let free = || match is_free(directory).map_err(system)? {
            true => Ok(()),
            false => Err(RunError::Taken(directory.into())),
        };
        free()?;
        let run = Self { made, ..Self::lock(directory)? };
        // Another process may have been faster.
        free()?;
        let checkpoints = directory.join(CHECKPOINTS);
        fs::create_dir_all(&checkpoints)
            .map_err(|source| RunError::System { path: checkpoints, source })?;
        write_atomically(&directory.join(CONFIG), |file| file.write_all(config.as_bytes()))?;
        run.keep_recipe(recipe)?;
        // Last: with it the directory is a run.
        write_json(&directory.join(FACTS), facts)?;
        Ok(run)
    }

    /// Removes the files of a run, for another one in its place; none where there are others among them.
    ///
    /// # Errors
    /// [`RunError::NoRun`], [`RunError::Busy`], [`RunError::Foreign`], and what the system says.
    pub fn remove(directory: &Path) -> Result<(), RunError> {
        read_facts(directory)?;
        let run = Self::lock(directory)?;
        run.sweep();
        let is_ours = |name: &str| {
            let others = [FACTS, LOCK, CHECKPOINTS];
            [&others[..], &BEGUN, &RESULT].iter().any(|names| names.contains(&name))
        };
        expect_ours(directory, is_ours)?;
        let checkpoints = directory.join(CHECKPOINTS);
        expect_ours(&checkpoints, |name| {
            Path::new(name).extension() == Some(Checkpoint::EXTENSION.as_ref())
        })?;
        // The facts first: what a process leaves that is killed on the way is then no run.
        let names = iter::once(FACTS).chain(BEGUN).chain(RESULT).map(|name| directory.join(name));
        for path in names.chain(self::checkpoints(directory)?) {
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(RunError::System { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes up a run that was begun.
    ///
    /// # Errors
    /// [`RunError::NoRun`], [`RunError::Busy`], [`RunError::Damaged`], and what the system says.
    pub fn open(directory: &Path) -> Result<(Self, Config, Facts), RunError> {
        let config = read_config(directory)?;
        let facts = read_facts(directory)?;
        let run = Self::lock(directory)?;
        run.sweep();
        Ok((run, config, facts))
    }

    /// Removes the files of a run that has no checkpoint yet.
    pub fn discard(self) {
        // Files that stay do no harm: without its facts the directory is no run.
        for name in iter::once(FACTS).chain(BEGUN).chain([LOCK]) {
            let _ = fs::remove_file(self.directory.join(name));
        }
        let _ = fs::remove_dir(self.directory.join(CHECKPOINTS));
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }

    /// Removes the files that killed processes had not written to the end.
    fn sweep(&self) {
        for folder in [&self.directory, &self.directory.join(CHECKPOINTS)] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    let path = entry.path();
                    let _ = if path.is_dir() {
                        fs::remove_dir_all(path)
                    } else {
                        fs::remove_file(path)
                    };
                }
            }
        }
    }

    fn lock(directory: &Path) -> Result<Self, RunError> {
        let open = |name: &str, options: &mut OpenOptions| {
            let path = directory.join(name);
            options.open(&path).map_err(|source| RunError::System { path, source })
        };
        // The lock file is not removed at the end: another process may have opened it by then.
        let lock = open(LOCK, OpenOptions::new().create(true).truncate(false).write(true))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::Busy(directory.into())),
            Err(TryLockError::Error(source)) => {
                return Err(RunError::System { path: directory.join(LOCK), source });
            }
        }
        let metrics = open(METRICS, OpenOptions::new().create(true).append(true))?;
        Ok(Self { directory: directory.into(), made: Vec::new(), metrics, _lock: lock })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes another configuration. A run goes on with the rounds that it says.
    ///
    /// # Errors
    /// The error of the system; the configuration before is then still there.
    pub fn configure(&self, config: &Config) -> Result<(), RunError> {
        let config = text_of(config, &self.directory)?;
        Ok(write_atomically(&self.directory.join(CONFIG), |file| {
            file.write_all(config.as_bytes())
        })?)
    }

    /// Writes how the samples were read.
    ///
    /// # Errors
    /// The error of the system.
    pub fn keep_recipe(&self, recipe: &Recipe) -> Result<(), RunError> {
        let path = self.directory.join(RECIPE);
        // Without line breaks: there are three numbers for each feature.
        Ok(write_atomically(&path, |file| Ok(serde_json::to_writer(file, recipe)?))?)
    }

    /// Adds a line to the metrics.
    ///
    /// # Errors
    /// The error of the system.
    pub fn note(&mut self, metric: &Measurement) -> Result<(), RunError> {
        let mut line = serde_json::to_string(metric).expect("plain fields serialise");
        line.push('\n');
        let path = || self.directory.join(METRICS);
        self.metrics
            .write_all(line.as_bytes())
            .map_err(|source| RunError::System { path: path(), source })
    }

    /// The metrics up to a checkpoint, or no metrics without a checkpoint. Metrics of work that was
    /// lost after the checkpoint are removed from the file.
    ///
    /// # Errors
    /// The error of the system.
    pub fn metrics_until(
        &mut self,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Vec<Measurement>, RunError> {
        let path = self.directory.join(METRICS);
        let system = |source| RunError::System { path: path.clone(), source };
        let text = fs::read_to_string(&path).map_err(system)?;
        // A line that was cut by the end of the process is lost, too.
        let metrics: Vec<Measurement> = text
            .lines()
            .map_while(|line| serde_json::from_str(line).ok())
            .take_while(|metric| checkpoint.is_some_and(|checkpoint| checkpoint.includes(metric)))
            .collect();
        let lines: String = metrics
            .iter()
            .map(|metric| serde_json::to_string(metric).expect("plain fields serialise") + "\n")
            .collect();
        if lines != text {
            write_atomically(&path, |file| file.write_all(lines.as_bytes()))?;
            self.metrics = OpenOptions::new().append(true).open(&path).map_err(system)?;
        }
        Ok(metrics)
    }

    /// Keeps a checkpoint, and the checkpoint before it.
    ///
    /// # Errors
    /// The error of the system; earlier checkpoints are then still there.
    pub fn keep(&self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        // A checkpoint says that its epochs have been noted, whatever happens to the power.
        let metrics = || self.directory.join(METRICS);
        self.metrics.sync_data().map_err(|source| RunError::System { path: metrics(), source })?;
        let path = self.directory.join(CHECKPOINTS).join(checkpoint.file_name());
        checkpoint.save(&path)?;
        self.prune()
    }

    /// Removes all but the last two checkpoints, which a process that was killed may not have done.
    ///
    /// # Errors
    /// The error of the system if it will not list the checkpoints.
    pub fn prune(&self) -> Result<(), RunError> {
        for old in checkpoints(&self.directory)?.iter().rev().skip(KEPT) {
            // The run can go on, even if the old checkpoint cannot be removed.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }
}

/// The newest checkpoint of a run that can be read. The second value says why newer checkpoints
/// could not be read.
///
/// # Errors
/// [`RunError::NoRun`], [`RunError::NoCheckpoint`], and what the system says.
pub fn newest_checkpoint(directory: &Path) -> Result<(Checkpoint, Vec<TrainError>), RunError> {
    read_facts(directory)?;
    let mut faults = Vec::new();
    for path in checkpoints(directory)?.iter().rev() {
        match Checkpoint::load(path) {
            Ok(checkpoint) => return Ok((checkpoint, faults)),
            Err(fault) => faults.push(fault),
        }
    }
    Err(RunError::NoCheckpoint { directory: directory.join(CHECKPOINTS), faults })
}

/// The recipe by which the samples of a run were read, and the changes made to columns, missing values
/// and scales.
///
/// # Errors
/// [`RunError::NoRecipe`] for a run of a finch that did not keep it, [`RunError::NoRun`],
/// [`RunError::Damaged`], and what the system says.
pub fn recipe(directory: &Path) -> Result<Recipe, RunError> {
    let facts = read_facts(directory)?;
    let text = read(directory, RECIPE).map_err(|error| match error {
        RunError::NoRun { directory, .. } => RunError::NoRecipe(directory),
        other => other,
    })?;
    let recipe: Recipe =
        serde_json::from_str(&text).map_err(|error| damaged(directory, RECIPE, error))?;
    match recipe.is_sound() && recipe.features() == facts.features {
        true => Ok(recipe),
        false => Err(damaged(directory, RECIPE, "is of other samples than those of the run")),
    }
}

/// Files of checkpoints, oldest first.
fn checkpoints(directory: &Path) -> Result<Vec<PathBuf>, RunError> {
    let directory = directory.join(CHECKPOINTS);
    let system = |source| RunError::System { path: directory.clone(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(&directory).map_err(system)? {
        let path = entry.map_err(system)?.path();
        if path.extension().is_some_and(|extension| extension == Checkpoint::EXTENSION) {
            found.push(path);
        }
    }
    // Their names have the epoch in digits of one width.
    found.sort();
    Ok(found)
}

/// The text of a configuration; an error if it has numbers beyond 2⁶³, which TOML has not.
fn text_of(config: &Config, directory: &Path) -> Result<String, RunError> {
    toml::to_string(config).map_err(|error| damaged(directory, CONFIG, error))
}

fn read_config(directory: &Path) -> Result<Config, RunError> {
    let text = read(directory, CONFIG)?;
    toml::from_str(&text).map_err(|error| damaged(directory, CONFIG, error))
}

fn read_facts(directory: &Path) -> Result<Facts, RunError> {
    let text = read(directory, FACTS)?;
    serde_json::from_str(&text).map_err(|error| damaged(directory, FACTS, error))
}

fn read(directory: &Path, name: &'static str) -> Result<String, RunError> {
    let path = directory.join(name);
    fs::read_to_string(&path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            RunError::NoRun { directory: directory.into(), missing: name }
        }
        _ => RunError::System { path, source },
    })
}

/// True if a directory has nothing, or no more than a run that has not begun: one without the facts,
/// which are written last.
fn is_free(directory: &Path) -> io::Result<bool> {
    let names = names_in(directory)?;
    let known = |name: &String| {
        BEGUN.contains(&name.as_str())
            || [LOCK, CHECKPOINTS].contains(&name.as_str())
            || name.starts_with(UNFINISHED)
    };
    let begun = || -> io::Result<bool> {
        let checkpoints = directory.join(CHECKPOINTS);
        let empty = !checkpoints.exists() || fs::read_dir(checkpoints)?.next().is_none();
        Ok(empty && directory.join(LOCK).exists() && names.iter().all(known))
    };
    Ok(names.is_empty() || begun()?)
}

/// Checks that all names in a directory are those of files of a run.
fn expect_ours(directory: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), RunError> {
    let system = |source| RunError::System { path: directory.into(), source };
    let mut names = names_in(directory).map_err(system)?;
    names.sort();
    match names.into_iter().find(|name| !is_ours(name)) {
        Some(name) => Err(RunError::Foreign { directory: directory.into(), name }),
        None => Ok(()),
    }
}

/// The names of what is in a directory, as far as they are text.
fn names_in(directory: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(directory)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn damaged(directory: &Path, name: &str, error: impl ToString) -> RunError {
    RunError::Damaged { path: directory.join(name), reason: error.to_string() }
}
