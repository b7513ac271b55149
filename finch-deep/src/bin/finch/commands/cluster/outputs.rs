//! The outputs of `finch cluster`: labels, a model, a page, and what is printed.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use finch_core::{Partition, Suggestion};
use finch_deep::run;

use super::Args;
use super::clustering::Clustering;
use super::description::Description;
use super::inputs::Inputs;
use crate::args::search::LISTED;
use crate::input::model_file::{self, Notes, Refined};
use crate::output::directory::{Output, Unusable};
use crate::output::doubt::{doubt, doubted};
use crate::output::file::write_file;
use crate::output::place::Place;
use crate::output::places::expect_places;
use crate::output::records::{Records, Rows};
use crate::output::summary::{Printed, Report, Seconds, Suggested, groups};
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;

/// The place of the labels, prepared, and those of the model and of the page, which are looked at.
pub(super) struct Outputs {
    labels: Option<Labels>,
}

/// The place of the labels.
enum Labels {
    Directory(Output),
    File(PathBuf, TableFormat),
    StandardOutput,
}

impl Outputs {
    /// Prepares each place, so that no fault of it comes after a long run.
    pub(super) fn prepare(args: &Args, inputs: &Inputs) -> Result<Self, Box<dyn Error>> {
        if let Some(directory) = args.out.as_deref().filter(|directory| run::is_run(directory)) {
            return Err(Unusable::Run(directory.into()).into());
        }
        let (force, files) = (args.force, &inputs.files);
        let out = args.out.as_deref().filter(|_| !args.is_printed());
        let format = args.table_format();
        format.map_or(Ok(()), TableFormat::expect_built)?;
        let is_directory = format.is_none();
        // A directory may be there; its files are looked at where it is made.
        let of_labels = out.map(|path| {
            let force = force || is_directory;
            Place { is_directory, ..Place::new("--out", path, force) }
        });
        let model = args.model.as_deref().map(|path| model_file::place(path, force)).transpose()?;
        let places = [of_labels, model, args.paging.place(force)?];
        expect_places(places.into_iter().flatten(), files)?;
        let labels = match (out, format) {
            (Some(path), Some(format)) => Some(Labels::File(path.into(), format)),
            (Some(path), None) => Some(Labels::Directory(Output::prepare(path, force, files)?)),
            (None, _) => args.is_printed().then_some(Labels::StandardOutput),
        };
        Ok(Self { labels })
    }

    /// Writes everything.
    pub(super) fn write(
        self,
        args: &Args,
        inputs: &Inputs,
        clustering: &Clustering,
        description: Description,
        watch: &Watch<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let Description { report, page, model } = description;
        let partitions = clustering.hierarchy.partitions();
        let further = clustering.labelled();
        let rows = Rows::of(&inputs.input, args.append);
        let records = Records::of_labels(rows, partitions, further);
        match self.labels {
            Some(Labels::Directory(output)) => {
                let further = further.map(|(_, one)| one.map(|one| &one.labels));
                output.write(&clustering.hierarchy, further, &report)?;
            }
            Some(Labels::File(path, format)) => {
                records.expect_other_columns()?;
                let place = Place::new("--out", &path, args.force);
                write_file(&place, |file| records.write(format, file))?;
            }
            Some(Labels::StandardOutput) => records.expect_other_columns()?,
            None => {}
        }
        if let (Some(path), Some(model)) = (&args.model, model) {
            match model.element() {
                Some(_) => {
                    let recipe = inputs.input.recipe(&inputs.options);
                    let notes = Notes::new(recipe, inputs.input.titles(), refined(clustering));
                    model_file::save(path, args.force, model, &notes)?;
                }
                // Notes tell how samples were read.
                None => model_file::save_bare(path, args.force, &model)?,
            }
        }
        args.paging.write(page.as_deref(), args.force)?;
        print(args, inputs, clustering, &report, &records, watch)
    }
}

/// The sources of the refined labellings of a model.
fn refined(clustering: &Clustering) -> Vec<Refined> {
    let requested = clustering.requested.as_ref();
    let requested = requested.map(|one| {
        let linkage = one.linkage.name().into();
        Refined::Requested { linkage, from: one.from }
    });
    let suggested = clustering.suggestion.as_ref().map(|_| Refined::Suggested);
    requested.into_iter().chain(suggested).collect()
}

/// Prints the partitions, as a table for people or as JSON.
fn print(
    args: &Args,
    inputs: &Inputs,
    clustering: &Clustering,
    report: &Report,
    records: &Records<'_>,
    watch: &Watch<'_>,
) -> Result<(), Box<dyn Error>> {
    let seconds = Seconds {
        read: inputs.reading.as_secs_f64(),
        neighbors: watch.neighbors().as_secs_f64(),
        merging: watch.merging().as_secs_f64(),
        total: inputs.began.elapsed().as_secs_f64(),
    };
    let mut out = io::stdout().lock();
    if args.is_printed() {
        records.write(TableFormat::Csv, &mut out)?;
    } else if args.json {
        let printed = Printed::new(report, seconds);
        let printed = match args.with_labels {
            true => printed.with_labels(records.names(), records.labels()),
            false => printed,
        };
        serde_json::to_writer(&mut out, &printed).map_err(io::Error::from)?;
        writeln!(out)?;
    } else if !args.quiet {
        writeln!(out, "{report}, {:.2} s\n\n{}", seconds.total, report.table().trim_fmt())?;
        if let Some(Suggested { partition, .. }) = report.suggested {
            writeln!(out, "\nof the partitions, {partition} agrees best with the suggested one")?;
        }
        if let Some(told) = clustering.suggestion.as_ref().and_then(Suggestion::ambiguity) {
            writeln!(out, "{told}")?;
        }
        if let Some(doubt) = clustering.suggestion.as_ref().and_then(doubt) {
            let clusters = clustering.suggested().map_or(0, Partition::clusters);
            writeln!(out, "\n{}", doubted(clusters, &doubt))?;
        }
        if let Some(names) = inputs.input.names().filter(|names| names.len() <= LISTED) {
            for (number, partition) in clustering.hierarchy.partitions().iter().enumerate() {
                write!(out, "\npartition {number}\n{}", groups(&partition.into(), names))?;
            }
            for (name, labelled) in clustering.labelled() {
                if let Some(labelled) = labelled {
                    write!(out, "\n{name}\n{}", groups(&labelled.labels, names))?;
                }
            }
        }
    }
    Ok(out.flush()?)
}
