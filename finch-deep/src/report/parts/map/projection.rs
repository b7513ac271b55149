//! The places of samples on the map: their embedding in two dimensions.

use bhtsne::{Neighbor, tSNE};
use finch_core::{Finch, Metric, Run, Samples};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::data::Matrix;

/// The perplexity of t-SNE where there are samples enough: the usual one.
const PERPLEXITY: usize = 30;

/// With fewer samples, neighbourhoods of which t-SNE could make a map are most of the samples.
const FEWEST_FOR_TSNE: usize = 10;

/// Steps of gradient descent. The map of 5,000 samples hardly changes after them.
const STEPS: usize = 600;

/// The accuracy of forces: cells of the tree count as points where they look smaller than this,
/// the value of van der Maaten 2014.
const THETA: f32 = 0.5;

/// Some or all samples, in two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Projection {
    /// The samples, rising.
    pub(in crate::report) samples: Vec<usize>,
    /// Where they are, in [0, 1]², with 0 and 1 taken in the wider direction.
    pub(in crate::report) points: Vec<[f64; 2]>,
    /// The method that placed the points.
    pub(in crate::report) method: Method,
    /// The values that the two features of samples have, where points are placed by them.
    pub(in crate::report) plane: Option<Plane>,
}

/// The values of two features on the map.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Plane {
    /// The least value of each.
    pub(in crate::report) low: [f64; 2],
    /// The greatest value of each.
    pub(in crate::report) high: [f64; 2],
}

impl Plane {
    fn new(points: &[[f64; 2]]) -> Self {
        let [low, high] = bounds(points);
        Self { low, high }
    }

    /// A point of the unit square whose coordinate along an axis is that of a value.
    pub(in crate::report) fn point(&self, axis: usize, value: f64) -> [f64; 2] {
        let Self { low, high } = self;
        let extent = f64::max(high[0] - low[0], high[1] - low[1]);
        let mut point = [0.0; 2];
        point[axis] = 0.5 + (value - low[axis] / 2.0 - high[axis] / 2.0) / extent;
        point
    }
}

/// The kind of map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Method {
    /// t-SNE (van der Maaten & Hinton 2008; Barnes-Hut: van der Maaten 2014), from the two principal
    /// components on (Kobak & Berens 2019).
    Tsne { perplexity: usize },
    /// The two principal components: of few samples, or where t-SNE fails.
    Principal,
    /// The two features that samples have.
    Plane,
}

impl Projection {
    /// Projects N samples, or `most` of them that the seed chooses. None if there is nothing to see:
    /// fewer than two samples, all in one place, or values that f32 has not.
    pub(in crate::report) fn new(
        matrix: &Matrix<'_>,
        n: usize,
        metric: Metric,
        most: usize,
        seed: u64,
    ) -> Option<Self> {
        let samples = draw(n, most, seed);
        let mut values = Vec::new();
        for &sample in &samples {
            values.extend(matrix.row(sample).into_iter().map(|value| value as f32));
        }
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let features = values.len().checked_div(samples.len())?;
        let drawn = Array2::from_shape_vec((samples.len(), features), values).ok()?;
        // By angles, the plane is not what samples are near in.
        if features == 2 && metric != Metric::Cosine {
            let values: Vec<[f64; 2]> =
                drawn.outer_iter().map(|row| [row[0].into(), row[1].into()]).collect();
            let plane = Some(Plane::new(&values));
            let points = to_unit_square(values)?;
            return Some(Self { samples, points, method: Method::Plane, plane });
        }
        let principal = principal_components(drawn.view(), seed);
        let (points, method) = match tsne(drawn.view(), metric, &principal) {
            Some((points, perplexity)) => (points, Method::Tsne { perplexity }),
            None => (principal, Method::Principal),
        };
        Some(Self { samples, points: to_unit_square(points)?, method, plane: None })
    }
}

/// `most` of the numbers below n, or all, rising: Knuth's algorithm S (The Art of Computer
/// Programming, section 3.4.2).
fn draw(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut drawn = Vec::with_capacity(n.min(most));
    for number in 0..n {
        if random.next() % ((n - number) as u64) < (most.min(n) - drawn.len()) as u64 {
            drawn.push(number);
        }
    }
    drawn
}

