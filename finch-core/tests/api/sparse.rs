//! Sparse samples: all results are those of the dense rows, bit for bit, and bad rows are refused.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    AnyMatrix, Describe, Description, Element, Error, Finch, Labels, LinkBound, Linkage, Metric,
    Model, Partition, Predict, Reason, Refine, Run, Samples, Search, SparseFault, SparseIndices,
    SparseSamples, SparseValues,
};
use ndarray::{Array2, ArrayView2, s};

/// The metrics that take a matrix.
fn metrics_of<A: Element>(matrix: &Array2<A>) -> &'static [Metric] {
    let are_bits = matrix.iter().all(|value| [0.0, 1.0].contains(&value.to_f64()));
    if are_bits { Metric::ALL } else { Metric::OF_NUMBERS }
}

/// Compressed rows of a matrix. Some zeros are given as values.
struct Rows<A> {
    features: usize,
    starts: Vec<i32>,
    columns: Vec<i64>,
    values: Vec<A>,
}

impl<A: Element> Rows<A> {
    fn of(matrix: &Array2<A>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (i, row) in matrix.outer_iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                if value != A::default() || (i + j) % 13 == 0 {
                    columns.push(j as i64);
                    values.push(value);
                }
            }
            starts.push(values.len() as i32);
        }
        Self { features: matrix.ncols(), starts, columns, values }
    }

    fn samples<'a>(&'a self) -> SparseSamples<'a>
    where
        &'a [A]: Into<SparseValues<'a>>,
    {
        let (starts, columns) = (&self.starts[..], &self.columns[..]);
        SparseSamples::new(self.features, starts, columns, &self.values[..]).unwrap()
    }
}

/// Everything that is made of samples, for sparse and for dense ones.
fn check<A: Element>(name: &str, matrix: &Array2<A>)
where
    for<'a> &'a [A]: Into<SparseValues<'a>>,
{
    let dense = &Samples::new(matrix.view()).unwrap();
    let rows = Rows::of(matrix);
    let sparse = &rows.samples();
    let samples = dense.len();
    for &metric in metrics_of(matrix) {
        let context = format!("{name}, {metric:?}");
        let finch = Finch::new().metric(metric);
        for k in [1, 9].map(|k: usize| k.min(samples - 1)) {
            let expected = finch.nearest_neighbors(dense, k, &mut Run::new()).unwrap();
            for search in [Search::Auto, Search::Brute, Search::Blocked] {
                let run = &mut Run::new().threads(1 + k % 2);
                let found = finch.search(search).nearest_neighbors(sparse, k, run).unwrap();
                assert_eq!(found, expected, "{context}, {search:?}, {k}");
            }
        }
        for finch in [finch.refinable(Linkage::Neighbor), finch.link_bound(LinkBound::JoinedPair)] {
            let [of_dense, of_sparse] = [finch.fit(dense), finch.fit(sparse)].map(Result::unwrap);
            assert_eq!(of_sparse, of_dense, "{context}");
            let suggestions = [of_dense.suggest(dense), of_sparse.suggest(sparse)];
            let [of_dense_rows, of_sparse_rows] = suggestions.map(Result::unwrap);
            assert_eq!(of_sparse_rows, of_dense_rows, "{context}");
            for linkage in [Linkage::Neighbor, Linkage::Ward, Linkage::Centroid] {
                let refine = Refine::new(1).linkage(linkage).from(0);
                let run = &mut Run::new();
                let expected = refine.dendrogram(dense, &of_dense, run).unwrap();
                let merged = refine.dendrogram(sparse, &of_sparse, run).unwrap();
                assert_eq!(merged, expected, "{context}, {linkage:?}");
                for clusters in [2, samples / 2, samples - 1] {
                    let refine = Refine::new(clusters).linkage(linkage);
                    let expected = refine.run(dense, &of_dense).unwrap();
                    assert_eq!(refine.run(sparse, &of_sparse).unwrap(), expected, "{context}");
                }
            }
            let run = &mut Run::new();
            let first = of_dense.first_neighbors().index();
            let given = finch.fit_given(sparse, first, run).unwrap();
            assert_eq!(given, finch.fit_given(dense, first, run).unwrap(), "{context}");
            for weights in [&[1.0, 2.0, 0.5, 40.0][..], &[1.0, 3.0]] {
                let weights: Vec<f64> =
                    (0..samples).map(|row| weights[row * row % weights.len()]).collect();
                let expected = finch.fit_weighted(dense, &weights, run).unwrap();
                let weighted = finch.fit_weighted(sparse, &weights, run).unwrap();
                assert!(weighted == expected, "{context}, weighted");
                let suggested = weighted.suggest(sparse).unwrap();
                assert_eq!(suggested, expected.suggest(dense).unwrap(), "{context}, weighted");
            }
            assert_eq!(
                of_sparse.outlier_scores(sparse, run).unwrap(),
                of_dense.outlier_scores(dense, run).unwrap(),
                "{context}"
            );
        }
    }
}

