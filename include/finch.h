// finch: clustering without a parameter, by first neighbours, for C and all that can call C.
//
// FINCH links each sample to its first neighbour, the sample nearest to it. Linked samples form a
// cluster. FINCH then links the means of the clusters in the same way, level by level, until one
// cluster would be left. The result is a hierarchy of partitions, from fine to coarse.
// M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First
// Neighbor Relations, CVPR 2019.
//
// The clusters that you want:
// - Suggestion. You do not know how many: finch_hierarchy_suggest takes the number that fits best,
//   and finch_hierarchy_suggestion also tells if the data has clusters at all.
// - Exactly K. You know how many: finch_hierarchy_refine merges the clusters that share the most
//   neighbours until K are left, or where means tell clusters better those of the nearest means.
// - Partition. You want levels of detail: finch_hierarchy_labels has partition 0, the finest, and
//   the next ones. The data decides how many clusters each has.
//
//     double x[6][2] = {{0, 0}, {0, 1}, {9, 9}, {9, 8}, {5, 0}, {5, 1}};
//     finch_matrix samples = finch_matrix_row_major(x, FINCH_F64, 6, 2);
//     finch_hierarchy *hierarchy;
//     if (finch_cluster(&samples, NULL, &hierarchy) != FINCH_OK) {
//         fprintf(stderr, "%s\n", finch_last_error_message());
//         return 1;
//     }
//     const int32_t *labels = finch_hierarchy_labels(hierarchy, 0);
//     printf("%d %d %d\n", labels[0], labels[2], labels[4]); // 0 1 2
//     finch_hierarchy_free(hierarchy);
//
// In reading order: finch_status (failures), finch_matrix (samples), finch_options (choices),
// finch_cluster (also with weights, times, or neighbours or distances of other programs),
// finch_hierarchy (the result), finch_warning (doubts about the result), finch_hierarchy_refine
// (exactly K clusters), finch_constraints (rules for these clusters), finch_hierarchy_suggest (the
// suggestion), finch_labels and finch_cluster_batch (labels alone, of one matrix or of many),
// finch_dendrogram (every K), finch_tree (for SciPy and other programs), finch_describe (the
// content of clusters), finch_hierarchy_noise and finch_hierarchy_membership (samples in none, and
// in several), finch_model (a hierarchy to save, and to label new samples by), and building blocks:
// finch_first_neighbors, finch_nearest_neighbors, finch_update_neighbors, finch_components and
// finch_score.
//
// Rules for every function, unless its comment says otherwise:
// - Numbers. Samples, features, partitions, clusters and levels are numbered from 0.
// - NULL. `options` may be NULL and then stands for the defaults. No other pointer may be NULL.
// - Results. If the handle is NULL, or has no such partition or labelling, a function without a
//   status returns 0 for a count, NULL for a pointer and -1 for a number. A pointer to no numbers
//   is NULL, too.
// - Outputs. A call writes outputs only if it succeeds. Your buffer has room for `capacity`
//   elements, which may be more than the call needs.
// - Ownership. A call borrows its arguments until it returns. You own a handle that a call makes,
//   such as a hierarchy: free it once. A pointer that a handle lends is valid until then. Handles
//   do not need each other: free them in any order.
// - Threads. You may call any function from any thread, while any other calls run; but do not free
//   a handle that another call uses. Results do not depend on threads. A call takes up to 64 KB of
//   its thread's stack. Its thread may not end before the call does: pthread_exit, or
//   pthread_cancel that takes effect, under a call ends the process.
// - Faults. NULL, misaligned pointers, impossible sizes, integers that are in no enum and values
//   that are not finite give a status and a message. finch prints nothing, and does not end the
//   process, but see Memory. You answer for this: memory is as large as the arguments say, a handle
//   has not been freed, a string ends with a zero, samples beside a hierarchy are those it was made
//   from, and floating-point exceptions are not trapped (feenableexcept): compilers compute ahead.
// - Memory. If the system refuses memory that grows with the samples, the call returns
//   FINCH_OUT_OF_MEMORY. A reserve of 16 MB serves small allocations that the system refuses. The
//   process still ends if the reserve is used up, if its stack cannot grow, if the C library has
//   no memory for a thread that starts (threads = 1 starts none), or if the system promised more
//   memory than it has.
// - Processes. After fork(), runs in the child start threads of their own, and give the same
//   results. The child can use a hierarchy of its parent. A child that is forked in a callback may
//   call finch, but not return from the callback: the threads of that run are its parent's.
//
// How the binary interface grows. Under one FINCH_ABI we add functions, status numbers, values of
// enums, and fields at the end of structs that say that they grow; we remove nothing, rename
// nothing, and give nothing another meaning. So a program runs with every library of its FINCH_ABI
// that is not older than its header, and may meet a status or stage that it does not know. Other
// changes raise FINCH_ABI.
//
// This file is generated from the sources of finch-ffi; changes belong there.


#ifndef FINCH_H
#define FINCH_H

#include <stddef.h>
#include <stdint.h>

/// The declaration of functions; a program may define FINCH_API first. On Windows, define
/// FINCH_STATIC to link the static library.
#ifndef FINCH_API
#if defined(_WIN32) && !defined(FINCH_STATIC)
#define FINCH_API __declspec(dllimport)
#elif defined(__GNUC__)
#define FINCH_API __attribute__((visibility("default")))
#else
#define FINCH_API
#endif
#endif

/// The major version of this header.
#define FINCH_VERSION_MAJOR 0
/// The minor version.
#define FINCH_VERSION_MINOR 1
/// The patch version.
#define FINCH_VERSION_PATCH 0
/// The number of the binary interface, and of the shared library's name (`libfinch.so.1`).
#define FINCH_ABI 1

/// The status that a call returns: 0 if all went well. Otherwise no output was written, and
/// `finch_last_error_message` says what was wrong. A later library may return other numbers.
typedef int32_t finch_status;
enum {
    /// All went well.
    FINCH_OK = 0,
    /// The progress callback asked to stop.
    FINCH_CANCELLED = 1,
    /// A bug in the library: please report it with the message.
    FINCH_PANIC = 2,
    /// An error without a number of its own: see the message.
    FINCH_FAILED = 3,
    /// A pointer is NULL that may not be NULL.
    FINCH_NULL_POINTER = 4,
    /// A pointer is not aligned for the type it points to.
    FINCH_MISALIGNED = 5,
    /// More bytes than addresses, or an unknown size of a struct.
    FINCH_INVALID_SIZE = 6,
    /// A stride is 0 along more than one row or column.
    FINCH_INVALID_STRIDE = 7,
    /// An integer is not in its enum, or a number out of its range.
    FINCH_INVALID_VALUE = 8,
    /// An output buffer has too little room.
    FINCH_BUFFER_TOO_SMALL = 9,
    /// The matrix has no rows.
    FINCH_NO_SAMPLES = 10,
    /// The matrix has no columns.
    FINCH_NO_FEATURES = 11,
    /// There are more samples than an int32_t can number.
    FINCH_TOO_MANY_SAMPLES = 12,
    /// A value is NaN or infinite: the message says where.
    FINCH_NON_FINITE = 13,
    /// A value is beyond 1e140: squared distances would overflow.
    FINCH_VALUE_TOO_LARGE = 14,
    /// No value reaches 1e-140: squared distances would vanish.
    FINCH_VALUES_TOO_SMALL = 15,
    /// The number of clusters asked for is not from 1 to N.
    FINCH_CLUSTER_COUNT = 16,
    /// The hierarchy has no partition, or the model no labelling, of this number.
    FINCH_NO_SUCH_PARTITION = 17,
    /// The partition to refine from has too few clusters.
    FINCH_TOO_COARSE = 18,
    /// The given first neighbours are not one for each sample.
    FINCH_NEIGHBOR_COUNT = 19,
    /// A given first neighbour is the sample itself, or no sample.
    FINCH_INVALID_NEIGHBOR = 20,
    /// The search does not serve this metric or number of features.
    FINCH_UNSUPPORTED_SEARCH = 21,
    /// Two inputs differ in their number of samples.
    FINCH_SAMPLE_COUNT = 22,
    /// Two inputs differ in their number of features.
    FINCH_FEATURE_COUNT = 23,
    /// Worker threads could not be started.
    FINCH_THREADS = 24,
    /// The system refused memory: the message says how many bytes.
    FINCH_OUT_OF_MEMORY = 25,
    /// A weight is not a finite number above 0: the message says which.
    FINCH_INVALID_WEIGHT = 26,
    /// A file could not be read or written: the message says which, and why.
    FINCH_IO = 27,
    /// The bytes are no saved model, or not as they were saved.
    FINCH_DAMAGED = 28,
    /// The model was saved in a format that this version of finch does not know.
    FINCH_MODEL_VERSION = 29,
    /// The call takes samples, and the model or the hierarchy was made without.
    FINCH_NEEDS_SAMPLES = 30,
    /// A given distance is no distance, or one that is looked at is not given: see the message.
    FINCH_INVALID_DISTANCE = 31,
    /// The dendrogram does not go to this number of clusters.
    FINCH_NO_SUCH_CUT = 32,
    /// Clusters cannot keep a rule of `finch_constraints`: the message names the pair or the size.
    FINCH_INVALID_CONSTRAINT = 33,
    /// Sparse rows are not sound: the message says where. Or the call takes dense matrices alone.
    FINCH_INVALID_SPARSE = 34,
    /// A row of a shard has a number or label that it cannot have: the message says which.
    FINCH_INVALID_SHARD = 35,
    /// A time stamp is not finite, or the call does not look at times: the message says which.
    FINCH_INVALID_TIMES = 36,
    /// A metric of 0 and 1, and a sample with another value: the message says where.
    FINCH_NOT_BINARY = 37,
    /// The samples are not those that were clustered: the message says which one tells.
    FINCH_OTHER_SAMPLES = 38,
};

