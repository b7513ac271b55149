// finch for C++17: finch.h with types, exceptions, and handles that free themselves.
//
//     std::vector<double> x = {0, 0, 0, 1, 9, 9, 9, 8, 5, 0, 5, 1};
//     finch::hierarchy hierarchy = finch::cluster({x, 2}); // x has 2 columns
//     for (int label : hierarchy.labels(0)) std::cout << label << ' '; // 0 0 1 1 2 2
//
// finch.h is the manual: names, shapes, numbers and defaults are the same here. This file adds:
// - Ownership. A hierarchy frees itself, and vectors are the caller's. A matrix and a span own
//   nothing: the memory that they were made of has to outlive them.
// - Failure. A function that is not noexcept may throw finch::error, or std::bad_alloc.
// - Threads. Several threads may call const members of one object at once.
#ifndef FINCH_HPP
#define FINCH_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "finch.hpp needs C++17"
#endif

#include "finch.h"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
namespace finch {
enum class metric { euclidean = FINCH_EUCLIDEAN, cosine = FINCH_COSINE,
                    manhattan = FINCH_MANHATTAN };
enum class link_bound { none = FINCH_LINK_BOUND_NONE,
                        first_neighbor = FINCH_LINK_BOUND_FIRST_NEIGHBOR };
enum class search { automatic = FINCH_SEARCH_AUTO, brute = FINCH_SEARCH_BRUTE,
                    kd_tree = FINCH_SEARCH_KD_TREE, blocked = FINCH_SEARCH_BLOCKED,
                    projected = FINCH_SEARCH_PROJECTED, approximate = FINCH_SEARCH_APPROXIMATE };
enum class linkage { neighbor = FINCH_LINKAGE_NEIGHBOR, centroid = FINCH_LINKAGE_CENTROID,
                     ward = FINCH_LINKAGE_WARD };
enum class stage { neighbors = FINCH_STAGE_NEIGHBORS, link = FINCH_STAGE_LINK,
                   merge = FINCH_STAGE_MERGE };
enum class order { row_major = FINCH_ROW_MAJOR, column_major = FINCH_COLUMN_MAJOR };

/// A sentence that says what was wrong, and the status of finch.h, for programs.
class error : public std::runtime_error {
    finch_status status_;
public:
    error(finch_status status, const std::string &what) : runtime_error(what), status_(status) {}
    finch_status status() const noexcept { return status_; }
    /// The name of the status, such as "FINCH_NON_FINITE".
    const char *name() const noexcept { return finch_status_name(status_); }
};

/// Elements that follow each other in memory of somebody else's: std::span, for C++17. Contiguous
/// ranges convert to it, and it converts to the std::span of C++20. Indices are not checked.
template <class T> class span {
    T *data_;
    size_t size_;
public:
    constexpr span(T *data, size_t size) noexcept : data_(data), size_(size) {}
    template <class Range, class Data = decltype(std::data(std::declval<Range &>())),
              class = std::enable_if_t<std::is_convertible_v<Data, T *>>>
    constexpr span(Range &&range) noexcept : span(std::data(range), std::size(range)) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](size_t index) const noexcept { return data_[index]; }
};