/// Descriptions of sparse and of dense samples, which differ in the type of means alone.
fn check_described<A: Element>(name: &str, matrix: &Array2<A>, clusters: usize, weighted: bool)
where
    for<'a> &'a [A]: Into<SparseValues<'a>>,
{
    let dense = Samples::new(matrix.view()).unwrap();
    let rows = Rows::of(matrix);
    let labels: Vec<usize> = (0..dense.len()).map(|row| row * row % clusters).collect();
    let partition = Partition::new(&labels).unwrap();
    let weights: Vec<f64> = (0..dense.len()).map(|row| [1.0, 2.5, 40.0][row % 3]).collect();
    let describe = Describe::new(3).seed(7);
    let describe = if weighted { describe.weights(&weights) } else { describe };
    for &metric in metrics_of(matrix) {
        let run = &mut Run::new().threads(2);
        let expected = describe.run(&dense, &partition, metric, run).unwrap();
        let found = describe.run(&rows.samples(), &partition, metric, run).unwrap();
        let means = all_values(&found.means().sparse().unwrap());
        assert_eq!(means, wide(expected.means().matrix().unwrap()), "{name}, {metric:?}");
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let told = |one: &Description| {
            let numbers = [&one.sizes, &one.spreads, &one.silhouettes].map(|each| bits(each));
            (numbers, one.medoids.clone(), one.exemplars.clone(), one.sampled.clone())
        };
        assert_eq!(told(&found), told(&expected), "{name}, {metric:?}, {clusters} clusters");
    }
}

