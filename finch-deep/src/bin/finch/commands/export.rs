//! `finch export`: a trained network for other programs.

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

use super::embed::{Trained, trained};
use crate::input::run_folder::run_of;
use crate::output::file::write_file;
use crate::output::place::Place;
use crate::output::places::expect_places;

/// Write the network of a run as an ONNX model
///
/// The model maps `samples` (N × d) to `embedding` (f32), as finch embed does. Its metadata `metric` is the
/// distance between embedded samples. If the run filled missing values or scaled columns, the model does the
/// same: samples are then f64, with NaN for a missing value; else they are f32. If columns have names, the
/// metadata `features` lists them in their order; a category has a feature of 0 and 1 for each word.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch export run model.onnx
  python -c \"import onnxruntime as o; print(o.InferenceSession('model.onnx').get_inputs())\"")]
pub(crate) struct Args {
    /// The run directory
    run: PathBuf,

    /// Write the model to this .onnx file, which must not exist yet
    #[arg(value_name = "FILE", value_parser = OsStringValueParser::new().try_map(onnx))]
    out: PathBuf,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,
}

fn onnx(path: OsString) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(path);
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"));
    if named { Ok(path) } else { Err("the model is written as .onnx: name it so") }
}

/// Runs the command.
///
/// # Errors
/// Any error of reading the run or writing the model; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let place = Place::new("FILE", &args.out, args.force);
    expect_places([place], &[])?;
    let Trained { checkpoint, recipe } = trained(&run_of(&args.run, false)?)?;
    let model = checkpoint.to_onnx(Some(&recipe))?;
    write_file(&place, |file| file.write_all(&model))
}