/// The type of the elements of a matrix. All arithmetic is in double precision. Cluster means are
/// kept as double for samples of double, and rounded to float for other samples.
typedef int32_t finch_element;
enum {
    /// float
    FINCH_F32 = 0,
    /// double
    FINCH_F64 = 1,
    /// uint8_t, such as pixels
    FINCH_U8 = 2,
    /// half precision, IEEE 754 binary16: `_Float16` of compilers that have it, or its bits as
    /// uint16_t
    FINCH_F16 = 3,
    /// bfloat16, the upper half of a float, or its bits as uint16_t
    FINCH_BF16 = 4,
    /// int8_t, such as quantised embeddings
    FINCH_I8 = 5,
    /// sparse rows: `data` points to a `finch_csr`
    FINCH_CSR = 6,
    /// 0 and 1, eight values to a byte: the first is the highest bit, as NumPy's `packbits` has
    /// it. A row has ceil(d / 8) bytes; what is behind value d does not count. For calls that
    /// take sparse rows.
    FINCH_BITS = 7,
};

/// The distance of two samples.
typedef int32_t finch_metric;
enum {
    /// The root of the sum of squared differences.
    FINCH_EUCLIDEAN = 0,
    /// 1 - cos, from 0 to 2. Zero rows are at 0 from each other, and infinitely far from all other
    /// rows: the number of a missing neighbour is -1.
    FINCH_COSINE = 1,
    /// The sum of absolute differences.
    FINCH_MANHATTAN = 2,
    /// The share of features that differ, for samples of 0 and 1 (of any element type, packed or
    /// sparse); for means the sum of absolute differences, divided by d.
    FINCH_HAMMING = 3,
    /// The number of features that are 1 in one of two samples alone, divided by the number that
    /// are 1 in either; 0 between two zero rows. For means, sum |x - y| / sum max(x, y).
    FINCH_JACCARD = 4,
};

/// The first-neighbour links that may merge clusters from the second partition on. Algorithm 1 of
/// the paper lists no bound, but the paper's published tables were made with one: both bounds give
/// its Table 8. The authors' MATLAB code takes FINCH_LINK_BOUND_JOINED_PAIR.
typedef int32_t finch_link_bound;
enum {
    /// All links.
    FINCH_LINK_BOUND_NONE = 0,
    /// Links no longer than the longest first-neighbour distance between samples.
    FINCH_LINK_BOUND_FIRST_NEIGHBOR = 1,
    /// Links no longer than the longest distance of a pair of samples that Eq. 1 joins: of a sample
    /// and its first neighbour, or of two samples with the same first neighbour. Lengths within
    /// 2^-32 of each other count as equal. Where `finch_cluster_neighbors` has no samples, the
    /// distance of each such pair has to be in its table.
    FINCH_LINK_BOUND_JOINED_PAIR = 2,
};

/// The search for neighbours. Exact searches find the same neighbours, and differ in time.
/// FINCH_SEARCH_AUTO takes the fastest exact search for the data, or the approximate search where
/// an exact one would take more than about 20 s on one core, and much longer. The neighbours that
/// an approximate search finds depend on `recall` and `seed` alone, unless `time_limit` ends it.
/// FINCH_SEARCH_PROJECTED takes neither Manhattan nor Jaccard, FINCH_SEARCH_APPROXIMATE no Jaccard.
typedef int32_t finch_search;
enum {
    FINCH_SEARCH_AUTO = 0,        ///< One of the searches below, as said above.
    FINCH_SEARCH_BRUTE = 1,       ///< Exact: every pair of samples.
    FINCH_SEARCH_KD_TREE = 2,     ///< Exact: a k-d tree, for few intrinsic dimensions.
    FINCH_SEARCH_BLOCKED = 3,     ///< Exact: all pairs by blocks, for many features.
    FINCH_SEARCH_PROJECTED = 4,   ///< Exact: blocks along principal axes, for at least 8 features.
    FINCH_SEARCH_APPROXIMATE = 5, ///< Pairs within small cells, for millions of samples.
};

/// The two clusters that merge first on the way to an exact number of clusters. Neighbour linkage
/// (which is not single linkage) links each sample to its ceil(2 log2 N) nearest neighbours (fewer
/// below 1024 samples). A link is the stronger the more neighbours its two samples share, and weak
/// across a gap. Clusters may have any shape, and outliers hardly disturb. Small clusters far from
/// all others merge before large ones that touch. Of clusters without a link left those many times
/// smaller merge first, and of about one size the nearest.
///
/// `FINCH_LINKAGE_AUTO` takes means where the k-th neighbour is farther than the mean of the
/// cluster, as in many noisy dimensions, and clusters by means are more alike in two parts of the
/// samples. Below 500 samples or 40 for each cluster, with weights, rules or a time limit, from a
/// partition, for nested clusters and dendrograms it is neighbour linkage; with times centroid
/// linkage. `finch_hierarchy_refine_into` tells the linkage that was taken.
typedef int32_t finch_linkage;
enum {
    FINCH_LINKAGE_CENTROID = 0, ///< The closest means: Algorithm 2 of the paper.
    FINCH_LINKAGE_WARD = 1,     ///< The least growth of squared distances to the means.
    FINCH_LINKAGE_NEIGHBOR = 2, ///< The strongest links for each pair of samples.
    FINCH_LINKAGE_MEANS = 3,    ///< As Ward; then samples move to the nearest mean: k-means.
    FINCH_LINKAGE_AUTO = 4,     ///< Neighbour linkage, or means, as the data asks.
};

/// The work that a run is doing. Level 0 searches the neighbours of samples, level i the neighbours
/// of the means of partition i - 1.
typedef int32_t finch_stage;
enum {
    FINCH_STAGE_NEIGHBORS = 0, ///< Searching neighbours.
    FINCH_STAGE_MERGE = 1,     ///< Merging clusters by their means.
    FINCH_STAGE_LINK = 2,      ///< Merging clusters by the neighbours that samples share.
    FINCH_STAGE_DESCRIBE = 3,  ///< Comparing samples with others of their cluster, and with means.
    FINCH_STAGE_PREDICT = 4,   ///< Searching what is nearest to new samples.
    FINCH_STAGE_BOUND = 5,     ///< Measuring the longest pair for FINCH_LINK_BOUND_JOINED_PAIR.
    FINCH_STAGE_BATCH = 6,     ///< Working on many matrices side by side: `finch_cluster_batch`.
};

/// The order of a matrix that is written out.
typedef int32_t finch_order;
enum {
    FINCH_ROW_MAJOR = 0,    ///< Row after row, as in C.
    FINCH_COLUMN_MAJOR = 1, ///< Column after column, as in MATLAB and Fortran.
};

/// A warning of a hierarchy, or of a call that succeeded: its result may mean less than it seems.
typedef int32_t finch_warning;
enum {
    /// An approximate search, of samples or of the means of a partition, found fewer of the
    /// nearest neighbours than the option `recall` asks for, by more than 0.01.
    FINCH_WARNING_LOW_RECALL = 0,
    /// More than a quarter of the first neighbours are ties: another sample, which is not equal to
    /// the first neighbour, is exactly as near. The smallest number counts, so clusters depend on
    /// the order of the samples. The message says how many.
    FINCH_WARNING_TIES = 1,
    /// Under FINCH_COSINE there are zero rows, which have no direction: they are a cluster of their
    /// own in every partition. The message says how many, and names the first.
    FINCH_WARNING_ZERO_ROWS = 2,
    /// Of a prediction under FINCH_COSINE: nothing in the model is near some new samples, zero rows
    /// where it keeps none, or others where it keeps these alone. Their labels mean nothing.
    FINCH_WARNING_NOTHING_NEAR = 3,
};

/// Where the samples of a cluster come from, after samples were added.
typedef int32_t finch_fate;
enum {
    FINCH_FATE_KEPT = 0,     ///< All samples of one old cluster, and no others.
    FINCH_FATE_GREW = 1,     ///< All samples of one old cluster, and new samples.
    FINCH_FATE_MERGED = 2,   ///< Samples of two or more old clusters.
    FINCH_FATE_SPLIT = 3,    ///< Some, but not all, of the samples of one old cluster.
    FINCH_FATE_APPEARED = 4, ///< New samples alone.
};

/// One clustering out of a hierarchy, with a number that goes with it.
typedef int32_t finch_flat;
enum {
    FINCH_FLAT_PARTITION = 0, ///< Partition `number`, from 0, the finest; of fewer the coarsest.
    FINCH_FLAT_CLUSTERS = 1,  ///< Exactly `number` clusters, as by `finch_hierarchy_refine`.
    FINCH_FLAT_SUGGESTED = 2, ///< As many clusters as `finch_hierarchy_suggest` recommends.
};

/// A language that other programs read trees in.
typedef int32_t finch_tree_format;
enum {
    FINCH_TREE_NEWICK = 0, ///< Newick; lengths are differences of heights.
    FINCH_TREE_JSON = 1,   ///< JSON: nested objects of height, count, and name or children.
    FINCH_TREE_DOT = 2,    ///< The DOT of Graphviz.
};

/// A verdict on the data: it has clusters; it has none; or its samples are too few to tell.
typedef int32_t finch_clustered;
enum {
    FINCH_CLUSTERED_NO = 0,      ///< Clusters mix as parts of a Gaussian, uniform noise or a line.
    FINCH_CLUSTERED_YES = 1,     ///< The border of a large cluster is nearly free of links.
    FINCH_CLUSTERED_TOO_FEW = 2, ///< Too few samples, or too few that differ, to tell.
};

/// M merges of the clusters of a partition, one pair at a time, from which every smaller number
/// of clusters follows. A dendrogram never changes, and needs neither hierarchy nor samples.
typedef struct finch_dendrogram finch_dendrogram;

