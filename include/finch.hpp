// finch for C++17: finch.h with types, exceptions, and handles that free themselves.
//
//     std::vector<double> x = {0, 0, 0, 1, 9, 9, 9, 8, 5, 0, 5, 1};
//     finch::hierarchy hierarchy = finch::cluster({x, 2}); // x has 2 columns
//     for (int label : hierarchy.labels(0)) std::cout << label << ' '; // 0 0 1 1 2 2
//
// The clusters that you want: hierarchy.suggest (you do not know how many), hierarchy.refine
// (exactly K), or hierarchy.labels (a partition, from 0, the finest).
//
// finch.h is the manual: names, shapes, numbers and defaults are the same here. This file adds:
// - Ownership. A hierarchy, dendrogram, tree, model, description and membership frees itself, and
//   you own the vectors. You can move these six, not copy them; one that was moved from is empty:
//   members throw, or return nothing. A matrix and a span own nothing: the memory under them has to
//   outlive them. The spans of an object end with the object; a temporary lends none.
// - Failure. A function that is not noexcept may throw finch::error, or std::bad_alloc.
// - Threads. Several threads may call const members of one object at once.
#ifndef FINCH_HPP
#define FINCH_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "finch.hpp needs C++17"
#endif

#include "finch.h"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__cpp_lib_ranges)
#include <ranges>
#endif
namespace finch {
enum class metric { euclidean = FINCH_EUCLIDEAN, cosine = FINCH_COSINE,
                    manhattan = FINCH_MANHATTAN,
                    hamming = FINCH_HAMMING, jaccard = FINCH_JACCARD };
enum class link_bound { none = FINCH_LINK_BOUND_NONE,
                        first_neighbor = FINCH_LINK_BOUND_FIRST_NEIGHBOR,
                        joined_pair = FINCH_LINK_BOUND_JOINED_PAIR };
enum class search { automatic = FINCH_SEARCH_AUTO, brute = FINCH_SEARCH_BRUTE,
                    kd_tree = FINCH_SEARCH_KD_TREE, blocked = FINCH_SEARCH_BLOCKED,
                    projected = FINCH_SEARCH_PROJECTED, approximate = FINCH_SEARCH_APPROXIMATE };
enum class linkage { automatic = FINCH_LINKAGE_AUTO, neighbor = FINCH_LINKAGE_NEIGHBOR,
                     means = FINCH_LINKAGE_MEANS, centroid = FINCH_LINKAGE_CENTROID,
                     ward = FINCH_LINKAGE_WARD };
enum class stage { neighbors = FINCH_STAGE_NEIGHBORS, link = FINCH_STAGE_LINK,
                   merge = FINCH_STAGE_MERGE, describe = FINCH_STAGE_DESCRIBE,
                   predict = FINCH_STAGE_PREDICT, bound = FINCH_STAGE_BOUND,
                   batch = FINCH_STAGE_BATCH };
enum class tree_format { newick = FINCH_TREE_NEWICK, json = FINCH_TREE_JSON,
                         dot = FINCH_TREE_DOT };
enum class fate { kept = FINCH_FATE_KEPT, grew = FINCH_FATE_GREW, merged = FINCH_FATE_MERGED,
                  split = FINCH_FATE_SPLIT, appeared = FINCH_FATE_APPEARED };
enum class order { row_major = FINCH_ROW_MAJOR, column_major = FINCH_COLUMN_MAJOR };

/// A failure: a sentence for people, and the status of finch.h for programs.
class error : public std::runtime_error {
    finch_status status_;
public:
    error(finch_status status, const std::string &what) : runtime_error(what), status_(status) {}
    finch_status status() const noexcept { return status_; }
    /// The name of the status, such as "FINCH_NON_FINITE".
    const char *name() const noexcept { return finch_status_name(status_); }
};

/// Elements that follow each other in memory that somebody else owns: std::span for C++17.
/// Contiguous ranges convert to it, and it converts to the std::span of C++20. Indices are not
/// checked.
template <class T> class span {
    T *data_;
    size_t size_;
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;
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
    constexpr T &front() const noexcept { return data_[0]; }
    constexpr T &back() const noexcept { return data_[size_ - 1]; }
};

namespace detail {
template <class Range> using data_of = decltype(std::data(std::declval<Range &>()));
/// The coordinates of a point that is a std::array.
template <class Point> struct point;
template <class T, size_t N> struct point<std::array<T, N>> {
    using coordinate = T;
    static constexpr size_t dimension = N;
};
template <class Range>
using point_of = point<std::remove_cv_t<std::remove_pointer_t<data_of<const Range>>>>;
/// True for a range of memory that somebody else owns, as a span is: it may be a temporary. A range
/// that gives another pointer type when it is const owns its elements.
template <class Range> struct is_view
    : std::bool_constant<!std::is_array_v<Range> && std::is_trivially_copyable_v<Range>
                         && std::is_same_v<data_of<Range>, data_of<const Range>>> {};
template <class T, size_t N> struct is_view<std::array<T, N>> : std::false_type {};
template <class T> struct is_view<std::initializer_list<T>> : std::false_type {};
/// True if the object of a forwarding reference is there after the call.
template <class Range> constexpr bool outlives =
    std::is_lvalue_reference_v<Range> || is_view<std::remove_cv_t<Range>>::value;
/// For overloads that refuse temporaries.
template <class Range> using if_owner = std::enable_if_t<!is_view<Range>::value>;
} // namespace detail

/// Sparse rows where they lie in memory, as SciPy's CSR has them: row i has the values from
/// `starts[i]` up to `starts[i + 1]`, in rising columns.
class csr {
    finch_csr c_;
    size_t rows_, columns_;
    static constexpr finch_element element(const float *) noexcept { return FINCH_F32; }
    static constexpr finch_element element(const double *) noexcept { return FINCH_F64; }
    static constexpr int32_t bits(const int32_t *) noexcept { return 32; }
    static constexpr int32_t bits(const int64_t *) noexcept { return 64; }
    static size_t rows_of(size_t starts) {
        if (starts != 0) return starts - 1;
        throw error(FINCH_INVALID_SPARSE, "no starts: give one for each row, and one more");
    }
public:
    /// From N + 1 starts and as many columns as values: starts and columns of int32_t or int64_t,
    /// values of float or double; none of the three a temporary.
    template <class Starts, class Columns, class Values,
              class = std::enable_if_t<detail::outlives<Starts> && detail::outlives<Columns>
                                       && detail::outlives<Values>>>
    csr(Starts &&starts, Columns &&column_of, Values &&values, size_t columns)
        : c_{sizeof(finch_csr), std::data(starts), std::data(column_of), std::data(values),
             std::size(values), element(std::data(values)), bits(std::data(starts))},
          rows_(rows_of(std::size(starts))), columns_(columns) {
        static_assert(bits(static_cast<decltype(std::data(starts))>(nullptr))
                          == bits(static_cast<decltype(std::data(column_of))>(nullptr)),
                      "starts and columns are of one type");
        if (std::size(column_of) != std::size(values))
            throw error(FINCH_INVALID_SPARSE, std::to_string(std::size(column_of))
                            + " columns beside " + std::to_string(std::size(values)) + " values");
    }
    const finch_csr *get() const noexcept { return &c_; }
    size_t rows() const noexcept { return rows_; }
    size_t columns() const noexcept { return columns_; }
};

/// Samples of float, double, uint8_t or int8_t, one a row, where they lie in memory; of 16 bits,
/// packed bits and sparse rows, too. The memory is read and checked by the functions that take the
/// matrix, and has to be there until then.
class matrix {
    finch_matrix c_;
    static constexpr finch_element element(const float *) noexcept { return FINCH_F32; }
    static constexpr finch_element element(const double *) noexcept { return FINCH_F64; }
    static constexpr finch_element element(const uint8_t *) noexcept { return FINCH_U8; }
    static constexpr finch_element element(const int8_t *) noexcept { return FINCH_I8; }
    template <class Range>
    static matrix rows_of(finch_element of, const Range &all, size_t columns, size_t width) {
        const size_t count = std::size(all), rows = width == 0 ? 0 : count / width;
        if (rows * width != count)
            throw error(FINCH_INVALID_SIZE, std::to_string(count) + " numbers do not fill rows of "
                                                + std::to_string(width));
        return matrix(finch_matrix_row_major(std::data(all), of, rows, columns));
    }
    template <class Range>
    static matrix of_halves(finch_element of, const Range &all, size_t columns) {
        static_assert(sizeof(*std::data(all)) == 2, "halves are numbers of 16 bits");
        return rows_of(of, all, columns, columns);
    }
public:
    /// A matrix of C.
    explicit matrix(const finch_matrix &c) noexcept : c_(c) {}
    /// No samples, for hierarchies that were made without.
    matrix(std::nullptr_t) noexcept : c_{nullptr, 0, 0, 0, 0, -1} {}
    /// Rows that follow each other.
    template <class T> matrix(const T *x, size_t rows, size_t columns) noexcept
        : c_(finch_matrix_row_major(x, element(x), rows, columns)) {}
    /// An array `T x[rows][columns]`, but not a temporary.
    template <class T, size_t Rows, size_t Columns> matrix(const T (&x)[Rows][Columns]) noexcept
        : matrix(&x[0][0], Rows, Columns) {}
    template <class T, size_t Rows, size_t Columns> matrix(const T (&&x)[Rows][Columns]) = delete;
    /// A vector of points, each a std::array, but not a temporary.
    template <class Points, class Point = detail::point_of<Points>,
              class T = typename Point::coordinate>
    matrix(const Points &points) noexcept
        : matrix(reinterpret_cast<const T *>(std::data(points)), std::size(points),
                 Point::dimension) {}
    template <class Points, class = typename detail::point_of<Points>::coordinate,
              class = detail::if_owner<Points>>
    matrix(const Points &&points) = delete;
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
    template <class Range, class = detail::if_owner<Range>>
    matrix(const Range &&all, size_t columns) = delete;
    /// Sparse rows, but not of a temporary, which the matrix leads to.
    matrix(const csr &rows) noexcept
        : c_(finch_matrix_csr(rows.get(), rows.rows(), rows.columns())) {}
    matrix(const csr &&) = delete;
    /// Numbers of 16 bits, IEEE 754 binary16 or bfloat16, as uint16_t or a type of that size: all
    /// rows of a vector or an array, but not of a temporary.
    template <class Range> static matrix f16(const Range &all, size_t columns) {
        return of_halves(FINCH_F16, all, columns); }
    template <class Range> static matrix bf16(const Range &all, size_t columns) {
        return of_halves(FINCH_BF16, all, columns); }
    /// Values of 0 and 1, eight to a byte, in rows of (columns + 7) / 8 bytes.
    template <class Range> static matrix bits(const Range &all, size_t columns) {
        static_assert(sizeof(*std::data(all)) == 1, "packed bits are bytes");
        return rows_of(FINCH_BITS, all, columns, columns / 8 + (columns % 8 != 0)); }
    template <class Range, class = detail::if_owner<Range>>
    static matrix f16(const Range &&all, size_t columns) = delete;
    template <class Range, class = detail::if_owner<Range>>
    static matrix bf16(const Range &&all, size_t columns) = delete;
    template <class Range, class = detail::if_owner<Range>>
    static matrix bits(const Range &&all, size_t columns) = delete;
    const finch_matrix *get() const noexcept { return c_.element < 0 ? nullptr : &c_; }
    size_t rows() const noexcept { return c_.rows; }
    size_t columns() const noexcept { return c_.columns; }
};

/// Progress of a run: the part of a stage that is done, from 0 to 1, and the stage's level.
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
/// The result of C, unless C returned nothing: the object is empty or has no such number.
template <class T> T found(bool there, T result, T nothing = {}) {
    if (result == nothing) check(there ? FINCH_NO_SUCH_PARTITION : FINCH_NULL_POINTER);
    return result;
}
/// Frees an object of C, unless something else owns it.
struct deleter {
    bool owns = true;
    void operator()(finch_hierarchy *c) const { if (owns) finch_hierarchy_free(c); }
    void operator()(finch_dendrogram *c) const { finch_dendrogram_free(c); }
    void operator()(finch_tree *c) const { finch_tree_free(c); }
    void operator()(finch_model *c) const { finch_model_free(c); }
    void operator()(finch_description *c) const { finch_description_free(c); }
    void operator()(finch_membership *c) const { finch_membership_free(c); }
};
template <class T> using handle = std::unique_ptr<T, deleter>;
} // namespace detail

