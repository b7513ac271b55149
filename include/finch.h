// finch: parameter-free clustering by first neighbours, for C and every language that can call it.
//
// FINCH links each sample to its first neighbour, the one that is nearest to it; what is linked is a
// cluster, and the means of the clusters are linked in the same way, until nothing is left to link.
// M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First Neighbor
// Relations, CVPR 2019.
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
// In reading order: finch_status (how calls fail), finch_matrix (samples), finch_options (what can be
// chosen), finch_cluster and the finch_hierarchy that it makes, finch_hierarchy_refine (exactly K
// clusters), then the building blocks: finch_first_neighbors, finch_update_neighbors,
// finch_components, finch_score.
//
// What holds for all functions:
// - Ownership. Arguments are borrowed for the call. Only finch_cluster and finch_cluster_given make
//   something to be freed: a hierarchy, by finch_hierarchy_free. What is borrowed from a hierarchy
//   lives as long as it does. Outputs are the caller's, and are written only if the call succeeds.
// - Threads. Every function may be called from any thread, and at the same time as any other, but for
//   finch_hierarchy_free while another thread uses that hierarchy. Labels do not depend on threads.
// - Faults. NULL, misaligned pointers, impossible sizes, integers that are in no enum and values that
//   are not finite give a status and a message. Nothing is printed, and the process is not ended,
//   unless memory runs out. What cannot be noticed, and so is up to the caller: that memory is as
//   large as the arguments say, that a handle has not been freed, and that samples given beside a
//   hierarchy are those it was made from (only their shape is compared).
// - Processes. After fork(), a child has none of the threads of the shared pool, and a call that
//   needs them waits for ever: there, set finch_options.threads to 1 or more, which gives a run
//   threads of its own.
//
// Samples, features, partitions, clusters and levels are numbered from 0.
//
// This file is generated from the sources of finch-ffi; changes belong there.


#ifndef FINCH_H
#define FINCH_H

#include <stddef.h>
#include <stdint.h>

/// The version of this header: of
/// `FINCH_VERSION_MAJOR`.`FINCH_VERSION_MINOR`.`FINCH_VERSION_PATCH`.
#define FINCH_VERSION_MAJOR 0

/// See `FINCH_VERSION_MAJOR`.
#define FINCH_VERSION_MINOR 1

/// See `FINCH_VERSION_MAJOR`.
#define FINCH_VERSION_PATCH 0

/// The number of the binary interface, which is also that of the shared library's name
/// (`libfinch.so.1`). A program runs with any library of the same number that is not older than the
/// header it was compiled with. Under one number functions, status numbers and values of enums may
/// be added, and fields to the end of the structs that say so; nothing is changed or removed.
#define FINCH_ABI 1

/// What a call returns: 0 if all went well. Otherwise nothing was written to any output, and
/// `finch_last_error_message` says what was wrong. Numbers are never reused.
enum finch_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// All went well.
    FINCH_OK = 0,
    /// The progress callback asked to stop.
    FINCH_CANCELLED = 1,
    /// A fault inside the library, which is a bug: please report it with the message.
    FINCH_PANIC = 2,
    /// An error that has no number yet; the message has it.
    FINCH_FAILED = 3,
    /// A pointer is NULL that may not be.
    FINCH_NULL_POINTER = 4,
    /// A pointer is not aligned for what it points to.
    FINCH_MISALIGNED = 5,
    /// A size is impossible: more bytes than an address can reach, or a struct of an unknown size.
    FINCH_INVALID_SIZE = 6,
    /// A stride is 0 where there is more than one row or column.
    FINCH_INVALID_STRIDE = 7,
    /// An integer is none of the values of its enum, or a number is out of its range.
    FINCH_INVALID_VALUE = 8,
    /// An output buffer has fewer elements than would be written.
    FINCH_BUFFER_TOO_SMALL = 9,
    /// The matrix has no rows.
    FINCH_NO_SAMPLES = 10,
    /// The matrix has no columns.
    FINCH_NO_FEATURES = 11,
    /// There are more samples than int32_t labels can number.
    FINCH_TOO_MANY_SAMPLES = 12,
    /// A value is NaN or infinite; the message has its row and column, from 0.
    FINCH_NON_FINITE = 13,
    /// A value is beyond 1e140 in size, so that squared distances would overflow.
    FINCH_VALUE_TOO_LARGE = 14,
    /// No value reaches 1e-140 in size (but for zeros), so that squared distances would vanish.
    FINCH_VALUES_TOO_SMALL = 15,
    /// The number of clusters asked for is 0 or above the number of samples.
    FINCH_CLUSTER_COUNT = 16,
    /// The hierarchy has no partition of this number.
    FINCH_NO_SUCH_PARTITION = 17,
    /// The partition to refine from has fewer clusters than were asked for.
    FINCH_TOO_COARSE = 18,
    /// There is not one given first neighbour for each sample.
    FINCH_NEIGHBOR_COUNT = 19,
    /// A given first neighbour is the sample itself or no sample at all.
    FINCH_INVALID_NEIGHBOR = 20,
    /// The search asked for does not serve the metric, or so many features.
    FINCH_UNSUPPORTED_SEARCH = 21,
    /// Two inputs that belong together have different numbers of samples.
    FINCH_SAMPLE_COUNT = 22,
    /// Two inputs that belong together have different numbers of features.
    FINCH_FEATURE_COUNT = 23,
    /// Worker threads could not be started.
    FINCH_THREADS = 24,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_status finch_status;
