//! Tables of columns, those of several files read as one.

use std::path::Path;

use super::faults::{of_sheet, placed};
use crate::data::columns::features::{Featured, featured};
use crate::data::columns::profile::{MOST_MEASURED, numbers, scales};
use crate::data::columns::sentinel::sentinels;
use crate::data::columns::stacked::Stretch;
use crate::data::error::note::Note;
use crate::data::error::table::TableFault;
use crate::data::error::{Fault, ReadError};
use crate::data::format::Format;
use crate::data::formats::csv::{self, Raw};
use crate::data::formats::{as_text, columnar};
use crate::data::input::{Input, Storage};
use crate::data::options::ReadOptions;
use crate::data::options::choices::Standardize;
use crate::data::recognise::format_of;
use crate::data::source::guard::guarded;
use crate::data::source::memory::Memory;
use crate::data::source::spool::Spool;

/// The rows of tables that are read as one, the files that they are of, and what was found in these.
type Stacked = (Raw, Vec<Stretch>, Vec<Note>);

/// Reads the rows of tables as those of one, so that the words of a column are the same in all of them.
pub(super) fn raw_tables(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Stacked, ReadError> {
    let (mut all, mut stretches) = (None::<Raw>, Vec::new());
    let mut found = Vec::<Note>::new();
    let first = paths[0].as_ref();
    for (file, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let mut header = true;
        let read = guarded(path, |path| {
            let mut raw = match format_of(path, options.format) {
                Some(Format::Parquet | Format::Arrow) if options.transpose => {
                    let (found, remedy) = ("a table of columns", "save it as .csv");
                    return Err(TableFault::NotTransposed { found, remedy }.into());
                }
                Some(format @ (Format::Parquet | Format::Arrow)) => {
                    columnar::read(spool.open(path)?, format, options, memory)?
                }
                format => {
                    let text = as_text::open(path, format, options, spool, memory)?;
                    header = text.options.header != Some(false);
                    let read = csv::read(text.source, &text.options, memory);
                    let mut raw = read.map_err(|fault| of_sheet(fault, &text.notes))?;
                    raw.notes.splice(..0, text.notes);
                    if format == Some(Format::Json) || options.transpose {
                        // A sample is on no line of its own.
                        raw.rows.breaks.clear();
                    }
                    raw
                }
            };
            let start = all.as_ref().map_or(0, |all| all.rows.rows);
            // The same is said once of many files.
            for note in raw.notes.drain(..) {
                let is_of_file =
                    matches!(note, Note::Encoding(_) | Note::Sheets { .. } | Note::Wrapped { .. });
                if !is_of_file || !found.iter().any(|said| said.to_string() == note.to_string()) {
                    found.push(note);
                }
            }
            stretches.push(raw.stretch(path, start));
            let Some(all) = &mut all else {
                all = Some(raw);
                return Ok(());
            };
            let [expected, found] = [&all.plan, &raw.plan].map(|plan| plan.features().count());
            if expected != found {
                let other = first.to_path_buf();
                return Err(Fault::ColumnCount { what: "features", found, expected, other });
            }
            all.stack(raw, file, first, memory)
        });
        read.map_err(|error| ReadError::new(path, placed(path, options, header, error.fault)))?;
    }
    Ok((all.expect("one file at least was read"), stretches, found))
}

/// Reads the samples of tables that are read as one.
pub(super) fn read_tables(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Input, ReadError> {
    let first = paths[0].as_ref();
    let (mut raw, stretches, mut found) = raw_tables(paths, options, spool, memory)?;
    let header = raw.plan.header.is_some();
    let at = |(file, fault)| {
        let path: &Path = paths.get(file).map_or(first, AsRef::as_ref);
        ReadError::new(path, of_sheet(placed(path, options, header, fault), &found))
    };
    let made = match options.recipe.as_ref().filter(|recipe| recipe.is_of_table()) {
        Some(recipe) => recipe.featured(&mut raw, options, memory),
        None => featured(&mut raw, options, memory),
    };
    let Featured { array, features, mut notes } = made.map_err(at)?;
    let mut input = Input::new(first, Storage::Read(array));
    if options.recipe.is_none() && features.len() <= MOST_MEASURED {
        let numbers = numbers(&input.matrix());
        notes.extend(sentinels(&input.matrix(), &features, &numbers));
        if options.standardize.unwrap_or_default() == Standardize::None && !options.log {
            notes.extend(scales(&features, &numbers));
        }
    }
    found.append(&mut notes);
    input.notes = found;
    input.names = raw.plan.name.map(|_| raw.rows.names);
    input.table = Some((raw.plan.parts.len(), raw.plan.header.is_some()));
    let name = raw.plan.name.filter(|_| raw.names_recognised);
    let name = name.and_then(|at| raw.plan.header.as_ref()?.get(at));
    input.likely_names = name.filter(|name| !name.is_empty()).cloned();
    input.features = Some(features);
    input.cells = options.keep_cells.then_some(raw.rows.cells);
    input.stretches = stretches;
    Ok(input)
}