/// The content of each of C clusters. A description never changes.
typedef struct finch_description finch_description;

/// The partitions of one run, from fine to coarse, and the first neighbours that they grew from.
///
/// Partition 0 is the finest; there is always at least one partition. The clusters of a partition
/// are numbered from 0 by first appearance in sample order. A hierarchy never changes.
typedef struct finch_hierarchy finch_hierarchy;

/// The shares by which samples belong to clusters. A membership never changes.
typedef struct finch_membership finch_membership;

/// A hierarchy to keep: with labellings that were refined from it, the mean of each cluster, and
/// the samples, if they are kept. It labels new samples, and goes into a file or memory and back.
///
/// Labellings are numbered from 0: the P partitions of the hierarchy, then the R refined
/// labellings. A model never changes. Where it keeps 2,048 samples or more of up to 8 features,
/// under Euclidean or Manhattan distances, the second prediction makes a tree of them, which the
/// model keeps and does not save: 10d + 5 bytes for each sample, and half a byte more for each
/// labelling asked for. Without memory for it, predictions do without.
typedef struct finch_model finch_model;

/// A binary tree of L leaves: L - 1 joins of two nodes each, the last of which makes the root.
/// Nodes are numbered as in SciPy, leaves first, then joins in their order. Heights are finite
/// and never fall from join to join. A tree needs nothing that it was made of.
typedef struct finch_tree finch_tree;

/// A matrix of samples where it lies in the caller's memory: rows are samples, columns are
/// features.
///
/// The element in row i and column j is `data[i * row_stride + j * column_stride]`. So row-major
/// (C) and column-major (MATLAB, Fortran) arrays, parts of larger arrays and fields of structs are
/// read where they are; nothing is transposed or copied as a whole. A call reads the memory while
/// it runs and keeps no pointer to it. This struct does not grow.
///
/// Sparse rows are a matrix, too: see `finch_csr`.
typedef struct finch_matrix {
    /// The element in row 0 and column 0, aligned for its type. NULL only without elements.
    /// For FINCH_CSR a `finch_csr`, never NULL.
    const void *data;
    /// The number of samples, N.
    size_t rows;
    /// The number of features, d.
    size_t columns;
    /// The distance from a row to the next, in elements (not bytes; but for FINCH_BITS in bytes, as
    /// the other stride); negative where rows lie in reverse order. 0 for a single row alone.
    ptrdiff_t row_stride;
    /// From a column to the next, in elements. 0 is an error, unless there is only one column.
    ptrdiff_t column_stride;
    /// A `finch_element`.
    int32_t element;
} finch_matrix;

/// Samples most of whose values are 0, as compressed sparse rows: the other values of all rows, row
/// after row, and the columns that they are in. `finch_matrix_csr` makes a matrix of it.
///
/// The values of row i are those at the places from `starts[i]` up to `starts[i + 1]`; `starts` has
/// one number for each row and one more, from 0 up to `value_count`. `columns` has the column of
/// each value, from 0, rising within each row: a row that is not sorted, or has a column twice, is
/// FINCH_INVALID_SPARSE. A value may be 0. There may be 2^31 - 1 columns at most, whatever
/// `index_bits` is.
///
/// Clusters, neighbours and distances are those of the same rows as a dense matrix, bit for bit,
/// unless the search is approximate, also under FINCH_HAMMING and FINCH_JACCARD, which take values
/// of 0 and 1. Memory is that of the values. Clustering, finding neighbours, refining, dendrograms,
/// suggestions, descriptions, outlier scores, noise, membership, models, prediction and extending
/// take sparse rows, with FINCH_SEARCH_AUTO, _BRUTE, _BLOCKED or _APPROXIMATE (but for prediction,
/// and for FINCH_JACCARD). Other calls take dense matrices, and give FINCH_INVALID_SPARSE.
typedef struct finch_csr {
    size_t size;           ///< `sizeof(finch_csr)`.
    const void *starts;    ///< Where each row starts, N + 1 numbers of `index_bits`.
    const void *columns;   ///< The column of each value, of `index_bits`. NULL only without values.
    const void *values;    ///< The values, each a `value_element`. NULL only without values.
    size_t value_count;    ///< The number of values of all rows.
    int32_t value_element; ///< FINCH_F32 or FINCH_F64.
    int32_t index_bits;    ///< 32 or 64: `starts` and `columns` are int32_t or int64_t.
} finch_csr;

/// The progress of a run. The struct grows at its end.
typedef struct finch_progress {
    double fraction; ///< The part of the stage that is done: 0 to 1, never falling within a stage.
    int32_t stage;   ///< A `finch_stage`. A later library may have other stages.
    uint32_t level;  ///< The level of the stage, from 0.
} finch_progress;

/// A function that is told how far a run has come. It returns 0 to let the run go on; any other
/// value stops the run, and the call that began the run returns `FINCH_CANCELLED`.
///
/// The callback runs on the thread that made the call, when a stage begins, when a stage ends, and
/// about twenty times a second in between. `progress` is valid until the callback returns. The
/// callback may call finch. The callback must return: a C++ exception or a longjmp out of it is
/// undefined behaviour (finch.hpp takes care of exceptions), and pthread_exit in it, or
/// pthread_cancel of its thread, ends the process.
typedef int32_t (*finch_progress_fn)(const finch_progress *progress, void *user_data);

/// The choices of a run. Fill the struct with `finch_options_init`, then change what you like. A
/// function ignores the fields that it has no use for, but all must be valid. It grows at its end.
typedef struct finch_options {
    /// The size of this struct in the header that the caller was compiled with.
    size_t size;
    /// A `finch_metric`. Default: `FINCH_EUCLIDEAN`.
    int32_t metric;
    /// A `finch_link_bound`. Default: `FINCH_LINK_BOUND_NONE`.
    int32_t link_bound;
    /// A `finch_search`. Default: `FINCH_SEARCH_AUTO`.
    int32_t search;
    /// A `finch_linkage`, for `finch_hierarchy_refine`. Default: `FINCH_LINKAGE_AUTO`.
    int32_t linkage;
    /// The partition that `finch_hierarchy_refine` merges from. -1 is the finest for neighbour
    /// linkage; for others the coarsest that has as many clusters as asked for. Default: -1.
    ptrdiff_t from;
    /// The number of threads: at most one for each core (on fewer than four cores at most four),
    /// one for every 32 samples, and 1024 are started. With 1 the calling thread does all the work.
    /// With 0 all runs of the process share one pool, which has a thread per core. Default: 0.
    size_t threads;
    /// The share of neighbours that an approximate search is to find, above 0 and at most 1. The
    /// search goes on until it has found this share for a sample of at most 2,048 rows. With 1,
    /// FINCH_SEARCH_AUTO is exact. Default: 0.99.
    double recall;
    /// The seed of the random choices of an approximate search and `finch_describe`. Default: 0.
    uint64_t seed;
    /// The callback of the run, or NULL. Default: NULL.
    finch_progress_fn progress;
    /// The `user_data` that `progress` is called with. Default: NULL.
    void *user_data;
    /// 0 or 1. With 1, `finch_cluster` also finds and keeps the neighbours that
    /// `finch_hierarchy_refine` needs for neighbour linkage, so that refining searches none. The
    /// hierarchy then takes 12 bytes x ceil(2 log2 N) a sample more, and `finch_cluster` about 1.5
    /// times as long (3 times with a k-d tree). Other linkages need nothing kept. Default: 0.
    int32_t refinable;
    /// 0 or 1, for `finch_hierarchy_refine` by neighbour linkage. With 0 samples move, after the
    /// last merge, to the cluster that most of their nearest neighbours are in, if the data has
    /// more than three dimensions. With 1 nothing moves, and the results for all numbers of
    /// clusters are nested, as those of `finch_dendrogram_cut` are. Default: 0.
    int32_t nested;
    /// Seconds that the searches of a call may take, all levels together; 0 for as many as they
    /// need. FINCH_SEARCH_AUTO is then exact where that fits, and else approximate. At the deadline
    /// the search is left with what it has found, which may be little: see
    /// `finch_hierarchy_warning_count`. A few passes over the samples come after that, and searches
    /// of a tenth of a second at most. Exact searches asked for by name take no limit. Default: 0.
    double time_limit;
    /// For `finch_hierarchy_noise`, `finch_labels` and `finch_cluster_batch`: the least size of a
    /// cluster, in samples or their weight. Samples of smaller ones are noise. Default: 0.
    size_t min_cluster_size;
    /// The share of samples that are noise, those of the largest outlier scores. Default: 0.
    double outliers;
    /// The outlier score above which samples are noise; 0 for none. Default: 0.
    double outlier_threshold;
    /// 0 or 1. With 1 clusters that are too small join others instead. Default: 0.
    int32_t join_small;
    /// 0: for a field to come. Default: 0.
    int32_t reserved;
} finch_options;

/// Rules for the clusters of `finch_hierarchy_refine_constrained`. Fill the struct with
/// `finch_constraints_init`, then change what you like. The struct grows at its end.
typedef struct finch_constraints {
    /// The size of this struct in the header that the caller was compiled with.
    size_t size;
    /// Pairs of samples that must be in one cluster: `must_link_count` times two numbers.
    const int32_t *must_link;
    /// The number of these pairs. Default: 0.
    size_t must_link_count;
    /// Pairs of samples that must be in two clusters: `cannot_link_count` times two numbers.
    const int32_t *cannot_link;
    /// The number of these pairs. Default: 0.
    size_t cannot_link_count;
    /// The least size of a cluster, in samples; or in the sum of their weights, if they have some.
    /// Default: 0.
    size_t min_size;
    /// The greatest size of a cluster; 0 for any. Default: 0.
    size_t max_size;
} finch_constraints;