#else
typedef int32_t finch_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What the elements of a matrix are. All arithmetic is in double precision; means are kept as
/// double for double samples, and rounded to float for the others.
enum finch_element
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// float
    FINCH_F32 = 0,
    /// double
    FINCH_F64 = 1,
    /// uint8_t, such as pixels
    FINCH_U8 = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_element finch_element;
#else
typedef int32_t finch_element;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How far two samples are from each other.
enum finch_metric
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The root of the sum of squared differences.
    FINCH_EUCLIDEAN = 0,
    /// 1 - cos, from 0 to 2. An all-zero sample is at 1 from every other.
    FINCH_COSINE = 1,
    /// The sum of absolute differences.
    FINCH_MANHATTAN = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_metric finch_metric;
#else
typedef int32_t finch_metric;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which links may merge clusters from the second partition on.
enum finch_link_bound
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// All: Algorithm 1 of the paper as listed.
    FINCH_LINK_BOUND_NONE = 0,
    /// Only links no longer than the longest first-neighbour distance between samples, as in the
    /// paper's published tables.
    FINCH_LINK_BOUND_FIRST_NEIGHBOR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_link_bound finch_link_bound;
#else
typedef int32_t finch_link_bound;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How first neighbours are searched. All but the last are exact and give the same; they differ in
/// time.
enum finch_search
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The fastest exact one for the data and the metric; where that would take more than about five
    /// minutes on one core, the approximate one.
    FINCH_SEARCH_AUTO = 0,
    /// Every pair, one by one.
    FINCH_SEARCH_BRUTE = 1,
    /// A k-d tree, for at most 16 features.
    FINCH_SEARCH_KD_TREE = 2,
    /// Blocks of a matrix product; not for Manhattan.
    FINCH_SEARCH_BLOCKED = 3,
    /// Blocks of a matrix product along the main axes of the data, for at least 8 features; not for
    /// Manhattan.
    FINCH_SEARCH_PROJECTED = 4,
    /// Most neighbours, as `recall` says, for millions of samples: pairs that share one of several
    /// small cells; not for Manhattan. What it finds depends on `recall` and `seed` alone.
    FINCH_SEARCH_APPROXIMATE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_search finch_search;
#else
typedef int32_t finch_search;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which two clusters merge first where an exact number of clusters is asked for.
enum finch_linkage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The two with the closest means: Algorithm 2 of the paper.
    FINCH_LINKAGE_CENTROID = 0,
    /// The two whose merging adds least to the squared distances of samples to their means.
    FINCH_LINKAGE_WARD = 1,
    /// The two with the strongest links for each pair of their samples: a sample is linked to its
    /// ceil(2 log2 N) nearest neighbours (N / 4 of few), the more strongly the more neighbours the
    /// two share. It follows clusters of any shape and is hardly disturbed by outliers. Clusters
    /// without any link left, of data in far pieces or of fewer than 8 samples, merge as by Ward
    /// linkage. (Not single linkage.)
    FINCH_LINKAGE_NEIGHBOR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_linkage finch_linkage;
