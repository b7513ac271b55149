//! The reader of samples, from one file or from several that are stacked.

use std::path::Path;

use super::columns::features::{Featured, featured};
use super::columns::profile::{MOST_MEASURED, numbers, scales};
use super::columns::sentinel::sentinels;
use super::columns::stacked::Stretch;
use super::columns::survey::Survey;
use super::error::column::ColumnFault;
use super::error::column_at::ColumnAt;
use super::error::note::Note;
use super::error::settled::{Place, SettledFault};
use super::error::sparse::SparseFault;
use super::error::table::TableFault;
use super::error::{Fault, ReadError};
use super::format::Format;
use super::formats::csv::layout::Layout;
use super::formats::csv::{self, Raw};
use super::formats::npy_mapped::Mapped;
use super::formats::{as_text, columnar, idx, market, mat5, npy, npz, svmlight};
use super::input::{Input, Storage};
use super::matrix::Kept;
use super::matrix::elements::{Array, Elements};
use super::matrix::sparse_file::Held;
use super::options::ReadOptions;
use super::options::choices::{Delimiter, Missing, Standardize};
use super::options::recipe::Recipe;
use super::recognise::format_of;
use super::source::guard::guarded;
use super::source::memory::Memory;
use super::source::spool::Spool;
use super::source::{STANDARD_INPUT, Source};

/// Bytes of tables that are looked at once more where a column is at fault: some seconds.
const ADVISED: u64 = 64 << 20;

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
    options.expect_useful(paths)?;
    let of_recipe = options.recipe.as_ref().map(|recipe| recipe.options(options));
    let options = of_recipe.as_ref().unwrap_or(options);
    let memory = Memory::new(options.memory_limit);
    let of_table = |path: &Path| format(path, options).is_some_and(Format::is_table);
    let all_tables = paths.iter().all(|path| of_table(path.as_ref()));
    let (mut spool, mut surveyed) = (Spool::default(), None);
    if options.auto {
        if let Some(path) = paths.iter().find(|path| !of_table(path.as_ref())) {
            let fault = Fault::UselessOption { option: "auto", of: "tables alone" };
            return Err(ReadError::new(path.as_ref(), fault));
        }
        for path in paths {
            guarded(path.as_ref(), |path| spool.copy(path))?;
        }
        surveyed = Some(survey(paths, options, &spool)?);
    }
    let chosen = surveyed.as_ref().map(Survey::options);
    let options = chosen.as_ref().unwrap_or(options);
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let first = paths.first().ok_or_else(no_input)?.as_ref();
    let mut input = match all_tables {
        true => read_settled(paths, options, &spool, &memory).map_err(|mut error| {
            if options.recipe.is_some() {
                error.fault = of_settled(error.fault);
            }
            // A recipe has the options of a look at another table, and who asks for the error of a missing value has it.
            let may_choose = surveyed.is_none()
                && options.recipe.is_none()
                && options.missing != Some(Missing::Error);
            if options.advise && may_choose && is_of_columns(&error.fault) {
                let size = |path: &Path| path.metadata().ok().filter(|found| found.is_file());
                let sizes: Option<u64> =
                    paths.iter().map(|path| size(path.as_ref()).map(|found| found.len())).sum();
                let of_files = sizes.is_some_and(|bytes| bytes <= ADVISED);
                let found = of_files.then(|| survey(paths, options, &spool).ok()).flatten();
                let found = found.filter(Survey::is_sound);
                error.advice = found.map(|survey| Box::new(survey.advice()));
            }
            error
        })?,
        false => {
            let mut inputs = Vec::with_capacity(paths.len());
            for path in paths {
                let before = memory.taken();
                let input = read_one(path.as_ref(), options, &memory)?;
                memory.settle(before + input.bytes());
                inputs.push((path.as_ref(), input));
            }
            match inputs.len() {
                1 => inputs.remove(0).1,
                _ => stack(inputs, &memory)
                    .map_err(|(path, fault)| ReadError::new(path.unwrap_or(first), fault))?,
            }
        }
    };
    input.prepare(options, &memory).map_err(|fault| ReadError::new(first, fault))?;
    if let Some(survey) = &surveyed {
        // The survey says the rest.
        input.notes.retain(|note| {
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
        });
        input.notes.splice(..0, survey.lines().into_iter().map(Note::Surveyed));
    }
    (input.survey, input.chosen) = (surveyed.map(Box::new), chosen.map(Box::new));
    Ok(input)
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

