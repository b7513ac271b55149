//! The columns that options name, by their positions.

use crate::data::error::Fault;
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Column, NameColumn};

/// The columns that options name.
pub(in crate::data) struct Chosen {
    selected: Vec<usize>,
    excluded: Vec<usize>,
    pub(in crate::data) categories: Vec<usize>,
    pub(in crate::data) numeric: Vec<usize>,
    /// The column of the samples' names.
    pub(in crate::data) name: Option<usize>,
}

impl Chosen {
    /// Looks up each column that the options name by `find`, which tells the columns of a name or a number.
    pub(in crate::data) fn new<C: IntoIterator<Item = usize>>(
        options: &ReadOptions,
        find: impl Fn(&Column) -> Result<C, Fault>,
    ) -> Result<Self, Fault> {
        let all = |columns: &[Column]| find_all(columns, &find);
        Ok(Self {
            selected: all(&options.select)?,
            excluded: all(&options.exclude)?,
            categories: all(options.categorical.columns())?,
            numeric: all(&options.numeric)?,
            name: match &options.names {
                NameColumn::At(column) => find(column)?.into_iter().next(),
                NameColumn::Auto => {
                    let named = options.likely_names.clone().map(Column::Name);
                    named.and_then(|column| find(&column).ok()?.into_iter().next())
                }
                NameColumn::None => None,
            },
        })
    }

    /// True if options leave a column out of the features.
    pub(in crate::data) fn is_left_out(&self, column: usize) -> bool {
        let selected = self.selected.is_empty() || self.selected.contains(&column);
        !selected || self.is_excluded(column)
    }

    /// True if an option leaves a column out by its name or number.
    pub(in crate::data) fn is_excluded(&self, column: usize) -> bool {
        self.excluded.contains(&column)
    }

    /// True if options make a column a feature.
    pub(in crate::data) fn is_chosen(&self, column: usize) -> bool {
        [&self.selected, &self.categories, &self.numeric].iter().any(|all| all.contains(&column))
    }
}

/// The positions of columns, of which a name that no column has may be a list: `a,b`.
fn find_all<C: IntoIterator<Item = usize>>(
    columns: &[Column],
    find: impl Fn(&Column) -> Result<C, Fault>,
) -> Result<Vec<usize>, Fault> {
    let mut all = Vec::new();
    for column in columns {
        match (find(column), column) {
            (Ok(found), _) => all.extend(found),
            (Err(Fault::NoSuchColumn { .. }), Column::Name(list)) if list.contains(',') => {
                for part in list.split(',') {
                    all.extend(find(&Column::of(part.trim()))?);
                }
            }
            (Err(fault), _) => return Err(fault),
        }
    }
    Ok(all)
}
