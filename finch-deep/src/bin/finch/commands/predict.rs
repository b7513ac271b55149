//! `finch predict`: the clusters of new samples.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::slice;

use finch_core::{
    AnySamples, ElementType, Labels, Predict, Prediction, Samples, Search, Warning, bf16, f16,
};
use finch_deep::data::{self, Input, Matrix, Recipe, STANDARD_INPUT};
use finch_deep::run;
use ndarray::Array2;

use super::embed::{embedding, trained};
use crate::args::read::{FileReading, tell_notes};
use crate::args::search::LISTED;
use crate::args::values::{one_of, recall, threads};
use crate::args::write::{MessageArgs, OutputArgs};
use crate::input::error::Unsound;
use crate::input::mapped::on_unchanged;
use crate::input::model_file::Kept;
use crate::input::paths::expanded;
use crate::input::run_folder::run_of;
use crate::input::samples::{Exact, exactly};
use crate::output::records::{Records, Rows, Values};
use crate::output::summary::{sentences, sentences_of_rows, tell_warnings};
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;
use crate::process::signals;

/// Find the clusters of new samples by a model
///
/// finch cluster --model or finch extend has saved MODEL; it may be a run of finch train, too, whose network
/// then embeds the samples. NEW are files of samples with the same columns, by
/// name if there is a header. finch fills, scales and encodes them as it did the samples of the model.
///
/// Each sample gets a label (-1 where its nearest neighbour is noise), the distance to its nearest
/// neighbour in the model, the distance to the nearest one in another cluster, a confidence from 0.5 to 1,
/// and the neighbour. In a model without samples, means take the place of neighbours.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch cluster customers.csv --standardize zscore -k 8 --model customers.finch
  finch predict customers.finch new.csv
  finch predict customers.finch new.csv --labelling 0 --out labels.csv
  finch predict run new.csv                            # by a run of finch train
  zcat new.csv.gz | finch predict customers.finch - --format csv > labels.csv")]
pub(crate) struct Args {
    /// The model, or a run of finch train (of --seeds the best), or - for a model from standard input
    model: PathBuf,

    /// Files of samples, or -
    #[arg(required = true, value_name = "NEW")]
    inputs: Vec<PathBuf>,

    /// Clusters to predict: the number of a partition, requested, or suggested [default: requested, else
    /// suggested, else 0]
    #[arg(short, long, value_name = "LABELLING")]
    labelling: Option<String>,

    /// Search that finds the nearest samples
    ///
    /// approximate finds most of the nearest among millions; if the model keeps samples, it says nothing
    /// of other clusters. All other searches are exact.
    #[arg(
        long,
        default_value = Search::default().name(),
        value_parser = one_of(SEARCHES, Search::name)
    )]
    neighbors: Search,

    /// Share of the nearest that approximate search is to find [default: 0.99]
    #[arg(long, value_name = "SHARE", value_parser = recall)]
    recall: Option<f64>,

    /// Number of threads; no result depends on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    #[command(flatten)]
    writing: OutputArgs,

    /// Print a JSON array of objects instead of a table
    #[arg(long, conflicts_with = "out")]
    json: bool,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: FileReading,
}

/// The searches that serve.
const SEARCHES: &[Search] = &[Search::Auto, Search::Brute, Search::Blocked, Search::Approximate];

/// Runs the command.
///
/// # Errors
/// Any error of reading, searching or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let format = args.writing.table_format("predict")?;
    args.writing.prepare(&[], &[slice::from_ref(&args.model), &args.inputs[..]].concat())?;
    let inputs = inputs_beside(&args.model, &args.inputs)?;
    let model = &run_of(&args.model, args.telling.quiet)?;
    let kept = match run::is_run(model) {
        true => Kept::of_run(model)?,
        false => Kept::load(model)?,
    };
    let trained = kept.is_embedded().then(|| trained(model)).transpose()?;
    let labelling = kept.labelling(args.labelling.as_deref())?;
    let mut watch = Watch::new(args.telling.quiet);
    watch.reading();
    let input = read_new(&kept, &inputs, &args.reading, args.threads)?;
    signals::hold();
    watch.of(&input);
    let among_samples = kept.model.samples().is_some();
    let certainty = args.neighbors != Search::Approximate || !among_samples;
    let predict = Predict::new(labelling)
        .search(args.neighbors)
        .recall(args.recall.unwrap_or(finch_core::Finch::DEFAULT_RECALL))
        .certainty(certainty);
    let predicted = on_unchanged(&input, || {
        let embedded =
            trained.as_ref().map(|trained| embedding(trained, &inputs, &input, &mut watch));
        let embedded = embedded.transpose()?.map(|(embedded, _)| embedded);
        let what = On { kept: &kept, inputs: &inputs, input: &input, embedded, predict };
        match what.element() {
            ElementType::F64 => predicted::<f64>(&what, args.threads, &mut watch),
            ElementType::F32 => predicted::<f32>(&what, args.threads, &mut watch),
            ElementType::U8 | ElementType::Bits => predicted::<u8>(&what, args.threads, &mut watch),
            ElementType::F16 => predicted::<f16>(&what, args.threads, &mut watch),
            ElementType::BF16 => predicted::<bf16>(&what, args.threads, &mut watch),
            ElementType::I8 => predicted::<i8>(&what, args.threads, &mut watch),
        }
    });
    watch.clear();
    let (prediction, warnings) = predicted?;
    let Prediction { mut labels, neighbor, distance, certainty, recall, .. } = prediction;
    if !args.telling.quiet {
        tell_notes(&input, &mut io::stderr());
        tell_warnings(&sentences(&kept.model.hierarchy().warnings()), &mut io::stderr());
        tell_warnings(&sentences_of_rows(&warnings, &input), &mut io::stderr());
        if let Some(recall) = recall {
            let (low, high) = (recall.low, recall.high);
            // It is no error if nobody reads that.
            let estimate = recall.estimate;
            let _ = writeln!(io::stderr(), "finch: recall {estimate:.4} ({low:.4} to {high:.4})");
        }
    }
    if let Some(names) = kept.cluster_names(labelling) {
        // Noise has no name.
        let named = |label: u32| names.names.get(label as usize).copied().unwrap_or(Labels::NOISE);
        labels.iter_mut().for_each(|label| *label = named(*label));
    }
    let names = kept.names().filter(|_| kept.model.samples().is_some());
    let named = names.map(|names| neighbor.iter().map(|&at| &*names[at as usize]).collect());
    let mut columns = vec![
        ("label".to_string(), Values::Labels(&labels)),
        ("distance".into(), Values::Numbers(&distance)),
    ];
    if let Some(certainty) = &certainty {
        columns.push(("other_distance".into(), Values::Numbers(&certainty.other_distance)));
        columns.push(("confidence".into(), Values::Numbers(&certainty.confidence)));
    }
    columns.push(("neighbor".into(), Values::Labels(&neighbor)));
    columns.extend(named.map(|names| ("neighbor_name".to_string(), Values::Texts(names))));
    let records = Records::new(Rows::of(&input, false), columns);
    let few = input.samples() + input.dropped().len() <= LISTED;
    let format = if args.json { TableFormat::Json } else { format };
    args.writing.write_records(&records, format, few && !args.json && !args.telling.quiet)
}

