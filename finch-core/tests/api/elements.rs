//! Samples of each element type give what the same values give as f32, or as f64, bit for bit.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    BitSamples, ClusterSums, Describe, Element, ElementType, Error, Finch, Linkage, Metric, Model,
    Nearest, NumberedNearest, NumberedSamples, Partition, Predict, Refine, Run, Samples, Search,
    Shard, SparseSamples, Times, bf16, f16,
};
use ndarray::{Array2, ArrayView2, ShapeBuilder, array, s};

const METRICS: [Metric; 3] = [Metric::Euclidean, Metric::Cosine, Metric::Manhattan];

/// The same values in another type.
fn converted<A: Element>(matrix: ArrayView2<'_, A>) -> Array2<f32> {
    matrix.mapv(|value| value.to_f64() as f32)
}

/// All that is made of samples, for a matrix and for the same values as f32.
fn check<A: Element>(name: &str, matrix: ArrayView2<'_, A>) {
    let single = converted(matrix);
    let narrow = &Samples::new(matrix).unwrap();
    let wide = &Samples::new(single.view()).unwrap();
    let run = &mut Run::new();
    let count = narrow.len();
    for metric in METRICS {
        let context = format!("{name} of {:?}, {metric}", std::any::type_name::<A>());
        let all =
            [Search::Brute, Search::KdTree, Search::Blocked, Search::Approximate, Search::Auto];
        let has_axes =
            metric != Metric::Manhattan && narrow.features() >= Search::PROJECTED_FEATURES;
        for search in all.into_iter().chain(has_axes.then_some(Search::Projected)) {
            let finch = Finch::new().metric(metric).search(search);
            for k in [1, 7] {
                let [of_narrow, of_wide] = [
                    finch.nearest_neighbors(narrow, k, run),
                    finch.nearest_neighbors(wide, k, run),
                ]
                .map(Result::unwrap);
                assert_eq!(of_narrow, of_wide, "{context}, {search}, {k}");
            }
        }
        let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
        let [of_narrow, of_wide] = [finch.fit(narrow), finch.fit(wide)].map(Result::unwrap);
        assert_eq!(of_narrow, of_wide, "{context}");
        for linkage in [Linkage::Neighbor, Linkage::Ward] {
            let refine = Refine::new(3).linkage(linkage);
            assert_eq!(
                refine.run(narrow, &of_narrow).unwrap(),
                refine.run(wide, &of_wide).unwrap(),
                "{context}, {linkage}"
            );
        }
        let finest = of_narrow.finest();
        assert_eq!(
            format!("{:?}", finest.means(narrow).unwrap()),
            format!("{:?}", finest.means(wide).unwrap()),
            "{context}"
        );
        let described = [
            Describe::new(3).run(narrow, finest, metric, run),
            Describe::new(3).run(wide, finest, metric, run),
        ];
        let [of_narrow_described, of_wide_described] = described.map(Result::unwrap);
        assert_eq!(of_narrow_described, of_wide_described, "{context}");
        let weights: Vec<f64> = (0..count).map(|i| 1.0 + (i % 4) as f64 / 2.0).collect();
        assert_eq!(
            finch.fit_weighted(narrow, &weights, run).unwrap(),
            finch.fit_weighted(wide, &weights, run).unwrap(),
            "{context}"
        );
        let first: Vec<u32> = (0..count as u32).map(|i| (i + 1) % count as u32).collect();
        assert_eq!(
            finch.fit_given(narrow, &first, run).unwrap(),
            finch.fit_given(wide, &first, run).unwrap(),
            "{context}"
        );
        check_models(&context, matrix, single.view(), &finch);
        assert_eq!(lists(narrow, &finch), lists(wide, &finch), "{context}");
    }
    assert_eq!(sums(narrow), sums(wide), "{name}");
}

