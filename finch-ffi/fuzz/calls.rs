//! Calls of the C ABI, made of any bytes: matrices of any type, shape and strides, options of any
//! value. Used by the fuzzer, and by a test on the cases that it found interesting.
//!
//! A matrix that can exist gets exactly the memory that it describes, so that a read beyond shows.
//! The description of a matrix that cannot exist must be refused.

use std::ptr;

use finch::finch_status::*;
use finch::*;

/// Bytes as choices; zeros when they run out.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn wild(&mut self) -> i64 {
        i64::from_le_bytes([(); 8].map(|()| self.byte()))
    }

    /// A small number, or rarely any.
    fn number(&mut self, below: i64) -> i64 {
        match self.byte() {
            255 => self.wild(),
            254 => {
                [i64::MAX, i64::MIN, -1, i64::MAX / 8, 1 << 31, 1 << 62][self.byte() as usize % 6]
            }
            byte => i64::from(byte) % below,
        }
    }

    fn value(&mut self) -> f64 {
        match self.byte() {
            255 => f64::NAN,
            254 => f64::INFINITY,
            253 => -1e141,
            252 => 1e-150,
            251 => f64::from_bits(self.wild() as u64),
            250 => -0.0,
            byte => f64::from(byte % 32) / 4.0,
        }
    }
}

/// A matrix, and the memory that it lies in.
struct Matrix {
    view: finch_matrix,
    _memory: Vec<Box<[f64]>>,
}

const MOST_ELEMENTS: i128 = 4096;

impl Matrix {
    /// None for a matrix of more memory than a case should take, unless no memory could hold it.
    fn choose(choices: &mut Choices) -> Option<Self> {
        let element = choices.number(3) as i32;
        let (rows, columns) = (choices.number(40) as usize, choices.number(24) as usize);
        let (row_stride, column_stride) = match choices.byte() % 4 {
            0 => (columns as isize, 1),
            1 => (1, rows as isize),
            2 => (choices.number(50) as isize, choices.number(5) as isize),
            _ => {
                let back = [50, 5].map(|below| (choices.number(below) as isize).wrapping_neg());
                (back[0], back[1])
            }
        };
        let size = match element {
            0 => 4,
            1 => 8,
            _ => 1,
        };
        let reach =
            |len: usize, stride: isize| (len as i128 - 1).max(0).saturating_mul(stride as i128);
        let reaches = [reach(rows, row_stride), reach(columns, column_stride)];
        let below: i128 = reaches.iter().map(|reach| -(*reach).clamp(-(1 << 100), 0)).sum();
        let above: i128 = reaches.iter().map(|reach| (*reach).clamp(0, 1 << 100)).sum();
        let span = below + above + 1;
        let mut view =
            finch_matrix { data: ptr::null(), rows, columns, row_stride, column_stride, element };
        if span > MOST_ELEMENTS {
            let impossible =
                span.saturating_mul(size) > isize::MAX as i128 || rows > i32::MAX as usize;
            // An address that must not be read.
            view.data = ptr::without_provenance(1 << 40);
            return impossible.then_some(Self { view, _memory: Vec::new() });
        }
        if choices.byte() == 255 {
            return Some(Self { view, _memory: Vec::new() });
        }
        let values: Box<[f64]> = (0..span).map(|_| choices.value()).collect();
        let bytes: Vec<u8> = match element {
            0 => values.iter().flat_map(|&value| (value as f32).to_ne_bytes()).collect(),
            1 => values.iter().flat_map(|value| value.to_ne_bytes()).collect(),
            _ => values.iter().map(|&value| value as u8).collect(),
        };
        // Aligned for all types, and ending where the elements end.
        let words = bytes.len().div_ceil(8);
        let mut memory = vec![0.0f64; words].into_boxed_slice();
        let slack = words * 8 - bytes.len();
        // SAFETY: `words` f64 hold as many bytes.
        unsafe {
            let start = memory.as_mut_ptr().cast::<u8>().add(slack);
            start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            view.data = start.add(below as usize * size as usize).cast();
        }
        Some(Self { view, _memory: vec![memory] })
    }
}