/// Options, with the defaults of finch.h: `finch::options().threads(1).seed(7)`.
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
    options &nested(bool n) noexcept { c_.nested = n; return *this; }
    options &refinable(bool r) noexcept { c_.refinable = r; return *this; }
    options &threads(size_t n) noexcept { c_.threads = n; return *this; }
    options &recall(double r) noexcept { c_.recall = r; return *this; }
    options &seed(uint64_t s) noexcept { c_.seed = s; return *this; }
    options &time_limit(double seconds) noexcept { c_.time_limit = seconds; return *this; }
    options &min_cluster_size(size_t n) noexcept { c_.min_cluster_size = n; return *this; }
    options &join_small(bool j) noexcept { c_.join_small = j; return *this; }
    options &outliers(double share) noexcept { c_.outliers = share; return *this; }
    options &outlier_threshold(double s) noexcept { c_.outlier_threshold = s; return *this; }
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
namespace detail {
/// The object that a call makes, and the numbers that it writes.
template <class T, class Call> T *make(const options &options, Call call) {
    T *made = nullptr;
    run run(options);
    run.end(call(&run.c, &made));
    return made; }
template <class T, class Call> std::vector<T> filled(size_t n, const options &options, Call call) {
    std::vector<T> out(n);
    run run(options);
    run.end(call(&run.c, out.data(), n));
    return out; }
} // namespace detail

