use ndarray::Array2;

use super::*;
use crate::partition::Partition;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::random::scrambled;
use crate::support::union_find::Sets;
use crate::{Error, LinkBound, Linkage, Refine, Samples, TimeFault};

/// The figures of the definition for some clusters: sums and sizes, and sums of times.
struct Clusters {
    sums: Array2<f64>,
    times: Vec<f64>,
    sizes: Vec<f64>,
    /// Clusters in the order of time, where they are segments.
    segments: Option<Vec<usize>>,
    metric: Metric,
}

impl Clusters {
    fn of(
        matrix: &Array2<f64>,
        times: &[f64],
        contiguous: bool,
        at: &Partition,
        metric: Metric,
    ) -> Self {
        let clusters = at.clusters();
        let mut sums = Array2::zeros((clusters, matrix.ncols()));
        let (mut of_times, mut sizes) = (vec![0.0; clusters], vec![0.0; clusters]);
        for (sample, &cluster) in at.labels().iter().enumerate() {
            let cluster = cluster as usize;
            let mut sum = sums.row_mut(cluster);
            sum += &matrix.row(sample);
            of_times[cluster] += times[sample];
            sizes[cluster] += 1.0;
        }
        let segments = contiguous.then(|| {
            let mut order: Vec<usize> = (0..times.len()).collect();
            order.sort_by(|&a, &b| times[a].total_cmp(&times[b]).then(a.cmp(&b)));
            let mut segments: Vec<usize> =
                order.iter().map(|&sample| at.labels()[sample] as usize).collect();
            segments.dedup();
            assert_eq!(segments.len(), clusters, "clusters are contiguous");
            segments
        });
        Self { sums, times: of_times, sizes, segments, metric }
    }

    /// The weighted key of two clusters, then the key; `None` where they may not be linked.
    fn nearness(&self, a: usize, b: usize) -> Option<(f64, f64)> {
        if let Some(segments) = &self.segments {
            let place = |x| segments.iter().position(|&segment| segment == x).unwrap();
            if place(a).abs_diff(place(b)) > 1 {
                return None;
            }
        }
        let mean = |c: usize| &self.sums.row(c) / self.sizes[c];
        let means = ndarray::stack![ndarray::Axis(0), mean(a), mean(b)];
        let rows = Rows::new(AnyMatrix::F64(means.view()), self.metric);
        let mut loaded = [(); 2].map(|()| vec![0.0; means.ncols()]);
        loaded.iter_mut().enumerate().for_each(|(row, out)| rows.load(row, out));
        let key = self.metric.key(&loaded[0], &loaded[1]);
        let apart = (self.times[a] / self.sizes[a] - self.times[b] / self.sizes[b]).abs();
        let weighted = match self.metric {
            _ if key == f64::INFINITY => key,
            Metric::Euclidean => key * (apart * apart),
            Metric::Cosine | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => key * apart,
        };
        Some((weighted, key))
    }

    /// None under cosine of a zero row that is the only one, nor of a mean without a direction.
    fn first_neighbor(&self, a: usize) -> Option<usize> {
        let are_means = self.sizes.iter().any(|&size| size > 1.0);
        let is_zero = self.sums.row(a).iter().all(|&sum| sum == 0.0);
        if self.metric == Metric::Cosine && are_means && is_zero {
            return None;
        }
        let others = (0..self.sizes.len()).filter(|&b| b != a);
        let near = others.filter_map(|b| Some((self.nearness(a, b)?, b)));
        let near = near.filter(|&((_, key), _)| key < f64::INFINITY);
        Some(near.min_by(|x, y| x.partial_cmp(y).unwrap())?.1)
    }
}

fn partitions_by_definition(
    matrix: &Array2<f64>,
    times: &[f64],
    contiguous: bool,
    metric: Metric,
) -> Vec<Partition> {
    let alone: Vec<usize> = (0..times.len()).collect();
    let mut partitions = vec![Partition::new(&alone).unwrap()];
    loop {
        let newest = partitions.last().unwrap();
        let clusters = Clusters::of(matrix, times, contiguous, newest, metric);
        let mut sets = Sets::new(newest.clusters());
        for cluster in 0..newest.clusters() {
            if let Some(neighbor) = clusters.first_neighbor(cluster) {
                sets.join(cluster as u32, neighbor as u32);
            }
        }
        let merged = Partition::of_sets(sets);
        let ends = merged.clusters() == 1 || merged.clusters() == newest.clusters();
        if ends && partitions.len() > 1 {
            break;
        }
        partitions.push(newest.coarsened(&merged));
        if ends {
            break;
        }
    }
    partitions.remove(0);
    partitions
}