/// The files of samples beside a model. Standard input is one of them, or the model.
pub(crate) fn inputs_beside(
    model: &Path,
    inputs: &[PathBuf],
) -> Result<Vec<PathBuf>, &'static str> {
    let is_input = |path: &Path| path == Path::new(STANDARD_INPUT);
    if is_input(model) && inputs.iter().any(|path| is_input(path)) {
        return Err("standard input can be read once: give - once");
    }
    expanded(inputs)
}

/// Reads samples the way that those of a model were read.
pub(crate) fn read_new(
    kept: &Kept,
    inputs: &[PathBuf],
    reading: &FileReading,
    threads: Option<usize>,
) -> Result<Input, Box<dyn Error>> {
    let mut options = reading.options_beside(kept.is_sparse());
    (options.threads, options.recipe) = (threads, kept.recipe().cloned());
    let input = data::read(inputs, &options)?;
    // Without a recipe, nobody has looked yet.
    let of_input = kept.recipe().filter(|_| kept.is_embedded()).map(Recipe::features);
    let expected = of_input.unwrap_or(kept.model.hierarchy().features());
    let found = input.features();
    match found == expected {
        true => Ok(input),
        false => {
            Err(Unsound::of(inputs, finch_core::Error::FeatureCount { expected, found }).into())
        }
    }
}

/// The model to predict by, and the samples to predict.
struct On<'a> {
    kept: &'a Kept,
    inputs: &'a [PathBuf],
    input: &'a Input,
    /// The samples as the network of a run embeds them.
    embedded: Option<Array2<f32>>,
    predict: Predict,
}

impl On<'_> {
    /// The type that samples are compared in.
    fn element(&self) -> ElementType {
        let model = &self.kept.model;
        match (model.element(), model.samples()) {
            (Some(element), Some(_)) => element,
            (Some(ElementType::F64) | None, None) => ElementType::F64,
            (Some(_), None) => ElementType::F32,
            (None, Some(_)) => ElementType::F64,
        }
    }
}

/// The prediction, and what its search says against it.
fn predicted<A: Exact>(
    on: &On<'_>,
    threads: Option<usize>,
    watch: &mut Watch<'_>,
) -> Result<(Prediction, Vec<Warning>), Box<dyn Error>> {
    let unsound = |error| Unsound::of_samples(on.inputs, on.input, error);
    if let Some(rows) = on.input.sparse() {
        let samples = rows.checked().map_err(unsound)?;
        return predicted_of((&samples).into(), on, threads, watch);
    }
    let matrix = match &on.embedded {
        Some(embedded) => Matrix::F32(embedded.view()),
        None => on.input.matrix(),
    };
    let samples = exactly::<A>(&matrix).map_err(unsound)?;
    let samples = Samples::new(samples.view()).map_err(unsound)?;
    predicted_of((&samples).into(), on, threads, watch)
}

fn predicted_of(
    samples: AnySamples<'_>,
    on: &On<'_>,
    threads: Option<usize>,
    watch: &mut Watch<'_>,
) -> Result<(Prediction, Vec<Warning>), Box<dyn Error>> {
    let mut run = finch_core::Run::new()
        .threads(threads.unwrap_or(0))
        .progress(|progress| watch.see(progress));
    match on.predict.run(&on.kept.model, samples, &mut run) {
        Ok(prediction) => Ok((prediction, run.warnings().to_vec())),
        Err(error @ finch_core::Error::Cancelled) => Err(error.into()),
        Err(error) => Err(Unsound::of(on.inputs, error).into()),
    }
}