/// Models of both, saved and loaded, asked for new samples, and grown.
fn check_models<A: Element>(
    context: &str,
    matrix: ArrayView2<'_, A>,
    single: ArrayView2<'_, f32>,
    finch: &Finch,
) {
    let run = &mut Run::new();
    let old = s![..matrix.nrows() * 2 / 3, ..];
    let new = s![matrix.nrows() * 2 / 3.., ..];
    // An old part that is all too small a number may be refused.
    let [narrow, new_narrow] = [old, new].map(|part| Samples::new(matrix.slice(part)).unwrap());
    let [wide, new_wide] = [old, new].map(|part| Samples::new(single.slice(part)).unwrap());
    let of_narrow = Model::new(finch.fit(&narrow).unwrap(), &narrow, Vec::new(), run).unwrap();
    let of_wide = Model::new(finch.fit(&wide).unwrap(), &wide, Vec::new(), run).unwrap();
    let [by_means, by_wide_means] = [
        Predict::new(0).run(&of_narrow, &new_narrow, run),
        Predict::new(0).run(&of_wide, &new_wide, run),
    ];
    assert_eq!(by_means.unwrap(), by_wide_means.unwrap(), "{context}");
    let of_narrow = of_narrow.keep_samples(&narrow).unwrap();
    let of_wide = of_wide.keep_samples(&wide).unwrap();
    let bytes = of_narrow.to_bytes().unwrap();
    let loaded = Model::from_bytes(&bytes).unwrap();
    assert_eq!(loaded.to_bytes().unwrap(), bytes, "{context}");
    assert_eq!(loaded.element(), of_narrow.element(), "{context}");
    assert_eq!(
        Predict::new(0).run(&loaded, &new_narrow, run).unwrap(),
        Predict::new(0).run(&of_wide, &new_wide, run).unwrap(),
        "{context}"
    );
    let [grown, grown_wide] =
        [loaded.extend(finch, &new_narrow, run), of_wide.extend(finch, &new_wide, run)]
            .map(Result::unwrap);
    assert_eq!(grown.hierarchy(), grown_wide.hierarchy(), "{context}");
    let approximate = Predict::new(0).search(Search::Approximate).certainty(false);
    assert_eq!(
        approximate.run(&loaded, &new_narrow, run).unwrap(),
        approximate.run(&of_wide, &new_wide, run).unwrap(),
        "{context}"
    );
}

/// The nearest of samples that come in two parts.
fn lists<A: Element>(
    samples: &Samples<'_, A>,
    finch: &Finch,
) -> (Vec<Nearest>, Vec<NumberedNearest>) {
    let count = samples.len();
    let mut nearest = vec![Nearest::NONE; count];
    let mut lists = vec![NumberedNearest::NONE; 3 * count];
    let numbers: Vec<i64> = (0..count as i64).collect();
    let queries = NumberedSamples::new(samples, &numbers).unwrap();
    let run = &mut Run::new();
    for (first, end) in [(0, count / 2), (count / 2, count)] {
        let part = Samples::new(samples.matrix().slice_move(s![first..end, ..])).unwrap();
        let base = NumberedSamples::new(&part, &numbers[first..end]).unwrap();
        finch.update_k_nearest(&queries, &base, 3, &mut lists, run).unwrap();
        let base = Shard { samples: part, first };
        let queries = Shard { samples: *samples, first: 0 };
        finch.update_nearest(&queries, &base, &mut nearest, run).unwrap();
    }
    (nearest, lists)
}

fn sums<A: Element>(samples: &Samples<'_, A>) -> (Vec<f64>, Vec<i64>) {
    let (mut sums, mut sizes) = (vec![0.0; 3 * samples.features()], vec![0; 3]);
    let labels: Vec<i32> = (0..samples.len() as i32).map(|i| i % 3).collect();
    ClusterSums { sums: &mut sums, sizes: &mut sizes }
        .add(samples, &labels, &mut Run::new())
        .unwrap();
    (sums, sizes)
}