/// A binary tree for SciPy and other programs.
class tree {
    detail::handle<finch_tree> c_;
public:
    /// Takes over, and frees, what C made.
    explicit tree(finch_tree *made) noexcept : c_(made) {}
    const finch_tree *get() const noexcept { return c_.get(); }
    size_t leaf_count() const noexcept { return finch_tree_leaf_count(get()); }
    /// The most joins between a leaf and the root.
    size_t depth() const noexcept { return finch_tree_depth(get()); }
    /// SciPy's linkage matrix, (L - 1) x 4, row-major.
    std::vector<double> linkage() const {
        std::vector<double> out(leaf_count() > 1 ? 4 * (leaf_count() - 1) : 0);
        detail::check(finch_tree_linkage(get(), out.data(), out.size()));
        return out;
    }
    /// The tree as a text. Without names, leaves are named by their numbers.
    std::string text(tree_format format = tree_format::newick,
                     const std::vector<std::string> &names = {}) {
        std::vector<const char *> pointers;
        for (const std::string &name : names) pointers.push_back(name.c_str());
        const char *text = nullptr;
        size_t length = 0;
        detail::check(finch_tree_text(c_.get(), int32_t(format),
                                      names.empty() ? nullptr : pointers.data(), pointers.size(),
                                      &text, &length));
        return {text, length};
    }
};

class hierarchy;

