//! Models in files: what a clustering leaves to keep, with what its samples were made of.

use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use finch_core::{AnyMatrix, AnySamples, Model, Samples};
use finch_deep::data::{self, Content, Escaped, Matrix, Recipe, start_of};
use finch_deep::run;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::output::file::write_file;
use crate::output::place::{Place, is_standard_output};

/// The beginning of a model, after the length of its header.
const BEGINNING: &[u8] = b"{\"__metadata__\":{\"crc32\":\"";

/// The version of the notes.
const VERSION: u32 = 1;

/// The names that may have been given, at most: as many again are left for the clusters of new samples, which are
/// written as i32.
const MOST_NAMES: u32 = 1 << 30;

/// The notes that a model keeps beside, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Notes {
    finch_notes: u32,
    /// The recipe by which the samples were read.
    pub(crate) recipe: Recipe,
    /// The names of the samples.
    pub(crate) samples: Option<Vec<String>>,
    /// True if the model is of samples that the network of a run has embedded; the recipe is that of the input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) embedded: bool,
    /// The sources of the refined labellings.
    pub(crate) refined: Vec<Refined>,
    /// Of each labelling, the names of its clusters, where these are not their numbers.
    #[serde(default)]
    pub(crate) clusters: Vec<Option<Names>>,
}

/// A refined labelling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Refined {
    #[serde(rename = "requested")]
    Requested { linkage: String, from: Option<usize> },
    #[serde(rename = "suggested")]
    Suggested,
}

/// The names of clusters, as an extended model has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Names {
    /// The name of each cluster.
    pub(crate) names: Vec<u32>,
    /// Names below this number have been given to some cluster, now or before.
    pub(crate) given: u32,
}

impl Refined {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Refined::Requested { .. } => "requested",
            Refined::Suggested => "suggested",
        }
    }
}

impl Notes {
    pub(crate) fn new(recipe: Recipe, samples: Option<&[String]>, refined: Vec<Refined>) -> Self {
        let samples = samples.map(<[String]>::to_vec);
        Self {
            finch_notes: VERSION,
            recipe,
            samples,
            embedded: false,
            refined,
            clusters: Vec::new(),
        }
    }
}

/// A model, its notes and where they are from.
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    pub(crate) model: Model,
    /// None of a model that another program saved.
    pub(crate) notes: Option<Notes>,
    /// The kept samples as f32, where they are of a type that no file is read as.
    wide: Option<Array2<f32>>,
}

/// A model that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeptError {
    #[error("{}: cannot read: {source}", Escaped(path.display()))]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", Escaped(path.display()))]
    Model { path: PathBuf, source: finch_core::Error },
    #[error("{}: its notes cannot be read: {reason}", Escaped(path.display()))]
    Notes { path: PathBuf, reason: String },
    #[error(
        "{}: there is no labelling {labelling:?}: there are {known}",
        Escaped(path.display())
    )]
    Labelling { path: PathBuf, labelling: String, known: String },
    #[error(
        "{}: the model has no samples, and {command} needs them: keep them by finch cluster --model, \
         without --without-samples",
        Escaped(path.display())
    )]
    NoSamples { path: PathBuf, command: &'static str },
    #[error("{}: the samples of the model are sparse, and {command} takes dense ones", Escaped(path.display()))]
    Sparse { path: PathBuf, command: &'static str },
    #[error(
        "{}: the model is of samples that a network embeds: give its run to finch predict, or cluster the run's \
         embedding.npy",
        Escaped(path.display())
    )]
    OfRun { path: PathBuf },
    #[error(
        "{} has no model: go on with the run by finch train --resume, if it was stopped; a run of an older finch \
         has none, and finch embed embeds new samples by it",
        Escaped(run.display())
    )]
    NoModel { run: PathBuf },
    #[error("{}: the embedding is not the one that the run has written", Escaped(path.display()))]
    OtherEmbedding { path: PathBuf },
    #[error("a model is written into a file: name one by --model")]
    Printed,
}

/// True if a file or a pipe begins as a model does.
fn is_model(path: &Path) -> bool {
    let start = start_of(path, 8 + BEGINNING.len());
    start.is_ok_and(|start| start.get(8..) == Some(BEGINNING))
}

/// The place of a model that is written.
pub(crate) fn place(path: &Path, force: bool) -> Result<Place<'_>, KeptError> {
    match is_standard_output(path) {
        true => Err(KeptError::Printed),
        false => Ok(Place::new("--model", path, force)),
    }
}

/// Writes a model as a whole, with its notes.
pub(crate) fn save(
    path: &Path,
    force: bool,
    model: Model,
    notes: &Notes,
) -> Result<(), Box<dyn Error>> {
    save_bare(path, force, &model.with_notes(serde_json::to_vec(notes)?))
}

/// Writes a model as a whole.
pub(crate) fn save_bare(path: &Path, force: bool, model: &Model) -> Result<(), Box<dyn Error>> {
    write_file(&place(path, force)?, |file| model.write(file))
}

