//! A look at each column of features, before anything is done with them.

use ndarray::ArrayView2;

use crate::data::error::column_at::ColumnAt;
use crate::data::error::note::Note;
use crate::data::matrix::Matrix;
use crate::data::options::feature::{Feature, FeatureKind};
use crate::with_matrix;

/// A standard deviation this many times that of another column decides almost alone.
const FAR: f64 = 100.0;

/// Tables of more columns of numbers are of one kind of them, such as pixels, words or genes, whose scales are a
/// part of what they say.
pub(in crate::data) const MOST_MEASURED: usize = 200;

/// The content of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnProfile {
    /// The name that the header gives the column.
    pub name: Option<String>,
    /// The position of the column in the file, from 0.
    pub column: usize,
    /// The kind of the column.
    pub kind: FeatureKind,
    /// The number of different values.
    pub distinct: usize,
    /// The samples without a value.
    pub missing: usize,
    /// The numbers in it; none for categories, and where there is no value.
    pub numbers: Option<Numbers>,
}

/// The numbers of a column, without those that are missing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Numbers {
    /// The smallest.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
    /// The standard deviation (of the population).
    pub deviation: f64,
}

/// Looks at each column. `features` are those of a text table.
pub(in crate::data) fn profile(
    matrix: &Matrix<'_>,
    features: Option<&[Feature]>,
) -> Vec<ColumnProfile> {
    let mut profiles: Vec<ColumnProfile> = Vec::new();
    let numbers = numbers(matrix);
    for (at, numbers) in numbers.into_iter().enumerate() {
        let feature = features.map(|features| &features[at]);
        let kind = feature.map_or(FeatureKind::Number, |feature| feature.kind);
        let column = feature.map_or(at, |feature| feature.column);
        match profiles.last_mut() {
            Some(last) if kind == FeatureKind::Category && last.column == column => {
                last.distinct += 1;
                continue;
            }
            _ => {}
        }
        let (values, missing) = with_matrix!(matrix, view => column_of(view, at));
        let is_category = kind == FeatureKind::Category;
        profiles.push(ColumnProfile {
            name: feature.and_then(|feature| feature.name.clone()),
            column,
            kind,
            distinct: if is_category { 1 } else { distinct(values) },
            missing,
            numbers: numbers.filter(|_| !is_category),
        });
    }
    profiles
}

/// The values of a column, but for those that are missing, and how many these are.
pub(super) fn column_of<A: Copy + Into<f64>>(
    view: &ArrayView2<'_, A>,
    at: usize,
) -> (Vec<f64>, usize) {
    let column = view.column(at);
    let values = column.iter().map(|&value| value.into());
    let values: Vec<f64> = values.filter(|value: &f64| !value.is_nan()).collect();
    let missing = view.nrows() - values.len();
    (values, missing)
}

fn distinct(mut values: Vec<f64>) -> usize {
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.len()
}

/// The numbers of each column.
pub(in crate::data) fn numbers(matrix: &Matrix<'_>) -> Vec<Option<Numbers>> {
    with_matrix!(matrix, view => numbers_of(view))
}

fn numbers_of<A: Copy + Into<f64>>(view: &ArrayView2<'_, A>) -> Vec<Option<Numbers>> {
    let start =
        Numbers { least: f64::INFINITY, mean: 0.0, largest: f64::NEG_INFINITY, deviation: 0.0 };
    let mut numbers = vec![start; view.ncols()];
    let mut counts = vec![0_usize; view.ncols()];
    for row in view.rows() {
        for ((&value, numbers), count) in row.iter().zip(&mut numbers).zip(&mut counts) {
            let value: f64 = value.into();
            if !value.is_nan() {
                *count += 1;
                numbers.mean += value;
                numbers.least = numbers.least.min(value);
                numbers.largest = numbers.largest.max(value);
            }
        }
    }
    let ended = numbers.iter_mut().zip(&counts);
    ended.for_each(|(numbers, &count)| numbers.mean /= count as f64);
    for row in view.rows() {
        for (&value, numbers) in row.iter().zip(&mut numbers) {
            let difference: f64 = value.into() - numbers.mean;
            if !difference.is_nan() {
                numbers.deviation += difference * difference;
            }
        }
    }
    let all = numbers.into_iter().zip(counts);
    all.map(|(mut numbers, count)| {
        numbers.deviation = (numbers.deviation / count as f64).sqrt();
        // A constant column has no spread, whatever the rounding of its mean.
        if numbers.least == numbers.largest {
            numbers.deviation = 0.0;
        }
        (count > 0).then_some(numbers)
    })
    .collect()
}

/// The column of a feature, as notes name it.
pub(super) fn column_at(feature: &Feature) -> ColumnAt {
    let name = feature.name.clone().filter(|name| !name.is_empty());
    ColumnAt { position: feature.column, name }
}

/// Says so if one column of numbers spreads far more than another.
pub(in crate::data) fn scales(features: &[Feature], numbers: &[Option<Numbers>]) -> Option<Note> {
    let deviations = features.iter().zip(numbers).filter_map(|(feature, numbers)| {
        let deviation = numbers.as_ref()?.deviation;
        let measured = matches!(feature.kind, FeatureKind::Number | FeatureKind::Date);
        (measured && deviation > 0.0 && deviation.is_finite()).then_some((feature, deviation))
    });
    let deviations: Vec<_> = deviations.collect();
    let by_deviation = |a: &&(&Feature, f64), b: &&(&Feature, f64)| a.1.total_cmp(&b.1);
    let narrowest = *deviations.iter().min_by(by_deviation)?;
    let widest = *deviations.iter().max_by(by_deviation)?;
    let at = |(feature, deviation): (&Feature, f64)| (column_at(feature), deviation);
    let far = widest.1 > FAR * narrowest.1;
    far.then(|| Note::Scales { widest: at(widest), narrowest: at(narrowest) })
}