/// Merges of clusters, one pair at a time, from which every smaller number of clusters follows.
class dendrogram {
    detail::handle<finch_dendrogram> c_;
    finch::tree tree_of(const finch_hierarchy *hierarchy) const {
        finch_tree *made = nullptr;
        detail::check(finch_tree_of_dendrogram(get(), hierarchy, &made));
        return finch::tree(made);
    }
public:
    /// Takes over, and frees, what C made.
    explicit dendrogram(finch_dendrogram *made) noexcept : c_(made) {}
    const finch_dendrogram *get() const noexcept { return c_.get(); }
    size_t sample_count() const noexcept { return finch_dendrogram_sample_count(get()); }
    size_t merge_count() const noexcept { return finch_dendrogram_merge_count(get()); }
    /// The number of clusters that merging began with.
    size_t start_count() const noexcept { return finch_dendrogram_start_count(get()); }
    /// The two clusters of each merge, M x 2, row-major, and how far apart they were.
    span<const int32_t> merges() const & noexcept {
        return {finch_dendrogram_merges(get()), 2 * merge_count()}; }
    span<const int32_t> merges() const && = delete;
    span<const double> heights() const & noexcept {
        return {finch_dendrogram_heights(get()), merge_count()}; }
    span<const double> heights() const && = delete;
    /// The score of each number of clusters that suggest considered, from 2 on; else none.
    span<const double> scores() const & noexcept {
        return {finch_dendrogram_scores(get()), finch_dendrogram_score_count(get())}; }
    span<const double> scores() const && = delete;
    /// The numbers of clusters that fit best, by suggest; else none.
    span<const size_t> best() const & noexcept {
        return {finch_dendrogram_best(get()), finch_dendrogram_best_count(get())}; }
    span<const size_t> best() const && = delete;
    /// The numbers of clusters that fit almost as well as the suggested one, and a sentence about
    /// them; none, and "", if there are none.
    span<const size_t> rivals() const & noexcept {
        return {finch_dendrogram_rivals(get()), finch_dendrogram_rival_count(get())}; }
    span<const size_t> rivals() const && = delete;
    std::string ambiguity() const {
        const char *text = finch_dendrogram_ambiguity(get());
        return text ? text : "";
    }
    /// The mixing of clusters at their borders; -1 unless suggest made the dendrogram.
    double mixing() const noexcept { return finch_dendrogram_mixing(get()); }
    /// The verdict on clusters in the data; empty unless suggest made the dendrogram.
    std::optional<finch_clustered> clustered() const noexcept {
        const int32_t answer = finch_dendrogram_clustered(get());
        return answer < 0 ? std::nullopt : std::optional(static_cast<finch_clustered>(answer));
    }
    /// True if the data has clusters; also empty if its samples are too few to tell.
    std::optional<bool> has_clusters() const noexcept {
        const int32_t answer = finch_dendrogram_clustered(get());
        return answer < 0 || answer == FINCH_CLUSTERED_TOO_FEW
                   ? std::nullopt
                   : std::optional(answer == FINCH_CLUSTERED_YES);
    }
    /// The cluster of each sample where k clusters are left.
    std::vector<int32_t> cut(size_t k) const {
        std::vector<int32_t> out(sample_count());
        detail::check(finch_dendrogram_cut(get(), k, out.data(), out.size()));
        return out;
    }
    /// The persistence of each of k clusters, 0 to 1: of the cut, or of labels that come from it.
    std::vector<double> persistence(size_t k) const { return persistence(k, {nullptr, 0}); }
    std::vector<double> persistence(size_t k, span<const int32_t> labels) const {
        if (!labels.empty()) detail::same(labels.size(), sample_count());
        std::vector<double> out(std::min(k, sample_count()));
        detail::check(finch_dendrogram_persistence(
            get(), labels.empty() ? nullptr : labels.data(), k, out.data(), out.size(), nullptr));
        return out;
    }
    /// Leaves are the clusters that merging began with or, with the hierarchy, the samples.
    finch::tree tree() const { return tree_of(nullptr); }
    inline finch::tree tree(const hierarchy &of) const;
};

/// The recommended number of clusters: the cluster of each sample, the partition that agrees best,
/// and all merges, with scores and rivals. Labels are those of refine by linkage::neighbor.
struct suggestion {
    std::vector<int32_t> labels; size_t cluster_count; size_t partition;
    finch::dendrogram dendrogram;
};

/// Exactly K clusters, and the linkage that made them, never automatic.
struct refinement { std::vector<int32_t> labels; finch::linkage linkage; };

/// How surely each sample belongs to each cluster.
class membership {
    detail::handle<finch_membership> c_;
public:
    /// Takes over, and frees, what C made.
    explicit membership(finch_membership *made) noexcept : c_(made) {}
    const finch_membership *get() const noexcept { return c_.get(); }
    /// The shares of each sample, N x C: a finch_csr of doubles, as mean_rows of a description.
    std::optional<matrix> shares() const & {
        finch_matrix rows;
        return finch_membership_shares(get(), &rows) ? std::optional(matrix(rows)) : std::nullopt; }
    std::optional<matrix> shares() const && = delete;
    /// The share of each sample's own cluster; 0 for noise.
    span<const double> probabilities() const & {
        const auto rows = shares();
        return {finch_membership_probabilities(get()), rows ? rows->rows() : 0}; }
    span<const double> probabilities() const && = delete;
};

