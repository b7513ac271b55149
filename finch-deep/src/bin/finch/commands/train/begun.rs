//! A run that begins, of an input that is read.

use std::error::Error;
use std::path::Path;

use finch_deep::data::Input;
use finch_deep::metrics::Measurement;
use finch_deep::run::{self, Facts, Run};
use finch_deep::train::{Config, Trainer};

use super::args::Args;
use super::measured::OtherMethods;
use super::session::Session;
use crate::commands::embed::with_files;
use crate::input::mapped::on_unchanged;
use crate::process::progress::Watch;
use crate::process::signals;

/// The input of runs that begin.
pub(super) struct Begun<'a> {
    pub(super) args: &'a Args,
    pub(super) input: &'a Input,
    pub(super) truth: Option<Vec<u32>>,
}

impl Begun<'_> {
    /// Trains into a directory; the measurements on the way. `shows` says if the result is printed.
    pub(super) fn run(
        &self,
        directory: &Path,
        config: Config,
        watch: Watch<'_>,
        shows: bool,
    ) -> Result<Vec<Measurement>, Box<dyn Error>> {
        let Self { args, input, truth } = self;
        let inputs = &args.sources.inputs;
        let trainer = on_unchanged(input, || {
            Trainer::new(input.matrix(), config, args.backend)
                .map_err(|error| with_files(inputs, error))
        })?;
        input.expect_any_order();
        let facts = Facts {
            version: env!("CARGO_PKG_VERSION").into(),
            sources: args.sources.arguments()?,
            samples: input.samples(),
            features: input.features(),
            checksum: trainer.checksum(),
            backend: args.backend,
            image: args.image,
        };
        signals::hold();
        let recipe = args.sources.recipe(input);
        if args.force && run::is_run(directory) {
            // Only now, as what is wrong with the input or the options would cost the run before.
            Run::remove(directory)?;
        }
        let run = Run::create(directory, trainer.config(), &facts, &recipe)?;
        let session = Session {
            run,
            facts,
            truth: truth.clone(),
            recipe,
            metrics: Vec::new(),
            others: OtherMethods::default(),
            kept: false,
            quiet: args.quiet,
            shows,
            threads: args.threads.unwrap_or(0),
        };
        session.run(trainer.threads(args.threads.unwrap_or(0)), input, watch)
    }
}
