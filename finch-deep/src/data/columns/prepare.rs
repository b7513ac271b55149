//! The treatment of missing values, and the scaling of features.

use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::matrix::elements::{Array, Elements};
use crate::data::matrix::{Kept, Matrix};
use crate::data::options::choices::{Missing, Standardize};
use crate::data::options::feature::{Feature, FeatureKind};
use crate::data::source::memory::Memory;

/// The changes made to the features. Where `log[j]` says so, the value x of feature j became log(1 + x) first. Then x,
/// or `fill[j]` where x is missing, became (x − `shift[j]`) / `scale[j]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Preparation {
    /// True for each feature of which the logarithm was taken.
    pub log: Vec<bool>,
    /// The number that stands for missing values; NaN where nothing does.
    pub fill: Vec<f64>,
    /// The number taken from each value.
    pub shift: Vec<f64>,
    /// The divisor of each difference.
    pub scale: Vec<f64>,
}

/// The distance between two words of a category, where numbers have a standard deviation of 1:
/// `finch-deep/benches/mixed.md`.
const MISMATCH: f64 = 0.5;

/// Quartiles of a normal distribution with a standard deviation of 1 are this far apart.
const QUARTILES: f64 = 1.349;

/// The features of which logarithms are taken: numbers, and not dates, booleans or categories.
pub(in crate::data) fn logged(features: Option<&[Feature]>, count: usize) -> Vec<bool> {
    match features {
        Some(features) => {
            features.iter().map(|feature| feature.kind == FeatureKind::Number).collect()
        }
        None => vec![true; count],
    }
}

/// True if a value is missing.
pub(in crate::data) fn has_missing(matrix: &Matrix<'_>) -> bool {
    match matrix {
        Matrix::F64(view) => view.iter().any(|value| value.is_nan()),
        Matrix::F32(view) => view.iter().any(|value| value.is_nan()),
        Matrix::U8(_) => false,
    }
}

/// A copy of the samples row by row, of an element type that holds scaled values if there are to be
/// some.
pub(in crate::data) fn copied(
    matrix: &Matrix<'_>,
    scaled: bool,
    memory: &Memory,
) -> Result<Array, Fault> {
    let [rows, columns] = matrix.shape()[..] else { unreachable!("samples are a matrix") };
    let kept = if scaled { matrix.kept().max(Kept::F32) } else { matrix.kept() };
    let mut elements = Elements::with_room(kept, rows * columns, memory)?;
    elements.append(matrix);
    Ok(Array { elements, shape: vec![rows, columns], column_major: false })
}

/// Elements that are scaled in f64.
trait Real: Copy + Into<f64> {
    fn rounded(value: f64) -> Self;
}

impl Real for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Real for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

/// The same expression for each type of elements that may have missing values.
macro_rules! real {
    ($elements:expr, $values:ident => $do:expr, else $other:expr) => {
        match $elements {
            Elements::F64($values) => $do,
            Elements::F32($values) => $do,
            Elements::U8(_) => $other,
        }
    };
}

/// The samples that are taken out of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::data) enum Lacking {
    /// Samples with a missing value.
    Any,
    /// Samples without a value. Filled, they would all be one sample in the middle of the others.
    All,
}

/// Takes the samples that lack values out of an array of row after row, and says which they were.
pub(in crate::data) fn drop_missing(
    array: &mut Array,
    lacking: Lacking,
    memory: &Memory,
) -> Result<Vec<usize>, Fault> {
    fn drop<T: Real>(
        values: &mut Vec<T>,
        columns: usize,
        lacking: Lacking,
        memory: &Memory,
    ) -> Result<Vec<usize>, Fault> {
        let (mut dropped, rows) = (Vec::new(), values.len() / columns);
        let is_missing = |value: &T| (*value).into().is_nan();
        // Columns without a value are told by their names.
        if lacking == Lacking::All && values.iter().all(is_missing) {
            return Ok(dropped);
        }
        let mut kept = 0;
        for row in 0..rows {
            let from = row * columns..(row + 1) * columns;
            let is_lacking = match lacking {
                Lacking::Any => values[from.clone()].iter().any(is_missing),
                Lacking::All => values[from.clone()].iter().all(is_missing),
            };
            if is_lacking {
                memory.push(&mut dropped, row)?;
            } else {
                values.copy_within(from, kept * columns);
                kept += 1;
            }
        }
        values.truncate(kept * columns);
        Ok(dropped)
    }
    let columns = array.shape[1];
    let dropped = real!(&mut array.elements, values => drop(values, columns, lacking, memory)?, else Vec::new());
    let samples = array.shape[0];
    if dropped.len() == samples {
        return Err(Fault::AllMissing { samples });
    }
    array.shape[0] -= dropped.len();
    Ok(dropped)
}

