// finch for C++17: finch.h with types, exceptions, and handles that free themselves.
//
//     std::vector<double> x = {0, 0, 0, 1, 9, 9, 9, 8, 5, 0, 5, 1};
//     finch::hierarchy hierarchy = finch::cluster({x, 2}); // x has 2 columns
//     for (int label : hierarchy.labels(0)) std::cout << label << ' '; // 0 0 1 1 2 2
//
// finch.h is the manual: shapes, numbers and defaults are the same here. What this file adds:
// - Ownership. A hierarchy frees itself, and vectors are the caller's. A matrix and a span own
//   nothing: what they were made of has to outlive them.
// - Failure. Whatever is not noexcept throws finch::error, or std::bad_alloc for want of memory.
// - Threads. Any function from any thread; const members of one object from several at once.
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

/// What was wrong, in a sentence, and the status of finch.h, which a program can act on.
class error : public std::runtime_error {
    finch_status status_;
public:
    error(finch_status status, const std::string &what) : runtime_error(what), status_(status) {}
    finch_status status() const noexcept { return status_; }
    /// The name of the status, such as "FINCH_NON_FINITE".
    const char *name() const noexcept { return finch_status_name(status_); }
};

/// Elements that follow each other and belong to somebody else: std::span, for C++17. Any range of
/// that kind becomes one, and under C++20 it becomes a std::span. Indices are not checked.
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

/// Samples of float, double or uint8_t, one a row, where they lie in memory. They are checked when
/// they are used, and have to be there until then.
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
    /// All rows that follow each other in a span; throws where the last is not complete.
    template <class T> matrix(span<T> all, size_t columns)
        : matrix(all.data(), columns == 0 ? 0 : all.size() / columns, columns) {
        if (rows() * columns == all.size()) return;
        throw error(FINCH_INVALID_SIZE, std::to_string(all.size()) + " values do not fill rows of "
                                            + std::to_string(columns));
    }
    /// The same of a vector, an array or the like, but not of one that is about to vanish.
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

/// Is called on the thread of the run, and returns true to let it go on, unlike in finch.h. If not,
/// the run throws FINCH_CANCELLED. What the callback throws ends the run, too, and comes out of it.
using progress_callback = std::function<bool(const progress &)>;

namespace detail {
struct run;
inline void check(finch_status s) { if (s != FINCH_OK) throw error(s, finch_last_error_message()); }
/// Room for r x c numbers, or none where C is going to say that no memory has that much.
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
    options &neighbors(finch::search s) noexcept { c_.neighbors = int32_t(s); return *this; }
    options &linkage(finch::linkage l) noexcept { c_.linkage = int32_t(l); return *this; }
    options &from(size_t p) noexcept { c_.from = ptrdiff_t(p & SIZE_MAX / 2); return *this; }
    options &refinable(bool r) noexcept { c_.refinable = r; return *this; }
    options &threads(size_t n) noexcept { c_.threads = n; return *this; }
    options &recall(double r) noexcept { c_.recall = r; return *this; }
    options &seed(uint64_t s) noexcept { c_.seed = s; return *this; }
    options &progress(progress_callback f) noexcept { progress_ = std::move(f); return *this; }
};

/// One call of C that takes options. No exception may cross it, so it is kept until C has returned.
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