/// A matrix in several layouts.
fn check_layouts<A: Element>(name: &str, matrix: &Array2<A>) {
    check(name, matrix.view());
    let mut by_columns = Array2::from_elem(matrix.raw_dim().f(), A::default());
    by_columns.assign(matrix);
    check(name, by_columns.view());
    let wide = Array2::from_shape_fn((matrix.nrows(), 2 * matrix.ncols()), |(i, j)| {
        matrix[(matrix.nrows() - 1 - i, j / 2)]
    });
    check(name, wide.slice(s![..;-1, ..;2]));
}

#[test]
fn each_type_gives_what_f32_gives() {
    // Values of the kinds of inputs that 16 bits hold, to at most a few digits.
    for (columns, rows) in [(3, 60), (20, 90)] {
        for (name, matrix) in inputs(rows, columns) {
            let small = matrix.iter().all(|value| value.abs() <= 60_000.0);
            let halves = matrix.mapv(f16::from_f64);
            if small && halves.iter().any(|&value| value != f16::ZERO) {
                check(&name, halves.view());
            }
            let brains = matrix.mapv(bf16::from_f64);
            if brains.iter().all(|value| value.is_finite()) && !name.starts_with("huge") {
                check(&name, brains.view());
            }
        }
    }
    let mut random = Random(7);
    for (levels, rows, columns) in [(256, 70, 5), (3, 90, 17), (1, 30, 2), (256, 300, 40)] {
        let mut bytes =
            Array2::from_shape_fn((rows, columns), |_| (random.below(levels) as i64 - 128) as i8);
        bytes.row_mut(rows / 2).fill(0);
        check_layouts("signed bytes", &bytes);
        check_layouts("bytes", &bytes.mapv(|value| (i16::from(value) + 128) as u8));
    }
    // All bits of 16-bit types: subnormal values, and the largest.
    let mut bits = || loop {
        let bits = random.next() as u16;
        if f16::from_bits(bits).is_finite() {
            break bits;
        }
    };
    let halves = Array2::from_shape_fn((120, 33), |_| f16::from_bits(bits()));
    check_layouts("any bits", &halves);
}

/// Samples of 0 and 1, in groups, with repeated rows and rows of zeros, and the same packed.
fn bits(count: usize, features: usize) -> [Array2<u8>; 2] {
    let mut random = Random(features as u64);
    let mut bytes = Array2::from_shape_fn((count, features), |_| random.below(2) as u8);
    for row in 9..count {
        for feature in 0..features {
            bytes[(row, feature)] = bytes[(row % 9, feature)] ^ u8::from(random.below(6) == 0);
        }
    }
    bytes.row_mut(count / 2).fill(0);
    bytes.row_mut(count / 3).fill(0);
    let last = bytes.row(count - 1).to_owned();
    bytes.row_mut(1).assign(&last);
    let packed = Array2::from_shape_fn((count, features.div_ceil(8)), |(row, byte)| {
        let mut bit = |bit: usize| match bytes.get((row, 8 * byte + bit)) {
            Some(value) => value << (7 - bit),
            // What is behind the last feature does not count.
            None => (random.below(2) as u8) << (7 - bit),
        };
        (0..8).fold(0, |bits, place| bits | bit(place))
    });
    [bytes, packed]
}