/// SplitMix64 (Steele, Lea & Flood 2014): enough for drawing samples.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

/// N × 2: the samples along the two directions of most variance, by subspace iteration. The
/// direction of more variance is first; a direction without variance gives zeros.
fn principal_components(samples: ArrayView2<'_, f32>, seed: u64) -> Vec<[f64; 2]> {
    let mut centred = samples.mapv(f64::from);
    if let Some(means) = centred.mean_axis(Axis(0)) {
        centred -= &means;
    }
    // Squares of what is within ±1 do not overflow.
    let largest = centred.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest > 0.0 {
        centred /= largest;
    }
    let mut random = Random(seed);
    let mut axes: [Array1<f64>; 2] = std::array::from_fn(|_| {
        Array1::from_shape_simple_fn(centred.ncols(), || {
            random.next() as f64 / u64::MAX as f64 - 0.5
        })
    });
    // The map begins here and moves on: some digits are enough.
    for _ in 0..30 {
        axes = axes.map(|axis| centred.t().dot(&centred.dot(&axis)));
        normalise(&mut axes[0]);
        let [first, second] = &mut axes;
        let along = first.dot(second);
        second.scaled_add(-along, first);
        normalise(second);
    }
    let [x, y] = axes.map(|axis| centred.dot(&axis));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

/// Scales an axis to length 1, but leaves zeros alone.
fn normalise(axis: &mut Array1<f64>) {
    let length = axis.dot(axis).sqrt();
    // The rest of a direction without variance is rounding.
    *axis *= if length > 1e-12 { length.recip() } else { 0.0 };
}

/// The map by t-SNE from a first map, and its perplexity. None where t-SNE fails.
fn tsne(
    samples: ArrayView2<'_, f32>,
    metric: Metric,
    first: &[[f64; 2]],
) -> Option<(Vec<[f64; 2]>, usize)> {
    let n = samples.nrows();
    if n < FEWEST_FOR_TSNE {
        return None;
    }
    let perplexity = PERPLEXITY.min((n - 1) / 3);
    let neighbors = neighbors(samples, metric, 3 * perplexity)?;
    // The first map is so small that all samples begin within reach of each other.
    let variance = first.iter().map(|point| point[0] * point[0]).sum::<f64>() / n as f64;
    let scale = if variance > 0.0 { 1e-4 / variance.sqrt() } else { 0.0 };
    let mut random = Random(n as u64);
    // Without noise, equal samples would never part.
    let mut start =
        |value: f64| (value * scale + 1e-6 * (random.next() as f64 / u64::MAX as f64 - 0.5)) as f32;
    let first: Vec<f32> = first.iter().flatten().map(|&value| start(value)).collect();
    let data = vec![(); n];
    let run = || {
        let mut map: tSNE<'_, f32, (), 2> = tSNE::new(&data);
        map.perplexity(perplexity as f32).epochs(STEPS).initial_embedding(first);
        map.barnes_hut_with_neighbors(THETA, &neighbors).embedding()
    };
    // The sums of t-SNE depend on how work is split between threads, and one thread never splits
    // it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
    let map = pool.install(run);
    let map = Array2::from_shape_vec((n, 2), map).ok()?;
    let finite = map.iter().all(|value| value.is_finite());
    let points = map.outer_iter().map(|point| [point[0].into(), point[1].into()]);
    finite.then(|| (points.collect(), perplexity))
}

/// The largest distance under cosine.
const FARTHEST: f64 = 2.0;

/// The k nearest of each sample. None if there are no distances: of equal samples, or where the
/// metric has none.
fn neighbors(
    samples: ArrayView2<'_, f32>,
    metric: Metric,
    k: usize,
) -> Option<Vec<Vec<Neighbor<f32>>>> {
    let samples = Samples::new(samples).ok()?;
    let nearest =
        Finch::new().metric(metric).nearest_neighbors(&samples, k, &mut Run::new()).ok()?;
    let (index, distance) = (nearest.index(), nearest.distance());
    // Only ratios of distances matter, and these keep within f32.
    let there = || distance.iter().filter(|distance| distance.is_finite());
    let scale = there().sum::<f64>() / there().count().max(1) as f64;
    if scale <= 0.0 {
        return None;
    }
    let neighbor = |(&index, &distance): (&u32, &f64)| {
        let distance = match metric {
            // 1 − cos is the square of a length: that of the chord, but for a factor.
            Metric::Cosine => (distance / scale).sqrt(),
            _ => distance / scale,
        };
        Neighbor { index: index as usize, distance: distance as f32 }
    };
    let rows = index.outer_iter().zip(distance.outer_iter()).enumerate();
    let listed =
        |(sample, (index, distance)): (usize, (ArrayView1<'_, u32>, ArrayView1<'_, f64>))| {
            let count = nearest.count(sample);
            let near = index.iter().zip(distance).take(count).map(neighbor);
            // A zero row under cosine is as far from all rows as can be.
            let far = (0..samples.len() as u32)
                .filter(|&other| {
                    other as usize != sample && !index.iter().any(|&near| near == other)
                })
                .map(|other| neighbor((&other, &FARTHEST)));
            near.chain(far.take(k - count)).collect()
        };
    Some(rows.map(listed).collect())
}

/// The least and the greatest of each coordinate.
fn bounds(points: &[[f64; 2]]) -> [[f64; 2]; 2] {
    let bound = |start, choose: fn(f64, f64) -> f64| {
        points.iter().fold([start; 2], |bound: [f64; 2], point| {
            std::array::from_fn(|axis| choose(bound[axis], point[axis]))
        })
    };
    [bound(f64::INFINITY, f64::min), bound(f64::NEG_INFINITY, f64::max)]
}

/// Moved and scaled to fill [0, 1]² in the wider direction, and centred in the other. None if all
/// are in one place.
fn to_unit_square(mut points: Vec<[f64; 2]>) -> Option<Vec<[f64; 2]>> {
    let [low, high] = bounds(&points);
    let extent = (high[0] - low[0]).max(high[1] - low[1]);
    if !(extent > 0.0 && extent.is_finite()) {
        return None;
    }
    for point in &mut points {
        *point = std::array::from_fn(|axis| {
            0.5 + (point[axis] - low[axis] / 2.0 - high[axis] / 2.0) / extent
        });
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Samples around centres, in turn.
    fn blobs(n: usize, features: usize, centres: usize) -> Array2<f32> {
        let mut random = Random(7);
        let mut uniform = move || random.next() as f32 / u64::MAX as f32 - 0.5;
        let middles = Array2::from_shape_simple_fn((centres, features), &mut uniform) * 4.0;
        Array2::from_shape_fn((n, features), |(i, j)| middles[[i % centres, j]] + uniform())
    }

    fn project(embedding: &Array2<f32>) -> Projection {
        let projection = Projection::new(
            &Matrix::from(embedding.view()),
            embedding.nrows(),
            Metric::Euclidean,
            1_000,
            3,
        )
        .unwrap();
        assert_eq!(projection.points.len(), projection.samples.len());
        assert!(projection.points.iter().flatten().all(|value| (0.0..=1.0).contains(value)));
        projection
    }

    #[test]
    fn drawing() {
        assert_eq!(draw(4, 9, 1), [0, 1, 2, 3]);
        assert!(draw(0, 9, 1).is_empty());
        let drawn = draw(10_000, 100, 1);
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 100);
        assert!(drawn.is_sorted() && drawn[99] < 10_000);
        assert_ne!(drawn, draw(10_000, 100, 2));
        // Each number as often as any other: 100 draws of a tenth.
        let first = (0..1000).filter(|&seed| draw(10, 1, seed) == [0]).count();
        assert!((70..130).contains(&first), "{first}");
    }

    #[test]
    fn principal_axes() {
        // Along (3, 4) / 5 in the last two of five features, and a tenth of that across.
        let samples = Array2::from_shape_fn((101, 5), |(i, j)| {
            let (along, across) = (i as f32 - 50.0, if i % 2 == 0 { 5.0 } else { -5.0 });
            [7.0, 0.0, 0.0, 0.6 * along - 0.8 * across, 0.8 * along + 0.6 * across][j]
        });
        let points = principal_components(samples.view(), 1);
        let ratio = |i: usize| (points[i][0] - points[50][0]) / (points[100][0] - points[50][0]);
        assert!((ratio(75) - 0.5).abs() < 0.02 && (ratio(0) + 1.0).abs() < 0.02);
        assert!(points.windows(2).all(|pair| pair[0][1] * pair[1][1] < 0.0));
        // One direction only.
        let line = Array2::from_shape_fn((9, 3), |(i, j)| (i * (j + 1)) as f32 * 1e30);
        let points = principal_components(line.view(), 1);
        assert!(points.iter().all(|point| point[1].abs() < 1e-9 && point[0].is_finite()));
    }

    #[test]
    fn the_same_whatever_the_threads() {
        let embedding = blobs(1_500, 32, 6);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| project(&embedding))
        };
        let one = with(1);
        assert_eq!(one.method, Method::Tsne { perplexity: 30 });
        assert_eq!(one.samples.len(), 1_000);
        for threads in [1, 2, 4] {
            assert_eq!(with(threads), one);
        }
    }

    #[test]
    fn clusters_stay_together() {
        let embedding = blobs(600, 32, 6);
        let Projection { points, .. } = project(&embedding);
        let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        for (sample, &point) in points.iter().enumerate() {
            let others = (0..600).filter(|&other| other != sample);
            let nearest = others
                .min_by(|&a, &b| distance(points[a], point).total_cmp(&distance(points[b], point)));
            assert_eq!(nearest.unwrap() % 6, sample % 6);
        }
    }

    #[test]
    fn degenerate() {
        let project = |embedding: Array2<f32>| {
            Projection::new(
                &Matrix::from(embedding.view()),
                embedding.nrows(),
                Metric::Euclidean,
                100,
                1,
            )
        };
        assert_eq!(project(Array2::zeros((0, 4))), None);
        assert_eq!(project(Array2::zeros((4, 0))), None);
        assert_eq!(project(Array2::ones((1, 4))), None);
        assert_eq!(project(Array2::ones((50, 4))), None);
        let mut broken = blobs(20, 4, 2);
        broken[[3, 3]] = f32::NAN;
        assert_eq!(project(broken), None);
        for n in 2..14 {
            let few = project(blobs(n, 3, 2)).unwrap();
            assert_eq!(few.points.len(), n);
            let tsne = matches!(few.method, Method::Tsne { .. });
            assert_eq!(tsne, n >= FEWEST_FOR_TSNE, "{n}");
        }
        // Most samples equal, huge, tiny, and of one feature.
        let mostly =
            Array2::from_shape_fn((90, 3), |(i, j)| if i < 80 { 1.0 } else { (i * j) as f32 });
        for embedding in [mostly, blobs(90, 4, 3) * 1e37, blobs(90, 4, 3) * 1e-30, blobs(90, 1, 3)]
        {
            let projection = project(embedding).unwrap();
            assert!(projection.points.iter().flatten().all(|value| value.is_finite()));
        }
        let two_places = Array2::from_shape_fn((200, 3), |(i, _)| (i % 2) as f32);
        let projection = project(two_places).unwrap();
        assert!(projection.points.iter().flatten().all(|value| value.is_finite()));
    }

    #[test]
    fn two_features_are_a_map() {
        let samples = ndarray::array![[1.0f32, 7.0], [3.0, 8.0], [2.0, 7.5]];
        let project = |metric| Projection::new(&samples.view().into(), 3, metric, 9, 1).unwrap();
        let plane = project(Metric::Manhattan);
        assert_eq!(plane.method, Method::Plane);
        assert_eq!(plane.points, [[0.0, 0.25], [1.0, 0.75], [0.5, 0.5]]);
        assert_eq!(project(Metric::Cosine).method, Method::Principal);
    }
}