#else
typedef int32_t finch_linkage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What a run is doing.
enum finch_stage
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Searching neighbours: of samples (level 0), or of the means of partition level - 1.
    FINCH_STAGE_NEIGHBORS = 0,
    /// Merging clusters by their means, down to the number asked for.
    FINCH_STAGE_MERGE = 1,
    /// Linking clusters by the neighbours that their samples share, and merging by these links.
    FINCH_STAGE_LINK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_stage finch_stage;
#else
typedef int32_t finch_stage;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The order of a matrix that is written out.
enum finch_order
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Row after row, as in C.
    FINCH_ROW_MAJOR = 0,
    /// Column after column, as in MATLAB and Fortran.
    FINCH_COLUMN_MAJOR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum finch_order finch_order;
#else
typedef int32_t finch_order;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// All partitions of one run, from fine to coarse, and the first neighbours that they grew from.
///
/// Partitions are numbered from 0, the finest; there is always at least one. In each, the clusters
/// are numbered from 0 by first appearance in sample order. A hierarchy does not change until it is
/// freed, so any number of threads may read one at once; whoever made it frees it, once, with
/// `finch_hierarchy_free`, on any thread.
typedef struct finch_hierarchy finch_hierarchy;

/// A matrix of samples, where and how it lies in memory: rows are samples, columns are features,
/// and the element at (i, j) is `data[i * row_stride + j * column_stride]`.
///
/// So row-major (C) and column-major (MATLAB, Fortran) arrays, parts of larger ones and fields of
/// structs go in as they are; nothing is transposed or copied as a whole. A call reads the memory
/// while it runs and keeps no pointer to it. The fields are the same under one `FINCH_ABI`.
typedef struct finch_matrix {
    /// The element at (0, 0), aligned for its type. NULL only where there are no elements.
    const void *data;
    /// The number of samples, N.
    size_t rows;
    /// The number of features, d.
    size_t columns;
    /// How many elements (not bytes) one row is after the one before; negative where rows are in
    /// reverse order. 0 is an error, unless there is only one row.
    ptrdiff_t row_stride;
    /// How many elements one column is after the one before, in the same way.
    ptrdiff_t column_stride;
    /// A `finch_element`.
    int32_t element;
} finch_matrix;

/// How far a run has come. Fields may be added to the end.
typedef struct finch_progress {
    /// The part of the stage that is done, from 0 to 1, never falling within a stage.
    double fraction;
    /// A `finch_stage`. Later versions may have more of them.
    int32_t stage;
    /// The level of the stage, from 0.
    uint32_t level;
} finch_progress;

/// Is told how far a run has come, and returns 0 to let it go on; any other value stops it, and the
/// call returns `FINCH_CANCELLED`.
///
/// It is called on the thread that made the call, when a stage begins and ends and about twenty
/// times a second between. The progress is valid until it returns. It may call finch. It must
/// return: a C++ exception or a longjmp out of it is undefined behaviour (finch.hpp takes care of
/// exceptions).
typedef int32_t (*finch_progress_fn)(const struct finch_progress *progress, void *user_data);

/// What can be chosen. `finch_options_init` fills it with defaults; then change what you like.
/// Where a function takes options, NULL stands for the defaults. Fields that a function has no use
/// for are ignored by it, but must be valid. Fields may be added to the end.
typedef struct finch_options {
    /// The size of this struct as the caller knows it, by which fields can be added to its end.
    size_t size;
    /// A `finch_metric`. Default: `FINCH_EUCLIDEAN`.
    int32_t metric;
    /// A `finch_link_bound`. Default: `FINCH_LINK_BOUND_NONE`.
    int32_t link_bound;
    /// How first neighbours are searched, a `finch_search`. Default: `FINCH_SEARCH_AUTO`.
    int32_t neighbors;
    /// Which clusters merge first in `finch_hierarchy_refine`, a `finch_linkage`. Default:
    /// `FINCH_LINKAGE_NEIGHBOR`.
    int32_t linkage;
    /// The partition that `finch_hierarchy_refine` merges from. -1 is the finest for neighbour
    /// linkage, so that the results for all numbers of clusters are nested, and for the others the
    /// coarsest that has at least as many clusters as are asked for. Default: -1.
    ptrdiff_t from;
    /// The number of threads; no more than 1024 are started. 0 shares one pool of a thread per core
    /// among all runs of the process. The result does not depend on it. Default: 0.
    size_t threads;
    /// The part of first neighbours that an approximate search is to find, above 0 and at most 1. It
    /// goes on until so many are found of a sample of 2,048; `finch_hierarchy_recall` tells what it
    /// has found of others. Exact searches always find all, and with 1 FINCH_SEARCH_AUTO is exact.
    /// Default: 0.99.
    double recall;
    /// For random choices, which only an approximate search makes. Default: 0.
    uint64_t seed;
    /// Is told how far the run is, and can stop it; NULL for none. Default: NULL.
    finch_progress_fn progress;
    /// Given to `progress`. Default: NULL.
    void *user_data;
    /// 0 or 1. With 1, `finch_cluster` also finds and keeps what `finch_hierarchy_refine` needs for
    /// `linkage`, so that refining, to any number of clusters, need not search neighbours again. For
    /// neighbour linkage this takes 12 bytes x ceil(2 log2 N) a sample, and `finch_cluster` about
    /// 1.5 times as long, or 3 times with a k-d tree: less than to search twice. The others need
    /// nothing kept. No effect in `finch_cluster_given`. Default: 0.
    int32_t refinable;
    /// For later versions: 0, as `finch_options_init` leaves it.
    int32_t reserved;
} finch_options;