/// Fills and scales an array of row after row, and says what was done, and how many values were
/// filled.
pub(in crate::data) fn prepare(
    array: &mut Array,
    features: Option<&[Feature]>,
    missing: Missing,
    standardize: Standardize,
) -> Result<(Preparation, Option<Note>), Fault> {
    let columns = array.shape[1];
    let fills = matches!(missing, Missing::Mean | Missing::Median);
    let mut done = Preparation {
        log: vec![false; columns],
        fill: vec![f64::NAN; columns],
        shift: vec![0.0; columns],
        scale: vec![1.0; columns],
    };
    for column in 0..columns {
        let kind = features.map_or(FeatureKind::Number, |features| features[column].kind);
        let scaled = standardize != Standardize::None
            && matches!(kind, FeatureKind::Number | FeatureKind::Date);
        if standardize == Standardize::Mixed {
            done.scale[column] = match kind {
                FeatureKind::Boolean => 1.0 / MISMATCH,
                // Two features differ where two words do.
                FeatureKind::Category => std::f64::consts::SQRT_2 / MISMATCH,
                FeatureKind::Number | FeatureKind::Date => 1.0,
            };
        }
        if !fills && !scaled {
            continue;
        }
        let is_category = fills && kind == FeatureKind::Category;
        if is_category && is_of_one_word(features.unwrap_or_default(), column) {
            // A mark in a box, or none.
            done.fill[column] = 0.0;
            continue;
        }
        // A category that lacks its word is as near to each as samples have it.
        let of_shares = is_category && standardize == Standardize::Mixed;
        let missing = if of_shares { Missing::Mean } else { missing };
        let values =
            real!(&array.elements, values => column_of(values, column, columns), else Vec::new());
        if fills
            && array.shape[0] > 0
            && values.is_empty()
            && array.elements.len() > 0
            && !matches!(array.elements, Elements::U8(_))
        {
            return Err(Fault::NoValues { column });
        }
        let mut sorted = values;
        let mean = mean(&sorted);
        let lacking = array.shape[0] - sorted.len();
        if missing == Missing::Mean {
            done.fill[column] = mean;
        }
        if missing == Missing::Median || scaled && standardize != Standardize::Zscore {
            sorted.sort_unstable_by(f64::total_cmp);
        }
        if missing == Missing::Median && !sorted.is_empty() {
            done.fill[column] = quantile(&sorted, 0.5);
        }
        if scaled && !sorted.is_empty() {
            // Over the values that are there and those that stand for missing ones, as they will be.
            if fills && lacking > 0 {
                sorted.resize(sorted.len() + lacking, done.fill[column]);
                if standardize != Standardize::Zscore {
                    sorted.sort_unstable_by(f64::total_cmp);
                }
            }
            (done.shift[column], done.scale[column]) = shift_and_scale(&sorted, standardize);
        }
    }
    let filled = prepare_as(array, features, &done);
    let note = (filled > 0).then(|| Note::Filled { filled, by: missing.name() });
    Ok((done, note))
}

/// Fills and scales an array of row after row as others were, and says how many values were filled.
pub(in crate::data) fn prepare_as(
    array: &mut Array,
    features: Option<&[Feature]>,
    done: &Preparation,
) -> usize {
    let counted: Vec<bool> = match features {
        None => vec![true; done.fill.len()],
        Some(features) => (0..features.len()).map(|feature| counts(features, feature)).collect(),
    };
    real!(&mut array.elements, values => apply(values, &counted, done), else 0)
}