/// All partitions of one run, from fine to coarse, numbered from 0; of another, members throw.
/// It is moved, not copied, and empty afterwards. Spans end with it, and a temporary gives none.
class hierarchy {
    struct deleter { void operator()(finch_hierarchy *c) const { finch_hierarchy_free(c); } };
    std::unique_ptr<finch_hierarchy, deleter> c_;
    size_t neighbors() const noexcept { return samples() > 1 ? samples() : 0; }
    /// What C returned, which is zero where it failed.
    template <class T> T found(T result) const {
        if (!result) detail::check(c_ ? FINCH_NO_SUCH_PARTITION : FINCH_NULL_POINTER);
        return result;
    }
    template <class T = size_t> static std::optional<T> some(ptrdiff_t number) noexcept {
        return number < 0 ? std::nullopt : std::optional(static_cast<T>(number));
    }

public:
    using number = std::optional<size_t>; // of a partition, if there is one
    /// Takes over, and frees, what C made.
    explicit hierarchy(finch_hierarchy *made) noexcept : c_(made) {}
    const finch_hierarchy *get() const noexcept { return c_.get(); }
    size_t samples() const noexcept { return finch_hierarchy_samples(get()); }
    size_t partitions() const noexcept { return finch_hierarchy_partitions(get()); }
    size_t clusters(size_t p) const { return found(finch_hierarchy_clusters(get(), p)); }
    std::vector<size_t> cluster_counts() const {
        std::vector<size_t> out(partitions());
        for (size_t p = 0; p < out.size(); p++) out[p] = clusters(p);
        return out;
    }
    /// The coarsest of at least k clusters; the finest of at most k; the nearest, of two the finer.
    number at_least(size_t k) const noexcept { return some(finch_hierarchy_at_least(get(), k)); }
    number at_most(size_t k) const noexcept { return some(finch_hierarchy_at_most(get(), k)); }
    number closest(size_t k) const noexcept { return some(finch_hierarchy_closest(get(), k)); }
    /// The cluster of each sample in partition p, from 0.
    span<const int32_t> labels(size_t p) const & {
        return {found(finch_hierarchy_labels(get(), p)), samples()};
    }
    span<const int32_t> labels(size_t p) const && = delete;
    /// The labels of all partitions, N x P.
    std::vector<int32_t> all_labels(order o = order::row_major) const {
        std::vector<int32_t> out(samples() * partitions());
        detail::check(finch_hierarchy_copy_all_labels(get(), int32_t(o), out.data(), out.size()));
        return out;
    }
    /// The means of the clusters of partition p of the clustered samples, C x d, row-major.
    std::vector<double> means(size_t p, const matrix &x, const options &options = {}) const {
        std::vector<double> out(detail::room(clusters(p), x.columns()));
        detail::run run(options);
        run.end(finch_hierarchy_means(get(), p, x.get(), &run.c, out.data(), out.size()));
        return out;
    }
    /// For each sample its first neighbour, and how far that is; none for a single sample.
    span<const int32_t> first_neighbors() const & noexcept {
        return {finch_hierarchy_first_neighbors(get()), neighbors()};
    }
    span<const int32_t> first_neighbors() const && = delete;
    span<const double> distances() const & noexcept {
        return {finch_hierarchy_distances(get()), neighbors()};
    }
    span<const double> distances() const && = delete;
    /// What found the first neighbours (an optional, empty where they were given), and the part of
    /// the true ones that it found (-1 there).
    auto search() const noexcept { return some<finch::search>(finch_hierarchy_search(get())); }
    double recall() const noexcept { return finch_hierarchy_recall(get()); }
    /// The cluster of each of the samples that were clustered, once there are exactly k clusters.
    std::vector<int32_t> refine(const matrix &x, size_t k, const options &options = {}) const {
        std::vector<int32_t> out(samples());
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
/// Offers all rows of `base` to those of `queries`, and keeps the nearest; an index begins at -1.
inline void update_neighbors(const matrix &queries, size_t first_query, const matrix &base,
                             size_t first_base, span<int32_t> index, span<double> key,
                             const options &options = {}) {
    const size_t n = detail::same(index.size(), key.size());
    detail::run run(options);
    run.end(finch_update_neighbors(queries.get(), first_query, base.get(), first_base, &run.c,
                                   index.data(), key.data(), n));
}
/// The distances that keys of update_neighbors stand for.
inline std::vector<double> distances(metric metric, span<const double> keys) {
    std::vector<double> out(keys.size());
    detail::check(finch_distances(int32_t(metric), keys.data(), out.data(), out.size()));
    return out;
}

/// Joins samples with their first neighbours (Eq. 1 of the paper): labels, and how many clusters.
struct partition { std::vector<int32_t> labels; size_t clusters; };
inline partition components(span<const int32_t> first) {
    partition out{std::vector<int32_t>(first.size()), 0};
    detail::check(finch_components(first.data(), first.size(), out.labels.data(), &out.clusters));
    return out;
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