/// The partitions of one run, from fine to coarse. Members throw for a partition that is not there.
class hierarchy {
    detail::handle<finch_hierarchy> c_;
    friend class model;
    struct borrowed {};
    // Frees nothing, and is never written through.
    hierarchy(const finch_hierarchy *of_another, borrowed) noexcept
        : c_(const_cast<finch_hierarchy *>(of_another), detail::deleter{false}) {}
    size_t neighbor_count() const noexcept { return sample_count() > 1 ? sample_count() : 0; }
    template <class T> T found(T result, T nothing = {}) const {
        return detail::found(c_ != nullptr, result, nothing); }
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
    /// For each sample its first neighbour, and the distance; none for a single sample.
    span<const int32_t> first_neighbors() const & noexcept {
        return {finch_hierarchy_first_neighbors(get()), neighbor_count()}; }
    span<const int32_t> first_neighbors() const && = delete;
    span<const double> distances() const & noexcept {
        return {finch_hierarchy_distances(get()), neighbor_count()}; }
    span<const double> distances() const && = delete;
    /// The search that found the first neighbours (an optional, empty if they were given), and the
    /// part of the true first neighbours that it found (-1 if they were given).
    auto search() const noexcept { return some<finch::search>(finch_hierarchy_search(get())); }
    double recall() const noexcept { return finch_hierarchy_recall(get()); }
    /// The search that found them, and the reason; empty if they were given.
    std::string explanation() const {
        const char *text = finch_hierarchy_explanation(get());
        return text ? text : "";
    }
    /// Doubts about the result: a finch_warning, and a sentence that says what to do.
    std::vector<std::pair<int32_t, std::string>> warnings() const {
        std::vector<std::pair<int32_t, std::string>> out(finch_hierarchy_warning_count(get()));
        for (size_t i = 0; i < out.size(); i++)
            out[i] = {finch_hierarchy_warning(get(), i), finch_hierarchy_warning_message(get(), i)};
        return out;
    }
    /// The cluster of each sample, of exactly k clusters. x are the samples that were clustered.
    std::vector<int32_t> refine(const matrix &x, size_t k, const options &options = {}) const {
        return detail::filled<int32_t>(sample_count(), options, [&](auto o, auto to, size_t n) {
            return finch_hierarchy_refine(get(), x.get(), k, o, to, n); }); }
    /// The same under constraints; begin with finch_constraints_init.
    std::vector<int32_t> refine(const matrix &x, size_t k, const finch_constraints &rules,
                                const options &options = {}) const {
        return detail::filled<int32_t>(sample_count(), options, [&](auto o, auto to, size_t n) {
            return finch_hierarchy_refine_constrained(get(), x.get(), k, &rules, o, to, n); }); }
    /// The same, and the linkage that made the clusters, which by default the data chooses.
    refinement refine_explained(const matrix &x, size_t k, const options &options = {},
                                const finch_constraints *rules = nullptr) const {
        std::vector<int32_t> labels(sample_count());
        finch_refined out{};
        out.size = sizeof out, out.labels = labels.data(), out.capacity = labels.size();
        detail::run run(options);
        run.end(finch_hierarchy_refine_into(get(), x.get(), k, rules, &run.c, &out));
        return {std::move(labels), finch::linkage(out.linkage)};
    }
    /// The weight of each sample; empty where samples have none.
    span<const double> weights() const & noexcept {
        const double *weights = finch_hierarchy_weights(get());
        return {weights, weights ? sample_count() : 0};
    }
    span<const double> weights() const && = delete;
    /// The number of clusters that fits best, and these clusters. x are the clustered samples.
    suggestion suggest(const matrix &x, const options &options = {}) const {
        finch_dendrogram *made = nullptr;
        size_t clusters = 0, partition = 0;
        detail::run run(options);
        run.end(finch_hierarchy_suggestion(get(), x.get(), &run.c, &made, &clusters, &partition));
        finch::dendrogram dendrogram(made);
        const int32_t *labels = finch_dendrogram_suggested(made);
        return {{labels, labels + sample_count()}, clusters, partition, std::move(dendrogram)};
    }
    /// Merges as refine does, until `clusters` are left.
    finch::dendrogram dendrogram(const matrix &x, const options &options = {},
                                 size_t clusters = 1) const {
        return finch::dendrogram(detail::make<finch_dendrogram>(options, [&](auto o, auto made) {
            return finch_hierarchy_dendrogram(get(), x.get(), o, clusters, made); })); }
    /// The outlier score of each sample, from 0 to 1.
    std::vector<double> outlier_scores(const matrix &x, const options &options = {}) const {
        return detail::filled<double>(sample_count(), options, [&](auto o, auto to, size_t n) {
            return finch_hierarchy_outlier_scores(get(), x.get(), o, to, n); }); }
    /// The labels with -1 for noise, as the options min_cluster_size, join_small, outliers and
    /// outlier_threshold ask.
    std::vector<int32_t> noise(const matrix &x, span<const int32_t> labels,
                               const options &options) const {
        return detail::filled<int32_t>(labels.size(), options, [&](auto o, auto to, size_t n) {
            return finch_hierarchy_noise(get(), x.get(), labels.data(), labels.size(), o, to, n,
                                         nullptr); }); }
    /// How surely samples belong to the clusters of labels from 0 to C - 1, or -1 for noise.
    finch::membership membership(const matrix &x, span<const int32_t> labels,
                                 const options &options = {}) const {
        return finch::membership(detail::make<finch_membership>(options, [&](auto o, auto made) {
            return finch_hierarchy_membership(get(), x.get(), labels.data(), labels.size(), o,
                                              made); })); }
    /// The tree from single samples up through all partitions.
    finch::tree tree() const {
        finch_tree *made = nullptr;
        detail::check(finch_tree_of_hierarchy(get(), &made));
        return finch::tree(made);
    }
    /// Clusters all samples, of which the first are those of this hierarchy. `weights` are those of
    /// all samples; with none, new samples weigh 1 if the old ones have weights.
    hierarchy extend(const matrix &all, const options &options = {},
                     span<const double> weights = {nullptr, 0}) const {
        if (!weights.empty()) detail::same(weights.size(), all.rows());
        const double *given = weights.empty() ? nullptr : weights.data();
        return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
            return finch_hierarchy_extend(get(), all.get(), given, o, made); })); }
};
inline tree dendrogram::tree(const hierarchy &of) const {
    if (of.get() == nullptr) throw error(FINCH_NULL_POINTER, "the hierarchy is empty");
    return tree_of(of.get());
}

/// Clusters samples (Algorithm 1 of the paper).
inline hierarchy cluster(const matrix &samples, const options &options = {}) {
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster(samples.get(), o, made); })); }
/// One clustering out of a hierarchy: a partition, from 0, the finest, or the coarsest where there
/// are fewer; exactly so many clusters; or as many as finch recommends.
struct flat {
    finch_flat kind = FINCH_FLAT_PARTITION;
    size_t number = 0;
    static constexpr flat partition(size_t p) noexcept { return {FINCH_FLAT_PARTITION, p}; }
    static constexpr flat clusters(size_t k) noexcept { return {FINCH_FLAT_CLUSTERS, k}; }
    static constexpr flat suggested() noexcept { return {FINCH_FLAT_SUGGESTED, 0}; }
};
/// The cluster of each sample, in one call.
inline std::vector<int32_t> labels(const matrix &samples, flat of, const options &options = {}) {
    const size_t rows = detail::room(samples.rows(), 1);
    return detail::filled<int32_t>(rows, options, [&](auto o, auto to, size_t n) {
        return finch_labels(samples.get(), o, of.kind, of.number, to, n, nullptr); }); }