/// Samples of float, double or uint8_t, one a row, where they lie in memory. The memory is read and
/// checked by the functions that take the matrix, and has to be there until then.
class matrix {
    finch_matrix c_;
    static constexpr finch_element element(const float *) noexcept { return FINCH_F32; }
    static constexpr finch_element element(const double *) noexcept { return FINCH_F64; }
    static constexpr finch_element element(const uint8_t *) noexcept { return FINCH_U8; }
public:
    /// Rows that follow each other, as in `T x[rows][columns]`.
    template <class T> matrix(const T *x, size_t rows, size_t columns) noexcept
        : c_(finch_matrix_row_major(x, element(x), rows, columns)) {}
    /// Any layout: element (i, j) is `x[i * row_stride + j * column_stride]`.
    template <class T> matrix(const T *x, size_t rows, size_t columns, ptrdiff_t row_stride,
                              ptrdiff_t column_stride) noexcept
        : c_{x, rows, columns, row_stride, column_stride, element(x)} {}
    /// Columns that follow each other, as in MATLAB, Fortran and Eigen.
    template <class T>
    static matrix column_major(const T *x, size_t rows, size_t columns) noexcept {
        return {x, rows, columns, 1, static_cast<ptrdiff_t>(rows)}; }
    /// All rows that follow each other in a span. Throws where the last row is not complete.
    template <class T> matrix(span<T> all, size_t columns)
        : matrix(all.data(), columns == 0 ? 0 : all.size() / columns, columns) {
        if (rows() * columns == all.size()) return;
        throw error(FINCH_INVALID_SIZE, std::to_string(all.size()) + " values do not fill rows of "
                                            + std::to_string(columns));
    }
    /// All rows of a vector or an array, but not of a temporary.
    template <class Range> matrix(const Range &all, size_t columns)
        : matrix(span(std::data(all), std::size(all)), columns) {}
    template <class Range, class = std::enable_if_t<!std::is_trivially_copyable_v<Range>>>
    matrix(const Range &&all, size_t columns) = delete;
    const finch_matrix *get() const noexcept { return &c_; }
    size_t rows() const noexcept { return c_.rows; }
    size_t columns() const noexcept { return c_.columns; }
};

/// How far a run has come: the part of a stage that is done, from 0 to 1, and the stage's level.
struct progress { double fraction; finch::stage stage; size_t level; };

/// Runs on the thread of the call. Unlike in finch.h, true lets the run go on, and false ends it:
/// the call throws FINCH_CANCELLED. An exception ends the run, too, and comes out of the call.
using progress_callback = std::function<bool(const progress &)>;

namespace detail {
struct run;
inline void check(finch_status s) { if (s != FINCH_OK) throw error(s, finch_last_error_message()); }
/// Room for r x c numbers, or 0 where no memory has so much: then the call in C says so.
inline size_t room(size_t r, size_t c) { return c != 0 && r > PTRDIFF_MAX / 8 / c ? 0 : r * c; }
inline size_t same(size_t a, size_t b) {
    if (a == b) return a;
    throw error(FINCH_SAMPLE_COUNT, std::to_string(a) + " numbers beside " + std::to_string(b));
}
} // namespace detail

/// What can be chosen, and the defaults of finch.h: `finch::options().threads(1).seed(7)`.
class options {
    finch_options c_;
    progress_callback progress_;
    friend detail::run;
public:
    options() { detail::check(finch_options_init(&c_, sizeof c_)); }
    options &metric(finch::metric m) noexcept { c_.metric = int32_t(m); return *this; }
    options &link_bound(finch::link_bound b) noexcept { c_.link_bound = int32_t(b); return *this; }
    options &search(finch::search s) noexcept { c_.search = int32_t(s); return *this; }
    options &linkage(finch::linkage l) noexcept { c_.linkage = int32_t(l); return *this; }
    options &from(size_t p) noexcept { c_.from = ptrdiff_t(p & SIZE_MAX / 2); return *this; }
    options &refinable(bool r) noexcept { c_.refinable = r; return *this; }
    options &threads(size_t n) noexcept { c_.threads = n; return *this; }
    options &recall(double r) noexcept { c_.recall = r; return *this; }
    options &seed(uint64_t s) noexcept { c_.seed = s; return *this; }
    options &time_limit(double seconds) noexcept { c_.time_limit = seconds; return *this; }
    options &progress(progress_callback f) noexcept { progress_ = std::move(f); return *this; }
};

/// One call of C that takes options. No exception may cross C, so `thrown` keeps it until the end.
struct detail::run {
    finch_options c;
    const progress_callback &callback;
    std::exception_ptr thrown;