/// Measures of how well clusters agree with known classes, as fractions: 1 is full agreement.
/// Fields may be added to the end.
typedef struct finch_scores {
    /// Normalised mutual information, by the geometric mean of the entropies, as in the paper.
    double nmi;
    /// Normalised mutual information, by the arithmetic mean, as in scikit-learn.
    double nmi_arithmetic;
    /// The part of samples that are right when clusters and classes are matched one to one in the
    /// best way (ACC). NaN where finding it would take too long: for thousands of clusters that
    /// have little to do with thousands of classes.
    double accuracy;
    /// The part of samples that are right when each cluster stands for its largest class.
    double purity;
    /// The adjusted Rand index, which is 0 for agreement by chance, and may be below.
    double ari;
    /// Pairs of samples: of those that share a cluster, the part that shares a class.
    double pairwise_precision;
    /// Pairs of samples: of those that share a class, the part that shares a cluster.
    double pairwise_recall;
    /// The harmonic mean of the two.
    double pairwise_f;
    /// The B-cubed precision.
    double bcubed_precision;
    /// The B-cubed recall.
    double bcubed_recall;
    /// The harmonic mean of the two.
    double bcubed_f;
} finch_scores;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The version of the library that runs, such as "0.1.0": a string that is always valid.
/// From any thread.
const char *finch_version(void);

/// `FINCH_ABI` of the library that runs. From any thread.
uint32_t finch_abi(void);

/// The name of a status, such as "FINCH_NON_FINITE", or "unknown" for a number that none has: a
/// string that is always valid. From any thread.
const char *finch_status_name(int32_t status);

/// What was wrong with the last call that failed on this thread, in a sentence that says where and
/// what to do; "" if none has failed. UTF-8, never NULL, and valid until the next call that fails
/// on this thread, or its end. A call that succeeds leaves it as it was.
const char *finch_last_error_message(void);

/// A matrix whose rows follow each other, as in a C array `x[rows][columns]`. Nothing is checked
/// before it is used, so `data` may be NULL. From any thread.
struct finch_matrix finch_matrix_row_major(const void *data,
                                           int32_t element,
                                           size_t rows,
                                           size_t columns);

/// A matrix whose columns follow each other, as in MATLAB and Fortran. Nothing is checked before it
/// is used, so `data` may be NULL. From any thread.
struct finch_matrix finch_matrix_column_major(const void *data,
                                              int32_t element,
                                              size_t rows,
                                              size_t columns);

/// Fills `*options` with the defaults. Call it as `finch_options_init(&options, sizeof options)`.
/// What a newer header's struct has beyond this library's becomes 0, its default; a size that no
/// version has is an error. `options` may not be NULL. From any thread.
finch_status finch_options_init(struct finch_options *options, size_t size);

/// Clusters the rows of `samples` (Algorithm 1 of the paper): `*hierarchy` becomes a new handle, to
/// be freed with `finch_hierarchy_free`. After a failure it is as it was. Of the arguments,
/// `options` alone may be NULL. From any thread, with any number of runs at once.
finch_status finch_cluster(const struct finch_matrix *samples,
                           const struct finch_options *options,
                           struct finch_hierarchy **hierarchy);