/// The cluster of each sample of many matrices, each clustered by itself, side by side: those of
/// the first matrix, then those of the second, and so on.
inline std::vector<int32_t> cluster_batch(span<const matrix> samples, flat of = {},
                                          const options &options = {}) {
    size_t rows = 0;
    std::vector<finch_matrix> matrices;
    for (const matrix &one : samples) {
        if (one.get() == nullptr) throw error(FINCH_NULL_POINTER, "a matrix of a batch is nullptr");
        matrices.push_back(*one.get());
        rows += one.rows();
    }
    return detail::filled<int32_t>(detail::room(rows, 1), options, [&](auto o, auto to, size_t n) {
        return finch_cluster_batch(matrices.data(), matrices.size(), o, of.kind, of.number, to, n,
                                   nullptr); }); }
/// Clusters samples with weights, one for each sample.
inline hierarchy cluster_weighted(const matrix &samples, span<const double> weights,
                                  const options &options = {}) {
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster_weighted(samples.get(), weights.data(), weights.size(), o, made); }));
}
/// Clusters samples with time stamps, one for each sample, into contiguous segments or any.
inline hierarchy cluster_timed(const matrix &samples, span<const double> times,
                               bool contiguous = false, const options &options = {}) {
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster_timed(samples.get(), times.data(), times.size(), contiguous, o,
                                   made); })); }
/// Clusters samples from first neighbours that you bring.
inline hierarchy cluster_given(const matrix &samples, span<const int32_t> first,
                               const options &options = {}) {
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster_given(samples.get(), first.data(), first.size(), o, made); })); }

/// Clusters samples from k neighbours of each that you bring, N x k, row-major. The samples may be
/// nullptr; members of the hierarchy then take nullptr for them, too.
inline hierarchy cluster_neighbors(const matrix &samples, span<const int32_t> index,
                                   span<const double> distance, size_t k,
                                   const options &options = {}) {
    const size_t n = detail::same(index.size(), distance.size());
    if (k == 0 || n % k != 0) throw error(FINCH_INVALID_SIZE, std::to_string(n)
        + " neighbours do not fill rows of " + std::to_string(k));
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster_neighbors(samples.get(), index.data(), distance.data(), n / k, k, o,
                                       made); })); }
/// Clusters samples from the distances of all pairs, N x N. Members take nullptr for the samples.
inline hierarchy cluster_distances(span<const double> all, size_t n, const options &options = {}) {
    if (n == 0 ? !all.empty() : all.size() / n != n || all.size() % n != 0)
        throw error(FINCH_INVALID_SIZE, std::to_string(all.size()) + " distances of "
                                            + std::to_string(n) + " samples");
    return hierarchy(detail::make<finch_hierarchy>(options, [&](auto o, auto made) {
        return finch_cluster_distances(all.data(), n, o, made); })); }

/// The content of each of C clusters: C numbers each, unless the comment says otherwise.
class description {
    detail::handle<finch_description> c_;
    size_t features_, exemplars_;
    friend description describe(const matrix &, span<const int32_t>, size_t, const options &,
                                span<const double>, span<const int32_t>);
    description(finch_description *made, size_t features, size_t exemplars) noexcept
        : c_(made), features_(features), exemplars_(exemplars) {}
    size_t times(size_t each) const noexcept { return cluster_count() * each; }
public:
    const finch_description *get() const noexcept { return c_.get(); }
    size_t cluster_count() const noexcept { return finch_description_cluster_count(get()); }
    /// The number of samples, or the sum of weights.
    span<const double> sizes() const & noexcept {
        return {finch_description_sizes(get()), times(1)}; }
    /// C x d, row-major; empty of sparse samples, whose means are `mean_rows`.
    span<const double> means() const & noexcept {
        const double *means = finch_description_means(get());
        return {means, means == nullptr ? 0 : times(features_)}; }
    matrix mean_rows() const & {
        finch_matrix means = {};
        finch_description_mean_rows(get(), &means);
        return matrix(means); }
    matrix mean_rows() const && = delete;
    /// The sample in the middle.
    span<const int32_t> medoids() const & noexcept {
        return {finch_description_medoids(get()), times(1)}; }
    /// The samples that stand for the cluster, C x exemplars, row-major; -1 where there are fewer.
    span<const int32_t> exemplars() const & noexcept {
        return {finch_description_exemplars(get()), times(exemplars_)}; }
    /// The distance of samples from the mean, and the separation of the cluster, from -1 to 1.
    span<const double> spreads() const & noexcept {
        return {finch_description_spreads(get()), times(1)}; }
    span<const double> silhouettes() const & noexcept {
        return {finch_description_silhouettes(get()), times(1)}; }
    /// The share of links to neighbours that stay within the cluster, beyond what chance keeps
    /// within, from -1 to 1. Empty unless neighbours were given.
    span<const double> modularities() const & noexcept {
        const double *shares = finch_description_modularities(get());
        return {shares, shares == nullptr ? 0 : times(1)}; }
    span<const double> sizes() const && = delete;
    span<const double> means() const && = delete;
    span<const int32_t> medoids() const && = delete;
    span<const int32_t> exemplars() const && = delete;
    span<const double> spreads() const && = delete;
    span<const double> silhouettes() const && = delete;
    span<const double> modularities() const && = delete;
    /// True if a part of the samples of a large cluster chose its medoid and exemplars.
    bool sampled(size_t cluster) const {
        const int32_t sampled = finch_description_sampled(get(), cluster);
        if (sampled < 0) throw error(c_ ? FINCH_NO_SUCH_PARTITION : FINCH_NULL_POINTER,
                                     "there is no cluster " + std::to_string(cluster));
        return sampled == 1;
    }
};
/// Describes clusters that are numbered from 0. Without weights, samples weigh 1. `neighbors` is
/// the index of nearest_neighbors, N x k, for modularities.
inline description describe(const matrix &samples, span<const int32_t> labels, size_t exemplars = 1,
                            const options &options = {},
                            span<const double> weights = {nullptr, 0},
                            span<const int32_t> neighbors = {nullptr, 0}) {
    finch_description *made = nullptr;
    if (!weights.empty()) detail::same(weights.size(), labels.size());
    const size_t k = labels.empty() ? 0 : neighbors.size() / labels.size();
    if (!neighbors.empty()) detail::same(neighbors.size(), k * labels.size());
    detail::run run(options);
    run.end(finch_describe(samples.get(), labels.data(), labels.size(),
                           weights.empty() ? nullptr : weights.data(), neighbors.data(), k,
                           exemplars, &run.c, &made));
    return {made, samples.columns(), exemplars};
}