impl Kept {
    /// Loads a model from a file, or from standard input where the path is `-`.
    pub(crate) fn load(path: &Path) -> Result<Self, KeptError> {
        if run::is_run(path) {
            return Self::load_of_run(path)?.expect_not_embedded();
        }
        let mut bytes = Vec::new();
        let read = Content::open(path).and_then(|mut content| content.read_to_end(&mut bytes));
        read.map_err(|source| KeptError::Unreadable { path: path.into(), source })?;
        Self::of(path, &bytes)?.expect_not_embedded()
    }

    /// Loads the model of a run of `finch train`, with the samples that its network has embedded where it is one of
    /// them.
    pub(crate) fn of_run(run: &Path) -> Result<Self, Box<dyn Error>> {
        let mut kept = Self::load_of_run(run)?;
        if kept.is_embedded() {
            let path = run.join(run::EMBEDDING);
            let embedding = data::read(&[&path], &data::ReadOptions::default())?;
            let Matrix::F32(matrix) = embedding.matrix() else {
                return Err(KeptError::OtherEmbedding { path }.into());
            };
            let samples = Samples::new(matrix).map_err(|_| KeptError::OtherEmbedding { path })?;
            kept.model = kept.model.keep_samples(&samples)?;
        }
        Ok(kept)
    }

    fn load_of_run(run: &Path) -> Result<Self, KeptError> {
        let path = run.join(run::MODEL);
        match fs::read(&path) {
            Ok(bytes) => Self::of(&path, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(KeptError::NoModel { run: run.into() })
            }
            Err(source) => Err(KeptError::Unreadable { path, source }),
        }
    }

    /// True if the model is of samples that the network of a run embeds.
    pub(crate) fn is_embedded(&self) -> bool {
        self.notes.as_ref().is_some_and(|notes| notes.embedded)
    }

    fn expect_not_embedded(self) -> Result<Self, KeptError> {
        match self.is_embedded() {
            true => Err(KeptError::OfRun { path: self.path }),
            false => Ok(self),
        }
    }

    /// The model of a file or a pipe that may be one of samples, too.
    pub(crate) fn found(path: &Path) -> Result<Option<Self>, KeptError> {
        match is_model(path) || run::is_run(path) {
            true => Self::load(path).map(Some),
            false => Ok(None),
        }
    }

    fn of(path: &Path, bytes: &[u8]) -> Result<Self, KeptError> {
        let of_path = || path.to_path_buf();
        let model = Model::from_bytes(bytes)
            .map_err(|source| KeptError::Model { path: of_path(), source })?;
        let unsound = |reason: String| KeptError::Notes { path: of_path(), reason };
        let notes = model.notes().map(|notes| notes_of(notes, &model)).transpose();
        let wide = model.samples().and_then(|samples| widened(samples.matrix()?));
        Ok(Self { path: of_path(), notes: notes.map_err(unsound)?, model, wide })
    }

    /// The number of a labelling that is given by its number or its name; without one, that of the
    /// requested clusters, else of the suggested ones, else the finest partition.
    pub(crate) fn labelling(&self, wanted: Option<&str>) -> Result<usize, KeptError> {
        let names = self.labelling_names();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        let Some(wanted) = wanted else {
            return Ok(find("requested").or_else(|| find("suggested")).unwrap_or(0));
        };
        let number = wanted.parse().ok().filter(|&number| number < names.len());
        number.or_else(|| find(wanted)).ok_or_else(|| {
            let path = self.path.clone();
            KeptError::Labelling { path, labelling: wanted.into(), known: names.join(", ") }
        })
    }

    /// The names of the labellings: the numbers of the partitions, and `requested` and
    /// `suggested`.
    pub(crate) fn labelling_names(&self) -> Vec<String> {
        let partitions = self.model.hierarchy().partitions().len();
        let refined = self.notes.iter().flat_map(|notes| &notes.refined);
        let refined: Vec<&str> = refined.map(Refined::name).collect();
        let name = |number: usize| match refined.get(number.wrapping_sub(partitions)) {
            Some(name) => (*name).into(),
            None => number.to_string(),
        };
        (0..self.model.labellings()).map(name).collect()
    }

    /// The names of the clusters of a labelling, where these are not their numbers.
    pub(crate) fn cluster_names(&self, labelling: usize) -> Option<&Names> {
        self.notes.as_ref()?.clusters.get(labelling)?.as_ref()
    }