/// Exactly K clusters. Set `size`, `labels` and `capacity`, and the rest to 0. It grows at its end.
typedef struct finch_refined {
    size_t size;      ///< `sizeof(finch_refined)`.
    int32_t *labels;  ///< Your buffer, which gets the cluster of each sample.
    size_t capacity;  ///< The numbers that `labels` has room for: N or more.
    int32_t linkage;  ///< Gets the `finch_linkage` that made the clusters, never AUTO.
    int32_t reserved; ///< Gets 0: for a field to come.
} finch_refined;

/// The outputs of `finch_keep_labels_into`. Set `size`, the buffers and their capacities, and the
/// rest to 0. It grows at its end.
typedef struct finch_kept_labels {
    size_t size;          ///< `sizeof(finch_kept_labels)`.
    int32_t *labels;      ///< Gets the name of each sample's cluster. Never NULL.
    size_t capacity;      ///< The numbers that `labels` has room for.
    int32_t *fates;       ///< Gets a `finch_fate` for each new cluster, or NULL.
    size_t fate_capacity; ///< The numbers that `fates` has room for.
    size_t clusters;      ///< Gets the number of new clusters.
} finch_kept_labels;

/// The outputs of a prediction. Set `size`, `capacity`, `labels` and the buffers of whatever else
/// you want to know, and the rest to 0. It grows at its end.
typedef struct finch_predictions {
    /// `sizeof(finch_predictions)`.
    size_t size;
    /// The numbers that each buffer has room for: one for each new sample, or more.
    size_t capacity;
    /// Gets clusters. Never NULL.
    int32_t *labels;
    /// Gets the number of the nearest sample or mean, or NULL.
    int32_t *neighbor;
    /// Gets the distance of the nearest sample or mean, or NULL.
    double *distance;
    /// Gets the distance of the nearest one of another cluster, or NULL.
    double *other_distance;
    /// Gets confidences, or NULL.
    double *confidence;
    /// Gets the part of the true nearest that was found.
    double recall;
} finch_predictions;

/// Measures of how well clusters agree with known classes, as fractions: 1 is full agreement. NMI
/// is normalised mutual information. `accuracy` is NaN where the best matching would take more
/// than some seconds: for millions of samples in tens of thousands of clusters that have nothing to
/// do with as many classes. The struct grows at its end.
typedef struct finch_scores {
    double nmi;                ///< NMI by the geometric mean of entropies, as in the paper.
    double nmi_arithmetic;     ///< NMI by the arithmetic mean of entropies, as in scikit-learn.
    double accuracy;           ///< Share of samples right by the best one-to-one matching (ACC).
    double purity;             ///< Share of samples in the largest class of their cluster.
    double ari;                ///< The adjusted Rand index: 0 for agreement by chance.
    double pairwise_precision; ///< Of pairs of samples in one cluster, the share in one class.
    double pairwise_recall;    ///< Of pairs of samples in one class, the share in one cluster.
    double pairwise_f;         ///< The harmonic mean of pairwise precision and recall.
    double bcubed_precision;   ///< The B-cubed precision.
    double bcubed_recall;      ///< The B-cubed recall.
    double bcubed_f;           ///< The harmonic mean of B-cubed precision and recall.
    double noise;              ///< Share of samples of label -1, which the others leave out.
} finch_scores;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The version of the library that runs, such as "0.1.0": a string that is always valid.
FINCH_API const char *finch_version(void);
/// `FINCH_ABI` of the library that runs.
FINCH_API uint32_t finch_abi(void);

/// The name of a status, such as "FINCH_NON_FINITE", or "unknown" for a number that no status has:
/// a string that is always valid.
FINCH_API const char *finch_status_name(int32_t status);

/// The message of the last call that failed on this thread: a sentence that says where the fault is
/// and what to do, in UTF-8. "" if no call has failed on this thread. The string is never NULL, and
/// valid until the next call fails on this thread or the thread ends. A call that succeeds leaves
/// the message as it was.
FINCH_API const char *finch_last_error_message(void);

/// The warnings of the last call with options on this thread, a line each: sentences that say what
/// is wrong with its result, such as that an approximate search found fewer neighbours than the
/// option `recall` asks for, and what to do. "" where there is none. For calls that make no
/// hierarchy, as `finch_first_neighbors`, `finch_nearest_neighbors`, `finch_model_predict`, and
/// `finch_hierarchy_refine` where it searches neighbours. Warnings of a hierarchy are its own:
/// `finch_hierarchy_warning_count`. The string is never NULL, and valid until the next call with
/// options on this thread, or the thread ends.
FINCH_API const char *finch_last_warning_message(void);

/// The `finch_warning` that the first line of `finch_last_warning_message` is of; -1 where there is
/// none, and for one that is newer than the header.
FINCH_API int32_t finch_last_warning(void);

/// Makes messages of this thread count rows, columns, samples, labels and partitions from 1 if
/// `first` is 1, for languages that do, else from 0, the default. Functions count from 0.
FINCH_API void finch_messages_from(int32_t first);

/// A matrix of sparse rows, N rows of d columns, which `csr` describes. `*csr` has to be there as
/// long as the matrix is used.
FINCH_API finch_matrix finch_matrix_csr(const finch_csr *csr, size_t rows, size_t columns);

/// A matrix whose rows follow each other, as in a C array `x[rows][columns]`. `data` is checked
/// when the matrix is used, and may be NULL here.
FINCH_API finch_matrix finch_matrix_row_major(const void *data, int32_t element, size_t rows,
    size_t columns);

/// A matrix whose columns follow each other, as in MATLAB and Fortran. `data` may be NULL here.
FINCH_API finch_matrix finch_matrix_column_major(const void *data, int32_t element, size_t rows,
    size_t columns);

/// Fills `*options`, here not NULL, with defaults: `finch_options_init(&options, sizeof options)`.
FINCH_API finch_status finch_options_init(finch_options *options, size_t size);

/// Clusters the rows of `samples` (Algorithm 1 of the paper). `*hierarchy` becomes a new hierarchy,
/// to be freed with `finch_hierarchy_free`.
///
/// Of rows that are equally near, the one of the smallest number is the first neighbour. Where such
/// ties are many, as of whole or rounded numbers, the clusters depend on the order of the rows, and
/// FINCH_WARNING_TIES says so.
FINCH_API finch_status finch_cluster(const finch_matrix *samples, const finch_options *options,
    finch_hierarchy **hierarchy);

/// Clusters like `finch_cluster`, from first neighbours that the caller brings: `first_neighbors`
/// has the number of another row, or -1 for none, for each of the `count` rows of `samples`. A
/// single row has no first neighbour: `count` is 0, and `first_neighbors` may be NULL. The
/// neighbours of later levels are searched; none are kept for `refinable`.
FINCH_API finch_status finch_cluster_given(const finch_matrix *samples,
    const int32_t *first_neighbors, size_t count, const finch_options *options,
    finch_hierarchy **hierarchy);

/// Clusters like `finch_cluster`, each row with its weight: `count` numbers from 1e-100 on that add
/// up to less than 2^53, one for each row of `samples`.
///
/// A sample of weight w stands for c = max(1, floor(w)) equal rows in its place, each of weight
/// w / c. So whole weights give the labels that repeating the rows gives. A sample of weight 2 or
/// more can be a cluster of partition 0 by itself. First neighbours remain those of the rows as
/// given. The hierarchy keeps the weights: `finch_hierarchy_means` and `_refine` use them.
FINCH_API finch_status finch_cluster_weighted(const finch_matrix *samples, const double *weights,
    size_t count, const finch_options *options, finch_hierarchy **hierarchy);

/// Clusters like `finch_cluster`, each row with its time stamp: `count` numbers, one for each row,
/// in any unit and order (TW-FINCH, CVPR 2021). The distance of two samples is multiplied by the
/// time between them, as a share of the time from the first stamp to the last. Two clusters have
/// the distance of their means, with their mean stamps. `contiguous` other than 0: each cluster is
/// a segment of time.
///
/// `finch_hierarchy_refine` merges by these distances: FINCH_LINKAGE_WARD, or else the closest
/// means.
FINCH_API finch_status finch_cluster_timed(const finch_matrix *samples, const double *times,
    size_t count, int32_t contiguous, const finch_options *options, finch_hierarchy **hierarchy);

/// Clusters like `finch_cluster`, from the nearest neighbours that the caller brings, as FAISS,
/// PyNNDescent and scikit-learn give them: `index` and `distance` are `rows` x `k`, row-major.
///
/// A row may be in any order. These entries of a row are no neighbours, with the distance beside
/// them: the row's own number, -1, and a neighbour at an infinite distance or at NaN. So each row
/// may have its own number of neighbours, up to `k`. A sample without neighbours is a cluster of
/// its own in partition 0, unless it is the first neighbour of another; it has -1 in
/// `finch_hierarchy_first_neighbors`. Equal distances go to the smaller number. FAISS gives squared
/// distances: take the root. (Under `FINCH_COSINE` distances are 1 - cos.)
///
/// With `samples`, of `rows` rows, finch searches the neighbours of means on later levels as usual.
/// Without, `samples` is NULL: then the distance of two clusters is the mean of the known distances
/// between their samples (not in the paper), a pair counting once, and clusters without a known
/// distance stay apart. The hierarchy then has no features, and functions that merge its clusters
/// take NULL for `samples`.
///
/// Neighbour linkage takes the neighbours that you bring, however few, and searches none. If all
/// distances are equal, a link weighs as many neighbours as its two samples share.
FINCH_API finch_status finch_cluster_neighbors(const finch_matrix *samples, const int32_t *index,
    const double *distance, size_t rows, size_t k, const finch_options *options,
    finch_hierarchy **hierarchy);

