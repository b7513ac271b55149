//! The reader of a model: from bytes to a model.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ndarray::Array2;
use safetensors::SafeTensors;

use super::check::{self, damaged};
use super::format::{
    BEGINNING, CHECKSUM_AT, CHECKSUM_DIGITS, Checksum, DENSE, LAST, LONGEST_HEADER, NONE, SPARSE,
    WITH_NOISE, name,
};
use super::levels;
use super::tensor::Tensor;
use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, Level, Weighted};
use crate::model::Model;
use crate::model::means::Means;
use crate::neighbors::{Choice, FirstNeighbors, Neighbors, Query};
use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::partition::undirected::ZeroRows;
use crate::samples::bits::{BYTE, BitArray};
use crate::samples::element::{AnyArray, Element, ElementType};
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::samples::sparse::{OwnedValues, SparseMatrix};
use crate::samples::weights::Weights;
use crate::support::memory::caught;

impl Model {
    /// The model of bytes that [`Model::to_bytes`] gave: equal to the one that was saved. All is
    /// checked before anything is trusted. Takes the memory of the model beside the bytes.
    ///
    /// # Errors
    /// [`Error::Damaged`] for bytes that were cut, altered or never a model;
    /// [`Error::ModelVersion`] for a later format; [`Error::OutOfMemory`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        caught(|| {
            expect_checksum(bytes)?;
            Header::read(bytes)?.model()
        })
    }
}

/// Checks that bytes begin as a model does, and have their checksum.
fn expect_checksum(bytes: &[u8]) -> Result<()> {
    let after = bytes.get(8..).unwrap_or_default();
    if !after.starts_with(BEGINNING.as_bytes()) {
        return Err(damaged("the bytes do not begin as a model does"));
    }
    let mut checksum = Checksum::new();
    checksum.update(bytes);
    let found = bytes[CHECKSUM_AT..].get(..CHECKSUM_DIGITS);
    match found == Some(checksum.digits().as_bytes()) {
        true => Ok(()),
        false => Err(damaged("the checksum is not that of the bytes, which were cut or altered")),
    }
}

/// A file whose header has been read.
struct Header<'a> {
    file: SafeTensors<'a>,
    metadata: Vec<(String, String)>,
    /// True if means and samples are sparse.
    is_sparse: bool,
    /// True if a refined labelling has noise.
    has_noise: bool,
}