/// Models of samples, predictions of new ones, and models of both.
fn check_models<A: Element>(name: &str, matrix: &Array2<A>)
where
    for<'a> &'a [A]: Into<SparseValues<'a>>,
{
    let count = matrix.nrows() * 4 / 5;
    let parts =
        [matrix.slice(s![..count, ..]), matrix.slice(s![count.., ..])].map(|part| part.to_owned());
    let rows = [&parts[0], &parts[1], matrix].map(Rows::of);
    // Values of some rows alone may all be too small to be samples.
    let samples = parts.iter().map(|part| Samples::new(part.view()));
    let Ok(dense) = samples.collect::<Result<Vec<_>, _>>() else { return };
    let [sparse, new, all] = [&rows[0], &rows[1], &rows[2]].map(Rows::samples);
    let run = &mut Run::new();
    let labels: Vec<usize> = (0..count).map(|row| row * row % 3).collect();
    let noisy = Labels::new(
        &labels.iter().map(|&one| Some(one).filter(|&one| one != 1)).collect::<Vec<_>>(),
    );
    let refined = vec![Labels::from(Partition::new(&labels).unwrap()), noisy.unwrap()];
    for &metric in metrics_of(matrix) {
        let finch = Finch::new().metric(metric);
        let hierarchy = finch.fit(&sparse).unwrap();
        let of_dense = Model::new(hierarchy.clone(), &dense[0], refined.clone(), run).unwrap();
        let of_dense = of_dense.keep_samples(&dense[0]).unwrap();
        let model = Model::new(hierarchy.clone(), &sparse, refined.clone(), run).unwrap();
        let model = model.keep_samples(&sparse).unwrap().with_notes(vec![3]);
        let bytes = model.to_bytes().unwrap();
        assert_eq!(bytes.len(), model.serialized_size(), "{name}");
        let loaded = Model::from_bytes(&bytes).unwrap();
        assert!(loaded == model && loaded.to_bytes().unwrap() == bytes, "{name}, {metric:?}");
        assert_eq!(
            model.clone().keep_samples(&dense[0]).unwrap().predict(&new, 0, run),
            model.predict(&new, 0, run)
        );
        let mut models = [(loaded, of_dense.clone()), (model.clone(), of_dense.clone())];
        models[1].0 = models[1].0.clone().forget_samples();
        models[1].1 = models[1].1.clone().forget_samples();
        for (model, of_dense) in &models {
            for labelling in 0..model.labellings() {
                let means = model.means(labelling).unwrap();
                let of_dense_rows = of_dense.means(labelling).unwrap().matrix().unwrap();
                assert_eq!(all_values(&means.sparse().unwrap()), wide(of_dense_rows), "{name}");
                for search in [Search::Auto, Search::Brute] {
                    let predict = Predict::new(labelling).search(search);
                    let expected = predict.run(of_dense, &dense[1], run).unwrap();
                    let context = format!("{name}, {metric:?}, {labelling}, {search:?}");
                    assert_eq!(predict.run(model, &new, run).unwrap(), expected, "{context}");
                    assert_eq!(predict.run(model, &dense[1], run).unwrap(), expected, "{context}");
                    let run = &mut Run::new().threads(3);
                    let sure = predict.certainty(false);
                    let expected = sure.run(of_dense, &dense[1], run).unwrap();
                    assert_eq!(sure.run(model, &new, run).unwrap(), expected, "{context}");
                }
            }
        }
        // Zeros are given in other places of the parts than of all rows.
        let expected = finch.fit(&all).unwrap();
        let expected = Model::new(expected, &all, Vec::new(), run).unwrap();
        let expected = expected.keep_samples(&all).unwrap();
        let extended = [model.extend(&finch, &new, run), model.extend(&finch, &dense[1], run)];
        for extended in extended.map(Result::unwrap) {
            assert!(extended.hierarchy() == expected.hierarchy(), "{name}, {metric:?}");
            assert_eq!(extended.notes(), Some(&[3][..]));
            let values = |model: &Model| all_values(&model.samples().unwrap().sparse().unwrap());
            assert!(values(&extended) == values(&expected), "{name}, {metric:?}");
            let means = |model: &Model| all_values(&model.means(0).unwrap().sparse().unwrap());
            assert!(means(&extended) == means(&expected), "{name}, {metric:?}");
        }
        let refused = of_dense.predict(&new, 0, run).unwrap_err();
        assert!(matches!(refused, Error::NeedsDense { .. }), "{refused}");
        let approximate = Predict::new(0).search(Search::Approximate).certainty(false);
        let refused = approximate.run(&model, &new, run).unwrap_err();
        assert!(matches!(refused, Error::UnsupportedSearch { .. }), "{refused}");
    }
}

/// All values of sparse rows, from their parts.
fn all_values(samples: &SparseSamples<'_>) -> Array2<f64> {
    let mut all = Array2::zeros((samples.len(), samples.features()));
    let (SparseIndices::I64(starts), SparseIndices::I32(columns), values) = samples.parts() else {
        panic!("a model has starts of 64 bits and columns of 32")
    };
    for (row, of_row) in starts.windows(2).enumerate() {
        for at in of_row[0] as usize..of_row[1] as usize {
            all[[row, columns[at] as usize]] = match values {
                SparseValues::F32(values) => f64::from(values[at]),
                SparseValues::F64(values) => values[at],
            };
        }
    }
    assert!(samples.all_values().eq(all.iter().copied()));
    all
}

fn wide(matrix: AnyMatrix<'_>) -> Array2<f64> {
    fn wide<A: Element>(matrix: ArrayView2<'_, A>) -> Array2<f64> {
        matrix.mapv(Element::to_f64)
    }
    match matrix {
        AnyMatrix::F64(matrix) => wide(matrix),
        AnyMatrix::F32(matrix) => wide(matrix),
        AnyMatrix::U8(matrix) => wide(matrix),
        _ => unreachable!("samples of these tests have other types"),
    }
}

#[test]
fn all_kinds_of_inputs_give_what_dense_rows_give() {
    for (name, matrix) in inputs(90, 11) {
        check(&name, &matrix);
        let sparse = matrix.mapv(|value| if value.fract().abs() < 0.6 { 0.0 } else { value });
        check(&name, &sparse);
        check_models(&name, &matrix);
        check_models(&name, &sparse);
        for (clusters, weighted) in [(1, false), (9, true), (90, false)] {
            check_described(&name, &sparse, clusters, weighted);
        }
    }
}