fn options(choices: &mut Choices) -> finch_options {
    // SAFETY: a struct of numbers and of a function that may be null.
    let mut options: finch_options = unsafe { std::mem::zeroed() };
    // SAFETY: `options` is as large as the size that is passed.
    assert_eq!(unsafe { finch_options_init(&mut options, size_of::<finch_options>()) }, FINCH_OK);
    let changes = choices.byte();
    let mut change = |bit: u8, field: &mut i32, below| {
        if changes & bit != 0 {
            *field = choices.number(below) as i32;
        }
    };
    change(1, &mut options.metric, 3);
    change(2, &mut options.link_bound, 3);
    change(4, &mut options.search, 4);
    change(8, &mut options.linkage, 3);
    if changes & 16 != 0 {
        options.from = choices.number(3) as isize;
    }
    if changes & 32 != 0 {
        let byte = choices.byte();
        options.threads = (byte % 3).into();
        // 0, 1, or rarely 2, which must be refused.
        options.refinable = (byte / 120).into();
    }
    if changes & 64 != 0 {
        options.recall = choices.value();
        options.seed = choices.wild() as u64;
    }
    if changes & 128 != 0 && choices.byte() > 200 {
        options.size = choices.number(200) as usize;
        // What is beyond our own struct is not ours to promise.
        options.size = options.size.min(size_of::<finch_options>());
    }
    options
}

fn known(status: finch_status) -> bool {
    let number = status as i32;
    assert!((0..=36).contains(&number), "status {number}");
    assert!(!matches!(status, FINCH_PANIC | FINCH_FAILED | FINCH_OUT_OF_MEMORY), "{status:?}");
    status == FINCH_OK
}

pub(crate) fn make(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let options = options(&mut choices);
    let Some(matrix) = Matrix::choose(&mut choices) else { return };
    // SAFETY: the matrix has the memory that it describes, or describes what must be refused.
    unsafe {
        let mut hierarchy = ptr::null_mut();
        if known(finch_cluster(&matrix.view, &options, &mut hierarchy)) {
            check(&mut choices, &matrix.view, &options, hierarchy);
            finch_hierarchy_free(hierarchy);
        } else {
            assert!(hierarchy.is_null());
        }
    }
}