/// Clusters like `finch_cluster`, from the distances of all pairs of samples: a `rows` x `rows`
/// matrix that is symmetric and has a diagonal of zeros, but for rounding: 1e-12 of the largest
/// distance, or 1e-6 where all values are floats (that were converted). It is read where it lies.
///
/// From the second partition on, the distance of two clusters is the mean distance of all pairs of
/// their samples (the paper takes the means of the samples). Neighbour linkage takes distances for
/// lengths, and under FINCH_COSINE for 1 - cos. The hierarchy has no features, keeps
/// the neighbours that neighbour linkage takes, and those that merge clusters take no `samples`.
FINCH_API finch_status finch_cluster_distances(const double *distances, size_t rows,
    const finch_options *options, finch_hierarchy **hierarchy);

/// Frees a hierarchy. Pointers borrowed from the hierarchy are then invalid. NULL is ignored.
FINCH_API void finch_hierarchy_free(finch_hierarchy *hierarchy);
/// The number of samples, N.
FINCH_API size_t finch_hierarchy_sample_count(const finch_hierarchy *hierarchy);
/// The number of features of the samples, d; 0 where there were none.
FINCH_API size_t finch_hierarchy_feature_count(const finch_hierarchy *hierarchy);
/// The number of partitions, P.
FINCH_API size_t finch_hierarchy_partition_count(const finch_hierarchy *hierarchy);
/// The number of clusters of a partition.
FINCH_API size_t finch_hierarchy_cluster_count(const finch_hierarchy *hierarchy, size_t partition);
/// The `finch_metric` of the run that made the hierarchy.
FINCH_API int32_t finch_hierarchy_metric(const finch_hierarchy *hierarchy);
/// The `finch_link_bound` of the run that made the hierarchy.
FINCH_API int32_t finch_hierarchy_link_bound(const finch_hierarchy *hierarchy);

/// The `finch_search` that found the first neighbours, never `FINCH_SEARCH_AUTO`; -1 where the
/// caller gave the first neighbours.
FINCH_API int32_t finch_hierarchy_search(const finch_hierarchy *hierarchy);

/// The part of the true first neighbours that the search found (with `refinable`, of the k nearest
/// that are kept): 1 after an exact search, measured on at most 1,024 random samples after an
/// approximate search, -1 where the caller gave the first neighbours.
FINCH_API double finch_hierarchy_recall(const finch_hierarchy *hierarchy);

/// The search that found the first neighbours, the reason, and the evidence in the data: a line of
/// English. Borrowed. NULL where the caller gave the first neighbours.
FINCH_API const char *finch_hierarchy_explanation(const finch_hierarchy *hierarchy);

/// The number of warnings of a hierarchy; most hierarchies have none.
FINCH_API size_t finch_hierarchy_warning_count(const finch_hierarchy *hierarchy);

/// The `finch_warning` of a warning by its number; -1 if there is no such warning. A later
/// library may have other warnings. Of each kind the one of the finest level is first.
FINCH_API int32_t finch_hierarchy_warning(const finch_hierarchy *hierarchy, size_t warning);

/// A warning as a sentence that says what was found, and what to do. Borrowed. NULL without it.
FINCH_API const char *finch_hierarchy_warning_message(const finch_hierarchy *hierarchy,
    size_t warning);

/// The coarsest partition of at least `clusters` clusters; -1 if there is none.
FINCH_API ptrdiff_t finch_hierarchy_at_least(const finch_hierarchy *hierarchy, size_t clusters);
/// The finest partition of at most `clusters` clusters; -1 if there is none.
FINCH_API ptrdiff_t finch_hierarchy_at_most(const finch_hierarchy *hierarchy, size_t clusters);
/// The partition whose number of clusters is nearest to `clusters`; of equals, the finer.
FINCH_API ptrdiff_t finch_hierarchy_closest(const finch_hierarchy *hierarchy, size_t clusters);

/// The first neighbour of each sample: N numbers, or NULL for a single sample. A sample for which
/// `finch_cluster_neighbors` was given no neighbour has -1. Borrowed.
FINCH_API const int32_t *finch_hierarchy_first_neighbors(const finch_hierarchy *hierarchy);

/// The distance to each sample's first neighbour: N numbers, or NULL for a single one; infinite
/// where there is no neighbour. Borrowed.
FINCH_API const double *finch_hierarchy_distances(const finch_hierarchy *hierarchy);

/// The cluster of each sample in a partition: N numbers. Borrowed.
FINCH_API const int32_t *finch_hierarchy_labels(const finch_hierarchy *hierarchy, size_t partition);

/// Writes the cluster of each sample in a partition into `labels`: N numbers.
FINCH_API finch_status finch_hierarchy_copy_labels(const finch_hierarchy *hierarchy,
    size_t partition, int32_t *labels, size_t capacity);

/// Writes the labels of all partitions into `labels`: an N x P matrix, in a `finch_order`.
FINCH_API finch_status finch_hierarchy_copy_all_labels(const finch_hierarchy *hierarchy,
    int32_t order, int32_t *labels, size_t capacity);

/// Writes the mean of each cluster of a partition into `means`: a C x d matrix, row-major, for C
/// clusters. `samples` are the samples that were clustered; they count by their weights, if they
/// have any. `threads` is the one option used.
FINCH_API finch_status finch_hierarchy_means(const finch_hierarchy *hierarchy, size_t partition,
    const finch_matrix *samples, const finch_options *options, double *means, size_t capacity);

/// Makes exactly `clusters` clusters, from 1 to N, of the `samples` that were clustered, and writes
/// the cluster of each sample into `labels`: N numbers.
///
/// Refining merges one pair of clusters after the other by the option `linkage`, beginning with the
/// partition that the option `from` names. Where even the finest partition has fewer clusters, its
/// clusters are split, which takes no time and reports no progress. The metric is that of the
/// hierarchy. By neighbour linkage samples then move, unless the option `nested` says not.
///
/// Neighbour linkage needs the nearest neighbours of the samples. A hierarchy made with `refinable`
/// has these neighbours; otherwise they are searched first, which takes longer than clustering did.
///
/// `samples` may be NULL beside a hierarchy that was made without samples. Linkages by means then
/// give FINCH_NEEDS_SAMPLES. Clusters without a link left merge in the order of the partitions that
/// join them, then the two with the fewest samples first.
FINCH_API finch_status finch_hierarchy_refine(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, size_t clusters, const finch_options *options, int32_t *labels,
    size_t capacity);

/// The weight of each sample: N numbers. Borrowed. NULL where the samples have none.
FINCH_API const double *finch_hierarchy_weights(const finch_hierarchy *hierarchy);

/// The name of a `finch_warning`, such as "FINCH_WARNING_LOW_RECALL", or "unknown" for a number
/// that no warning has: a string that is always valid.
FINCH_API const char *finch_warning_name(int32_t warning);

/// Fills `*constraints` with the defaults, which are no rules:
/// `finch_constraints_init(&constraints, sizeof constraints)`. `constraints` may not be NULL.
FINCH_API finch_status finch_constraints_init(finch_constraints *constraints, size_t size);

/// Makes exactly `clusters` clusters as `finch_hierarchy_refine` does, under rules.
///
/// Clusters whose samples must be together join first. A cluster that then breaks another rule
/// falls apart into clusters of a finer partition, and at last into samples, which links to first
/// neighbours join, the shortest first. Then the two closest clusters merge of those that may; two
/// of the least size merge only while there are more of them than `clusters`.
///
/// The labels keep every rule. Otherwise the call writes nothing, and the status is
/// FINCH_INVALID_CONSTRAINT, with a message that names the pair or the size. Merging never takes a
/// merge back, so labels that keep every rule may exist all the same.
FINCH_API finch_status finch_hierarchy_refine_constrained(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, size_t clusters, const finch_constraints *constraints,
    const finch_options *options, int32_t *labels, size_t capacity);

/// Makes exactly `clusters` clusters as `finch_hierarchy_refine_constrained` does, or without rules
/// where `constraints` is NULL, and tells the linkage that made them: `FINCH_LINKAGE_AUTO` becomes
/// neighbour linkage or means. Of samples with times that is `FINCH_LINKAGE_CENTROID`.
FINCH_API finch_status finch_hierarchy_refine_into(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, size_t clusters, const finch_constraints *constraints,
    const finch_options *options, finch_refined *refined);

/// Clusters `samples`, of which the first N are those that `hierarchy` was made from. With the same
/// options `*extended` is the hierarchy that `finch_cluster` makes of all `samples`, bit for bit if
/// searches are exact; but no two old samples are compared again. The metric is that of
/// `hierarchy`, which stays as it is. `weights` are those of all samples, as many as `samples` has
/// rows, or NULL: then new samples weigh 1, if those of `hierarchy` have weights.
FINCH_API finch_status finch_hierarchy_extend(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const double *weights, const finch_options *options,
    finch_hierarchy **extended);

/// Names the clusters of a labelling of `new_count` samples after those of an older labelling of
/// the first `old_count` of these samples: a new cluster gets the name of the old cluster that it
/// has most samples of. Clusters may be any integers; the names of old clusters are their numbers
/// by first appearance, as finch numbers labels, and new clusters are numbered in the same way.
/// -1, noise, is no name, and stays -1; a sample that was noise counts as new.
///
/// Writes the name of each sample's cluster into `labels`, `new_count` numbers: below the number of
/// old clusters that of an old cluster, from there on a new name. Writes a `finch_fate` for each
/// new cluster into `fates`, and the number of new clusters into `*clusters`; both may be NULL.
FINCH_API finch_status finch_keep_labels(const int32_t *old_labels, size_t old_count,
    const int32_t *new_labels, size_t new_count, int32_t *labels, size_t capacity, int32_t *fates,
    size_t fate_capacity, size_t *clusters);

/// Names clusters as `finch_keep_labels` does, into a struct of outputs.
FINCH_API finch_status finch_keep_labels_into(const int32_t *old_labels, size_t old_count,
    const int32_t *new_labels, size_t new_count, finch_kept_labels *kept);