/// Texts of few words out of many: a word comes up about as often as its rank says. Some texts are
/// empty, some are there twice, and some share no word with any other.
fn texts<A: Element>(random: &mut Random, value: impl Fn(&mut Random) -> A) -> Array2<A> {
    let (samples, features) = (138, 1_205);
    let mut matrix = Array2::from_elem((samples, features), A::default());
    for text in 0..samples {
        match text % 23 {
            4 => {}
            7 | 8 => matrix[[text, features - 1 - text]] = value(random),
            15 if text > 30 => {
                let copy = matrix.row(text - 30).to_owned();
                matrix.row_mut(text).assign(&copy);
            }
            _ => (0..1 + random.below(30)).for_each(|_| {
                let rank = (1_000f64).powf(random.uniform()) as usize - 1;
                matrix[[text, (rank * 389) % (features - 138)]] = value(random);
            }),
        }
    }
    matrix
}

#[test]
fn texts_give_what_dense_rows_give() {
    let random = &mut Random(5);
    let singles = texts(random, |random| random.uniform() as f32);
    check("singles", &singles);
    check_described("singles", &singles, 12, false);
    // A cluster of so many samples that a part of them stands for all.
    let many = Array2::from_shape_fn((1_100, 6), |_| random.below(4).saturating_sub(1) as f32);
    check_described("many", &many, 1, false);
    check_models("singles", &singles);
    for (name, matrix) in [
        ("ones", texts(random, |_| 1.0)),
        ("signs", texts(random, |random| random.uniform() - 0.5)),
        ("huge", texts(random, |random| random.uniform() * 1e139)),
        ("tiny", texts(random, |random| (random.uniform() - 0.1) * 1e-139)),
    ] {
        check(name, &matrix);
        check_described(name, &matrix, 12, true);
        check_models(name, &matrix);
    }
}

/// Rows that are added to a hierarchy of the first ones, few of them and many.
fn check_extended<A: Element>(name: &str, matrix: &Array2<A>)
where
    for<'a> &'a [A]: Into<SparseValues<'a>>,
{
    let rows = Rows::of(matrix);
    let all = rows.samples();
    for &metric in metrics_of(matrix) {
        let finch = Finch::new().metric(metric);
        for finch in [finch, finch.keep_neighbors(5), finch.search(Search::Brute)] {
            let anew = finch.fit(&all).unwrap();
            for first in [1, 40, 75, all.len() - 2, all.len()] {
                let before = Rows::of(&matrix.slice(s![..first, ..]).to_owned());
                let parts = (&before.starts[..], &before.columns[..], &before.values[..]);
                // Values of some rows alone may all be too small to be samples.
                let Ok(before) = SparseSamples::new(all.features(), parts.0, parts.1, parts.2)
                else {
                    continue;
                };
                let run = &mut Run::new().threads(1 + first % 2);
                let before = finch.fit_with(&before, run).unwrap();
                let extended = finch.extend(&before, &all, run).unwrap();
                let context = format!("{name}, {metric:?}, {first} first");
                assert!(extended == anew, "{context}");
                let choice = extended.first_neighbors().choice().unwrap();
                let few = first > all.len() / 2 && choice.search != Search::Brute;
                assert_eq!(choice.reason == Reason::Extended, few, "{context}");
            }
        }
    }
}

#[test]
fn extending_is_clustering_anew() {
    let random = &mut Random(3);
    check_extended("singles", &texts(random, |random| random.uniform() as f32));
    check_extended("ones", &texts(random, |_| 1.0));
    for (name, matrix) in inputs(90, 5) {
        check_extended(&name, &matrix.mapv(|value| if value < 0.5 { 0.0 } else { value }));
    }
}

/// Neighbours that an approximate search may have missed are not found by extending.
#[test]
fn what_an_approximate_search_missed_is_told() {
    let random = &mut Random(9);
    let words = Array2::from_shape_fn((900, 400), |_| (random.uniform() - 0.97).max(0.0) as f32);
    let [all, before] = [Rows::of(&words), Rows::of(&words.slice(s![..860, ..]).to_owned())];
    let finch = Finch::new().search(Search::Approximate).recall(0.5);
    let hierarchy = finch.fit(&before.samples()).unwrap();
    let old = hierarchy.first_neighbors().choice().unwrap();
    assert_eq!(old.search, Search::Approximate);
    let extended = finch.extend(&hierarchy, &all.samples(), &mut Run::new()).unwrap();
    let new = extended.first_neighbors().choice().unwrap();
    assert_eq!((new.search, new.reason, new.recall), (old.search, Reason::Extended, old.recall));
}