/// # Safety
/// The hierarchy is that of the samples.
unsafe fn check(
    choices: &mut Choices,
    samples: &finch_matrix,
    options: &finch_options,
    hierarchy: *mut finch_hierarchy,
) {
    // SAFETY: outputs are as large as they are said to be.
    unsafe {
        let rows = finch_hierarchy_sample_count(hierarchy);
        assert_eq!(rows, samples.rows);
        let partitions = finch_hierarchy_partition_count(hierarchy);
        let labels = |partition| {
            std::slice::from_raw_parts(finch_hierarchy_labels(hierarchy, partition), rows)
        };
        for partition in 0..partitions {
            let clusters = finch_hierarchy_cluster_count(hierarchy, partition);
            expect_clusters(labels(partition), clusters);
            assert!(
                partition == 0
                    || clusters < finch_hierarchy_cluster_count(hierarchy, partition - 1)
            );
        }

        // The same by brute force, and from the building blocks.
        let brute = finch_options { search: 1, ..*options };
        let neighbors = if rows == 1 { 0 } else { rows };
        let (mut index, mut key) = (vec![-1; rows], vec![0.0; rows]);
        let found =
            finch_first_neighbors(samples, &brute, index.as_mut_ptr(), key.as_mut_ptr(), rows);
        assert!(known(found));
        // Of a single sample there are none.
        let expected = match finch_hierarchy_first_neighbors(hierarchy) {
            none if none.is_null() => &[],
            some => std::slice::from_raw_parts(some, neighbors),
        };
        assert_eq!(index[..neighbors], *expected);
        index.fill(-1);
        let tree = options.search == 2;
        let updated = finch_update_neighbors(
            samples,
            0,
            samples,
            0,
            options,
            index.as_mut_ptr(),
            key.as_mut_ptr(),
            rows,
        );
        assert_eq!(known(updated), !tree, "{updated:?}");
        if updated == FINCH_OK && rows > 1 {
            assert_eq!(index, expected);
        }
        let mut given = ptr::null_mut();
        let neighbors = expected.len();
        let clustered =
            finch_cluster_given(samples, expected.as_ptr(), neighbors, options, &mut given);
        assert!(known(clustered));
        assert_eq!(finch_hierarchy_partition_count(given), partitions);

        // Any number of clusters, into any room.
        let clusters = choices.number(45) as usize;
        let capacity = choices.byte() as usize;
        let mut refined = vec![-7; capacity];
        let status = finch_hierarchy_refine(
            hierarchy,
            samples,
            clusters,
            options,
            refined.as_mut_ptr(),
            capacity,
        );
        if known(status) {
            expect_clusters(&refined[..rows], clusters);
            // Merging takes the same neighbours, kept or not. (Splitting takes distances, of which
            // those to given neighbours may differ in the last bit.)
            if clusters <= finch_hierarchy_cluster_count(given, 0) {
                let mut again = vec![-7; capacity];
                let labels = again.as_mut_ptr();
                let status =
                    finch_hierarchy_refine(given, samples, clusters, options, labels, capacity);
                assert!(known(status) && again == refined);
            }
            assert!(refined[rows..].iter().all(|&label| label == -7));
            let mut scores = std::mem::zeroed();
            let scored = finch_score(
                refined.as_ptr(),
                labels(0).as_ptr(),
                rows,
                &mut scores,
                size_of::<finch_scores>(),
            );
            assert!(known(scored) && (0.0..=1.0).contains(&scores.nmi));
        } else {
            assert!(refined.iter().all(|&label| label == -7));
        }
        finch_hierarchy_free(given);
        check_trees(samples, options, hierarchy);

        // Means into exactly enough room.
        let room = finch_hierarchy_cluster_count(hierarchy, 0) * samples.columns;
        let mut means = vec![f64::NAN; room];
        assert!(known(finch_hierarchy_means(
            hierarchy,
            0,
            samples,
            options,
            means.as_mut_ptr(),
            room
        )));
        assert!(means.iter().all(|mean| mean.is_finite()));

        check_weighted(choices, samples, options);
        check_timed(choices, samples, options);
    }
}

/// # Safety
/// The samples can be clustered by the options.
unsafe fn check_weighted(choices: &mut Choices, samples: &finch_matrix, options: &finch_options) {
    let rows = samples.rows;
    // Mostly small numbers, and whole ones.
    let weights: Vec<f64> = (0..rows).map(|_| (choices.value() * 8.0).abs() + 0.5).collect();
    let mut weighted = ptr::null_mut();
    // SAFETY: outputs are as large as they are said to be.
    unsafe {
        let status =
            finch_cluster_weighted(samples, weights.as_ptr(), rows, options, &mut weighted);
        let sum: f64 = weights.iter().sum();
        // Also false for NaN.
        let sound = sum < 9_007_199_254_740_992.0;
        assert_eq!(known(status), sound, "{status:?} {sum}");
        if !sound {
            assert!(weighted.is_null());
            return;
        }
        let labels = std::slice::from_raw_parts(finch_hierarchy_labels(weighted, 0), rows);
        expect_clusters(labels, finch_hierarchy_cluster_count(weighted, 0));
        let clusters = 1 + choices.byte() as usize % rows;
        let options = finch_options { from: -1, ..*options };
        let mut refined = vec![-7; rows];
        let output = refined.as_mut_ptr();
        let status = finch_hierarchy_refine(weighted, samples, clusters, &options, output, rows);
        assert!(known(status));
        expect_clusters(&refined, clusters);
        finch_hierarchy_free(weighted);
    }
}

