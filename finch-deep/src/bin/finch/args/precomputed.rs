//! Neighbours and distances that other programs found, to cluster by.

use std::error::Error;
use std::path::{Path, PathBuf};

use finch_core::{
    AnySamples, Finch, Hierarchy, Labels, Model, Neighbors, Refine, Refined, Run, Suggestion,
};
use finch_deep::data::{self, Escaped, Input, ReadError, ReadOptions};
use finch_deep::with_matrix;
use ndarray::{Array2, ArrayView2};

use crate::input::error::Unsound;
use crate::input::samples::{exactly, wide};

// The facts known of the samples. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct PrecomputedArgs {
    /// The nearest neighbours of each sample, from finch neighbors or another program
    ///
    /// .npz with index (from 0) and distance, or text with index_0, distance_0, index_1, …; or indices
    /// alone, beside --known-distances. Without INPUT, clusters are linked by the mean of the known
    /// distances between their samples.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["weights", "weight_column", "embed", "precomputed"]
    )]
    known_neighbors: Option<PathBuf>,

    /// The distances of the known neighbours, a row for each sample
    #[arg(long, value_name = "FILE", requires = "known_neighbors")]
    known_distances: Option<PathBuf>,

    /// INPUT is a matrix of the distances of all pairs of samples
    ///
    /// The matrix is symmetric, with zeros on the diagonal. Clusters are linked by the mean distance of
    /// their samples.
    #[arg(long, conflicts_with_all = ["weights", "weight_column", "embed"])]
    precomputed: bool,
}

/// Neighbours that cannot be had.
#[derive(Debug, thiserror::Error)]
enum GivenError {
    #[error(
        "{}: there are no distances: name their file by --known-distances, or give .npz with index and \
         distance, or text with columns index_0, distance_0, …",
        Escaped(.0.display())
    )]
    NoDistances(PathBuf),
    #[error(
        "{}: {value} at row {row}, column {column} (from 0) is no number of a sample: give whole \
         numbers from 0, and -1 for none",
        Escaped(path.display())
    )]
    NoNumber { path: PathBuf, row: usize, column: usize, value: f64 },
}

/// The variables of an archive, and how the columns of a text begin.
const INDEX: &str = "index";
const DISTANCE: &str = "distance";

impl PrecomputedArgs {
    /// The files read as the input: the table of neighbours itself, where there are no samples.
    pub(crate) fn inputs(&self, inputs: &[PathBuf], options: &mut ReadOptions) -> Vec<PathBuf> {
        match &self.known_neighbors {
            Some(path) if inputs.is_empty() => {
                options.variable = is_archive(path).then(|| INDEX.into());
                vec![path.clone()]
            }
            _ => inputs.to_vec(),
        }
    }

    /// True if the input is to have distances.
    pub(crate) fn is_precomputed(&self) -> bool {
        self.precomputed
    }

    /// True if the input has samples, and not distances or neighbours alone.
    pub(crate) fn has_samples(&self, inputs: &[PathBuf]) -> bool {
        !self.precomputed && !inputs.is_empty()
    }

    /// Clusters what is read, without weights.
    pub(crate) fn cluster(
        &self,
        finch: Finch,
        known: &Known<'_>,
        input: &Input,
        inputs: &[PathBuf],
        run: &mut Run<'_>,
    ) -> Result<Hierarchy, Box<dyn Error>> {
        if self.precomputed {
            let distances = exactly::<f64>(&input.matrix())?;
            let found = finch.fit_distances(distances.view(), run);
            return Ok(found.map_err(|error| Unsound::of(inputs, error))?);
        }
        let Some(path) = &self.known_neighbors else {
            let samples = known.0.expect("the input has samples");
            return Ok(finch.fit_with(samples, run)?);
        };
        let [index, distance] = self.table(path)?;
        let of_file = |error| Unsound::of(std::slice::from_ref(path), error);
        let index = numbers(path, index.view())?;
        let neighbors = Neighbors::given(index.view(), distance.view(), run).map_err(of_file)?;
        match known.0 {
            Some(samples) => Ok(finch.fit_neighbors(samples, neighbors, run).map_err(of_file)?),
            None => Ok(finch.fit_graph(neighbors, run)?),
        }
    }

    /// The table of indices, and that of distances.
    fn table(&self, path: &Path) -> Result<[Array2<f64>; 2], Box<dyn Error>> {
        if let Some(of_distances) = &self.known_distances {
            let variable = |path: &Path, name| is_archive(path).then_some(name);
            let index = values(&read(path, variable(path, INDEX))?);
            return Ok([index, values(&read(of_distances, variable(of_distances, DISTANCE))?)]);
        }
        if is_archive(path) {
            return Ok([values(&read(path, Some(INDEX))?), values(&read(path, Some(DISTANCE))?)]);
        }
        let input = read(path, None)?;
        let columns = input.feature_columns().unwrap_or_default();
        let of_kind = |kind: &str| -> Vec<usize> {
            let named = |rank: usize| {
                let name = format!("{kind}_{rank}");
                columns.iter().position(|column| column.title() == name)
            };
            (0..).map_while(named).collect()
        };
        let places = [INDEX, DISTANCE].map(of_kind);
        match places[0].is_empty() || places[0].len() != places[1].len() {
            true => Err(GivenError::NoDistances(path.into()).into()),
            false => {
                let all = values(&input);
                Ok(places.map(|places| all.select(ndarray::Axis(1), &places)))
            }
        }
    }
}

/// Samples, if they are known.
pub(crate) struct Known<'a>(pub(crate) Option<AnySamples<'a>>);

impl Known<'_> {
    /// Exactly K clusters, and the linkage that made them.
    pub(crate) fn refine(
        &self,
        refine: &Refine,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Refined> {
        match self.0 {
            Some(samples) => refine.run_explained(samples, hierarchy, run),
            None => refine.run_without_samples_explained(hierarchy, run),
        }
    }

    pub(crate) fn suggest(
        &self,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Suggestion> {
        match self.0 {
            Some(samples) => hierarchy.suggest_with(samples, run),
            None => hierarchy.suggest_without_samples(run),
        }
    }

    /// A model, which keeps the samples, if they are known and `keep` says so.
    pub(crate) fn model(
        &self,
        hierarchy: &std::sync::Arc<Hierarchy>,
        refined: Vec<Labels>,
        keep: bool,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Model> {
        let hierarchy = std::sync::Arc::clone(hierarchy);
        match self.0 {
            None => Model::without_features(hierarchy, refined),
            Some(samples) => {
                let made = Model::new(hierarchy, samples, refined, run)?;
                if keep { made.keep_samples(samples) } else { Ok(made) }
            }
        }
    }
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["npz", "mat"].iter().any(|archive| extension.eq_ignore_ascii_case(archive))
    })
}

fn read(path: &Path, variable: Option<&str>) -> Result<Input, ReadError> {
    let mut options = ReadOptions::default();
    options.variable = variable.map(Into::into);
    data::read(&[path], &options)
}

fn values(input: &Input) -> Array2<f64> {
    with_matrix!(input.matrix(), view => view.mapv(wide))
}

fn numbers(path: &Path, index: ArrayView2<'_, f64>) -> Result<Array2<i64>, GivenError> {
    let is_whole = |value: f64| value.fract() == 0.0 && value.abs() < (1_u64 << 53) as f64;
    match index.indexed_iter().find(|(_, value)| !is_whole(**value)) {
        None => Ok(index.mapv(|value| value as i64)),
        Some(((row, column), &value)) => {
            Err(GivenError::NoNumber { path: path.into(), row, column, value })
        }
    }
}