#[test]
fn bits_give_what_bytes_give() {
    let run = &mut Run::new();
    for (count, features) in [(40, 3), (130, 8), (260, 70), (500, 131)] {
        let [bytes, packed] = bits(count, features);
        let by_bytes = &Samples::new(bytes.view()).unwrap();
        let by_bits = &BitSamples::new(packed.view(), features).unwrap();
        for &metric in Metric::ALL {
            let context = format!("{count} of {features}, {metric}");
            for search in [Search::Brute, Search::Blocked, Search::Auto] {
                let finch = Finch::new().metric(metric).search(search);
                let oracle = Finch::new().metric(metric).search(Search::Brute);
                for k in [1, 6] {
                    let found = finch.nearest_neighbors(by_bits, k, run).unwrap();
                    let expected = oracle.nearest_neighbors(by_bytes, k, run).unwrap();
                    assert_eq!(found.index(), expected.index(), "{context}, {search}, {k}");
                    assert_eq!(found.distance(), expected.distance(), "{context}, {search}, {k}");
                }
            }
            let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
            let [of_bits, of_bytes] = [finch.fit(by_bits), finch.fit(by_bytes)].map(Result::unwrap);
            assert_eq!(of_bits.partitions(), of_bytes.partitions(), "{context}");
            for linkage in [Linkage::Neighbor, Linkage::Ward, Linkage::Centroid] {
                let refine = Refine::new(4).linkage(linkage);
                let expected = refine.run(by_bytes, &of_bytes).unwrap();
                assert_eq!(
                    refine.run(by_bits, &of_bits).unwrap(),
                    expected,
                    "{context}, {linkage}"
                );
            }
            let weights: Vec<f64> = (0..count).map(|i| 1.0 + (i % 4) as f64 / 2.0).collect();
            let [weighted, expected] = [
                finch.fit_weighted(by_bits, &weights, run),
                finch.fit_weighted(by_bytes, &weights, run),
            ]
            .map(Result::unwrap);
            assert_eq!(weighted.partitions(), expected.partitions(), "{context}");
            check_model_of_bits(&context, &finch, [bytes.view(), packed.view()]);
        }
    }
}