/// The options by which tables are read as they are laid out, where a recipe has the columns, and no option says more.
fn of_layout(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Option<ReadOptions> {
    let is_told = options.delimiter.is_some() || options.skip > 0 || options.skip_last > 0;
    let is_of_recipe = options.recipe.as_ref().is_some_and(Recipe::is_of_table);
    if is_told || !is_of_recipe {
        return None;
    }
    let mut layouts = paths.iter().map(AsRef::as_ref).map(|path: &Path| {
        let format = format(path, options).filter(|format| format.is_text() && path.is_file());
        let text = as_text::open(path, Some(format?), options, spool, memory).ok()?;
        Layout::of(text.source, &text.options, memory).ok()
    });
    let first = layouts.next()??;
    let is_same = |layout: &Layout| layout.expect_lines_of(&first, Path::new("")).is_ok();
    if !layouts.all(|layout| layout.as_ref().is_some_and(is_same)) {
        return None;
    }
    let mut found = options.clone();
    found.delimiter = Some(first.delimiter);
    found.header = options.header.or(Some(first.header));
    (found.skip, found.skip_last) = (first.skip, first.skip_last);
    found.fill_rows = true;
    Some(found)
}

/// The fault of a table that is read as one before, where no option on columns helps.
fn of_settled(fault: Fault) -> Fault {
    let settled = match fault {
        Fault::MissingValue { line, column, .. } => {
            SettledFault::Missing { place: Place::Line(line), column }
        }
        Fault::Words { line, column, text } => {
            SettledFault::Words { place: Place::Line(line), column, text }
        }
        Fault::Column(ColumnFault::Missing { row, column }) => {
            SettledFault::Missing { place: Place::Row(row), column }
        }
        Fault::Column(ColumnFault::Words { row, column, text }) => {
            SettledFault::Words { place: Place::Row(row), column, text }
        }
        other => return other,
    };
    settled.into()
}

/// True if other options on layout or columns may read the table.
fn is_of_columns(fault: &Fault) -> bool {
    let of_table = |fault: &ColumnFault| {
        matches!(fault, ColumnFault::Words { .. } | ColumnFault::Missing { .. })
    };
    match fault {
        Fault::Column(fault) => of_table(fault),
        Fault::Transposed(fault) | Fault::Sheet { fault, .. } => is_of_columns(fault),
        Fault::Words { .. }
        | Fault::NotANumber { .. }
        | Fault::NotWritten { .. }
        | Fault::Unlike { .. }
        | Fault::MissingValue { .. }
        | Fault::ManyWords { .. }
        | Fault::Header { .. }
        | Fault::Ragged { .. }
        | Fault::Infinite { .. }
        | Fault::NoFeatures { .. } => true,
        _ => false,
    }
}

/// Looks at all columns of tables that are read as one.
fn survey(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
) -> Result<Survey, ReadError> {
    let memory = Memory::new(options.memory_limit);
    let no_input = || ReadError::new(Path::new(""), Fault::NoInput);
    let first = paths.first().ok_or_else(no_input)?.as_ref();
    let mut layout = None::<Layout>;
    for path in paths.iter().map(AsRef::as_ref) {
        let Some(format) = format(path, options).filter(|format| format.is_text()) else {
            continue;
        };
        let found = guarded(path, |path| {
            let text = as_text::open(path, Some(format), options, spool, &memory)?;
            let found = Layout::of(text.source, &text.options, &memory)?;
            let delimiter = options.delimiter.filter(|given| *given == Delimiter::Aligned);
            let found = Layout { delimiter: delimiter.unwrap_or(found.delimiter), ..found };
            match &layout {
                Some(layout) => found.expect_lines_of(layout, first).map(|()| None),
                None => Ok(Some(found)),
            }
        })?;
        layout = layout.or(found);
    }
    // Every column as words; those that are named must be there.
    let mut words = ReadOptions { as_words: true, keep_cells: false, ..options.clone() };
    if let Some(layout) = &layout {
        (words.delimiter, words.header) = (Some(layout.delimiter), Some(layout.header));
        (words.skip, words.skip_last) = (layout.skip, layout.skip_last);
        words.fill_rows = true;
    }
    let (raw, _, _) = raw_tables(paths, &words, spool, &memory)?;
    Ok(Survey::of(&raw, layout, options))
}

fn format(path: &Path, options: &ReadOptions) -> Option<Format> {
    format_of(path, options.format)
}

fn read_one(path: &Path, options: &ReadOptions, memory: &Memory) -> Result<Input, ReadError> {
    let format = format(path, options);
    if format.is_some_and(Format::is_table) {
        return read_tables(&[path], options, &Spool::default(), memory);
    }
    let variable = options.variable.as_deref();
    let storage = guarded(path, |path| {
        // There is no use in waiting for what comes.
        if format.is_none() && path == Path::new(STANDARD_INPUT) {
            return Err(Fault::UnknownExtension);
        }
        let source = Source::open(path)?;
        Ok(match format.ok_or(Fault::UnknownExtension)? {
            Format::Npy => match Mapped::open(&source)? {
                Some(mut mapped) => {
                    if options.transpose {
                        mapped.transpose();
                    }
                    Storage::Mapped(mapped)
                }
                None => full(npy::samples(source, options.lists, memory)?, options),
            },
            Format::Npz => stored(npz::samples(source, variable, memory)?, options, memory)?,
            Format::Mat => stored(mat5::samples(source, variable, memory)?, options, memory)?,
            Format::Mtx => stored(market::samples(source, memory)?, options, memory)?,
            Format::Svmlight => stored(svmlight::samples(source, memory)?, options, memory)?,
            Format::Idx => full(idx::samples(source, options.lists, memory)?, options),
            Format::Text
            | Format::Spreadsheet
            | Format::Json
            | Format::Arff
            | Format::Parquet
            | Format::Arrow => {
                unreachable!("a table was read above")
            }
        })
    })?;
    let mut input = Input::new(path, storage);
    if format == Some(Format::Svmlight) {
        input.notes.push(Note::LabelsOfLines);
    }
    Ok(input)
}

/// A matrix of all values, of which rows are samples.
fn full(mut array: Array, options: &ReadOptions) -> Storage {
    if options.transpose {
        array.transpose();
    }
    Storage::Read(array)
}

/// A matrix of a file, sparse only where it may be so.
fn stored(held: Held, options: &ReadOptions, memory: &Memory) -> Result<Storage, Fault> {
    let held = if options.transpose { held.transposed() } else { held };
    Ok(match held {
        Held::Compressed(matrix) if options.sparse => Storage::Sparse(matrix.rows(memory)?),
        Held::Coordinates(matrix) if options.sparse => Storage::Sparse(matrix.rows(memory)?),
        other => Storage::Read(other.array(memory)?),
    })
}

/// The rows of tables that are read as one, the files that they are of, and what was found in these.
type Stacked = (Raw, Vec<Stretch>, Vec<Note>);

/// Reads the rows of tables as those of one, so that the words of a column are the same in all of them.
fn raw_tables(
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
            let mut raw = match format(path, options) {
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

/// The fault of a table, with the sheet that was read if its workbook has others.
fn of_sheet(fault: Fault, notes: &[Note]) -> Fault {
    let sheets = notes.iter().find_map(|note| match note {
        Note::Sheets { read, others } => Some((read.clone(), others[0].clone())),
        _ => None,
    });
    match sheets {
        Some((read, other)) => Fault::Sheet { read, other, fault: Box::new(fault) },
        None => fault,
    }
}

/// The fault of a file as people look for it: of a table of columns on a row, and not on a line.
fn placed(path: &Path, options: &ReadOptions, header: bool, fault: Fault) -> Fault {
    match format(path, options) {
        _ if options.transpose => match fault {
            fault @ Fault::Ragged { .. } => fault,
            fault if is_of_columns(&fault) => Fault::Transposed(Box::new(fault)),
            fault => fault,
        },
        Some(Format::Json) => of_rows(fault, 1 + u64::from(header)),
        Some(format) if format.is_text() => fault,
        _ => of_rows(fault, 1),
    }
}

/// Reads the samples of tables that are read as one.
fn read_tables(
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

/// The fault of a table without lines, of one whose line is the number of its row, from `first`.
fn of_rows(fault: Fault, first: u64) -> Fault {
    let row = |line: u64| line.saturating_sub(first);
    let found = match fault {
        Fault::Words { line, column, text } => ColumnFault::Words { row: row(line), column, text },
        Fault::NotANumber { line, column, text } => {
            let column = ColumnAt { position: column - 1, name: None };
            ColumnFault::Words { row: row(line), column, text }
        }
        Fault::MissingValue { line, column, .. } => ColumnFault::Missing { row: row(line), column },
        Fault::Infinite { line, column, text } => {
            ColumnFault::Infinite { row: row(line), column, text }
        }
        other => return other,
    };
    found.into()
}

/// Puts inputs below each other. Errors name the path of the input at fault, or all paths.
fn stack<'a>(
    inputs: Vec<(&'a Path, Input)>,
    memory: &Memory,
) -> Result<Input, (Option<&'a Path>, Fault)> {
    let (first, features) = (inputs[0].0, inputs[0].1.features());
    for (path, input) in &inputs {
        if input.features() != features {
            let (found, expected, other) = (input.features(), features, first.to_path_buf());
            let fault = Fault::ColumnCount { what: "features", found, expected, other };
            return Err((Some(path), fault));
        }
    }
    if let Some((path, _)) =
        inputs.iter().find(|(_, input)| input.is_sparse() != inputs[0].1.is_sparse())
    {
        return Err((Some(path), SparseFault::Mixed { other: first.to_path_buf() }.into()));
    }
    if inputs[0].1.is_sparse() {
        return stack_sparse(inputs, memory);
    }
    let samples = inputs.iter().map(|(_, input)| input.samples()).sum();
    let kept = inputs.iter().map(|(_, input)| input.matrix().kept()).max();
    let all = |fault| (None, fault);
    let mut elements =
        Elements::with_room(kept.unwrap_or(Kept::U8), samples * features, memory).map_err(all)?;
    let (mut names, mut notes) = (Some(Vec::new()), Vec::new());
    for (path, input) in inputs {
        notes.extend_from_slice(&input.notes);
        elements.append(&input.matrix());
        input.expect_unchanged().map_err(|error| (Some(path), error.fault))?;
        names = match (names, input.names) {
            (Some(mut names), Some(more)) => {
                memory.reserve(&mut names, more.len()).map_err(all)?;
                names.extend(more);
                Some(names)
            }
            _ => None,
        };
    }
    let array = Array { elements, shape: vec![samples, features], column_major: false };
    let mut input = Input::new(first, Storage::Read(array));
    (input.names, input.notes) = (names, notes);
    Ok(input)
}

/// Puts sparse inputs of equally many columns below each other.
fn stack_sparse<'a>(
    inputs: Vec<(&'a Path, Input)>,
    memory: &Memory,
) -> Result<Input, (Option<&'a Path>, Fault)> {
    let mut inputs = inputs.into_iter();
    let (_, mut all) = inputs.next().expect("several inputs are stacked");
    for (path, input) in inputs {
        if let (Storage::Sparse(rows), Storage::Sparse(below)) = (&mut all.storage, input.storage) {
            rows.append(below, memory).map_err(|fault| (Some(path), fault))?;
        }
    }
    Ok(all)
}