/// More features than are worth a column each, and more than anybody could hold.
#[test]
fn features_may_be_many() {
    let random = &mut Random(8);
    let texts = texts(random, |random| random.uniform());
    let rows = Rows::of(&texts);
    let near = Finch::new().metric(Metric::Cosine).refinable(Linkage::Neighbor);
    for features in [70_000, i32::MAX as usize] {
        let step = (features / texts.ncols()) as i64;
        let columns: Vec<i64> = rows.columns.iter().map(|column| column * step + 5).collect();
        let samples =
            SparseSamples::new(features, &rows.starts[..], &columns[..], &rows.values[..]).unwrap();
        let found = near.fit(&samples).unwrap();
        let nothing: (&[i64], &[i64], &[f32]) = (&[0; 4], &[], &[]);
        let nothing = SparseSamples::new(features, nothing.0, nothing.1, nothing.2).unwrap();
        assert_eq!(near.fit(&nothing).unwrap().finest().labels(), [0, 0, 0]);
        let brute = near.search(Search::Brute).fit(&samples).unwrap();
        assert_eq!(found, brute);
    }
}

#[test]
fn bad_rows_are_refused() {
    let of = |features, starts: &[i64], columns: &[i32], values: &[f64]| {
        SparseSamples::new(features, starts, columns, values).map(|samples| samples.len())
    };
    let fault = |fault| Err(Error::InvalidSparse { fault });
    assert_eq!(of(3, &[0, 2, 3], &[0, 2, 1], &[1.0, 2.0, 3.0]), Ok(2));
    assert_eq!(of(3, &[0, 0, 0], &[], &[]), Ok(2));
    assert_eq!(of(3, &[], &[], &[]), fault(SparseFault::NoStarts));
    assert_eq!(of(3, &[0], &[], &[]), Err(Error::NoSamples));
    assert_eq!(of(0, &[0, 0], &[], &[]), Err(Error::NoFeatures));
    let features = 1 << 31;
    assert_eq!(of(features, &[0, 0], &[], &[]), fault(SparseFault::TooManyFeatures { features }));
    assert_eq!(of(3, &[1, 1], &[0], &[1.0]), fault(SparseFault::FirstStart { start: 1 }));
    let falls = SparseFault::Falls { row: 1, start: 2, end: 1 };
    assert_eq!(of(3, &[0, 2, 1], &[0, 1], &[1.0, 2.0]), fault(falls));
    let falls = SparseFault::Falls { row: 0, start: 0, end: -1 };
    assert_eq!(of(3, &[0, -1], &[0, 1], &[1.0, 2.0]), fault(falls));
    let length = |end, columns, values| fault(SparseFault::Length { end, columns, values });
    assert_eq!(of(3, &[0, 2], &[0], &[1.0]), length(2, 1, 1));
    assert_eq!(of(3, &[0, 1], &[0, 1], &[1.0]), length(1, 2, 1));
    assert_eq!(of(3, &[0, 1], &[0], &[1.0, 2.0]), length(1, 1, 2));
    assert_eq!(of(3, &[0, i64::MAX], &[0], &[1.0]), length(i64::MAX, 1, 1));
    for column in [3, -1] {
        let beyond = SparseFault::NoSuchFeature { row: 1, column: i64::from(column), features: 3 };
        assert_eq!(of(3, &[0, 1, 2], &[0, column], &[1.0, 2.0]), fault(beyond));
    }
    for column in [1, 2] {
        let unsorted = SparseFault::Unsorted { row: 0, before: 2, column };
        assert_eq!(of(3, &[0, 2], &[2, column as i32], &[1.0, 2.0]), fault(unsorted));
    }
    let wrong = |value| of(3, &[0, 1, 2], &[0, 2], &[1.0, value]).unwrap_err();
    assert!(matches!(wrong(f64::NAN), Error::NonFinite { row: 1, column: 2, .. }));
    assert!(matches!(wrong(f64::INFINITY), Error::NonFinite { row: 1, column: 2, .. }));
    assert_eq!(wrong(1e141), Error::TooLarge { row: 1, column: 2, value: 1e141 });
    assert_eq!(of(3, &[0, 1], &[0], &[1e-150]), Err(Error::TooSmall { largest: 1e-150 }));
    let wide = SparseSamples::new(3, &[0_i64, 1][..], &[1_i64 << 33][..], &[1.0_f32][..]);
    let beyond = SparseFault::NoSuchFeature { row: 0, column: 1 << 33, features: 3 };
    assert_eq!(wide.unwrap_err(), Error::InvalidSparse { fault: beyond });
    let _: [SparseIndices; 2] = [[0_i32][..].into(), [0_i64][..].into()];
}