/// Makes a model of a hierarchy and the `samples` that were clustered. `*model` becomes a new
/// model, to be freed with `finch_model_free`; it stays valid when the hierarchy is freed.
///
/// With 1 as `keep_samples` the model has a copy of the samples, and predicts by the nearest
/// sample; with 0 it is smaller, and predicts by the nearest mean. `refined` has `refined_count`
/// labellings, one after the other, of N labels each, as `finch_hierarchy_refine` writes them; any
/// numbers will do, and are renumbered by first appearance. -1 is noise: it stays -1, and has no
/// mean; not all samples may be noise. `refined` may be NULL if there are none. `samples` may be
/// NULL for a hierarchy that was made without. Option: `threads`.
FINCH_API finch_status finch_model_new(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, int32_t keep_samples, const int32_t *refined, size_t refined_count,
    const finch_options *options, finch_model **model);

/// Frees a model. Pointers borrowed from the model are then invalid. NULL is ignored.
FINCH_API void finch_model_free(finch_model *model);
/// The hierarchy of a model. Borrowed: it is not to be freed.
FINCH_API const finch_hierarchy *finch_model_hierarchy(const finch_model *model);

/// Returns 1 and fills `*samples` with the kept samples, whose data is borrowed, sparse ones as a
/// `finch_csr`; or returns 0 where the model keeps none.
FINCH_API int32_t finch_model_samples(const finch_model *model, finch_matrix *samples);

/// The number of labellings: P partitions and R refined labellings.
FINCH_API size_t finch_model_labelling_count(const finch_model *model);
/// The number of clusters of a labelling.
FINCH_API size_t finch_model_cluster_count(const finch_model *model, size_t labelling);
/// The cluster of each sample in a labelling, -1 for noise: N numbers. Borrowed.
FINCH_API const int32_t *finch_model_labels(const finch_model *model, size_t labelling);

/// Writes the mean of each cluster of a labelling into `means`: a C x d matrix, row-major.
FINCH_API finch_status finch_model_means(const finch_model *model, size_t labelling, double *means,
    size_t capacity);

/// Writes the number of bytes that `finch_model_serialize` writes into `*size`.
FINCH_API finch_status finch_model_serialized_size(const finch_model *model, size_t *size);

/// Writes a model into memory, in the format of a file: a safetensors file with a checksum. The
/// bytes of equal models are equal, on every machine.
FINCH_API finch_status finch_model_serialize(const finch_model *model, uint8_t *bytes,
    size_t capacity);

/// Reads a model from `size` bytes in memory. Bytes that were cut or altered, whether by accident
/// or on purpose, are FINCH_DAMAGED, and those of a later format FINCH_MODEL_VERSION. `*model`
/// becomes a new model, to be freed with `finch_model_free`, equal to the one that was saved.
FINCH_API finch_status finch_model_deserialize(const uint8_t *bytes, size_t size,
    finch_model **model);

/// Saves a model in the file `path`: the bytes of its name as the system has them, in UTF-8 on
/// Windows. The file is written beside and renamed when complete: whatever fails, what was there
/// before is there, and nothing else. A file that is replaced passes on its mode and, where the
/// system lets it, its owner; a symbolic link stays, and the file is replaced that it leads to.
/// Files that a process that was killed while it saved left in the folder are removed.
FINCH_API finch_status finch_model_save(const finch_model *model, const char *path);

/// Loads a model from the file `path`, whose bytes are as in `finch_model_save`, as
/// `finch_model_deserialize` does from memory. Its hierarchy has the warnings that it had when
/// the model was saved (`finch_hierarchy_warning_count` of `finch_model_hierarchy`).
FINCH_API finch_status finch_model_load(const char *path, finch_model **model);

/// Finds the cluster of new samples in a labelling: that of the nearest kept sample or, in a model
/// without samples, of the nearest mean; of equally near ones the smallest number counts. Kept
/// samples get their own labels, unless the labelling tears equal samples apart. Where the nearest
/// kept sample is noise, the label is -1; a mean is never noise.
///
/// Writes one number for each row of `samples`: the cluster into `labels`; the number of the
/// nearest sample or mean into `neighbor`; its distance d, in the metric's unit, into `distance`;
/// into `other_distance` the distance o to the nearest sample or mean of another cluster, as which
/// noise counts, infinite if there is none; and into `confidence` 1 / (1 + (d/o)^8), from 0.5 to 1,
/// which is about the share of such labels that are right (for cosine, d and o are chords). All but
/// `labels` may be NULL; where the last two are, the search is shorter. Writes into `*recall`,
/// which may be NULL, the part of the true nearest that was found: 1 after an exact search, and
/// after an approximate one as measured on at most 1,024 random rows of `samples`.
///
/// The element type is that of the model's samples, or one all of whose values that type holds:
/// double holds all, float all but double, and both types of 16 bits hold uint8_t and int8_t. Means
/// are float, or double for samples of double. To a model of sparse samples the new ones may be
/// sparse or dense; to a model of dense samples they are dense. The options `threads`, `progress`,
/// `search`, `recall` and `seed` are used. FINCH_SEARCH_BRUTE and FINCH_SEARCH_BLOCKED serve here,
/// and FINCH_SEARCH_APPROXIMATE, which takes a copy of the kept and the new samples, and is refused
/// where a model that keeps samples is asked for `other_distance` or `confidence`. The metric is
/// the model's.
FINCH_API finch_status finch_model_predict(const finch_model *model, const finch_matrix *samples,
    size_t labelling, const finch_options *options, int32_t *labels, int32_t *neighbor,
    double *distance, double *other_distance, double *confidence, size_t capacity, double *recall);

/// Finds the clusters of new samples as `finch_model_predict` does, into a struct of outputs.
FINCH_API finch_status finch_model_predict_into(const finch_model *model,
    const finch_matrix *samples, size_t labelling, const finch_options *options,
    finch_predictions *predictions);

/// Makes a model of the samples that `model` keeps and new `samples`, of as many features: its
/// hierarchy is that of `finch_hierarchy_extend` for all of them. `*extended` becomes a new model,
/// which keeps all samples and has no refined labellings. `finch_keep_labels` keeps names.
FINCH_API finch_status finch_model_extend(const finch_model *model, const finch_matrix *samples,
    const finch_options *options, finch_model **extended);

/// Merges clusters as `finch_hierarchy_refine` does, by the options `linkage` and `from`, until
/// `clusters` are left (1 for all merges; at most as many as the finest partition has).
/// `*dendrogram` becomes a new dendrogram, to be freed with `finch_dendrogram_free`.
FINCH_API finch_status finch_hierarchy_dendrogram(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const finch_options *options, size_t clusters,
    finch_dendrogram **dendrogram);

/// Frees a dendrogram. Pointers borrowed from the dendrogram are then invalid. NULL is ignored.
FINCH_API void finch_dendrogram_free(finch_dendrogram *dendrogram);
/// The number of samples, N.
FINCH_API size_t finch_dendrogram_sample_count(const finch_dendrogram *dendrogram);
/// The number of merges, M.
FINCH_API size_t finch_dendrogram_merge_count(const finch_dendrogram *dendrogram);
/// The number of clusters that merging began with. It ended with M fewer.
FINCH_API size_t finch_dendrogram_start_count(const finch_dendrogram *dendrogram);

/// The two clusters of each merge, an M x 2 matrix, row-major, by their numbers in the
/// partition that merging began with. The merged cluster keeps the first, the smaller. Borrowed.
FINCH_API const int32_t *finch_dendrogram_merges(const finch_dendrogram *dendrogram);

/// The distance of the two clusters of each merge: M numbers. Borrowed. By centroid linkage the
/// distance of the means (squared if Euclidean, 2 - 2 cos for cosine), which may fall from merge to
/// merge; by Ward linkage the squared distance times ab / (a + b) for a and b samples; by neighbour
/// linkage ab over the weight of the links between, which is INFINITY without links.
FINCH_API const double *finch_dendrogram_heights(const finch_dendrogram *dendrogram);

/// Writes the cluster of each sample into `labels`, N numbers, where `clusters` are left.
FINCH_API finch_status finch_dendrogram_cut(const finch_dendrogram *dendrogram, size_t clusters,
    int32_t *labels, size_t capacity);

/// Writes the persistence, 0 to 1, of each of `clusters` clusters into `persistence`, and into
/// `*mean`, which may be NULL, the mean of those of the cut, weighted by their sizes. It is the
/// Jaccard index to expect of a cluster and the one found in its place among other samples of the
/// same kind: little where the cluster is about to merge or to fall apart, as the heights of merges
/// tell. `labels` are NULL for the clusters of `finch_dendrogram_cut`, or N numbers as of
/// `finch_describe`, such as those that `finch_hierarchy_refine` moved: each cluster has the
/// persistence of that of the cut with which it shares most samples.
FINCH_API finch_status finch_dendrogram_persistence(const finch_dendrogram *dendrogram,
    const int32_t *labels, size_t clusters, double *persistence, size_t capacity, double *mean);

/// The suggested cluster of each sample: N numbers, or NULL without a suggestion. Borrowed.
FINCH_API const int32_t *finch_dendrogram_suggested(const finch_dendrogram *dendrogram);
/// The count of `finch_dendrogram_best`: 1 to 3; 0 unless the dendrogram is of a suggestion.
FINCH_API size_t finch_dendrogram_best_count(const finch_dendrogram *dendrogram);

/// The numbers of clusters that fit best: the suggested one, and then those of the highest scores
/// that are more than 1.5 times as large or as small as each before. Borrowed.
FINCH_API const size_t *finch_dendrogram_best(const finch_dendrogram *dendrogram);

/// The count of `finch_dendrogram_rivals`: 0 to 3; 0 unless the dendrogram is of a suggestion.
FINCH_API size_t finch_dendrogram_rival_count(const finch_dendrogram *dendrogram);