    /// The names of the samples.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.notes.as_ref()?.samples.as_deref()
    }

    /// The recipe by which the samples were read.
    pub(crate) fn recipe(&self) -> Option<&Recipe> {
        self.notes.as_ref().map(|notes| &notes.recipe)
    }

    /// The kept samples, which a command needs.
    pub(crate) fn samples(&self, command: &'static str) -> Result<AnySamples<'_>, KeptError> {
        let none = || KeptError::NoSamples { path: self.path.clone(), command };
        self.model.samples().ok_or_else(none)
    }

    /// The kept samples, which a command needs as a matrix.
    pub(crate) fn matrix(&self, command: &'static str) -> Result<Matrix<'_>, KeptError> {
        let samples = self.samples(command)?;
        match (&self.wide, samples.matrix()) {
            (Some(wide), _) => Ok(Matrix::F32(wide.view())),
            (None, Some(matrix)) => {
                Ok(of_any(matrix).expect("samples of other types were widened"))
            }
            (None, None) => Err(KeptError::Sparse { path: self.path.clone(), command }),
        }
    }

    /// True if samples and means are sparse.
    pub(crate) fn is_sparse(&self) -> bool {
        self.model.samples().or(self.model.means(0).ok()).is_some_and(|one| one.sparse().is_some())
    }
}

/// Samples of a type that files are read as.
fn of_any(matrix: AnyMatrix<'_>) -> Option<Matrix<'_>> {
    match matrix {
        AnyMatrix::F64(matrix) => Some(Matrix::F64(matrix)),
        AnyMatrix::F32(matrix) => Some(Matrix::F32(matrix)),
        AnyMatrix::U8(matrix) => Some(Matrix::U8(matrix)),
        AnyMatrix::F16(_) | AnyMatrix::BF16(_) | AnyMatrix::I8(_) | AnyMatrix::Bits(_) => None,
    }
}

/// A copy of samples of the other types, which f32 holds exactly.
fn widened(matrix: AnyMatrix<'_>) -> Option<Array2<f32>> {
    match matrix {
        AnyMatrix::F16(matrix) => Some(matrix.mapv(f32::from)),
        AnyMatrix::BF16(matrix) => Some(matrix.mapv(f32::from)),
        AnyMatrix::I8(matrix) => Some(matrix.mapv(f32::from)),
        AnyMatrix::Bits(bits) => Some(bits.unpacked()),
        AnyMatrix::F64(_) | AnyMatrix::F32(_) | AnyMatrix::U8(_) => None,
    }
}

/// The notes of a model, where they fit it. A file may be made by an enemy.
fn notes_of(bytes: &[u8], model: &Model) -> Result<Notes, String> {
    #[derive(Deserialize)]
    struct Version {
        finch_notes: u32,
    }
    let unsound = |error: serde_json::Error| error.to_string();
    // Notes of a newer version may have another shape.
    let Version { finch_notes } = serde_json::from_slice(bytes).map_err(unsound)?;
    if finch_notes > VERSION {
        return Err(format!("they are of version {finch_notes}, from a newer finch"));
    }
    let notes: Notes = serde_json::from_slice(bytes).map_err(unsound)?;
    let hierarchy = model.hierarchy();
    let of_samples = notes.samples.as_ref().map_or(hierarchy.samples(), Vec::len);
    let of_clusters = (0..).zip(&notes.clusters).all(|(labelling, names)| {
        let clusters = model.labelling(labelling).map(finch_core::Labelling::clusters);
        let sound = |names: &Names| {
            clusters == Ok(names.names.len())
                && names.names.iter().all(|&one| one < names.given)
                && names.given <= MOST_NAMES
        };
        names.as_ref().is_none_or(sound)
    });
    let fits = notes.recipe.is_sound()
        && (notes.embedded || notes.recipe.features() == hierarchy.features())
        && of_samples == hierarchy.samples()
        && notes.refined.len() == model.refined().len()
        && of_clusters;
    fits.then_some(notes).ok_or_else(|| "they are of another model".into())
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Labels, Run};
    use ndarray::array;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn notes_that_do_not_fit_are_refused() {
        let matrix = array![[0.0], [1.0], [10.0], [11.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let mut run = Run::new();
        let hierarchy = Finch::new().fit(&samples).unwrap();
        let model = Model::new(hierarchy, &samples, Vec::<Labels>::new(), &mut run).unwrap();
        let notes = |change: &dyn Fn(&mut Value)| {
            let mut notes = json!({
                "finch_notes": 1,
                "recipe": {
                    "width": 1, "table": null, "missing": "error", "standardize": "none",
                    "fill": [], "shift": [], "scale": [],
                },
                "samples": null,
                "refined": [],
            });
            change(&mut notes);
            notes_of(notes.to_string().as_bytes(), &model).map(|_| ())
        };
        let names = |given: u32| json!([{"names": [0, 1], "given": given}]);
        assert_eq!(notes(&|notes| notes["clusters"] = names(2)), Ok(()));
        for given in [1, MOST_NAMES + 1, u32::MAX] {
            let told = notes(&|notes| notes["clusters"] = names(given)).unwrap_err();
            assert_eq!(told, "they are of another model");
        }
        let told = notes(&|notes| *notes = json!({"finch_notes": 2, "other": []})).unwrap_err();
        assert_eq!(told, "they are of version 2, from a newer finch");
    }
}
