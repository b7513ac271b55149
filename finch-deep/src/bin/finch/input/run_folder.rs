//! The run that a folder stands for: itself, or the best of the runs that `finch train --seeds` left in it.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use finch_deep::data::Escaped;
use finch_deep::run;
use serde::Deserialize;

use crate::output::shell::quoted;

/// A folder of several runs, none of which is known to be the best.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is a folder of runs, and none is known to be the best: name one of them, such as {}",
    Escaped(folder.display()), quoted(run)
)]
pub(crate) struct NoBest {
    folder: PathBuf,
    run: PathBuf,
}

/// The part of `seeds.json` that names the best run.
#[derive(Deserialize)]
struct Seeds {
    best: Option<PathBuf>,
}

/// The run of a folder. Standard error names the one of several, unless `quiet`.
pub(crate) fn run_of(folder: &Path, quiet: bool) -> Result<PathBuf, NoBest> {
    let runs = match run::is_run(folder) {
        true => Vec::new(),
        false => runs_in(folder),
    };
    let Some(first) = runs.first() else { return Ok(folder.into()) };
    match best(folder).filter(|best| runs.contains(best)) {
        Some(best) => {
            if !quiet {
                let (folder, shown) = (Escaped(folder.display()), Escaped(best.display()));
                let count = runs.len();
                // It is no error if nobody reads that.
                let _ = writeln!(
                    io::stderr(),
                    "finch: {folder} has {count} runs: the best is {shown}, and is used"
                );
            }
            Ok(best)
        }
        None => Err(NoBest { folder: folder.into(), run: first.clone() }),
    }
}

/// The runs right below a folder, in the order of their names.
fn runs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| run::is_run(path)).collect();
    runs.sort();
    runs
}

/// The best run by the file that `finch train --seeds` wrote last; none where it did not come to that.
fn best(folder: &Path) -> Option<PathBuf> {
    let text = fs::read(folder.join(run::SEEDS)).ok()?;
    let best = serde_json::from_slice::<Seeds>(&text).ok()?.best?;
    // A run below the folder, and none elsewhere.
    let mut parts = best.components();
    let is_name = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    is_name.then(|| folder.join(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_itself_or_for_the_best_of_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        // A folder without runs, and a run, are what they are.
        assert_eq!(run_of(path, true).unwrap(), path);
        for name in ["seed-4", "seed-5"] {
            fs::create_dir(path.join(name)).unwrap();
            fs::write(path.join(name).join("run.json"), "{}").unwrap();
        }
        assert_eq!(run_of(&path.join("seed-4"), true).unwrap(), path.join("seed-4"));
        // Stopped before the last seed, without a verdict, and led elsewhere.
        let told = run_of(path, true).unwrap_err().to_string();
        assert!(told.contains("name one of them, such as") && told.contains("seed-4"), "{told}");
        for best in ["null", "\"../seed-5\"", "\"/etc\"", "\"seed-6\"", "\"\"", "7"] {
            fs::write(path.join("seeds.json"), format!("{{\"best\":{best}}}")).unwrap();
            assert!(run_of(path, true).is_err(), "{best}");
        }
        fs::write(path.join("seeds.json"), "{\"best\":\"seed-5\",\"runs\":[]}").unwrap();
        assert_eq!(run_of(path, true).unwrap(), path.join("seed-5"));
    }
}