/// The numbers of clusters that fit almost as well as the suggested one: of 88 % of its score or
/// more, and more than 1.2 times as large or as small. With a few samples more or fewer one of them
/// might be suggested. Borrowed.
FINCH_API const size_t *finch_dendrogram_rivals(const finch_dendrogram *dendrogram);

/// The rivals of the suggested number in a sentence, or NULL where there are none. Borrowed.
FINCH_API const char *finch_dendrogram_ambiguity(const finch_dendrogram *dendrogram);
/// The count of the numbers of clusters that `finch_hierarchy_suggestion` considered, or 0.
FINCH_API size_t finch_dendrogram_score_count(const finch_dendrogram *dendrogram);
/// The score of each number of clusters considered, from 2 on: that of K is at K - 2. Borrowed.
FINCH_API const double *finch_dendrogram_scores(const finch_dendrogram *dendrogram);

/// The mixing of clusters at their borders, 0 to 1, in the dendrogram of a suggestion. The mixing
/// of a cluster is the share of links that lead to other clusters, of its samples with such links.
/// The least mixed cluster counts, of those with 5 % of the samples or more that the merges leave
/// at 2 to 8 clusters. If more than a tenth of the samples are repeated, equal samples count as one
/// with their weight. -1 for NULL and for other dendrograms.
FINCH_API double finch_dendrogram_mixing(const finch_dendrogram *dendrogram);

/// The verdict on clusters in the dendrogram of a suggestion: a `finch_clustered`. -1 for NULL and
/// for other dendrograms.
FINCH_API int32_t finch_dendrogram_clustered(const finch_dendrogram *dendrogram);

/// 1 if `finch_dendrogram_clustered` is FINCH_CLUSTERED_YES; 0 for FINCH_CLUSTERED_NO and for
/// FINCH_CLUSTERED_TOO_FEW. -1 for NULL and for other dendrograms.
FINCH_API int32_t finch_dendrogram_has_clusters(const finch_dendrogram *dendrogram);

/// Recommends a number of clusters. Writes the cluster of each sample into `labels`, N numbers,
/// the number of clusters into `*clusters`, and into `*partition` the number of the partition
/// that agrees best with `labels`. `clusters` and `partition` may be NULL.
///
/// The clusters are those of neighbour linkage, cut where the similarity of the merging clusters
/// drops most, weighted by modularity, and samples move as in `finch_hierarchy_refine`. That call
/// gives the same labels by FINCH_LINKAGE_NEIGHBOR; its default may take means. Data without
/// clusters gets a number, too: `finch_hierarchy_suggestion` and `finch_dendrogram_clustered` tell
/// such data apart. `threads` and `progress` are the options used. A hierarchy made with
/// `refinable` saves a search, as in `finch_hierarchy_refine`.
FINCH_API finch_status finch_hierarchy_suggest(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const finch_options *options, int32_t *labels, size_t capacity,
    size_t *clusters, size_t *partition);

/// Recommends like `finch_hierarchy_suggest`. `*dendrogram` becomes a new dendrogram of all
/// merges of the finest partition, to be freed with `finch_dendrogram_free`, which has the labels
/// (`finch_dendrogram_suggested`), the next best numbers of clusters, and scores. Its cuts are
/// nested: no sample moves. If the data is in more pieces without links between them than there are
/// scores, they do not decide. `clusters` and `partition` may be NULL.
FINCH_API finch_status finch_hierarchy_suggestion(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const finch_options *options, finch_dendrogram **dendrogram,
    size_t *clusters, size_t *partition);

/// Clusters the rows of `samples` as `finch_cluster` does, and writes the cluster of each row
/// into `labels`: N numbers, of the one clustering that `flat`, a `finch_flat`, and `number`
/// name. `*clusters`, unless `clusters` is NULL, becomes the number of clusters.
///
/// Take FINCH_FLAT_CLUSTERS, if you know how many there are; FINCH_FLAT_SUGGESTED, if you do
/// not; FINCH_FLAT_PARTITION for FINCH as the paper has it, where 0 is many small groups. A
/// hierarchy of `finch_cluster` has them all. Labels are -1, noise, only where options ask for it.
///
/// `finch_last_warning_message` has the warnings of the hierarchy.
FINCH_API finch_status finch_labels(const finch_matrix *samples, const finch_options *options,
    int32_t flat, size_t number, int32_t *labels, size_t capacity, size_t *clusters);

/// Clusters `count` matrices, each by itself, as `finch_labels` does, side by side on the
/// threads of `options`: many small matrices, say, of which one alone has no work for a second
/// thread. The matrices may differ in rows, columns and element types. `labels` are those of
/// `samples[0]`, then those of `samples[1]`, and so on, numbered from 0 in each: as many
/// numbers as all have rows. `clusters` has the number of clusters of each matrix, `count`
/// numbers, unless it is NULL.
///
/// `time_limit` is one for each matrix. A progress function that stops the run lets the
/// matrices under way come to their end. `finch_last_warning_message` has the first warning of
/// the first matrix that has one. If a matrix is at fault, the message has its number.
FINCH_API finch_status finch_cluster_batch(const finch_matrix *samples, size_t count,
    const finch_options *options, int32_t flat, size_t number, int32_t *labels, size_t capacity,
    size_t *clusters);

/// Makes the tree of a hierarchy, from N single samples up through all P partitions to one
/// root. `*tree` becomes a new tree, to be freed with `finch_tree_free`.
///
/// Heights count levels: cut at height p + 1, the tree gives partition p. From 0 to 1 samples
/// join along the links to their first neighbours, at the length of the link over that of the
/// longest, no two at one height. At p + 1 join the clusters of partition p - 1 that share a
/// cluster of partition p; at P + 1 those of the coarsest partition.
FINCH_API finch_status finch_tree_of_hierarchy(const finch_hierarchy *hierarchy, finch_tree **tree);

/// Makes the tree of a dendrogram. `*tree` becomes a new tree, to be freed with
/// `finch_tree_free`. Where `hierarchy` is NULL, leaves are the clusters that merging began
/// with. With the hierarchy of the dendrogram, leaves are samples, which join below as in
/// `finch_tree_of_hierarchy`, in heights scaled to end at the first merge.
///
/// Heights are those of the merges, but each is above the one before, if by a last digit only,
/// so that every cut of the dendrogram is one of the tree. Infinite heights, and those of what
/// merging left apart, become twice the largest finite one.
FINCH_API finch_status finch_tree_of_dendrogram(const finch_dendrogram *dendrogram,
    const finch_hierarchy *hierarchy, finch_tree **tree);

/// Frees a tree. Pointers borrowed from the tree are then invalid. NULL is ignored.
FINCH_API void finch_tree_free(finch_tree *tree);
/// The number of leaves, L.
FINCH_API size_t finch_tree_leaf_count(const finch_tree *tree);

/// The depth of the tree: the most joins between a leaf and the root, from 0 for a single leaf to
/// L - 1 for a chain, as rows in a line make it. Programs that call themselves at each join, as
/// readers of JSON and of Newick do, may refuse a tree of some thousand: give them the joins, by
/// `finch_tree_linkage`, or the tree of clusters, by `finch_tree_of_dendrogram` without hierarchy.
FINCH_API size_t finch_tree_depth(const finch_tree *tree);

/// Writes SciPy's linkage matrix, (L - 1) x 4, row-major, into `linkage`: for each join the two
/// nodes, the smaller number first, the height, and the number of leaves below.
FINCH_API finch_status finch_tree_linkage(const finch_tree *tree, double *linkage, size_t capacity);

/// Writes the tree in a `finch_tree_format`. `*text` becomes a string in UTF-8, and `*length`,
/// which may be NULL, its bytes without the zero at its end. The string is valid until the next
/// call of `finch_tree_text` for this tree, or until the tree is freed. `names` are `count` = L
/// names of leaves in UTF-8, quoted as the format asks for; NULL names leaves by their numbers.
FINCH_API finch_status finch_tree_text(finch_tree *tree, int32_t format, const char *const *names,
    size_t count, const char **text, size_t *length);

/// Describes the clusters of `count` samples, the rows of `samples`. `labels` has the cluster of
/// each sample, from 0 to C - 1, each with a sample, or -1 for noise, which is left out. `weights`
/// has how many equal samples each one stands for, numbers from 1e-100 on, or is NULL for 1 each.
/// `neighbors` is `count` x `k`, row-major: the nearest neighbours of each sample, as
/// `finch_nearest_neighbors` finds them, for `finch_description_modularities`, or NULL with `k` =
/// 0. A sample's own number and -1 are no neighbour. Up to `exemplars` exemplars are found for each
/// cluster. Options: `metric`, `seed`, `threads`, `progress`. `*description` becomes a new
/// description, to be freed with `finch_description_free`.
FINCH_API finch_status finch_describe(const finch_matrix *samples, const int32_t *labels,
    size_t count, const double *weights, const int32_t *neighbors, size_t k, size_t exemplars,
    const finch_options *options, finch_description **description);

/// Frees a description. Pointers borrowed from it are then invalid. NULL is ignored.
FINCH_API void finch_description_free(finch_description *description);
/// The number of clusters, C.
FINCH_API size_t finch_description_cluster_count(const finch_description *description);
/// The number of samples of each cluster, or the sum of their weights: C numbers. Borrowed.
FINCH_API const double *finch_description_sizes(const finch_description *description);
/// The mean of each cluster: a C x d matrix, row-major; NULL of sparse samples. Borrowed.
FINCH_API const double *finch_description_means(const finch_description *description);

/// Returns 1 and fills `*means` with the mean of each cluster, a C x d matrix whose data is
/// borrowed: of FINCH_F64, or of sparse samples a `finch_csr`. Returns 0 without a description.
FINCH_API int32_t finch_description_mean_rows(const finch_description *description,
    finch_matrix *means);

