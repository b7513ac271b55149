//! `finch train --seeds`: runs that differ by their seed alone, and the best of them.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use finch_deep::data::{Escaped, write_json};
use finch_deep::metrics::{Candidate, Effect, Measurement, Source, Verdict};
use finch_deep::run::{RunError, SEEDS};
use finch_deep::train::Config;
use serde::Serialize;

use super::begun::Begun;
use crate::output::shell::quoted;
use crate::output::summary::plain;
use crate::process::progress::Watch;

/// The results of all runs.
#[derive(Serialize)]
struct Seeds {
    /// The directory of the run whose clusters are the most modular; none where runs have no verdict.
    best: Option<String>,
    runs: Vec<OfSeed>,
    /// The scores of the results, where there is a truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Spreads>,
}

/// The result of one run.
#[derive(Serialize)]
struct OfSeed {
    directory: String,
    seed: u64,
    result: Option<Source>,
    training: Option<Effect>,
    modularity: Option<f64>,
    #[serde(flatten)]
    scores: Option<Scored>,
}

/// Scores against the truth, in percent.
#[derive(Clone, Copy, Serialize)]
struct Scored {
    acc: Option<f64>,
    nmi: f64,
    ari: f64,
}

/// The mean and the standard deviation (of the sample) of each score.
#[derive(Serialize)]
struct Spreads {
    acc: Option<Spread>,
    nmi: Option<Spread>,
    ari: Option<Spread>,
}

#[derive(Clone, Copy, Serialize)]
struct Spread {
    mean: f64,
    deviation: f64,
}

/// Checks that a directory has nothing, or is not there yet.
pub(super) fn expect_free(directory: &Path) -> Result<(), RunError> {
    match fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
        true => Err(RunError::Taken(directory.into())),
        false => Ok(()),
    }
}

/// Trains a run of each seed into a directory below, and says which is the best.
pub(super) fn run(
    begun: &Begun<'_>,
    directory: &Path,
    config: &Config,
    seeds: usize,
) -> Result<(), Box<dyn Error>> {
    let quiet = begun.args.quiet;
    let mut runs = Vec::new();
    for more in 0..seeds as u64 {
        let seed = config.seed.saturating_add(more);
        let name = format!("seed-{seed}");
        if !quiet {
            // It is no error if nobody reads that.
            let _ = writeln!(io::stderr(), "finch: seed {seed}, run {} of {seeds}", more + 1);
        }
        let mut config = config.clone();
        config.seed = seed;
        let metrics = begun.run(&directory.join(&name), config, Watch::new(quiet), false)?;
        runs.push(OfSeed::new(name, seed, &metrics));
    }
    let seeds = Seeds::new(runs);
    write_json(&directory.join(SEEDS), &seeds)?;
    if !quiet {
        seeds.show(directory, &mut io::stdout().lock())?;
    }
    Ok(())
}

impl OfSeed {
    fn new(directory: String, seed: u64, metrics: &[Measurement]) -> Self {
        let last = metrics.iter().rev().find_map(Measurement::clustering);
        let verdict = last.and_then(|clustering| clustering.verdict.as_ref());
        let of_result = |verdict: &Verdict| {
            let found = verdict.candidates.iter().find(|one| one.source == verdict.result);
            found.map(|candidate: &Candidate| candidate.modularity)
        };
        let scores = last.and_then(|last| last.requested.as_ref()).and_then(|one| one.scores);
        Self {
            directory,
            seed,
            result: verdict.map(|verdict| verdict.result),
            training: verdict.map(|verdict| verdict.training),
            modularity: verdict.and_then(of_result),
            scores: scores.map(|scores| Scored {
                acc: scores.acc,
                nmi: scores.nmi,
                ari: scores.ari,
            }),
        }
    }
}

