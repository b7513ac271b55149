//! `finch cluster`: files of samples in, a hierarchy of partitions out.
//!
//! Four steps: read (`inputs.rs`), cluster (`clustering.rs`), describe (`description.rs`) and write
//! (`outputs.rs`).

mod args;
mod clustering;
mod description;
mod inputs;
mod outputs;

pub(crate) use self::args::Args;

use std::error::Error;
use std::io::{self, Write};

use self::clustering::Clustering;
use self::description::Description;
use self::inputs::Inputs;
use self::outputs::Outputs;
use crate::args::read::tell_notes;
use crate::input::mapped::on_unchanged;
use crate::output::profiles::profiles;
use crate::output::summary::{Report, tell_warnings};
use crate::process::progress::Watch;
use crate::process::signals;

/// Runs the command.
///
/// # Errors
/// Any error of reading, clustering or writing. Nothing is written before all has been clustered.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    args.check()?;
    let mut watch = Watch::new(args.quiet);
    let inputs = Inputs::read(args, &mut watch)?;

    // From here on a signal ends the run when it next reports progress, and the directory of --out is
    // removed.
    signals::hold();
    let outputs = Outputs::prepare(args, &inputs)?;
    watch.of(&inputs.input);
    let found = on_unchanged(&inputs.input, || {
        let embedded = inputs.embedded(&mut watch)?;
        let samples = inputs.samples(args, &embedded)?;
        let mut run = args.searching.run(&mut watch);
        let clustering = Clustering::of(args, &inputs, &samples, &mut run)?;
        let description = Description::of(args, &inputs, &samples, &clustering, &mut run)?;
        Ok((clustering, description))
    });
    watch.clear();
    let (clustering, description) = found?;
    tell(args, &inputs, &clustering, &description.report);
    outputs.write(args, &inputs, &clustering, description, &watch)
}

/// Says on standard error what was found in the columns and by the searches, and what may not be
/// meant so. It is no error if nobody reads that.
fn tell(args: &Args, inputs: &Inputs, clustering: &Clustering, report: &Report) {
    let mut err = io::stderr().lock();
    if args.verbose {
        let _ = write!(err, "{}{}", profiles(&inputs.input), report.searches());
    }
    if args.quiet {
        return;
    }
    tell_notes(&inputs.input, &mut err);
    args.searching.tell_useless(&mut err);
    tell_warnings(&report.warnings, &mut err);
    for (name, labelled) in clustering.labelled() {
        if labelled.is_some_and(|labelled| labelled.labels.clusters() == 0) {
            let _ = writeln!(
                err,
                "finch: all samples are noise in the {name} clusters: ask for less of it"
            );
        }
    }
}