/// Clusters as `finch_cluster` does, from first neighbours that the caller brings: for each of the
/// `count` rows of `samples` the number of another one, from 0, in `first_neighbors`; for a single
/// row none, and then `first_neighbors` may be NULL. Later levels are searched as usual.
///
/// Ownership is as for `finch_cluster`. Of the other arguments, `options` alone may be NULL. From
/// any thread, with any number of runs at once.
finch_status finch_cluster_given(const struct finch_matrix *samples,
                                 const int32_t *first_neighbors,
                                 size_t count,
                                 const struct finch_options *options,
                                 struct finch_hierarchy **hierarchy);

/// Frees a hierarchy, and with it all that was borrowed from it. NULL is ignored. From any thread,
/// once no other uses it.
void finch_hierarchy_free(struct finch_hierarchy *hierarchy);

/// The number of samples, N; 0 for NULL.
/// From any thread.
size_t finch_hierarchy_samples(const struct finch_hierarchy *hierarchy);

/// The number of partitions, at least 1; 0 for NULL.
/// From any thread.
size_t finch_hierarchy_partitions(const struct finch_hierarchy *hierarchy);

/// The number of clusters of a partition; 0 for NULL or where there is no such partition.
/// From any thread.
size_t finch_hierarchy_clusters(const struct finch_hierarchy *hierarchy, size_t partition);

/// The number of the coarsest partition of at least `clusters` clusters; -1 if there is none, and
/// for NULL. From any thread.
ptrdiff_t finch_hierarchy_at_least(const struct finch_hierarchy *hierarchy, size_t clusters);

/// The number of the finest partition of at most `clusters` clusters; -1 if there is none, and for
/// NULL.
/// From any thread.
ptrdiff_t finch_hierarchy_at_most(const struct finch_hierarchy *hierarchy, size_t clusters);

/// The number of the partition whose cluster count is nearest to `clusters`, of two the finer; -1
/// for NULL. From any thread.
ptrdiff_t finch_hierarchy_closest(const struct finch_hierarchy *hierarchy, size_t clusters);

/// The cluster of each sample in a partition: N numbers from 0, borrowed from the hierarchy and
/// valid until it is freed. NULL for NULL or where there is no such partition. From any thread.
const int32_t *finch_hierarchy_labels(const struct finch_hierarchy *hierarchy, size_t partition);

/// Writes the cluster of each sample in a partition: N numbers from 0 into `labels`, which has room
/// for `capacity`.
/// No pointer may be NULL. From any thread.
finch_status finch_hierarchy_copy_labels(const struct finch_hierarchy *hierarchy,
                                         size_t partition,
                                         int32_t *labels,
                                         size_t capacity);

/// Writes the labels of all P partitions: an N x P matrix, one column a partition, in the given
/// `finch_order`, into `labels`, which has room for `capacity` numbers.
/// No pointer may be NULL. From any thread.
finch_status finch_hierarchy_copy_all_labels(const struct finch_hierarchy *hierarchy,
                                             int32_t order,
                                             int32_t *labels,
                                             size_t capacity);

/// Writes the mean of each cluster of a partition over all its samples: a C x d matrix, row-major,
/// into `means`, which has room for `capacity` numbers. `samples` are those that were clustered. Of
/// the options, `threads` counts. Of the pointers, `options` alone may be NULL. From any thread.
finch_status finch_hierarchy_means(const struct finch_hierarchy *hierarchy,
                                   size_t partition,
                                   const struct finch_matrix *samples,
                                   const struct finch_options *options,
                                   double *means,
                                   size_t capacity);

/// The first neighbour of each sample, from 0: N numbers, or none for a single sample. Borrowed
/// from the hierarchy and valid until it is freed. NULL for NULL. From any thread.
const int32_t *finch_hierarchy_first_neighbors(const struct finch_hierarchy *hierarchy);

/// The distance of each sample to its first neighbour: N numbers, or none for a single sample.
/// Borrowed from the hierarchy and valid until it is freed. NULL for NULL.
/// From any thread.
const double *finch_hierarchy_distances(const struct finch_hierarchy *hierarchy);

/// The search that found the first neighbours: a `finch_search`, never `FINCH_SEARCH_AUTO`; -1
/// where the caller gave them, and for NULL. From any thread.
int32_t finch_hierarchy_search(const struct finch_hierarchy *hierarchy);