/// # Safety
/// The samples can be clustered by the options.
unsafe fn check_timed(choices: &mut Choices, samples: &finch_matrix, options: &finch_options) {
    let rows = samples.rows;
    let times: Vec<f64> = (0..rows).map(|_| choices.value()).collect();
    let sound = times.iter().all(|time| time.abs() <= 1e140);
    let exact = options.search != finch_search::FINCH_SEARCH_APPROXIMATE as i32;
    for contiguous in 0..2 {
        let mut timed = ptr::null_mut();
        // SAFETY: outputs are as large as they are said to be.
        unsafe {
            let status =
                finch_cluster_timed(samples, times.as_ptr(), rows, contiguous, options, &mut timed);
            assert_eq!(known(status), sound && exact, "{status:?}");
            if timed.is_null() {
                return;
            }
            let clusters = 1 + choices.byte() as usize % rows;
            let options = finch_options { from: -1, ..*options };
            let mut refined = vec![-7; rows];
            let output = refined.as_mut_ptr();
            assert!(known(finch_hierarchy_refine(
                timed, samples, clusters, &options, output, rows
            )));
            expect_clusters(&refined, clusters);
            finch_hierarchy_free(timed);
        }
    }
}

/// Trees need no samples. A suggestion has as many clusters as the cut that it comes from.
///
/// # Safety
/// The hierarchy is that of the samples.
unsafe fn check_trees(
    samples: &finch_matrix,
    options: &finch_options,
    hierarchy: *mut finch_hierarchy,
) {
    // SAFETY: outputs are as large as they are said to be.
    unsafe {
        let rows = samples.rows;
        let expect_tree = |tree: *mut finch_tree| {
            assert_eq!(finch_tree_leaf_count(tree), rows);
            let mut linkage = vec![f64::NAN; 4 * (rows - 1)];
            let written = finch_tree_linkage(tree, linkage.as_mut_ptr(), linkage.len());
            assert!(known(written) && linkage.iter().all(|value| value.is_finite()));
            assert!(linkage.chunks(4).is_sorted_by(|below, above| below[2] <= above[2]));
            finch_tree_free(tree);
        };
        let (mut tree, mut dendrogram) = (ptr::null_mut(), ptr::null_mut());
        assert!(known(finch_tree_of_hierarchy(hierarchy, &mut tree)));
        expect_tree(tree);

        let (mut clusters, mut partition) = (0, 0);
        let found = finch_hierarchy_suggestion(
            hierarchy,
            samples,
            options,
            &mut dendrogram,
            &mut clusters,
            &mut partition,
        );
        assert!(known(found) && partition < finch_hierarchy_partition_count(hierarchy));
        let labels = finch_dendrogram_suggested(dendrogram);
        expect_clusters(std::slice::from_raw_parts(labels, rows), clusters);
        assert_eq!(*finch_dendrogram_best(dendrogram), clusters);
        let mut cut = vec![-7; rows];
        assert!(known(finch_dendrogram_cut(dendrogram, clusters, cut.as_mut_ptr(), rows)));
        expect_clusters(&cut, clusters);
        assert!(known(finch_tree_of_dendrogram(dendrogram, hierarchy, &mut tree)));
        finch_dendrogram_free(dendrogram);
        expect_tree(tree);
    }
}

/// Labels from 0 to so many clusters, by first appearance.
fn expect_clusters(labels: &[i32], clusters: usize) {
    let mut next = 0;
    for &label in labels {
        assert!((0..=next).contains(&label));
        next += i32::from(label == next);
    }
    assert_eq!(next as usize, clusters);
}