impl<'a> Header<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let (length, _) = bytes.split_first_chunk().expect("the checksum stands behind the length");
        if u64::from_le_bytes(*length) > LONGEST_HEADER as u64 {
            return Err(damaged("the header is longer than that of any model"));
        }
        let of_header = |error| damaged(format!("its header: {error}"));
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(of_header)?;
        let metadata = header.metadata().iter().flatten();
        let metadata = metadata.map(|(key, value)| (key.clone(), value.clone())).collect();
        let file = SafeTensors::deserialize(bytes).map_err(of_header)?;
        let header = Self { file, metadata, is_sparse: false, has_noise: false };
        let found: u32 = header.parsed("finch_model")?;
        let has_noise = found > WITH_NOISE;
        match if has_noise { found - WITH_NOISE } else { found } {
            kind @ (DENSE | SPARSE) => Ok(Self { is_sparse: kind == SPARSE, has_noise, ..header }),
            _ => Err(Error::ModelVersion { found, known: LAST }),
        }
    }

    fn text(&self, key: &'static str) -> Result<&str> {
        let found = self.metadata.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| damaged(format!("no {key} is given")))
    }

    fn parsed<T: FromStr>(&self, key: &'static str) -> Result<T> {
        let text = self.text(key)?;
        text.parse().map_err(|_| damaged(format!("{key} is {text:?}")))
    }

    /// [`Header::parsed`], or `None` where the text says so.
    fn optional<T: FromStr>(&self, key: &'static str) -> Result<Option<T>> {
        if self.text(key)? == NONE { Ok(None) } else { self.parsed(key).map(Some) }
    }

    /// [`Header::parsed`], or `None` where the key is left out.
    fn if_given<T: FromStr>(&self, key: &'static str) -> Result<Option<T>> {
        let is_given = self.metadata.iter().any(|(known, _)| known == key);
        is_given.then(|| self.parsed(key)).transpose()
    }

    fn query(&self) -> Result<Query> {
        let time_limit = match self.optional::<u128>("time_limit")? {
            None => None,
            Some(nanoseconds) => {
                let seconds = u64::try_from(nanoseconds / 1_000_000_000);
                let seconds = seconds.map_err(|_| damaged("time_limit is beyond all time"))?;
                Some(Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32))
            }
        };
        let query = Query {
            metric: self.parsed("metric")?,
            search: self.parsed("search")?,
            recall: self.parsed("recall")?,
            seed: self.parsed("seed")?,
            time_limit,
        };
        // Also false for NaN.
        match query.recall > 0.0 && query.recall <= 1.0 {
            true => Ok(query),
            false => Err(damaged("recall is not above 0 and at most 1")),
        }
    }

    fn model(&self) -> Result<Model> {
        self.expect_no_other()?;
        let element: Option<ElementType> = self.optional("element")?;
        let labels = self.needed(name::LABELS)?;
        let [partitions, samples] = labels.shape()?;
        let partitions = labels.partitions(partitions, samples)?;
        let refined = match self.tensor(name::REFINED) {
            None => Vec::new(),
            Some(refined) => {
                let [count, of_samples] = refined.shape()?;
                refined.expect([count, samples], [count, of_samples])?;
                match self.has_noise {
                    true => refined.noisy_labels(count, samples)?,
                    false => {
                        let partitions = refined.partitions(count, samples)?;
                        partitions.into_iter().map(Labels::from).collect()
                    }
                }
            }
        };
        let levels = self.levels()?;
        let first = self.first_neighbors(samples, &levels)?;
        let neighbors = self.neighbors(samples, &levels)?;
        check::partitions(&partitions)?;
        check::first_neighbors(&first)?;
        let weighted = self.weighted(samples)?;
        let links = weighted.as_ref().map_or(&first, |weighted| &weighted.links);
        check::links(links, &partitions[0])?;
        check::levels(&levels, &partitions)?;
        if let Some(neighbors) = &neighbors {
            check::neighbors(neighbors, &first)?;
        }
        if self.has_noise && refined.iter().all(|labels| labels.noise() == 0) {
            return Err(damaged("the version is that of labels with noise, and there is none"));
        }
        let all = || {
            let of_partitions = partitions.iter().map(Partition::clusters);
            of_partitions.chain(refined.iter().map(Labels::clusters))
        };
        let (means, features) = match self.is_sparse {
            true => self.sparse_means(element, all())?,
            false => {
                let means = self.means(element, all().sum())?;
                (Means::Dense(means), self.needed(name::MEANS)?.shape::<2>()?[1])
            }
        };
        let kept = match self.is_sparse {
            true => self.sparse_samples(element, samples, features)?.map(OwnedSamples::Sparse),
            false => self.samples(element, [samples, features])?.map(OwnedSamples::Dense),
        };
        let notes = self.notes()?;
        let link_bound = self.parsed("link_bound")?;
        let query = self.query()?;
        let (ties, zero_rows) = (self.ties()?, self.zero_rows(query.metric, samples)?);
        let hierarchy = Hierarchy::new(partitions, first, levels, query, features);
        let hierarchy = Hierarchy { neighbors, link_bound, weighted, ..hierarchy };
        let hierarchy = Arc::new(Hierarchy { ties, zero_rows, ..hierarchy });
        Ok(Model {
            hierarchy,
            refined,
            element,
            means,
            samples: kept,
            notes,
            lookup: Arc::default(),
        })
    }

    /// The share of ties, where that is a warning. Files of before it was kept say nothing of it.
    fn ties(&self) -> Result<Option<f64>> {
        let share = self.if_given("ties")?;
        match share.is_none_or(|share| Warning::TIES < share && share <= 1.0) {
            true => Ok(share),
            false => Err(damaged("ties is no share that is a warning")),
        }
    }

    /// The zero rows of so many samples, where there are some. Files of before they were kept say nothing of them.
    fn zero_rows(&self, metric: Metric, samples: usize) -> Result<Option<ZeroRows>> {
        let Some(text) = self.if_given::<String>("zero_rows")? else { return Ok(None) };
        let parsed = text.split_once(',').and_then(|(rows, first)| {
            Some(ZeroRows { rows: rows.parse().ok()?, first: first.parse().ok()? })
        });
        let fits = |zero: &ZeroRows| {
            metric == Metric::Cosine && zero.rows > 0 && zero.rows <= samples - zero.first as usize
        };
        let within = parsed.filter(|zero| (zero.first as usize) < samples);
        match within.filter(fits) {
            Some(zero_rows) => Ok(Some(zero_rows)),
            None => Err(damaged(format!("zero_rows is {text:?}"))),
        }
    }

    fn levels(&self) -> Result<Vec<Level>> {
        let tensor = self.needed(name::LEVELS)?;
        let [count, width] = tensor.shape()?;
        tensor.expect([count, levels::WIDTH], [count, width])?;
        let numbers = tensor.f64s()?;
        let (rows, _) = numbers.as_chunks();
        let levels = rows.iter().map(levels::level);
        let levels: Option<Vec<Level>> = levels.collect();
        levels.ok_or_else(|| tensor.damaged("has numbers that no level has"))
    }

    fn first_neighbors(&self, samples: usize, levels: &[Level]) -> Result<FirstNeighbors> {
        let choice = levels.first().and_then(|level| level.choice);
        self.one_each(samples, [name::FIRST_NEIGHBORS, name::FIRST_DISTANCES], choice)
    }

    /// A neighbour of each sample, or of a single sample none, and its distance.
    fn one_each(
        &self,
        samples: usize,
        names: [&'static str; 2],
        choice: Option<Choice>,
    ) -> Result<FirstNeighbors> {
        let count = if samples == 1 { 0 } else { samples };
        let [index, distance] = [self.needed(names[0])?, self.needed(names[1])?];
        for tensor in [&index, &distance] {
            tensor.expect([count], tensor.shape()?)?;
        }
        Ok(FirstNeighbors::new(index.u32s()?, distance.f64s()?, choice))
    }

    fn weighted(&self, samples: usize) -> Result<Option<Weighted>> {
        let Some(tensor) = self.tensor(name::WEIGHTS) else { return Ok(None) };
        tensor.expect([samples], tensor.shape()?)?;
        let weights = Weights::new(&tensor.f64s()?, samples);
        let weights = weights.map_err(|error| tensor.damaged(&format!("is unsound: {error}")))?;
        let links = self.one_each(samples, [name::LINKS, name::LINK_DISTANCES], None)?;
        check::links_of(&weights, &links)?;
        Ok(Some(Weighted { weights, links }))
    }

    fn neighbors(&self, samples: usize, levels: &[Level]) -> Result<Option<Neighbors>> {
        let Some(index) = self.tensor(name::NEIGHBORS) else { return Ok(None) };
        let distance = self.needed(name::DISTANCES)?;
        let [rows, k] = index.shape()?;
        index.expect([samples, k], [rows, k])?;
        distance.expect([samples, k], distance.shape()?)?;
        let fits = if samples == 1 { k == 0 } else { (1..samples).contains(&k) };
        let choice = levels.first().and_then(|level| level.choice);
        match fits {
            true => {
                let parts = [samples, k];
                Ok(Some(Neighbors::of_parts(parts, index.u32s()?, distance.f64s()?, choice)))
            }
            false => Err(index.damaged("has more neighbours than there are, or none")),
        }
    }

    fn means(&self, element: Option<ElementType>, clusters: usize) -> Result<AnyArray> {
        let tensor = self.needed(name::MEANS)?;
        let [rows, features] = tensor.shape()?;
        tensor.expect([clusters, features], [rows, features])?;
        if element.is_none() != (features == 0) {
            return Err(tensor.damaged("has features where there were no samples, or none"));
        }
        match element {
            None | Some(ElementType::F64) => {
                check::means(tensor.f64s()?, [rows, features]).map(AnyArray::F64)
            }
            Some(_) => check::means(tensor.f32s()?, [rows, features]).map(AnyArray::F32),
        }
    }

    fn samples(&self, element: Option<ElementType>, shape: [usize; 2]) -> Result<Option<AnyArray>> {
        let Some(tensor) = self.tensor(name::SAMPLES) else { return Ok(None) };
        if element == Some(ElementType::Bits) {
            let [samples, features] = shape;
            let packed = [samples, features.div_ceil(BYTE)];
            tensor.expect(packed, tensor.shape()?)?;
            let bytes = Array2::from_shape_vec(packed, tensor.u8s()?);
            let bytes = bytes.expect("the shape has been checked");
            return Ok(Some(AnyArray::Bits(BitArray::of(bytes, features))));
        }
        tensor.expect(shape, tensor.shape()?)?;
        fn any<A: Element>(values: Vec<A>, shape: [usize; 2]) -> Result<Option<AnyArray>> {
            let matrix = Array2::from_shape_vec(shape, values).expect("the shape has been checked");
            check::samples(&matrix)?;
            Ok(Some(AnyArray::of(matrix)))
        }
        match element {
            None => Err(tensor.damaged("is there though there were none")),
            Some(ElementType::F64) => any(tensor.f64s()?, shape),
            Some(ElementType::F32) => any(tensor.f32s()?, shape),
            Some(ElementType::F16) => any(tensor.f16s()?, shape),
            Some(ElementType::BF16) => any(tensor.bf16s()?, shape),
            Some(ElementType::I8) => any(tensor.i8s()?, shape),
            Some(ElementType::U8) => any(tensor.u8s()?, shape),
            Some(ElementType::Bits) => unreachable!("read before"),
        }
    }

    /// The sparse means of labellings of so many clusters each, and the number of features.
    fn sparse_means(
        &self,
        element: Option<ElementType>,
        clusters: impl Iterator<Item = usize> + Clone,
    ) -> Result<(Means, usize)> {
        let features = self.parsed("features")?;
        let rows = self.sparse(element, name::SPARSE_MEANS, clusters.clone().sum(), features)?;
        let rows = rows.ok_or_else(|| damaged("the sparse means are missing"))?;
        check::sparse_means(&rows.samples())?;
        let mut first = 0;
        let means = clusters.map(|clusters| {
            first += clusters;
            rows.rows(first - clusters..first)
        });
        Ok((Means::Sparse(means.collect()), features))
    }

    fn sparse_samples(
        &self,
        element: Option<ElementType>,
        samples: usize,
        features: usize,
    ) -> Result<Option<SparseMatrix>> {
        let rows = self.sparse(element, name::SPARSE_SAMPLES, samples, features)?;
        rows.as_ref().map_or(Ok(()), |rows| check::sparse_samples(&rows.samples()))?;
        Ok(rows)
    }

    /// Compressed rows, which are yet to be checked.
    fn sparse(
        &self,
        element: Option<ElementType>,
        names: [&'static str; 3],
        rows: usize,
        features: usize,
    ) -> Result<Option<SparseMatrix>> {
        let Some(starts) = self.tensor(names[0]) else { return Ok(None) };
        let [columns, values] = [self.needed(names[1])?, self.needed(names[2])?];
        starts.expect([rows + 1], starts.shape()?)?;
        let [count] = columns.shape()?;
        values.expect([count], values.shape()?)?;
        let numbers = match element {
            Some(ElementType::F64) => OwnedValues::F64(values.f64s()?),
            Some(ElementType::F32) => OwnedValues::F32(values.f32s()?),
            _ => return Err(damaged("sparse samples are of f32 or f64")),
        };
        let (starts, columns) = (starts.i64s()?, columns.i32s()?);
        Ok(Some(SparseMatrix::of_parts(features, starts, columns, numbers)))
    }

    fn notes(&self) -> Result<Option<Vec<u8>>> {
        let Some(tensor) = self.tensor(name::NOTES) else { return Ok(None) };
        match tensor.shape()? {
            [0] => Err(tensor.damaged("is there though it is empty")),
            [_] => tensor.u8s().map(Some),
        }
    }

    fn tensor(&self, name: &'static str) -> Option<Tensor<'a>> {
        self.file.tensor(name).ok().map(|view| Tensor { name, view })
    }

    fn needed(&self, name: &'static str) -> Result<Tensor<'a>> {
        self.tensor(name).ok_or_else(|| damaged(format!("the tensor {name} is missing")))
    }

    /// A tensor that is not known might change what the others mean.
    fn expect_no_other(&self) -> Result<()> {
        let known = [
            name::LABELS,
            name::REFINED,
            name::FIRST_NEIGHBORS,
            name::FIRST_DISTANCES,
            name::NEIGHBORS,
            name::DISTANCES,
            name::WEIGHTS,
            name::LINKS,
            name::LINK_DISTANCES,
            name::LEVELS,
            name::NOTES,
        ];
        let of_kind = match self.is_sparse {
            true => [name::SPARSE_MEANS, name::SPARSE_SAMPLES].concat(),
            false => vec![name::MEANS, name::SAMPLES],
        };
        let companions = [
            (name::DISTANCES, name::NEIGHBORS),
            (name::LINKS, name::WEIGHTS),
            (name::LINK_DISTANCES, name::WEIGHTS),
        ];
        let [starts, of_starts @ ..] = name::SPARSE_SAMPLES;
        let of_starts = of_starts.map(|beside| (beside, starts));
        let is_known = |name: &&str| known.contains(name) || of_kind.contains(name);
        match self.file.names().iter().find(|name| !is_known(name)) {
            None => companions
                .into_iter()
                .chain(of_starts)
                .filter(|(beside, _)| self.tensor(beside).is_some())
                .try_for_each(|(_, needed)| self.needed(needed).map(|_| ())),
            Some(other) => Err(damaged(format!("there is a tensor {other:?}, which no model has"))),
        }
    }
}