/// The part of the true first neighbours that the search found, measured on 2,048 samples drawn at
/// random (of fewer than 4,096 on half); of a hierarchy with `refinable` the part of the k nearest
/// that it keeps. 1 where the search was exact, or there was none to find; -1 where the caller gave
/// the first neighbours, and for NULL. From any thread.
double finch_hierarchy_recall(const struct finch_hierarchy *hierarchy);

/// Makes exactly `clusters` clusters, from 1 to N, of the `samples` that were clustered, and writes
/// the cluster of each into `labels`, which has room for `capacity` numbers: N, from 0.
///
/// It merges one pair of clusters at a time, by `linkage` (Algorithm 2 of the paper is centroid
/// linkage) and from the partition `from` of the options, or splits the finest partition where that
/// has fewer clusters, which takes no time and reports no progress. For neighbour linkage it takes
/// the nearest neighbours of the samples that the hierarchy keeps if it was made with `refinable`,
/// and otherwise first searches them, which takes longer than clustering did.
///
/// The metric is that of the hierarchy. Of the pointers, `options` alone may be NULL. From any
/// thread, with any number of runs at once.
finch_status finch_hierarchy_refine(const struct finch_hierarchy *hierarchy,
                                    const struct finch_matrix *samples,
                                    size_t clusters,
                                    const struct finch_options *options,
                                    int32_t *labels,
                                    size_t capacity);

/// Finds the first neighbour of each of the N rows of `samples`, from 0 (of equally near ones the
/// one with the smallest number), and how far it is, and writes N numbers into `index` and
/// `distance`, which have room for `capacity` each; none where there is only one row. Of the
/// pointers, `options` may be NULL, and `distance` where distances are not wanted. From any thread,
/// with any number of runs at once.
finch_status finch_first_neighbors(const struct finch_matrix *samples,
                                   const struct finch_options *options,
                                   int32_t *index,
                                   double *distance,
                                   size_t capacity);

/// Offers every row of `base` to every row of `queries`, and keeps the nearest so far: for data
/// that is spread over files or machines. Both are consecutive rows of one large matrix, of which
/// `first_query` and `first_base` are the numbers of their first rows, below 2^31 - 1; a row is not
/// offered to itself. Both have the same element type, and each has to be sound by itself (a part
/// in which no value reaches 1e-140 is refused, whatever the other parts have).
///
/// `index` and `key` have `count` numbers, one for each row of `queries`: the nearest so far, and
/// what the metric compares (squared Euclidean distance; 2 - 2 cos; Manhattan distance). Begin with
/// -1 in every `index` (0 would be a sample); its key is then not looked at, and becomes infinite if
/// nothing is nearer.
///
/// Once all rows have been offered, in parts of any size and any order, `index` is what
/// `finch_first_neighbors` finds for the whole, bit for bit, and `finch_distances` makes its
/// distances of the keys. Trees are not supported here. After a failure, `index` and `key` are as
/// they were. Of the pointers, `options` alone may be NULL. From any thread; two at once only for
/// different `index` and `key`.
finch_status finch_update_neighbors(const struct finch_matrix *queries,
                                    size_t first_query,
                                    const struct finch_matrix *base,
                                    size_t first_base,
                                    const struct finch_options *options,
                                    int32_t *index,
                                    double *key,
                                    size_t count);

/// Turns `count` keys of `finch_update_neighbors` into distances under a `finch_metric`:
/// `distances` may be `keys`, and then they are replaced. A negative key or NaN is an error. They
/// may be NULL only for no keys. From any thread.
finch_status finch_distances(int32_t metric, const double *keys, double *distances, size_t count);

/// The clustering equation alone (Eq. 1 of the paper): joins each of `count` samples with its first
/// neighbour, from 0, and writes the cluster of each into `labels`, `count` numbers from 0, and how
/// many clusters there are into `*clusters`. `labels` may be `first_neighbors`, and then they are
/// replaced. Of the pointers, `clusters` alone may be NULL. From any thread.
finch_status finch_components(const int32_t *first_neighbors,
                              size_t count,
                              int32_t *labels,
                              size_t *clusters);

/// Compares the clusters of `count` samples with their known classes, `truth`; the labels of both
/// may be any integers. Call it with `sizeof *scores` as `size`. No pointer may be NULL. From any
/// thread.
finch_status finch_score(const int32_t *labels,
                         const int32_t *truth,
                         size_t count,
                         struct finch_scores *scores,
                         size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FINCH_H */