/// For each new sample its cluster, -1 where the nearest kept sample is noise; the number and the
/// distance of the nearest kept sample, or mean; the distance to the nearest one of another
/// cluster, and the confidence, which both may be left out. And the share of the nearest that was
/// found: 1 by an exact search.
struct prediction {
    std::vector<int32_t> labels, neighbor;
    std::vector<double> distance, other_distance, confidence;
    double recall = 1;
};

/// A hierarchy to save, and to label new samples by: with refined labellings, means, and the
/// samples, if they are kept. Members throw for a labelling that is not there.
class model {
    detail::handle<finch_model> c_;
    finch::hierarchy hierarchy_;
    static finch_model *make(const finch::hierarchy &hierarchy, const matrix &x, bool keep_samples,
                             span<const int32_t> refined, const options &options) {
        const size_t n = hierarchy.sample_count(), count = n == 0 ? 0 : refined.size() / n;
        detail::same(refined.size(), n * count);
        const int32_t *given = count == 0 ? nullptr : refined.data();
        return detail::make<finch_model>(options, [&](auto o, auto made) {
            return finch_model_new(hierarchy.get(), x.get(), keep_samples, given, count, o, made);
        }); }
    template <class T> T found(T result) const { return detail::found(c_ != nullptr, result); }
public:
    /// Takes over, and frees, what C made.
    explicit model(finch_model *made) noexcept
        : c_(made), hierarchy_(finch_model_hierarchy(made), finch::hierarchy::borrowed()) {}
    /// x are the samples that were clustered; `refined` has N labels for each refined labelling, -1
    /// for noise.
    model(const finch::hierarchy &hierarchy, const matrix &x, bool keep_samples = true,
          span<const int32_t> refined = {nullptr, 0}, const options &options = {})
        : model(make(hierarchy, x, keep_samples, refined, options)) {}
    /// From bytes that serialize made, and from a file that save made.
    static model deserialize(span<const uint8_t> bytes) {
        finch_model *made = nullptr;
        detail::check(finch_model_deserialize(bytes.data(), bytes.size(), &made));
        return model(made);
    }
    static model load(const std::string &path) {
        finch_model *made = nullptr;
        detail::check(finch_model_load(path.c_str(), &made));
        return model(made);
    }
    std::vector<uint8_t> serialize() const {
        size_t size = 0;
        detail::check(finch_model_serialized_size(get(), &size));
        std::vector<uint8_t> out(size);
        detail::check(finch_model_serialize(get(), out.data(), out.size()));
        return out;
    }
    void save(const std::string &path) const {
        detail::check(finch_model_save(get(), path.c_str())); }
    const finch_model *get() const noexcept { return c_.get(); }
    /// The hierarchy of the model, which lives as long as the model.
    const finch::hierarchy &hierarchy() const & noexcept { return hierarchy_; }
    const finch::hierarchy &hierarchy() const && = delete;
    /// The kept samples, in memory of the model's, if they are kept.
    std::optional<matrix> samples() const & noexcept {
        finch_matrix kept;
        return finch_model_samples(get(), &kept) == 1 ? std::optional(matrix(kept)) : std::nullopt;
    }
    std::optional<matrix> samples() const && = delete;
    /// Labellings: the partitions of the hierarchy, then the refined labellings.
    size_t labelling_count() const noexcept { return finch_model_labelling_count(get()); }
    size_t cluster_count(size_t l) const { return found(finch_model_cluster_count(get(), l)); }
    span<const int32_t> labels(size_t l) const & {
        return {found(finch_model_labels(get(), l)), hierarchy_.sample_count()}; }
    span<const int32_t> labels(size_t l) const && = delete;
    /// The means of the clusters of labelling l, C x d, row-major.
    std::vector<double> means(size_t l) const {
        std::vector<double> out(detail::room(cluster_count(l), hierarchy_.feature_count()));
        detail::check(finch_model_means(get(), l, out.data(), out.size()));
        return out;
    }
    /// The clusters of new samples in labelling l. An approximate search serves only without
    /// `others`: other_distance and confidence.
    prediction predict(const matrix &x, size_t l = 0, const options &options = {},
                       bool others = true) const {
        const size_t n = detail::room(x.rows(), 1), sure = others ? n : 0;
        prediction out{std::vector<int32_t>(n), std::vector<int32_t>(n), std::vector<double>(n),
                       std::vector<double>(sure), std::vector<double>(sure)};
        finch_predictions to{sizeof(finch_predictions), n, out.labels.data(), out.neighbor.data(),
                             out.distance.data(), others ? out.other_distance.data() : nullptr,
                             others ? out.confidence.data() : nullptr, 1};
        detail::run run(options);
        run.end(finch_model_predict_into(get(), x.get(), l, &run.c, &to));
        out.recall = to.recall;
        return out;
    }
    /// The clusters alone, in less time.
    std::vector<int32_t> predict_labels(const matrix &x, size_t l = 0,
                                        const options &options = {}) const {
        std::vector<int32_t> out(detail::room(x.rows(), 1));
        finch_predictions to{sizeof(finch_predictions), out.size(), out.data(), nullptr, nullptr,
                             nullptr, nullptr, 1};
        detail::run run(options);
        run.end(finch_model_predict_into(get(), x.get(), l, &run.c, &to));
        return out;
    }
    /// A model of the kept samples and new ones, without refined labellings.
    model extend(const matrix &x, const options &options = {}) const {
        return model(detail::make<finch_model>(options, [&](auto o, auto made) {
            return finch_model_extend(get(), x.get(), o, made); })); }
};