    explicit run(const options &options) : c(options.c_), callback(options.progress_) {
        c.progress = callback ? tell : nullptr;
        c.user_data = this;
    }
    static int32_t tell(const finch_progress *now, void *self) noexcept {
        auto &run = *static_cast<detail::run *>(self);
        try {
            return run.callback({now->fraction, stage(now->stage), now->level}) ? 0 : 1;
        } catch (...) {
            run.thrown = std::current_exception();
            return 1;
        }
    }
    void end(finch_status status) const {
        if (thrown) std::rethrow_exception(thrown);
        check(status);
    }
};

/// The partitions of one run, from fine to coarse. Members throw for a partition that is not there.
/// A hierarchy is moved, not copied, and then empty. Its spans end with it; a temporary gives none.
class hierarchy {
    struct deleter { void operator()(finch_hierarchy *c) const { finch_hierarchy_free(c); } };
    std::unique_ptr<finch_hierarchy, deleter> c_;
    size_t neighbor_count() const noexcept { return sample_count() > 1 ? sample_count() : 0; }
    /// What C returned, unless C returned nothing.
    template <class T> T found(T result, T nothing = {}) const {
        if (result == nothing) detail::check(c_ ? FINCH_NO_SUCH_PARTITION : FINCH_NULL_POINTER);
        return result;
    }
    template <class T = size_t> static std::optional<T> some(ptrdiff_t number) noexcept {
        return number < 0 ? std::nullopt : std::optional(static_cast<T>(number)); }

public:
    using number = std::optional<size_t>; // of a partition, if there is one
    /// Takes over, and frees, what C made.
    explicit hierarchy(finch_hierarchy *made) noexcept : c_(made) {}
    const finch_hierarchy *get() const noexcept { return c_.get(); }
    size_t sample_count() const noexcept { return finch_hierarchy_sample_count(get()); }
    size_t feature_count() const noexcept { return finch_hierarchy_feature_count(get()); }
    size_t partition_count() const noexcept { return finch_hierarchy_partition_count(get()); }
    size_t cluster_count(size_t p) const { return found(finch_hierarchy_cluster_count(get(), p)); }
    std::vector<size_t> cluster_counts() const {
        std::vector<size_t> out(partition_count());
        for (size_t p = 0; p < out.size(); p++) out[p] = cluster_count(p);
        return out;
    }
    auto metric() const { return finch::metric(found(finch_hierarchy_metric(get()), -1)); }
    auto link_bound() const {
        return finch::link_bound(found(finch_hierarchy_link_bound(get()), -1)); }
    /// The coarsest partition of at least k clusters, the finest of at most k, the nearest to k.
    number at_least(size_t k) const noexcept { return some(finch_hierarchy_at_least(get(), k)); }
    number at_most(size_t k) const noexcept { return some(finch_hierarchy_at_most(get(), k)); }
    number closest(size_t k) const noexcept { return some(finch_hierarchy_closest(get(), k)); }
    /// The cluster of each sample in partition p, from 0.
    span<const int32_t> labels(size_t p) const & {
        return {found(finch_hierarchy_labels(get(), p)), sample_count()}; }
    span<const int32_t> labels(size_t p) const && = delete;
    /// The labels of all partitions, N x P.
    std::vector<int32_t> all_labels(order o = order::row_major) const {
        std::vector<int32_t> out(sample_count() * partition_count());
        detail::check(finch_hierarchy_copy_all_labels(get(), int32_t(o), out.data(), out.size()));
        return out;
    }
    /// The means of the clusters of partition p, C x d, row-major. x are the clustered samples.
    std::vector<double> means(size_t p, const matrix &x, const options &options = {}) const {
        std::vector<double> out(detail::room(cluster_count(p), x.columns()));
        detail::run run(options);
        run.end(finch_hierarchy_means(get(), p, x.get(), &run.c, out.data(), out.size()));
        return out;
    }
    /// For each sample its first neighbour, and how far that is; none for a single sample.
    span<const int32_t> first_neighbors() const & noexcept {
        return {finch_hierarchy_first_neighbors(get()), neighbor_count()}; }
    span<const int32_t> first_neighbors() const && = delete;
    span<const double> distances() const & noexcept {
        return {finch_hierarchy_distances(get()), neighbor_count()}; }
    span<const double> distances() const && = delete;
    /// The search that found the first neighbours (an optional, empty where they were given), and
    /// the part of the true first neighbours that it found (-1 where they were given).
    auto search() const noexcept { return some<finch::search>(finch_hierarchy_search(get())); }
    double recall() const noexcept { return finch_hierarchy_recall(get()); }
    /// How they were searched, and why; empty where they were given.
    std::string explanation() const {
        const char *text = finch_hierarchy_explanation(get());
        return text ? text : "";
    }
    /// The cluster of each sample, of exactly k clusters. x are the samples that were clustered.
    std::vector<int32_t> refine(const matrix &x, size_t k, const options &options = {}) const {
        std::vector<int32_t> out(sample_count());
        detail::run run(options);
        run.end(finch_hierarchy_refine(get(), x.get(), k, &run.c, out.data(), out.size()));
        return out;
    }
};