fn check_model_of_bits(context: &str, finch: &Finch, [bytes, packed]: [ArrayView2<'_, u8>; 2]) {
    let (run, features, old) = (&mut Run::new(), bytes.ncols(), 2 * bytes.nrows() / 3);
    let [old_bytes, new_bytes] =
        [s![..old, ..], s![old.., ..]].map(|part| Samples::new(bytes.slice_move(part)).unwrap());
    let [old_bits, new_bits] = [s![..old, ..], s![old.., ..]]
        .map(|part| BitSamples::new(packed.slice_move(part), features).unwrap());
    let of_bits = Model::new(finch.fit(&old_bits).unwrap(), &old_bits, Vec::new(), run).unwrap();
    let of_bytes = Model::new(finch.fit(&old_bytes).unwrap(), &old_bytes, Vec::new(), run).unwrap();
    let by_means = [of_bits.predict(&new_bits, 0, run), of_bytes.predict(&new_bytes, 0, run)];
    let [by_means, expected] = by_means.map(Result::unwrap);
    assert_eq!(by_means, expected, "{context}");
    let of_bits = of_bits.keep_samples(&old_bits).unwrap();
    let of_bytes = of_bytes.keep_samples(&old_bytes).unwrap();
    let loaded = Model::from_bytes(&of_bits.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded, of_bits, "{context}");
    assert_eq!(loaded.element(), Some(ElementType::Bits));
    let by_samples = [loaded.predict(&new_bits, 0, run), of_bytes.predict(&new_bytes, 0, run)];
    let [by_samples, expected] = by_samples.map(Result::unwrap);
    assert_eq!(by_samples, expected, "{context}");
    // Bytes are packed where they are of 0 and 1.
    assert_eq!(loaded.predict(&new_bytes, 0, run).unwrap(), expected, "{context}");
    let grown = loaded.extend(finch, &new_bits, run).unwrap();
    let expected = of_bytes.extend(finch, &new_bytes, run).unwrap();
    assert_eq!(grown.hierarchy().partitions(), expected.hierarchy().partitions(), "{context}");
}

#[test]
fn what_is_no_bit_is_refused() {
    let run = &mut Run::new();
    let points = array![[0.0, 1.0], [1.0, 1.0], [1.0, 0.5]];
    let samples = Samples::new(points.view()).unwrap();
    for metric in [Metric::Hamming, Metric::Jaccard] {
        let refused = Error::NotBinary { what: metric.name(), row: 2, column: 1, value: 0.5 };
        let finch = Finch::new().metric(metric);
        assert_eq!(finch.fit(&samples).unwrap_err(), refused);
        let mut lists = vec![Nearest::NONE; 3];
        let shard = Shard { samples, first: 0 };
        assert_eq!(finch.update_nearest(&shard, &shard, &mut lists, run).unwrap_err(), refused);
        let two = Partition::new(&[0, 0, 1]).unwrap();
        let described = Describe::new(1).run(&samples, &two, metric, run);
        assert_eq!(described.unwrap_err(), refused);
        assert_eq!(finch.fit_given(&samples, &[1, 0, 1], run).unwrap_err(), refused);
        let times = Times::new(&[0.0, 1.0, 2.0]).contiguous(true);
        assert_eq!(finch.fit_timed(&samples, times, run).unwrap_err(), refused);
        // Sparse rows with another value.
        let (starts, columns) = (&[0_i32, 1, 3, 5][..], &[1_i32, 0, 1, 0, 1][..]);
        let values = &[1.0_f64, 1.0, 1.0, 1.0, 0.5][..];
        let sparse = &SparseSamples::new(2, starts, columns, values).unwrap();
        assert_eq!(finch.fit(sparse).unwrap_err(), refused);
        assert_eq!(Describe::new(1).run(sparse, &two, metric, run).unwrap_err(), refused);
        assert_eq!(finch.fit_given(sparse, &[1, 0, 1], run).unwrap_err(), refused);
    }
    let bytes = array![[1_u8, 2], [3, 4]];
    assert_eq!(BitSamples::new(bytes.view(), 0).unwrap_err(), Error::NoFeatures);
    for features in [8, 17] {
        let width = usize::div_ceil(features, 8);
        assert_eq!(
            BitSamples::new(bytes.view(), features).unwrap_err(),
            Error::Shape { what: "packed bits", expected: [2, width], found: [2, 2] }
        );
    }
    assert_eq!(BitSamples::new(bytes.slice(s![..0, ..]), 16).unwrap_err(), Error::NoSamples);
}

#[test]
fn a_search_of_halves_can_be_stopped() {
    let points = Array2::from_shape_fn((500, 30), |(i, j)| f16::from_f64(((i * j) % 11) as f64));
    let samples = Samples::new(points.view()).unwrap();
    for search in [Search::Blocked, Search::KdTree, Search::Approximate] {
        let run = &mut Run::new().progress(stop_after(0));
        let stopped = Finch::new().search(search).fit_with(&samples, run);
        assert_eq!(stopped.unwrap_err(), Error::Cancelled, "{search}");
    }
}

#[test]
fn values_that_are_no_numbers_are_refused() {
    fn refused<A: Element>(bad: A, expected: f64) {
        let mut matrix = Array2::from_elem((40, 30), A::default());
        matrix[(31, 17)] = bad;
        let Err(Error::NonFinite { row, column, value }) = Samples::new(matrix.view()) else {
            panic!("{expected} was taken");
        };
        assert_eq!((row, column), (31, 17));
        assert!(value == expected || value.is_nan() && expected.is_nan());
    }
    refused(f16::NAN, f64::NAN);
    refused(f16::INFINITY, f64::INFINITY);
    refused(f16::NEG_INFINITY, f64::NEG_INFINITY);
    refused(f16::from_bits(0x7c01), f64::NAN);
    refused(bf16::NAN, f64::NAN);
    refused(bf16::NEG_INFINITY, f64::NEG_INFINITY);
    refused(bf16::from_bits(0xff81), f64::NAN);
}

/// Values of which most are 0 are searched as sparse ones in every type.
#[test]
fn an_approximate_search_of_few_ones_finds_the_same_in_every_type() {
    let (count, features) = (900, 200);
    let mut random = Random(5);
    let mut bytes = Array2::from_shape_fn((count, features), |_| 0_u8);
    for row in 0..count {
        for word in 0..9 {
            let word = if word < 6 { 40 * (row % 60) + word } else { random.below(features) };
            bytes[(row, word % features)] = 1;
        }
    }
    let bit =
        |row, feature| bytes.get((row, feature)).map_or(0, |value| value << (7 - feature % 8));
    let packed = Array2::from_shape_fn((count, features / 8), |(row, byte)| {
        (8 * byte..8 * byte + 8).fold(0, |bits, feature| bits | bit(row, feature))
    });
    let wide = bytes.mapv(f64::from);
    let run = &mut Run::new();
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let finch = Finch::new().metric(metric).search(Search::Approximate);
        let by_bytes = finch.nearest_neighbors(&Samples::new(bytes.view()).unwrap(), 3, run);
        let by_wide = finch.nearest_neighbors(&Samples::new(wide.view()).unwrap(), 3, run);
        let by_bits = &BitSamples::new(packed.view(), features).unwrap();
        let by_bits = finch.nearest_neighbors(by_bits, 3, run).unwrap();
        for found in [by_bytes, by_wide].map(Result::unwrap) {
            assert_eq!(found.choice(), by_bits.choice(), "{metric}");
            assert_eq!(found.index(), by_bits.index(), "{metric}");
            assert_eq!(found.distance(), by_bits.distance(), "{metric}");
        }
    }
}

