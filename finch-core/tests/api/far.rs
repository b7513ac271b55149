//! Every exact search gives what brute force gives, bit for bit, where rows are far apart for how near
//! others are: a matrix product in f32 rounds what tells the near ones apart.

use std::ops::Range;

use finch_core::{Element, Finch, Metric, Nearest, Neighbors, Run, Samples, Search, Shard};
use ndarray::{Array2, ArrayView2, s};

const ROWS: usize = 900;
const COLUMNS: usize = 20;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ (self.0 >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

/// Noise of a variance of about 1.
fn noise(random: &mut Random) -> f64 {
    let uniform = (0..4).map(|_| random.next() as f64 / 2f64.powi(32) - 0.5);
    1.7 * uniform.sum::<f64>()
}

fn noise_matrix(random: &mut Random) -> Array2<f64> {
    Array2::from_shape_fn((ROWS, COLUMNS), |_| noise(random))
}

/// Noise of this width about so many centres, and about as many again around each, nearer by 1,000.
fn groups(random: &mut Random, [count, nested]: [usize; 2], width: f64) -> Array2<f64> {
    let centers = Array2::from_shape_fn((count, COLUMNS), |_| noise(random));
    let nearer = Array2::from_shape_fn((count * nested, COLUMNS), |_| noise(random) / 1e3);
    let mut matrix = noise_matrix(random) * width;
    for mut row in matrix.outer_iter_mut() {
        let [group, within] = [count, nested].map(|count| random.below(count));
        row += &centers.row(group);
        row += &nearer.row(group * nested + within);
    }
    matrix
}

/// Noise, of which one in `every` rows has a cell of this value.
fn filled(random: &mut Random, every: usize, value: f64) -> Array2<f64> {
    let mut matrix = noise_matrix(random);
    for row in (7..ROWS).step_by(every) {
        matrix[[row, random.below(COLUMNS)]] = value;
    }
    matrix
}

fn data() -> Vec<(&'static str, Array2<f64>)> {
    let random = &mut Random(5);
    let mut column = noise_matrix(random);
    column.column_mut(3).mapv_inplace(|value| value * 1e6);
    let mut long = noise_matrix(random);
    long.column_mut(5).mapv_inplace(|value| (9.0 * value).exp());
    let mut few = groups(random, [2, 1], 1e-4);
    (0..3).for_each(|row| few.row_mut(300 * row).mapv_inplace(|value| value - 90.0));
    vec![
        ("one cell", filled(random, ROWS, 1e20)),
        ("one cell, hardly squared", filled(random, ROWS, 1e139)),
        ("a cell of 1 in 100", filled(random, 100, 1e20)),
        ("a cell of 1 in 3", filled(random, 3, -1e30)),
        ("a missing cell of 1 in 50", filled(random, 50, -9_999.0)),
        ("a wide column", column),
        ("a long column", long),
        ("two groups", groups(random, [2, 1], 1e-3)),
        ("two groups and three rows", few),
        ("two tight groups", groups(random, [2, 1], 1e-9)),
        ("ten groups", groups(random, [10, 1], 1e-4)),
        ("a hundred groups", groups(random, [100, 1], 1e-5)),
        ("groups of groups", groups(random, [3, 4], 1e-6)),
        ("a spot far away", noise_matrix(random) * 1e-4 + 1e6),
        ("tiny groups", groups(random, [2, 1], 1e-3) * 1e-100),
    ]
}

fn nearest<A: Element>(
    matrix: ArrayView2<'_, A>,
    metric: Metric,
    search: Search,
    k: usize,
) -> Neighbors {
    let samples = Samples::new(matrix).unwrap();
    let finch = Finch::new().metric(metric).search(search);
    finch.nearest_neighbors(&samples, k, &mut Run::new()).unwrap()
}

#[test]
fn searches_agree_where_rows_are_far_apart() {
    for (name, matrix) in data() {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let oracle = nearest(matrix.view(), metric, Search::Brute, 5);
            for search in [Search::Blocked, Search::Projected, Search::KdTree] {
                if metric == Metric::Manhattan && search == Search::Projected {
                    continue;
                }
                for k in [1, 5] {
                    let found = nearest(matrix.view(), metric, search, k);
                    let context = format!("{name}, {metric:?}, {search:?}, {k}");
                    assert_eq!(found, oracle.nearest(k).unwrap(), "{context}");
                }
            }
            // By columns in memory, and in f32, where fewer rows differ.
            let matrix = matrix.mapv(|value| value.clamp(-1e30, 1e30) as f32);
            let oracle = nearest(matrix.view(), metric, Search::Brute, 5);
            let columns = matrix.t().as_standard_layout().into_owned();
            let found = nearest(columns.t(), metric, Search::Blocked, 5);
            assert_eq!(found, oracle, "{name}, {metric:?}, columns");
        }
    }
}

/// Shards of uneven size, each searched in all others.
#[test]
fn shards_agree_where_rows_are_far_apart() {
    for (name, matrix) in data() {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let oracle = nearest(matrix.view(), metric, Search::Brute, 1);
            let finch = Finch::new().metric(metric).search(Search::Blocked);
            let parts = [0..3, 3..600, 600..ROWS];
            let shard = |part: &Range<usize>| {
                let rows = matrix.slice(s![part.clone(), ..]);
                Shard { samples: Samples::new(rows).unwrap(), first: part.start }
            };
            let mut lists = vec![Nearest::NONE; ROWS];
            for (queries, base) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))) {
                let nearest = &mut lists[queries.clone()];
                let (queries, base) = (shard(queries), shard(base));
                finch.update_nearest(&queries, &base, nearest, &mut Run::new()).unwrap();
            }
            let index: Vec<u32> = lists.iter().map(|nearest| nearest.index).collect();
            assert_eq!(index, oracle.index().column(0).to_vec(), "{name}, {metric:?}");
        }
    }
}
