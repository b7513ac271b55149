//! The subject of a command: files of samples, or a model that keeps them.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use finch_core::{AnySamples, Element, Finch, Hierarchy, LinkBound, Linkage, Metric, Run, Samples};
use finch_deep::data::{self, Input, Matrix, ReadOptions, Recipe};

use crate::args::read::tell_notes;
use crate::args::search::SearchArgs;
use crate::args::write::MessageArgs;
use crate::input::error::Unsound;
use crate::input::mapped::on_unchanged;
use crate::input::model_file::Kept;
use crate::input::paths::expanded;
use crate::input::samples::Checked;
use crate::output::profiles::profiles;
use crate::output::records::Rows;
use crate::output::summary::{Prepared, Report, sentences, tell_warnings};
use crate::process::progress::Watch;
use crate::process::signals;

/// Files of samples, or a model.
pub(crate) enum Subject {
    Input { inputs: Vec<PathBuf>, input: Input, recipe: Recipe },
    Model(Kept),
}

impl Subject {
    /// Reads files, or a model where one is the only file. From then on a signal ends the run when it next
    /// reports progress.
    pub(crate) fn read(
        arguments: &[PathBuf],
        options: ReadOptions,
        searching: &SearchArgs,
        telling: &MessageArgs,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Box<dyn Error>> {
        watch.reading();
        let subject = Self::of_files(arguments, options, searching, telling)?;
        signals::hold();
        Ok(subject)
    }

    /// Has a watch look at the files, which must stay the same.
    pub(crate) fn show_to<'a>(&'a self, watch: &mut Watch<'a>) {
        if let Subject::Input { input, .. } = self {
            watch.of(input);
        }
    }

    fn of_files(
        arguments: &[PathBuf],
        mut options: ReadOptions,
        searching: &SearchArgs,
        telling: &MessageArgs,
    ) -> Result<Self, Box<dyn Error>> {
        if let [path] = arguments
            && let Some(kept) = Kept::found(path)?
        {
            return Ok(Subject::Model(kept));
        }
        let inputs = expanded(arguments)?;
        (options.threads, options.profile) = (searching.threads, telling.verbose);
        let input = data::read(&inputs, &options)?;
        let recipe = input.recipe(&options);
        Ok(Subject::Input { inputs, input, recipe })
    }

    /// The changes that options made to the columns of files.
    pub(crate) fn prepared(&self) -> Option<Prepared> {
        match self {
            Subject::Input { input, recipe, .. } => Prepared::of(input, recipe),
            Subject::Model(_) => None,
        }
    }

    pub(crate) fn kept(&self) -> Option<&Kept> {
        match self {
            Subject::Input { .. } => None,
            Subject::Model(kept) => Some(kept),
        }
    }

    /// The names by which people call the samples, if these are not their numbers.
    pub(crate) fn names(&self) -> Option<&[String]> {
        match self {
            Subject::Input { input, .. } => input.titles(),
            Subject::Model(kept) => kept.names(),
        }
    }

    /// The recipe by which the samples were read, where that is known.
    pub(crate) fn recipe(&self) -> Option<&Recipe> {
        match self {
            Subject::Input { recipe, .. } => Some(recipe),
            Subject::Model(kept) => kept.recipe(),
        }
    }

    /// The samples, which a command needs as a matrix. The input was read without sparse rows.
    pub(crate) fn matrix(&self, command: &'static str) -> Result<Matrix<'_>, Box<dyn Error>> {
        match self {
            Subject::Input { input, .. } => Ok(input.matrix()),
            Subject::Model(kept) => Ok(kept.matrix(command)?),
        }
    }

    /// Computes on the samples, which a command needs, and which must stay the same.
    pub(crate) fn compute_on<T>(
        &self,
        command: &'static str,
        compute: impl FnOnce(AnySamples<'_>) -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        match self {
            Subject::Input { inputs, input, .. } => on_unchanged(input, || {
                let samples = Checked::of(input)
                    .map_err(|error| Unsound::of_samples(inputs, input, error))?;
                input.expect_any_order();
                compute(samples.any())
            }),
            Subject::Model(kept) => compute(kept.samples(command)?),
        }
    }

    /// The numbers of the rows that the samples are of, where others were left out.
    pub(crate) fn row_numbers(&self) -> Option<Vec<u32>> {
        let Subject::Input { input, .. } = self else { return None };
        (!input.dropped().is_empty()).then(|| input.rows().map(|row| row as u32).collect())
    }

    /// The rows of a table about the samples.
    pub(crate) fn rows(&self) -> Rows<'_> {
        match self {
            Subject::Input { input, .. } => Rows::of(input, false),
            Subject::Model(kept) => Rows::named(kept.model.hierarchy().samples(), kept.names()),
        }
    }

    /// Computes on the samples, which must stay the same.
    pub(crate) fn compute<T>(
        &self,
        compute: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        match self {
            Subject::Input { input, .. } => on_unchanged(input, compute),
            Subject::Model(_) => compute(),
        }
    }

    /// The samples of a matrix of this subject, checked.
    pub(crate) fn samples<'a, A: Element>(
        &self,
        matrix: ndarray::ArrayView2<'a, A>,
    ) -> Result<Samples<'a, A>, Box<dyn Error>> {
        match self {
            Subject::Input { inputs, input, .. } => {
                let samples = Samples::new(matrix)
                    .map_err(|error| Unsound::of_samples(inputs, input, error))?;
                input.expect_any_order();
                Ok(samples)
            }
            Subject::Model(_) => Ok(Samples::new(matrix)?),
        }
    }

    /// The metric of a model, or the one that was asked for.
    pub(crate) fn metric(&self, wanted: Option<Metric>) -> Metric {
        match self {
            Subject::Input { .. } => wanted.unwrap_or_default(),
            Subject::Model(kept) => kept.model.hierarchy().metric(),
        }
    }

    /// The hierarchy of the model, or a new one that keeps the neighbours that a linkage looks at.
    pub(crate) fn hierarchy<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        finch: Finch,
        linkage: Option<Linkage>,
        run: &mut Run<'_>,
    ) -> Result<Arc<Hierarchy>, Box<dyn Error>> {
        if let Subject::Model(kept) = self {
            return Ok(Arc::clone(kept.model.hierarchy()));
        }
        let finch = linkage.map_or(finch, |linkage| finch.refinable(linkage));
        Ok(Arc::new(finch.fit_with(samples, run)?))
    }

    /// Says on standard error what was found in the columns and by the searches, and what may not be
    /// meant so. It is no error if nobody reads that.
    pub(crate) fn tell(
        &self,
        telling: &MessageArgs,
        searching: &SearchArgs,
        made: Option<&Hierarchy>,
    ) {
        use io::Write;
        let mut err = io::stderr().lock();
        let Subject::Input { input, .. } = self else {
            let made = made.filter(|_| !telling.quiet);
            let warnings = made.map_or(Vec::new(), Hierarchy::warnings);
            return tell_warnings(&sentences(&warnings), &mut err);
        };
        let report = made.map(|hierarchy| Report::new(hierarchy, input, LinkBound::default()));
        if telling.verbose {
            let searches = report.as_ref().map_or(String::new(), Report::searches);
            let _ = write!(err, "{}{searches}", profiles(input));
        }
        if telling.quiet {
            return;
        }
        tell_notes(input, &mut err);
        searching.tell_useless(&mut err);
        tell_warnings(&report.map_or(Vec::new(), |report| report.warnings), &mut err);
    }
}