/// The medoid of each cluster, a sample: that with the least sum of distances to the samples of the
/// cluster, the first of equals. C numbers. Borrowed.
FINCH_API const int32_t *finch_description_medoids(const finch_description *description);

/// The exemplars of each cluster: a C x `exemplars` matrix of samples, row-major, with -1 where a
/// cluster has fewer distinct samples. The first is the medoid; each next one most lowers the sum
/// of distances of samples to their nearest exemplar. Borrowed.
FINCH_API const int32_t *finch_description_exemplars(const finch_description *description);

/// The spread of each cluster about its mean: under `FINCH_EUCLIDEAN` the root of the mean squared
/// distance, else the mean distance. C numbers. Borrowed.
FINCH_API const double *finch_description_spreads(const finch_description *description);

/// The separation of each cluster, from -1 to 1: the mean of (b - a) / max(a, b) over its samples,
/// for the distances a to the mean of the own and b to that of the nearest other cluster. 0 for a
/// cluster of one sample, and where C is 1. C numbers. Borrowed.
FINCH_API const double *finch_description_silhouettes(const finch_description *description);

/// The modularity share of each cluster, from -1 to 1: the share of links from its samples to their
/// neighbours that stay within the cluster, minus the share of all links that lead to its samples,
/// which is what chance keeps within. A link counts with the weight of the sample that it leads
/// from. C numbers, or NULL if `finch_describe` was given no neighbours. Borrowed.
FINCH_API const double *finch_description_modularities(const finch_description *description);

/// 1 where a cluster has more than 1024 samples, so that its medoid and exemplars were chosen by
/// the distances to 1024 random samples of the cluster (and the medoid, of the best 16, by the
/// distances to all); 0 where they are exact; -1 where there is no such cluster.
FINCH_API int32_t finch_description_sampled(const finch_description *description, size_t cluster);

/// Writes the outlier score of each of the `samples` that were clustered into `scores`: N numbers,
/// near 0 amid a cluster, and up to 1. At 0.5 a sample's nearest neighbours are twice as far as
/// those of the samples in the densest places around. Weights count: whole ones give the scores of
/// repeated rows. The metric is that of the hierarchy, and neighbours come as in
/// `finch_hierarchy_refine`.
FINCH_API finch_status finch_hierarchy_outlier_scores(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const finch_options *options, double *scores, size_t capacity);

/// Finds the shares of the links of each of the `count` = N samples, to its ceil(log2 N) nearest or
/// fewer, that lead to each cluster of `labels`, which are those of `finch_describe`. Links to
/// noise do not count. Each row adds up to 1: if no link leads to a cluster, by 1 for its own; that
/// of noise is then empty. `samples` and neighbours come as in `finch_hierarchy_refine`.
/// `*membership` becomes a new membership, to be freed with `finch_membership_free`.
FINCH_API finch_status finch_hierarchy_membership(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const int32_t *labels, size_t count, const finch_options *options,
    finch_membership **membership);

/// Frees a membership. Pointers borrowed from it are then invalid. NULL is ignored.
FINCH_API void finch_membership_free(finch_membership *membership);
/// Returns 1 and fills `*shares`, N x C, a borrowed `finch_csr` of doubles. Returns 0 for NULL.
FINCH_API int32_t finch_membership_shares(const finch_membership *membership, finch_matrix *shares);
/// The share of each sample's own cluster, 0 for noise: N numbers. Borrowed.
FINCH_API const double *finch_membership_probabilities(const finch_membership *membership);

/// Makes noise, label -1, of outliers, and then of clusters that are left too small, or joins these
/// to others, the smallest first: each to the cluster that most links of its samples to their
/// nearest neighbours lead to. The options say so, from `min_cluster_size` on. `labels` has the
/// cluster of each of the `count` = N samples, any integers; -1 stays. Writes N labels into
/// `noisy`, which may be `labels`, clusters by first appearance. `*clusters`, unless `clusters` is
/// NULL, becomes their number. `samples` and neighbours come as in `finch_hierarchy_refine`.
FINCH_API finch_status finch_hierarchy_noise(const finch_hierarchy *hierarchy,
    const finch_matrix *samples, const int32_t *labels, size_t count, const finch_options *options,
    int32_t *noisy, size_t capacity, size_t *clusters);

/// Finds the first neighbour of each row of `samples`, of equally near rows the one with the
/// smallest number. Writes the neighbour's number into `index` and the distance to the neighbour
/// into `distance`: N numbers each, none for a single row. `distance` may be NULL.
FINCH_API finch_status finch_first_neighbors(const finch_matrix *samples,
    const finch_options *options, int32_t *index, double *distance, size_t capacity);

/// Finds the `k` nearest other rows of each row of `samples`, nearest first, of equally near
/// rows the smaller number first; `k` is from 1 to N - 1. Writes their numbers into `index` and
/// their distances into `distance`, N x k matrices, row-major. `distance` may be NULL.
FINCH_API finch_status finch_nearest_neighbors(const finch_matrix *samples, size_t k,
    const finch_options *options, int32_t *index, double *distance, size_t capacity);

/// Offers every row of `base` to every row of `queries`, and keeps the nearest so far: for data
/// that is spread over files or machines.
///
/// `queries` and `base` are consecutive rows of one large matrix. `first_query` and `first_base`
/// are the numbers of their first rows in the large matrix, below 2^31 - 1. A row is not offered to
/// itself. Both matrices have the same element type, and each matrix is checked by itself: rows in
/// which no value reaches 1e-140 are refused, whatever the rest of the large matrix has.
///
/// `index` and `key` have `count` numbers, one for each row of `queries`: the row that is nearest
/// so far, and its key, the number by which the metric compares (squared Euclidean distance; 2 - 2
/// cos; Manhattan distance). Begin with -1 in every `index`; the key beside -1 is not looked at,
/// and becomes infinite if no row is nearer.
///
/// Once all rows have been offered, in parts of any size and in any order, `index` is what
/// `finch_first_neighbors` finds for the large matrix, bit for bit, and `finch_keys_to_distances`
/// turns `key` into the distances. The k-d tree does not serve here. Two calls at once need
/// different `index` and `key`.
FINCH_API finch_status finch_update_neighbors(const finch_matrix *queries, size_t first_query,
    const finch_matrix *base, size_t first_base, const finch_options *options, int32_t *index,
    double *key, size_t count);

/// Turns `count` keys, as `finch_update_neighbors` left them under a `finch_metric`, into
/// distances. `distances` may be `keys`, whose memory is then overwritten. A negative key or NaN is
/// an error. The pointers may be NULL if `count` is 0.
FINCH_API finch_status finch_keys_to_distances(int32_t metric, const double *keys,
    double *distances, size_t count);

/// The clustering equation alone (Eq. 1 of the paper): joins each of `count` samples with its first
/// neighbour, writes the cluster of each sample into `labels`, `count` numbers, and the number of
/// clusters into `*cluster_count`. `labels` may be `first_neighbors`, whose memory is then
/// overwritten. `cluster_count` may be NULL.
FINCH_API finch_status finch_components(const int32_t *first_neighbors, size_t count,
    int32_t *labels, size_t *cluster_count);

/// Offers every row of `base` to every row of `queries`, as `finch_update_neighbors`, and keeps the
/// `k` nearest so far, nearest first, of equally near rows the smaller number first. Rows may come
/// from anywhere in data of any size, and parts that are offered may overlap.
///
/// `query_numbers` and `base_numbers` have the number of each row in the whole data. The numbers of
/// `base` ascend from 0. A query of a negative number is no row of the data; no other query is
/// offered to itself. NULL stands for queries that are no rows of the data, and in `base` for 0, 1,
/// 2, ...
///
/// `index` and `key` are N x k matrices for N queries, row-major, with room for `capacity`
/// elements: the numbers of the nearest so far, and their keys. Begin with -1 in every `index`; the
/// key beside -1 is not looked at, and becomes infinite where there is no row.
FINCH_API finch_status finch_neighbors_between(const finch_matrix *queries,
    const int64_t *query_numbers, const finch_matrix *base, const int64_t *base_numbers, size_t k,
    const finch_options *options, int64_t *index, double *key, size_t capacity);

/// Adds the rows of `samples` to the sums of their clusters, and counts them: for means of data
/// that is spread over files or machines.
///
/// `labels` has the cluster of each of the `count` rows, a number below `clusters`. `sums`, a
/// `clusters` x d matrix, row-major, and `sizes`, `clusters` numbers, are changed in place, and are
/// zeros before the first rows; no other argument may lie in their memory. Rows are added one after
/// the other: sums of parts that come in the order of rows are bit for bit those of all rows at
/// once, whatever the parts. Divided by `sizes` they are the means of `finch_hierarchy_means`.
/// Options: `threads`.
FINCH_API finch_status finch_sums_add(const finch_matrix *samples, const int32_t *labels,
    size_t count, const finch_options *options, double *sums, int64_t *sizes, size_t clusters);

/// Compares the clusters of `count` samples, `labels`, with their known classes, `truth`. Clusters
/// and classes may be any integers, but samples whose label is -1, noise, are left out; `noise` is
/// their share. `size` is `sizeof *scores`.
FINCH_API finch_status finch_score(const int32_t *labels, const int32_t *truth, size_t count,
    finch_scores *scores, size_t size);

/// Compares like `finch_score`, each sample by its weight: `count` numbers as those of
/// `finch_cluster_weighted`. A weight is a number of equal samples: a pair of samples counts by the
/// product of its two weights, and a sample of weight 2 or more is pairs of its own, too, so that
/// the pairs and `ari` depend on the scale of the weights.
FINCH_API finch_status finch_score_weighted(const int32_t *labels, const int32_t *truth,
    const double *weights, size_t count, finch_scores *scores, size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FINCH_H */
