//! The reader of samples, from one file or from several that are stacked.

mod arrays;
mod faults;
mod layouts;
mod tables;

use std::path::Path;

use arrays::{read_one, stack};
use faults::{is_of_columns, of_settled};
use layouts::{of_layout, survey};
use tables::read_tables;

use super::columns::survey::Survey;
use super::error::note::Note;
use super::error::{Fault, ReadError};
use super::format::Format;
use super::input::Input;
use super::options::ReadOptions;
use super::options::choices::Missing;
use super::recognise::format_of;
use super::source::guard::guarded;
use super::source::memory::Memory;
use super::source::pipe;
use super::source::spool::Spool;

/// Bytes of tables that are looked at once more where a column is at fault: some seconds.
const ADVISED: usize = 64 << 20;

/// Reads the samples of one file, or of several stacked in this order.
///
/// Stacked files must have as many features each; elements are widened, exactly, to the widest
/// type among them. The result has names if all files have. A single file is not copied: an
/// uncompressed `.npy` of 64 MiB or more is mapped into memory, and must then not be changed or
/// cut while the samples are in use: [`Input::expect_unchanged`] tells.
///
/// # Errors
/// [`ReadError`] names the file; its [`Fault`] tells what is wrong with it and where. An option that
/// serves none of the files is an error of the first.
pub fn read(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Result<Input, ReadError> {
    paths.iter().for_each(|path| pipe::forget(path.as_ref()));
    options.expect_useful(paths)?;
    let of_recipe = options.recipe.as_ref().map(|recipe| recipe.options(options));
    let options = of_recipe.as_ref().unwrap_or(options);
    let mut spool = Spool::default();
    let mut can_reread = true;
    for path in paths {
        // Formats that seek, and the last lines of a table, want a short pipe to be a file.
        can_reread &= guarded(path.as_ref(), |path| spool.copy_short(path, ADVISED))?;
    }
    let surveyed = match options.auto {
        true => Some(surveyed(paths, options, &mut spool)?),
        false => None,
    };
    let chosen = surveyed.as_ref().map(Survey::options);
    let options = chosen.as_ref().unwrap_or(options);
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let first = paths.first().ok_or_else(no_input)?.as_ref();
    let memory = Memory::new(options.memory_limit);
    let mut input = match paths.iter().all(|path| is_table(path.as_ref(), options)) {
        true => read_settled(paths, options, &spool, &memory).map_err(|error| {
            let may_choose = can_reread && surveyed.is_none();
            advised(error, paths, options, &spool, may_choose)
        })?,
        false => read_each(paths, options, &spool, &memory)?,
    };
    input.prepare(options, &memory).map_err(|fault| ReadError::new(first, fault))?;
    if let Some(survey) = &surveyed {
        input.notes.retain(is_beside_survey);
        input.notes.splice(..0, survey.lines().into_iter().map(Note::Surveyed));
    }
    (input.survey, input.chosen) = (surveyed.map(Box::new), chosen.map(Box::new));
    Ok(input)
}

fn is_table(path: &Path, options: &ReadOptions) -> bool {
    format_of(path, options.format).is_some_and(Format::is_table)
}

/// A look at all columns of tables, each of which the spool then has, so that it can be read once more.
fn surveyed(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &mut Spool,
) -> Result<Survey, ReadError> {
    for path in paths {
        guarded(path.as_ref(), |path| match format_of(path, options.format) {
            // It may be empty.
            None => Err(spool.open(path).err().unwrap_or(Fault::UnknownExtension)),
            Some(format) if format.is_table() => spool.copy(path),
            Some(_) => Err(Fault::UselessOption { option: "auto", of: "tables alone" }),
        })?;
    }
    survey(paths, options, spool)
}

/// Reads tables. One that is read as one before may have lines above and below, or columns at fixed positions, as that
/// one had: where it cannot be read otherwise, its layout is looked for.
fn read_settled(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Input, ReadError> {
    let before = memory.taken();
    read_tables(paths, options, spool, memory).or_else(|error| {
        memory.settle(before);
        let options = of_layout(paths, options, spool, memory);
        options.and_then(|options| read_tables(paths, &options, spool, memory).ok()).ok_or(error)
    })
}

/// The error of tables, with the options that read them, if a look at all columns finds some.
fn advised(
    mut error: ReadError,
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    may_choose: bool,
) -> ReadError {
    // A recipe has the options of a look at another table, and who asks for the error of a missing value has it.
    if options.recipe.is_some() {
        error.fault = of_settled(error.fault);
        return error;
    }
    let may_choose = may_choose && options.missing != Some(Missing::Error);
    if options.advise && may_choose && is_of_columns(&error.fault) {
        let found = survey(paths, options, spool).ok();
        error.advice = found.filter(Survey::is_sound).map(|survey| Box::new(survey.advice()));
    }
    error
}

/// Reads one file after the other, of which one at least is an array, and stacks them.
fn read_each(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Input, ReadError> {
    let mut inputs = Vec::with_capacity(paths.len());
    for path in paths.iter().map(AsRef::as_ref) {
        let before = memory.taken();
        let input = read_one(path, options, spool, memory)?;
        memory.settle(before + input.bytes());
        inputs.push((path, input));
    }
    if inputs.len() == 1 {
        return Ok(inputs.remove(0).1);
    }
    let first = inputs[0].0;
    stack(inputs, memory).map_err(|(path, fault)| ReadError::new(path.unwrap_or(first), fault))
}

/// True for what a survey does not say.
fn is_beside_survey(note: &Note) -> bool {
    matches!(
        note,
        Note::NoEnd
            | Note::Dropped { .. }
            | Note::Empty { .. }
            | Note::Hashed { .. }
            | Note::Repeated(_)
            | Note::BelowHeader(_)
            | Note::Encoding(_)
            | Note::Sheets { .. }
            | Note::Wrapped { .. }
    )
}