impl Seeds {
    fn new(runs: Vec<OfSeed>) -> Self {
        // Of equally modular ones the first.
        let more = |best: Option<(usize, f64)>, (at, run): (usize, &OfSeed)| match run.modularity {
            Some(found) if best.is_none_or(|(_, most)| found > most) => Some((at, found)),
            _ => best,
        };
        let best = runs.iter().enumerate().fold(None, more);
        let of = |score: fn(&Scored) -> Option<f64>| {
            let found: Option<Vec<f64>> =
                runs.iter().map(|run| run.scores.as_ref().and_then(score)).collect();
            found.map(|found| Spread::of(&found))
        };
        let scored = runs.iter().all(|run| run.scores.is_some());
        let scores = scored.then(|| Spreads {
            acc: of(|scores| scores.acc),
            nmi: of(|scores| Some(scores.nmi)),
            ari: of(|scores| Some(scores.ari)),
        });
        Self { best: best.map(|(at, _)| runs[at].directory.clone()), runs, scores }
    }

    /// Prints a line for each run, the mean of the scores, and the best run.
    fn show(&self, directory: &Path, out: &mut dyn Write) -> io::Result<()> {
        let mut columns = vec!["seed", "result", "modularity"];
        if self.scores.is_some() {
            columns.extend(["ACC", "NMI (geometric)", "ARI"]);
        }
        let shown = |score: Option<f64>| score.map_or("–".into(), |score| format!("{score:.2}"));
        let mut table = plain(&columns);
        for run in &self.runs {
            let mut cells = vec![
                run.seed.to_string(),
                run.result.map_or("–".into(), |result| result.to_string()),
                run.modularity.map_or("–".into(), |modularity| format!("{modularity:.4}")),
            ];
            if let Some(Scored { acc, nmi, ari }) = run.scores {
                cells.extend([acc, Some(nmi), Some(ari)].map(shown));
            }
            table.add_row(cells);
        }
        if let Some(Spreads { acc, nmi, ari }) = &self.scores {
            let spread = |spread: &Option<Spread>| match spread {
                Some(Spread { mean, deviation }) => format!("{mean:.2} ± {deviation:.2}"),
                None => "–".into(),
            };
            let first = ["mean", "", ""].map(String::from);
            table.add_row(first.into_iter().chain([acc, nmi, ari].map(spread)));
        }
        if let Some(best) = &self.best {
            let run = directory.join(best);
            let shown = Escaped(run.display());
            writeln!(
                out,
                "{shown} is the best as far as that shows without labels: its clusters are the most modular \
                 among the input's nearest neighbours\n\n{}\n",
                table.trim_fmt()
            )?;
            let next = quoted(directory);
            writeln!(
                out,
                "next:\n  finch predict {next} NEW      the clusters of new samples, by that run"
            )?;
        } else {
            writeln!(out, "{}", table.trim_fmt())?;
        }
        out.flush()
    }
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Self { mean, deviation: (squares / (count - 1.0)).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(directory: &str, modularity: f64, ari: f64) -> OfSeed {
        OfSeed {
            directory: directory.into(),
            seed: 0,
            result: Some(Source::Graph),
            training: None,
            modularity: Some(modularity),
            scores: Some(Scored { acc: None, nmi: 50.0, ari }),
        }
    }

    #[test]
    fn the_best_is_the_most_modular_and_scores_have_no_say() {
        let seeds = Seeds::new(vec![run("a", 0.4, 99.0), run("b", 0.6, 1.0), run("c", 0.6, 20.0)]);
        assert_eq!(seeds.best.as_deref(), Some("b"));
        let scores = seeds.scores.unwrap();
        // numpy.std([99, 1, 20], ddof=1)
        let Spread { mean, deviation } = scores.ari.unwrap();
        assert!((mean - 40.0).abs() < 1e-12 && (deviation - 51.971_145_840_745_13).abs() < 1e-9);
        assert!(scores.acc.is_none() && scores.nmi.unwrap().deviation == 0.0);
    }
}