/// Clusters samples (Algorithm 1 of the paper).
inline hierarchy cluster(const matrix &samples, const options &options = {}) {
    finch_hierarchy *made = nullptr;
    detail::run run(options);
    run.end(finch_cluster(samples.get(), &run.c, &made));
    return hierarchy(made);
}
/// Clusters samples from first neighbours that the caller brings.
inline hierarchy cluster_given(const matrix &samples, span<const int32_t> first,
                               const options &options = {}) {
    finch_hierarchy *made = nullptr;
    detail::run run(options);
    run.end(finch_cluster_given(samples.get(), first.data(), first.size(), &run.c, &made));
    return hierarchy(made);
}

/// For each sample its first neighbour, and how far that is; none for a single sample.
struct neighbors { std::vector<int32_t> index; std::vector<double> distance; };
inline neighbors first_neighbors(const matrix &samples, const options &options = {}) {
    const size_t n = samples.rows() > 1 && samples.rows() <= INT32_MAX ? samples.rows() : 0;
    neighbors out{std::vector<int32_t>(n), std::vector<double>(n)};
    detail::run run(options);
    run.end(finch_first_neighbors(samples.get(), &run.c, out.index.data(), out.distance.data(), n));
    return out;
}
/// Offers all rows of `base` to all rows of `queries`, and keeps the nearest. Indices begin at -1.
inline void update_neighbors(const matrix &queries, size_t first_query, const matrix &base,
                             size_t first_base, span<int32_t> index, span<double> key,
                             const options &options = {}) {
    const size_t n = detail::same(index.size(), key.size());
    detail::run run(options);
    run.end(finch_update_neighbors(queries.get(), first_query, base.get(), first_base, &run.c,
                                   index.data(), key.data(), n));
}
/// The distances that keys of update_neighbors stand for.
inline std::vector<double> keys_to_distances(metric metric, span<const double> keys) {
    std::vector<double> out(keys.size());
    detail::check(finch_keys_to_distances(int32_t(metric), keys.data(), out.data(), out.size()));
    return out;
}

/// Joins samples with their first neighbours (Eq. 1 of the paper).
struct partition { std::vector<int32_t> labels; size_t cluster_count; };
inline partition components(span<const int32_t> first) {
    partition p{std::vector<int32_t>(first.size()), 0};
    detail::check(finch_components(first.data(), first.size(), p.labels.data(), &p.cluster_count));
    return p;
}
/// Compares clusters with known classes; the measures are fractions.
inline finch_scores score(span<const int32_t> labels, span<const int32_t> truth) {
    finch_scores out;
    const size_t n = detail::same(labels.size(), truth.size());
    detail::check(finch_score(labels.data(), truth.data(), n, &out, sizeof out));
    return out;
}
} // namespace finch

#endif // FINCH_HPP