/// All pairs anew for each merge.
fn refined_by_definition(
    mut clusters: Clusters,
    start: &Partition,
    ward: bool,
    wanted: usize,
) -> Partition {
    let mut labels = start.labels().to_vec();
    let mut left: Vec<usize> = (0..start.clusters()).collect();
    while left.len() > wanted {
        let pairs = left.iter().flat_map(|&b| left.iter().map(move |&a| (a, b)));
        let near = pairs.filter(|(a, b)| a < b).filter_map(|(a, b)| {
            let (weighted, key) = clusters.nearness(a, b)?;
            let [m, n] = [clusters.sizes[a], clusters.sizes[b]];
            let height = |key: f64| match ward {
                true => m * n / (m + n) * clusters.metric.squared(key),
                false => key,
            };
            Some((height(weighted), height(key), a, b))
        });
        let (_, _, a, b) = near.min_by(|x, y| x.partial_cmp(y).unwrap()).unwrap();
        let gone = clusters.sums.row(b).to_owned();
        let mut kept = clusters.sums.row_mut(a);
        kept += &gone;
        clusters.times[a] += clusters.times[b];
        clusters.sizes[a] += clusters.sizes[b];
        if let Some(segments) = &mut clusters.segments {
            segments.retain(|&segment| segment != b);
        }
        labels.iter_mut().filter(|label| **label == b as u32).for_each(|label| *label = a as u32);
        left.retain(|&cluster| cluster != b);
    }
    Partition::new(&labels).unwrap()
}

fn noise(number: usize) -> f64 {
    (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64
}

/// Samples and stamps: a stream, noise at any time, ties, few stamps, equal rows, equal stamps.
fn data(kind: usize, samples: usize, features: usize) -> (Array2<f64>, Vec<f64>) {
    let random = |i: usize, j: usize| noise(kind * 100_000 + i * 17 + j);
    let value = |(i, j): (usize, usize)| match kind {
        0 => ((i / 7 % 3 + j) % 3) as f64 + 0.3 * random(i, j),
        1 | 3 => random(i, j) - 0.5,
        2 => (random(i, j) * 4.0).floor() - 1.0,
        4 => (i % 5 * (j + 1)) as f64,
        _ => (random(i, j) * 3.0).floor(),
    };
    let stamp = |i: usize| match kind {
        0 => i as f64,
        1 | 4 => 1e3 * random(i, 11),
        2 => (i * 7 % samples) as f64 / 2.0,
        3 => (random(i, 11) * 6.0).floor(),
        _ => 4.5,
    };
    (Array2::from_shape_fn((samples, features), value), (0..samples).map(stamp).collect())
}

#[test]
fn clusters_by_definition() {
    for (kind, features, metric) in (0..6)
        .flat_map(|kind| [1, 3, 9].map(|features| (kind, features)))
        .flat_map(|(kind, features)| {
            Metric::OF_NUMBERS.iter().map(move |&metric| (kind, features, metric))
        })
    {
        let samples = [2, 3, 41, 90][(kind + features) % 4];
        let (matrix, stamps) = data(kind, samples, features);
        let rows = Samples::new(matrix.view()).unwrap();
        let first = stamps.iter().copied().fold(f64::INFINITY, f64::min);
        let last = stamps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let span = if last > first { last - first } else { 1.0 };
        let times: Vec<f64> = stamps.iter().map(|stamp| (stamp - first) / span).collect();
        for contiguous in [false, true] {
            let context = format!("{kind}, {features}, {metric:?}, {contiguous}");
            let of_times = Times::new(&stamps).contiguous(contiguous);
            let finch = Finch::new().metric(metric);
            let hierarchy = finch.fit_timed(&rows, of_times, &mut Run::new()).unwrap();
            let expected = partitions_by_definition(&matrix, &times, contiguous, metric);
            assert_eq!(hierarchy.partitions(), expected, "{context}");
            let start = hierarchy.finest();
            for (linkage, wanted) in
                [(Linkage::Neighbor, 1), (Linkage::Ward, 2), (Linkage::Ward, 1)]
            {
                let wanted = wanted.min(start.clusters());
                let ward = linkage == Linkage::Ward;
                let clusters = Clusters::of(&matrix, &times, contiguous, start, metric);
                let by_definition = refined_by_definition(clusters, start, ward, wanted);
                let refine = Refine::new(wanted).linkage(linkage).from(0);
                assert_eq!(refine.run(&rows, &hierarchy).unwrap(), by_definition, "{context}");
                if start.clusters() > 4 {
                    let clusters = Clusters::of(&matrix, &times, contiguous, start, metric);
                    let by_definition = refined_by_definition(clusters, start, ward, 4);
                    let refine = Refine::new(4).linkage(linkage).from(0);
                    assert_eq!(refine.run(&rows, &hierarchy).unwrap(), by_definition);
                }
            }
        }
    }
}

/// By any search, on any number of threads, of narrow and wide rows.
#[test]
fn every_search_finds_the_same() {
    for (kind, features) in [(0, 2), (1, 12), (3, 9), (0, 70)] {
        let (matrix, stamps) = data(kind, 700, features);
        let matrix = matrix.mapv(|value| value as f32);
        let rows = Samples::new(matrix.view()).unwrap();
        let fit = |search, threads| {
            let finch = Finch::new().metric(Metric::Cosine).search(search);
            let run = &mut Run::new().threads(threads);
            finch.fit_timed(&rows, Times::new(&stamps), run).unwrap()
        };
        let expected = fit(Search::Brute, 1);
        for search in [Search::Auto, Search::KdTree, Search::Blocked, Search::Projected] {
            if features >= 8 || search != Search::Projected {
                assert_eq!(fit(search, 3), expected, "{kind}, {search:?}");
            }
        }
    }
}

/// Segments under rules, and split.
#[test]
fn clusters_of_segments_are_contiguous() {
    let (matrix, stamps) = data(0, 120, 3);
    let rows = Samples::new(matrix.view()).unwrap();
    let times = Times::new(&stamps).contiguous(true);
    let run = &mut Run::new();
    let hierarchy = Finch::new().fit_timed(&rows, times, run).unwrap();
    assert!(hierarchy.finest().clusters() < 80);
    let apart = [[40, 41]];
    for refine in [
        Refine::new(5),
        Refine::new(80),
        Refine::new(5).min_size(12),
        Refine::new(14).max_size(30),
        Refine::new(4).cannot_link(&apart),
    ] {
        let found = refine.run_with(&rows, &hierarchy, run).unwrap();
        let changes = found.labels().windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes + 1, found.clusters(), "{refine:?}");
    }
    let pair = [[0, 119]];
    let torn = Refine::new(2).must_link(&pair).run_with(&rows, &hierarchy, run);
    let fault = TimeFault::Apart { what: "joining must-link pairs" };
    assert_eq!(torn, Err(Error::InvalidTimes { fault }));
}