#[test]
fn what_takes_dense_samples_says_so() {
    let starts: &[i32] = &[0, 1, 2, 3];
    let samples = SparseSamples::new(9, starts, &[0, 1, 2][..], &[1.0, 2.0, 3.0][..]).unwrap();
    for search in [Search::KdTree, Search::Projected] {
        let refused = Finch::new().search(search).fit(&samples);
        let reason = "it takes dense samples";
        let expected = Error::UnsupportedSearch { search: search.name(), reason };
        assert_eq!(refused.unwrap_err(), expected);
    }
    let explained = Finch::new().fit(&samples).unwrap().first_neighbors().choice().unwrap();
    assert_eq!(explained.to_string(), "blocked search, since the samples are sparse");
}

/// Jaccard distances of sets, each of a few words out of a million: equal sets, sets that share no word with
/// another, and none; of sets that are as far from many, the first is nearest.
#[test]
fn sets_of_few_features_out_of_many_are_compared() {
    let random = &mut Random(21);
    let features = 1_000_000;
    let (mut starts, mut columns) = (vec![0_i64], Vec::new());
    for set in 0..400 {
        let mut words: Vec<i32> = (0..random.below(6) + set % 3)
            .map(|_| (1_000f64.powf(random.uniform()) as i32) * 977 % features)
            .collect();
        words.sort_unstable();
        words.dedup();
        columns.extend(words);
        starts.push(columns.len() as i64);
    }
    let ones = vec![1.0_f32; columns.len()];
    let samples =
        SparseSamples::new(features as usize, &starts[..], &columns[..], &ones[..]).unwrap();
    let set = |row: usize| &columns[starts[row] as usize..starts[row + 1] as usize];
    for metric in [Metric::Jaccard, Metric::Hamming] {
        let distance = |a: &[i32], b: &[i32]| {
            let both = a.iter().filter(|word| b.contains(word)).count();
            let differing = (a.len() + b.len() - 2 * both) as f64;
            match metric {
                Metric::Hamming => differing / f64::from(features),
                _ if differing == 0.0 => 0.0,
                _ => differing / (a.len() + b.len() - both) as f64,
            }
        };
        for search in [Search::Auto, Search::Brute, Search::Blocked] {
            let finch = Finch::new().metric(metric).search(search);
            let found = finch.first_neighbors(&samples, &mut Run::new()).unwrap();
            for row in 0..samples.len() {
                let others = (0..samples.len()).filter(|&other| other != row);
                let expected = others
                    .map(|other| (distance(set(row), set(other)), other))
                    .min_by(|a, b| a.partial_cmp(b).unwrap())
                    .unwrap();
                let found = (found.distance()[row], found.index()[row] as usize);
                assert_eq!(found, expected, "{metric}, {search:?}, {row}");
            }
        }
    }
    let approximate = Finch::new().metric(Metric::Jaccard).search(Search::Approximate);
    let refused = approximate.fit(&samples).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedSearch { .. }), "{refused}");
}

#[test]
fn a_callback_can_stop_it() {
    let texts = texts(&mut Random(2), |_| 1.0);
    let rows = Rows::of(&texts);
    let mut told = 0;
    let count = |_| {
        told += 1;
        std::ops::ControlFlow::Continue(())
    };
    Finch::new().fit_with(&rows.samples(), &mut Run::new().progress(count)).unwrap();
    assert!(told > 3);
    for calls in [0, 1, 2] {
        let run = &mut Run::new().progress(stop_after(calls));
        assert_eq!(Finch::new().fit_with(&rows.samples(), run).unwrap_err(), Error::Cancelled);
    }
}