/// True if a missing value of a feature counts: a missing word is one value, though the category has a
/// feature for each word.
fn counts(features: &[Feature], feature: usize) -> bool {
    let this = &features[feature];
    let is_another_word = |before: &Feature| before.column == this.column;
    this.kind != FeatureKind::Category || !features[..feature].last().is_some_and(is_another_word)
}

/// True if a feature is the only one of its column.
fn is_of_one_word(features: &[Feature], feature: usize) -> bool {
    let is_same = |other: &Feature| other.column == features[feature].column;
    let beside = [feature.checked_sub(1), Some(feature + 1)];
    !beside.into_iter().flatten().filter_map(|at| features.get(at)).any(is_same)
}

fn apply<T: Real>(values: &mut [T], counted: &[bool], done: &Preparation) -> usize {
    let mut filled = 0;
    for row in values.chunks_exact_mut(done.fill.len()) {
        for ((value, counted), ((fill, shift), scale)) in
            row.iter_mut().zip(counted).zip(done.fill.iter().zip(&done.shift).zip(&done.scale))
        {
            let mut number: f64 = (*value).into();
            if number.is_nan() && !fill.is_nan() {
                number = *fill;
                filled += usize::from(*counted);
            }
            *value = T::rounded((number - shift) / scale);
        }
    }
    filled
}

/// The values of a column that are not missing.
fn column_of<T: Real>(values: &[T], column: usize, columns: usize) -> Vec<f64> {
    let values = values.iter().skip(column).step_by(columns).map(|&value| value.into());
    values.filter(|value: &f64| !value.is_nan()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation (of the population).
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (squares / values.len() as f64).sqrt()
}

/// The quantile of sorted values, by linear interpolation as NumPy does.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Sorted values, but for [`Standardize::Zscore`].
fn shift_and_scale(values: &[f64], standardize: Standardize) -> (f64, f64) {
    let constant = values.iter().all(|&value| value == values[0]);
    let (shift, scale) = match standardize {
        // The mean of equal values may be off by a rounding.
        _ if constant => (values[0], 1.0),
        Standardize::None => (0.0, 1.0),
        Standardize::Zscore => (mean(values), deviation(values)),
        Standardize::Robust => {
            (quantile(values, 0.5), quantile(values, 0.75) - quantile(values, 0.25))
        }
        Standardize::Mixed => {
            let (median, deviation) = (quantile(values, 0.5), deviation(values));
            let quartiles = (quantile(values, 0.75) - quantile(values, 0.25)) / QUARTILES;
            (median, if quartiles > 0.0 { quartiles } else { deviation })
        }
        Standardize::Minmax => (values[0], values[values.len() - 1] - values[0]),
    };
    // Where the quartiles are equal, as in scikit-learn.
    (shift, if scale > 0.0 { scale } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_as_numpy_does() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        // numpy.quantile([1, 2, 4, 8], [0, .25, .5, .75, 1])
        let found = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&sorted, share));
        assert_eq!(found, [1.0, 1.75, 3.0, 5.0, 8.0]);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }

    #[test]
    fn scales_by_definition() {
        let values = [1.0, 2.0, 4.0, 9.0];
        let (shift, scale) = shift_and_scale(&values, Standardize::Zscore);
        let scaled = values.map(|value| (value - shift) / scale);
        assert!(scaled.iter().sum::<f64>().abs() < 1e-12);
        assert!((scaled.iter().map(|x| x * x).sum::<f64>() - 4.0).abs() < 1e-12);
        assert_eq!(shift_and_scale(&values, Standardize::Minmax), (1.0, 8.0));
        assert_eq!(shift_and_scale(&values, Standardize::Robust), (3.0, 3.5));
        for way in Standardize::ALL {
            assert_eq!(shift_and_scale(&[0.1; 3], *way), (0.1, 1.0));
        }
        assert_eq!(shift_and_scale(&[0.0, 1.0, 1.0, 1.0, 1.0], Standardize::Robust), (1.0, 1.0));
    }
}