/// The bound of links is that of weighted distances.
#[test]
fn links_are_bounded_by_weighted_distances() {
    let (matrix, stamps) = data(0, 200, 2);
    let rows = Samples::new(matrix.view()).unwrap();
    let finch = Finch::new().link_bound(LinkBound::FirstNeighbor);
    let hierarchy = finch.fit_timed(&rows, Times::new(&stamps), &mut Run::new()).unwrap();
    let free = Finch::new().fit_timed(&rows, Times::new(&stamps), &mut Run::new()).unwrap();
    assert_eq!(hierarchy.finest(), free.finest());
    assert!(hierarchy.coarsest().clusters() >= free.coarsest().clusters());
    let longest = hierarchy.first_neighbors().distance().iter().fold(0.0, |a, &b| f64::max(a, b));
    assert!(longest < 0.02, "a step in time is 1/199: {longest}");
}

#[test]
fn times_that_are_unsound_or_ignored_are_refused() {
    let (matrix, mut stamps) = data(0, 30, 2);
    let rows = Samples::new(matrix.view()).unwrap();
    let run = &mut Run::new();
    let finch = Finch::new();
    let timed = finch.fit_timed(&rows, Times::new(&stamps), run).unwrap();
    assert_ne!(timed, finch.fit_timed(&rows, Times::new(&stamps).contiguous(true), run).unwrap());
    let ignored = |what| Error::InvalidTimes { fault: TimeFault::Ignored { what } };
    assert_eq!(timed.suggest(&rows).unwrap_err(), ignored("a suggestion"));
    let extended = finch.extend(&timed, &rows, run).unwrap_err();
    assert_eq!(extended, ignored("extending a hierarchy"));
    let model = crate::Model::new(timed, &rows, Vec::new(), run).unwrap_err();
    assert_eq!(model, ignored("a model"));
    let approximate = finch.search(Search::Approximate).fit_timed(&rows, Times::new(&stamps), run);
    assert!(matches!(approximate, Err(Error::UnsupportedSearch { .. })));
    let few = finch.fit_timed(&rows, Times::new(&stamps[..29]), run);
    assert_eq!(few, Err(Error::SampleCount { expected: 30, found: 29 }));
    for bad in [f64::NAN, f64::NEG_INFINITY, 1e141] {
        stamps[3] = bad;
        let unsound = finch.fit_timed(&rows, Times::new(&stamps), run).unwrap_err();
        let fault = |fault: &TimeFault| matches!(fault, TimeFault::NotFinite { sample: 3, .. });
        assert!(matches!(&unsound, Error::InvalidTimes { fault: of } if fault(of)));
    }
    let one = matrix.slice(ndarray::s![..1, ..]);
    let one = Samples::new(one).unwrap();
    for contiguous in [false, true] {
        let times = Times::new(&[5.0]).contiguous(contiguous);
        let alone = finch.fit_timed(&one, times, run).unwrap();
        assert_eq!(alone.cluster_counts(), [1]);
    }
}