/// Labels by the names of older clusters, and the fate of each new cluster.
struct kept_labels { std::vector<int32_t> labels; std::vector<fate> fates; };
/// Names new clusters after the old ones that they have most samples of. The old samples are the
/// first of the new ones.
inline kept_labels keep_labels(span<const int32_t> old_labels, span<const int32_t> new_labels) {
    const size_t n = new_labels.size();
    std::vector<int32_t> labels(n), fates(n);
    finch_kept_labels to{sizeof(finch_kept_labels), labels.data(), n, fates.data(), n, 0};
    detail::check(finch_keep_labels_into(old_labels.data(), old_labels.size(), new_labels.data(), n,
                                         &to));
    kept_labels out{std::move(labels), {}};
    for (size_t k = 0; k < to.clusters; k++) out.fates.push_back(fate(fates[k]));
    return out;
}

/// For each sample its first neighbour, and the distance; none for a single sample.
struct neighbors { std::vector<int32_t> index; std::vector<double> distance; };
inline neighbors first_neighbors(const matrix &samples, const options &options = {}) {
    const size_t n = samples.rows() > 1 && samples.rows() <= INT32_MAX ? samples.rows() : 0;
    neighbors out{std::vector<int32_t>(n), std::vector<double>(n)};
    detail::run run(options);
    run.end(finch_first_neighbors(samples.get(), &run.c, out.index.data(), out.distance.data(), n));
    return out;
}
/// The warnings of the last call with options on this thread that made no hierarchy, a line each.
inline std::string last_warning() { return finch_last_warning_message(); }
/// For each sample its k nearest other samples, nearest first, and their distances: N x k,
/// row-major.
inline neighbors nearest_neighbors(const matrix &samples, size_t k, const options &options = {}) {
    // A k that is out of range gets no room, and its status from C.
    const size_t n = k < samples.rows() ? detail::room(samples.rows(), k) : 0;
    neighbors out{std::vector<int32_t>(n), std::vector<double>(n)};
    detail::run run(options);
    run.end(finch_nearest_neighbors(samples.get(), k, &run.c, out.index.data(),
                                    out.distance.data(), n));
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
/// Offers all rows of `base` to all rows of `queries`, but a row to itself, by numbers in the whole
/// data, and keeps the k nearest of each query: lists of N x k, row-major, whose indices begin at
/// -1. Numbers may be empty spans: see finch.h.
inline void neighbors_between(const matrix &queries, span<const int64_t> query_numbers,
                              const matrix &base, span<const int64_t> base_numbers, size_t k,
                              span<int64_t> index, span<double> key, const options &options = {}) {
    const size_t n = detail::same(index.size(), key.size());
    if (!query_numbers.empty()) detail::same(query_numbers.size(), queries.rows());
    if (!base_numbers.empty()) detail::same(base_numbers.size(), base.rows());
    detail::run run(options);
    run.end(finch_neighbors_between(queries.get(), query_numbers.data(), base.get(),
                                    base_numbers.data(), k, &run.c, index.data(), key.data(), n));
}
/// Adds rows to the sums of their clusters, C x d, row-major, and counts them, C numbers.
inline void sums_add(const matrix &samples, span<const int32_t> labels, span<double> sums,
                     span<int64_t> sizes, const options &options = {}) {
    detail::same(sums.size(), detail::room(sizes.size(), samples.columns()));
    detail::run run(options);
    run.end(finch_sums_add(samples.get(), labels.data(), labels.size(), &run.c, sums.data(),
                           sizes.data(), sizes.size()));
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
/// Compares, each sample by its weight.
inline finch_scores score_weighted(span<const int32_t> labels, span<const int32_t> truth,
                                   span<const double> weights) {
    finch_scores out;
    const size_t n = detail::same(detail::same(labels.size(), truth.size()), weights.size());
    detail::check(finch_score_weighted(labels.data(), truth.data(), weights.data(), n, &out,
                                       sizeof out));
    return out;
}
} // namespace finch

#if defined(__cpp_lib_ranges)
template <class T> inline constexpr bool std::ranges::enable_borrowed_range<finch::span<T>> = true;
template <class T> inline constexpr bool std::ranges::enable_view<finch::span<T>> = true;
#endif

#endif // FINCH_HPP
