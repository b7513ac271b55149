//! The layout that text tables share, and the options that it takes to read them by it.

use std::path::Path;

use super::tables::raw_tables;
use crate::data::columns::survey::Survey;
use crate::data::error::{Fault, ReadError};
use crate::data::format::Format;
use crate::data::formats::as_text;
use crate::data::formats::csv::layout::Layout;
use crate::data::options::ReadOptions;
use crate::data::options::choices::Delimiter;
use crate::data::options::recipe::Recipe;
use crate::data::recognise::format_of;
use crate::data::source::guard::guarded;
use crate::data::source::memory::Memory;
use crate::data::source::spool::Spool;

/// Looks at all columns of tables that are read as one.
pub(super) fn survey(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
) -> Result<Survey, ReadError> {
    if paths.is_empty() {
        return Err(ReadError::new(Path::new(""), Fault::NoInput));
    }
    let memory = Memory::new(options.memory_limit);
    let layout = shared_layout(paths, options, spool, &memory)?;
    // Every column as words; those that are named must be there.
    let words = ReadOptions { as_words: true, keep_cells: false, ..options.clone() };
    let words = layout.as_ref().map_or(words.clone(), |layout| by_layout(words, layout));
    let (raw, _, _) = raw_tables(paths, &words, spool, &memory)?;
    Ok(Survey::of(&raw, layout, options))
}

/// The options by which text tables are read as they are laid out, where a recipe has the columns, and no option says
/// more.
pub(super) fn of_layout(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Option<ReadOptions> {
    let is_told = options.delimiter.is_some() || options.skip > 0 || options.skip_last > 0;
    let is_of_recipe = options.recipe.as_ref().is_some_and(Recipe::is_of_table);
    // A pipe is read once.
    let is_text = |path: &Path| {
        format_of(path, options.format).is_some_and(Format::is_text) && path.is_file()
    };
    if is_told || !is_of_recipe || !paths.iter().all(|path| is_text(path.as_ref())) {
        return None;
    }
    let layout = shared_layout(paths, options, spool, memory).ok()??;
    Some(by_layout(options.clone(), &layout))
}

/// The layout of the text tables among some files, of which there may be none. They must have the same lines above and
/// below.
fn shared_layout(
    paths: &[impl AsRef<Path>],
    options: &ReadOptions,
    spool: &Spool,
    memory: &Memory,
) -> Result<Option<Layout>, ReadError> {
    let mut shared = None::<(&Path, Layout)>;
    for path in paths.iter().map(AsRef::as_ref) {
        let Some(format) = format_of(path, options.format).filter(|format| format.is_text()) else {
            continue;
        };
        let found = guarded(path, |path| {
            let text = as_text::open(path, Some(format), options, spool, memory)?;
            let found = Layout::of(text.source, &text.options, memory)?;
            let delimiter = options.delimiter.filter(|given| *given == Delimiter::Aligned);
            let found = Layout { delimiter: delimiter.unwrap_or(found.delimiter), ..found };
            if let Some((first, layout)) = &shared {
                found.expect_lines_of(layout, first)?;
            }
            Ok(found)
        })?;
        shared.get_or_insert((path, found));
    }
    Ok(shared.map(|(_, layout)| layout))
}

/// Options that read a table as it is laid out.
fn by_layout(options: ReadOptions, layout: &Layout) -> ReadOptions {
    ReadOptions {
        delimiter: Some(layout.delimiter),
        header: Some(layout.header),
        skip: layout.skip,
        skip_last: layout.skip_last,
        fill_rows: true,
        ..options
    }
}