/// By every value of the smaller types.
#[test]
fn a_type_holds_another_if_it_has_all_its_values() {
    let round = |element: ElementType, value: f64| match element {
        ElementType::F64 => value,
        ElementType::F32 => f64::from(value as f32),
        ElementType::F16 => f16::from_f64(value).to_f64(),
        ElementType::BF16 => bf16::from_f64(value).to_f64(),
        ElementType::I8 => f64::from(value as i8),
        ElementType::U8 => f64::from(value as u8),
        ElementType::Bits => f64::from(u8::from(value != 0.0)),
    };
    let values_of = |element: ElementType| -> Vec<f64> {
        let some = (0..=u16::MAX).map(|bits| match element {
            ElementType::F64 => f64::from_bits(u64::from(bits) << 44),
            ElementType::F32 => f64::from(f32::from_bits(u32::from(bits) << 14)),
            ElementType::F16 => f16::from_bits(bits).to_f64(),
            ElementType::BF16 => bf16::from_bits(bits).to_f64(),
            ElementType::I8 => f64::from(bits as i8),
            ElementType::U8 => f64::from(bits as u8),
            ElementType::Bits => f64::from(bits % 2),
        });
        some.filter(|value| value.is_finite()).collect()
    };
    for &held in ElementType::ALL {
        for &element in ElementType::ALL {
            let all = values_of(held).into_iter().all(|value| round(element, value) == value);
            assert_eq!(element.holds(held), all, "{element} of {held}");
        }
    }
}

#[test]
fn a_model_takes_types_that_its_own_holds() {
    let points = Array2::from_shape_fn((20, 3), |(i, j)| f16::from_f64(((i * 7 + j) % 9) as f64));
    let samples = Samples::new(points.view()).unwrap();
    let run = &mut Run::new();
    let hierarchy = Finch::new().fit(&samples).unwrap();
    let model = Model::new(hierarchy, &samples, Vec::new(), run).unwrap();
    let model = model.keep_samples(&samples).unwrap();
    let expected = model.predict(&samples, 0, run).unwrap();
    let bytes = points.mapv(|value| value.to_f64() as u8);
    let of_bytes = model.predict(&Samples::new(bytes.view()).unwrap(), 0, run).unwrap();
    assert_eq!(of_bytes, expected);
    let grown = model.extend(&Finch::new(), &Samples::new(bytes.view()).unwrap(), run).unwrap();
    assert_eq!((grown.element(), grown.hierarchy().samples()), (Some(ElementType::F16), 40));
    let singles = points.mapv(f32::from);
    let error = model.predict(&Samples::new(singles.view()).unwrap(), 0, run).unwrap_err();
    assert_eq!(error, Error::ElementType { expected: "f16", found: "f32" });
}
