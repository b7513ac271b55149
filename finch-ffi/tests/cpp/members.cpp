// Uses every member of finch.hpp, and every way to fail. Prints nothing unless something is wrong.
#include <finch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);        \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

using Labels = std::vector<std::int32_t>;

static const std::vector<double> PAIRS = {0, 0, 0, 1, 9, 9, 9, 8, 5, 0, 5, 1};
static const Labels PAIR_LABELS = {0, 0, 1, 1, 2, 2};

template <class T> static std::vector<std::remove_const_t<T>> copy(finch::span<T> span) {
    return {span.begin(), span.end()};
}

/// Runs what has to throw a finch::error of a status, and returns its message.
template <class F> static std::string failure(finch_status status, F run) {
    try {
        run();
    } catch (const finch::error &error) {
        const std::runtime_error &base = error;
        CHECK(error.status() == status);
        CHECK(std::string(error.name()) == finch_status_name(status));
        return base.what();
    }
    std::fprintf(stderr, "nothing failed with %s\n", finch_status_name(status));
    std::exit(1);
}

/// Points on a line in groups of groups, for several levels and time to report progress.
static std::vector<float> many(std::size_t count) {
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; i++) {
        x[i] = static_cast<float>(i / 4 * 10 + i / 16 * 100) + static_cast<float>(i) / 10;
    }
    return x;
}

static std::vector<double> many_doubles() {
    std::vector<double> x;
    for (int i = 0; i < 60; i++) x.push_back((i * 37 % 61) * 0.5);
    return x;
}

static void matrices_of_any_type_and_layout() {
    std::vector<float> floats(PAIRS.begin(), PAIRS.end());
    const std::vector<std::uint8_t> bytes(PAIRS.begin(), PAIRS.end());
    double grid[6][2];
    std::memcpy(grid, PAIRS.data(), sizeof grid);
    std::array<double, 12> columns, reversed, wide_rows[2];
    for (std::size_t i = 0; i < 6; i++) {
        for (std::size_t j = 0; j < 2; j++) {
            columns[j * 6 + i] = reversed[(5 - i) * 2 + j] = grid[i][j];
            wide_rows[i / 3][(i % 3) * 4 + j] = grid[i][j];
            wide_rows[i / 3][(i % 3) * 4 + 2 + j] = std::nan("");
        }
    }
    const finch::matrix matrices[] = {
        {PAIRS, 2},
        {floats, 2},
        {bytes, 2},
        {&grid[0][0], 6, 2},
        {finch::span<const double>(PAIRS), 2},
        {finch::span<float>(floats), 2},
        {wide_rows[0].data(), 6, 2, 4, 1},
        {reversed.data() + 10, 6, 2, -2, 1},
        finch::matrix::column_major(columns.data(), 6, 2),
    };
    for (const finch::matrix &matrix : matrices) {
        CHECK(matrix.rows() == 6 && matrix.columns() == 2 && matrix.get()->rows == 6);
        const finch::hierarchy hierarchy = finch::cluster(matrix);
        CHECK(copy(hierarchy.labels(0)) == PAIR_LABELS);
    }
    CHECK(matrices[1].get()->element == FINCH_F32 && matrices[2].get()->element == FINCH_U8);
}

static void matrices_that_are_wrong() {
    const std::vector<double> none, holed = {0, 1, 2, std::nan(""), 3, 4};
    using finch::cluster;
    CHECK(failure(FINCH_NON_FINITE, [&] { cluster({holed, 2}); }).find("row 1")
          != std::string::npos);
    CHECK(failure(FINCH_INVALID_SIZE, [] { cluster({PAIRS, 5}); })
          == "12 values do not fill rows of 5");
    failure(FINCH_INVALID_SIZE, [] { finch::matrix(PAIRS, 0); });
    failure(FINCH_NO_SAMPLES, [&] { cluster({none, 0}); });
    failure(FINCH_NO_SAMPLES, [&] { cluster({none, 3}); });
    failure(FINCH_NO_FEATURES, [] { cluster({PAIRS.data(), 3, 0}); });
    failure(FINCH_NULL_POINTER, [] { cluster({static_cast<double *>(nullptr), 3, 2}); });
    failure(FINCH_INVALID_STRIDE, [] { cluster({PAIRS.data(), 3, 2, 0, 1}); });
    const auto huge = std::numeric_limits<std::size_t>::max();
    failure(FINCH_INVALID_SIZE, [&] { cluster({PAIRS.data(), huge, 2}); });
    failure(FINCH_INVALID_SIZE, [&] { finch::first_neighbors({PAIRS.data(), huge, 2}); });
    failure(FINCH_INVALID_SIZE,
            [&] { cluster(finch::matrix::column_major(PAIRS.data(), huge, 2)); });
}

static void spans_are_views() {
    Labels numbers = {3, 1, 2};
    const finch::span<std::int32_t> span = numbers;
    const finch::span<const std::int32_t> view = span, part(numbers.data() + 1, 2);
    CHECK(span.data() == numbers.data() && view.size() == 3 && !view.empty() && part[1] == 2);
    span[0] = 7;
    CHECK(numbers[0] == 7 && view.end() - view.begin() == 3 && *view.begin() == 7);
    const std::int32_t array[] = {4, 5};
    CHECK(finch::span<const std::int32_t>(array).size() == 2);
    CHECK(view.front() == 7 && view.back() == 2);
    static_assert(std::is_same_v<decltype(view)::value_type, std::int32_t>);
    static_assert(!std::is_constructible_v<finch::span<std::int32_t>, const Labels &>);
    static_assert(!std::is_constructible_v<finch::span<const std::int32_t>, std::vector<double> &>);
#if __cplusplus >= 202002L
    const finch::hierarchy hierarchy = finch::cluster({PAIRS, 2});
    const std::span<const std::int32_t> labels = hierarchy.labels(0);
    const std::span<std::int32_t> writable = span;
    CHECK(labels.size() == 6 && labels[5] == 2 && writable.data() == numbers.data());
    CHECK(finch::components(std::span<const std::int32_t>(Labels{1, 0})).cluster_count == 1);
#if defined(__cpp_lib_ranges)
    CHECK(*std::ranges::max_element(hierarchy.labels(0)) == 2);
#endif
#endif
}

static void points_are_rows() {
    const double array[4][2] = {{0, 0}, {0, 1}, {5, 5}, {5, 6}};
    std::vector<std::array<double, 2>> points;
    for (const auto &row : array) points.push_back({row[0], row[1]});
    const finch::matrix rows(array);
    CHECK(rows.rows() == 4 && rows.columns() == 2);
    const finch::hierarchy of_array = finch::cluster(array), of_points = finch::cluster(points);
    CHECK(of_array.labels(0)[3] == 1 && of_points.labels(0)[3] == 1);
    CHECK(of_array.refine(rows, 2)[3] == 1);
    static_assert(!std::is_constructible_v<finch::matrix, std::vector<std::array<double, 2>>>);
    static_assert(!std::is_constructible_v<finch::matrix, const finch::hierarchy &>);
}

template <class H, class = void> constexpr bool gives_spans = false;
template <class H>
constexpr bool gives_spans<H, std::void_t<decltype(std::declval<H>().labels(0))>> = true;
static_assert(gives_spans<finch::hierarchy &> && gives_spans<const finch::hierarchy &>);
static_assert(!gives_spans<finch::hierarchy> && !gives_spans<const finch::hierarchy>);

template <class V> constexpr bool makes_matrix = std::is_constructible_v<finch::matrix, V, int>;
static_assert(makes_matrix<std::vector<float> &> && makes_matrix<finch::span<float>>);
static_assert(!makes_matrix<std::vector<float>> && !makes_matrix<const std::vector<float>>);

static_assert(!std::is_copy_constructible_v<finch::hierarchy>);
static_assert(!std::is_copy_assignable_v<finch::hierarchy>);
static_assert(std::is_nothrow_move_constructible_v<finch::hierarchy>);
static_assert(std::is_nothrow_move_assignable_v<finch::hierarchy>);
static_assert(std::is_copy_constructible_v<finch::options>);

static void all_of_a_hierarchy() {
    const std::vector<float> x = many(64);
    const finch::matrix samples(x, 1);
    const finch::hierarchy hierarchy = finch::cluster(samples);
    const std::size_t partitions = hierarchy.partition_count();
    CHECK(hierarchy.sample_count() == 64 && hierarchy.feature_count() == 1 && partitions >= 2);
    const std::vector<std::size_t> counts = hierarchy.cluster_counts();
    CHECK(counts.size() == partitions && counts[0] == hierarchy.cluster_count(0));
    CHECK(counts[0] > counts[1]);

    const Labels rows = hierarchy.all_labels();
    const Labels columns = hierarchy.all_labels(finch::order::column_major);
    for (std::size_t p = 0; p < partitions; p++) {
        const auto labels = hierarchy.labels(p);
        CHECK(labels.size() == 64 && labels.data() == hierarchy.labels(p).data());
        for (std::size_t i = 0; i < 64; i++) {
            CHECK(labels[i] == rows[i * partitions + p] && labels[i] == columns[p * 64 + i]);
        }
    }

    const std::vector<double> means = hierarchy.means(0, samples);
    CHECK(means.size() == counts[0]);
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < 64; i++) {
        if (hierarchy.labels(0)[i] == 0) {
            sum += double{x[i]};
            size++;
        }
    }
    CHECK(std::abs(means[0] - sum / size) < 1e-6);

    CHECK(hierarchy.first_neighbors().size() == 64 && hierarchy.first_neighbors()[0] == 1);
    CHECK(hierarchy.distances().size() == 64 && std::abs(hierarchy.distances()[0] - 0.1) < 1e-6);
    CHECK(hierarchy.search().has_value() && *hierarchy.search() != finch::search::automatic);

    CHECK(hierarchy.at_least(counts[1]) == std::optional<std::size_t>(1));
    CHECK(hierarchy.at_most(counts[0]) == std::optional<std::size_t>(0));
    CHECK(hierarchy.closest(64) == std::optional<std::size_t>(0));
    CHECK(hierarchy.at_least(65) == std::nullopt && hierarchy.at_most(0) == std::nullopt);
}

static void refining() {
    const finch::matrix samples(PAIRS, 2);
    const finch::hierarchy hierarchy = finch::cluster(samples);
    CHECK(hierarchy.refine(samples, 3) == PAIR_LABELS);
    CHECK(hierarchy.refine(samples, 6) == (Labels{0, 1, 2, 3, 4, 5}));
    CHECK(hierarchy.refine(samples, 3, finch::options().nested(true)) == PAIR_LABELS);
    CHECK(finch::labels(samples, finch::flat::clusters(3)) == PAIR_LABELS);
    CHECK(finch::labels(samples, finch::flat::partition(0)) == copy(hierarchy.labels(0)));
    CHECK(finch::labels(samples, finch::flat::suggested()).size() == 6);
    const std::vector<finch::matrix> two_matrices = {samples, finch::matrix(PAIRS.data(), 4, 2)};
    CHECK(finch::cluster_batch(two_matrices) == (Labels{0, 0, 1, 1, 2, 2, 0, 0, 1, 1}));
    CHECK(finch::cluster_batch(std::vector<finch::matrix>{}).empty());
    CHECK(failure(FINCH_CLUSTER_COUNT, [&] {
              finch::cluster_batch(two_matrices, finch::flat::clusters(5));
          }).find("samples[1]") != std::string::npos);
    const auto centroid = finch::options().linkage(finch::linkage::centroid);
    CHECK(hierarchy.refine(samples, 2, centroid) == (Labels{0, 0, 1, 1, 0, 0}));
    finch::options ward;
    ward.linkage(finch::linkage::ward).from(0).threads(1);
    CHECK(hierarchy.refine(samples, 2, ward) == (Labels{0, 0, 1, 1, 0, 0}));
    // By default by neighbour linkage, from the finest partition.
    const std::vector<float> x = many(64);
    const finch::matrix line(x, 1);
    const finch::hierarchy groups = finch::cluster(line);
    const auto neighbor = finch::options().linkage(finch::linkage::neighbor).from(0);
    const Labels four = groups.refine(line, 4), two = groups.refine(line, 2);
    CHECK(four == groups.refine(line, 4, neighbor) && two == groups.refine(line, 2, neighbor));
    for (std::size_t i = 0; i < 64; i++) {
        CHECK(four[i] == static_cast<std::int32_t>(i / 16) && two[i] == two[i / 16 * 16]);
    }
    failure(FINCH_CLUSTER_COUNT, [&] { hierarchy.refine(samples, 0); });
    failure(FINCH_CLUSTER_COUNT, [&] { hierarchy.refine(samples, 7); });
    failure(FINCH_TOO_COARSE, [&] { hierarchy.refine(samples, 5, ward); });
    for (const std::size_t beyond : {std::size_t(9), SIZE_MAX / 2, SIZE_MAX}) {
        ward.from(beyond);
        failure(FINCH_NO_SUCH_PARTITION, [&] { hierarchy.refine(samples, 2, ward); });
    }
    failure(FINCH_SAMPLE_COUNT, [&] { hierarchy.refine({PAIRS, 3}, 2); });
}

static void partitions_that_are_not_there() {
    const finch::matrix samples(PAIRS, 2);
    const finch::hierarchy hierarchy = finch::cluster(samples);
    const std::size_t beyond = hierarchy.partition_count();
    failure(FINCH_NO_SUCH_PARTITION, [&] { hierarchy.labels(beyond); });
    failure(FINCH_NO_SUCH_PARTITION, [&] { hierarchy.cluster_count(beyond); });
    failure(FINCH_NO_SUCH_PARTITION, [&] { hierarchy.means(beyond, samples); });
    failure(FINCH_SAMPLE_COUNT, [&] { hierarchy.means(0, {PAIRS, 4}); });
}

static void a_single_sample() {
    const double one[] = {1, 2};
    const finch::hierarchy hierarchy = finch::cluster({one, 2});
    CHECK(finch_hierarchy_first_neighbors(hierarchy.get()) == nullptr);
    CHECK(finch_hierarchy_distances(hierarchy.get()) == nullptr);
    CHECK(hierarchy.sample_count() == 1 && hierarchy.feature_count() == 2);
    CHECK(hierarchy.cluster_counts() == std::vector<std::size_t>{1});
    CHECK(hierarchy.first_neighbors().empty() && hierarchy.distances().empty());
    CHECK(finch::first_neighbors({one, 2}).index.empty());
    CHECK(finch::cluster_given({one, 2}, Labels{}).sample_count() == 1);
}

static void moving() {
    finch::hierarchy first = finch::cluster({PAIRS, 2});
    const std::int32_t *labels = first.labels(0).data();
    finch::hierarchy second = std::move(first);
    CHECK(second.labels(0).data() == labels);
    // What was moved from is empty, and safe to ask.
    CHECK(first.get() == nullptr && first.sample_count() == 0 && first.partition_count() == 0);
    CHECK(first.cluster_counts().empty() && first.first_neighbors().empty() && !first.closest(1));
    CHECK(first.feature_count() == 0);
    failure(FINCH_NULL_POINTER, [&] { first.metric(); });
    failure(FINCH_NULL_POINTER, [&] { first.link_bound(); });
    failure(FINCH_NULL_POINTER, [&] { first.labels(0); });
    failure(FINCH_NULL_POINTER, [&] { first.cluster_count(0); });
    failure(FINCH_NULL_POINTER, [&] { first.all_labels(); });
    failure(FINCH_NULL_POINTER, [&] { first.refine({PAIRS, 2}, 1); });
    first = finch::cluster({PAIRS, 3});
    second = std::move(first);
    CHECK(second.sample_count() == 4);
    std::vector<finch::hierarchy> several;
    for (int i = 0; i < 3; i++) {
        several.push_back(finch::cluster({PAIRS, 2}));
    }
    finch_hierarchy *made = nullptr;
    CHECK(finch_cluster(finch::matrix(PAIRS, 2).get(), nullptr, &made) == FINCH_OK);
    CHECK(finch::hierarchy(made).sample_count() == 6);
}

static void every_option() {
    const finch::matrix samples(PAIRS, 2);
    using finch::search;
    std::int32_t number = FINCH_SEARCH_BRUTE;
    for (const search by : {search::brute, search::kd_tree, search::blocked}) {
        const finch::hierarchy found = finch::cluster(samples, finch::options().search(by));
        CHECK(found.search() == std::optional(by) && copy(found.labels(0)) == PAIR_LABELS);
        CHECK(finch_hierarchy_search(found.get()) == number++);
    }
    // It takes 8 features at least.
    const auto projected = finch::options().search(search::projected);
    failure(FINCH_UNSUPPORTED_SEARCH, [&] { finch::cluster(samples, projected); });
    const std::vector<float> wide(5 * 8, 1);
    CHECK(finch::cluster({wide, 8}, projected).search() == search::projected);
    CHECK(finch::cluster({wide, 8}, projected).recall() == 1);
    std::vector<double> noise(10000 * 64);
    uint64_t state = 1;
    for (double &x : noise)
        x = double((state = state * 6364136223846793005u + 1442695040888963407u) >> 40);
    auto hurry = finch::options().search(search::approximate).time_limit(1e-9);
    const auto hurried = finch::cluster({noise, 64}, hurry);
    CHECK(!hurried.warnings().empty() && hurried.recall() < 0.98);
    CHECK(hurried.warnings()[0].first == FINCH_WARNING_LOW_RECALL);
    CHECK(hurried.warnings()[0].second.find("99 % were asked for") != std::string::npos);
    CHECK(std::string(finch_warning_name(FINCH_WARNING_LOW_RECALL)) == "FINCH_WARNING_LOW_RECALL");
    CHECK(finch::cluster({noise, 64}).warnings().empty());
    finch::first_neighbors({noise, 64}, hurry);
    CHECK(finch::last_warning().find("99 % were asked for") != std::string::npos);
    finch::nearest_neighbors({noise, 64}, 2);
    CHECK(finch::last_warning().empty());
    const std::vector<double> turned = {5, 0, 5, 0.1, 0, 5, 0.1, 5, 0, 0};
    const auto apart = finch::cluster({turned, 2}, finch::options().metric(finch::metric::cosine));
    CHECK(copy(apart.labels(0)) == std::vector<std::int32_t>({0, 0, 1, 1, 2}));
    CHECK(apart.warnings()[0].first == FINCH_WARNING_ZERO_ROWS);
    const auto approximate = finch::options().search(search::approximate).recall(0.5).seed(7);
    const finch::hierarchy most = finch::cluster(samples, approximate);
    CHECK(most.search() == search::approximate && most.recall() == 1);
    CHECK(copy(most.labels(0)) == PAIR_LABELS);
    CHECK(most.explanation().find("approximate search, as asked for; recall 1.0000") == 0);
    CHECK(finch::cluster(samples, finch::options().time_limit(60)).recall() == 1);
    failure(FINCH_INVALID_VALUE, [&] { finch::cluster(samples, finch::options().time_limit(-1)); });
    auto options = finch::options()
                             .metric(finch::metric::manhattan)
                             .link_bound(finch::link_bound::first_neighbor)
                             .threads(2)
                             .recall(1)
                             .seed(7);
    const finch::hierarchy manhattan = finch::cluster(samples, options);
    CHECK(manhattan.search() != search::blocked);
    CHECK(manhattan.metric() == finch::metric::manhattan);
    CHECK(manhattan.link_bound() == finch::link_bound::first_neighbor);
    CHECK(most.metric() == finch::metric::euclidean);
    CHECK(most.link_bound() == finch::link_bound::none);
    const finch::options cosine = finch::options().metric(finch::metric::cosine);
    const double angles[] = {1, 0, 9, 0.1, 0, 1, 0.1, 5};
    CHECK(copy(finch::span<const std::int32_t>(finch::first_neighbors({angles, 2}, cosine).index))
          == (Labels{1, 0, 3, 2}));
    options.search(search::projected);
    failure(FINCH_UNSUPPORTED_SEARCH, [&] { finch::cluster(samples, options); });
    failure(FINCH_INVALID_VALUE, [&] { finch::cluster(samples, finch::options().recall(0)); });
}

static void progress_is_told() {
    const std::vector<float> x = many(4000);
    const finch::matrix samples(x, 1);
    std::size_t calls = 0, merges = 0;
    double last = -1;
    const auto caller = std::this_thread::get_id();
    finch::options options;
    options.progress([&](const finch::progress &now) {
        CHECK(std::this_thread::get_id() == caller);
        CHECK(now.fraction >= 0 && now.fraction <= 1);
        calls++;
        merges += now.stage == finch::stage::link;
        last = now.fraction;
        return true;
    });
    const finch::hierarchy hierarchy = finch::cluster(samples, options);
    CHECK(calls >= 2 && merges == 0 && last == 1);
    const Labels three = hierarchy.refine(samples, 3, options);
    CHECK(merges >= 2 && calls > merges);
    // What is kept is not searched again.
    const finch::hierarchy keeping = finch::cluster(samples, finch::options().refinable(true));
    CHECK(keeping.all_labels() == hierarchy.all_labels());
    calls = merges = 0;
    CHECK(keeping.refine(samples, 3, options) == three && merges >= 2 && calls == merges);
    calls = 0;
    CHECK(finch::first_neighbors(samples, options).index.size() == 4000 && calls >= 2);
    calls = 0;
    const Labels given = copy(hierarchy.first_neighbors());
    CHECK(finch::cluster_given(samples, given, options).sample_count() == 4000 && calls >= 2);
}

struct Stop {
    int number;
};

static void a_callback_stops_or_throws() {
    const finch::matrix samples(PAIRS, 2);
    const auto stop = finch::options().progress([](const finch::progress &) { return false; });
    const finch::hierarchy hierarchy = finch::cluster(samples);
    Labels index(6, -1);
    std::vector<double> key(6);
    failure(FINCH_CANCELLED, [&] { finch::cluster(samples, stop); });
    failure(FINCH_CANCELLED, [&] { hierarchy.refine(samples, 2, stop); });
    failure(FINCH_CANCELLED, [&] { finch::first_neighbors(samples, stop); });
    failure(FINCH_CANCELLED,
            [&] { finch::cluster_given(samples, hierarchy.first_neighbors(), stop); });
    failure(FINCH_CANCELLED,
            [&] { finch::update_neighbors(samples, 0, samples, 0, index, key, stop); });

    // Any type of exception, once for each of these runs, and the options can be used again.
    int thrown = 0;
    finch::options throws;
    throws.progress([&](const finch::progress &) -> bool { throw Stop{++thrown}; });
    for (int run = 1; run <= 3; run++) {
        try {
            finch::cluster(samples, throws);
            CHECK(false);
        } catch (const Stop &stopped) {
            CHECK(stopped.number == run);
        }
    }
    // A callback may call finch, and what that throws passes through the run around it.
    const auto nested = finch::options().progress([](const finch::progress &) {
        const finch::hierarchy inner = finch::cluster({PAIRS, 2});
        return !inner.labels(5).empty();
    });
    failure(FINCH_NO_SUCH_PARTITION, [&] { finch::cluster(samples, nested); });
}

static void building_blocks() {
    const finch::matrix samples(PAIRS, 2);
    const finch::neighbors found = finch::first_neighbors(samples);
    CHECK(found.index == (Labels{1, 0, 3, 2, 5, 4}) && found.distance == std::vector<double>(6, 1));

    const finch::hierarchy given = finch::cluster_given(samples, found.index);
    CHECK(copy(given.labels(0)) == PAIR_LABELS && given.search() == std::nullopt);
    failure(FINCH_NEIGHBOR_COUNT, [&] { finch::cluster_given(samples, Labels{1, 0}); });
    const Labels itself = {0, 0, 3, 2, 5, 4};
    failure(FINCH_INVALID_NEIGHBOR, [&] { finch::cluster_given(samples, itself); });

    // Both halves offered to each half.
    Labels index(6, -1);
    std::vector<double> key(6);
    const auto half = [](std::size_t first) { return finch::matrix(&PAIRS[first * 2], 3, 2); };
    for (std::size_t query : {0, 3}) {
        for (std::size_t base : {0, 3}) {
            finch::update_neighbors(half(query), query, half(base), base, {&index[query], 3},
                                    {&key[query], 3});
        }
    }
    CHECK(index == found.index);
    CHECK(finch::keys_to_distances(finch::metric::euclidean, key) == found.distance);
    key.pop_back();
    CHECK(failure(FINCH_SAMPLE_COUNT,
                  [&] { finch::update_neighbors(samples, 0, samples, 0, index, key); })
          == "6 numbers beside 5");

    const finch::partition joined = finch::components(found.index);
    CHECK(joined.labels == PAIR_LABELS && joined.cluster_count == 3);
    failure(FINCH_NO_SAMPLES, [] { finch::components(Labels{}); });
    failure(FINCH_INVALID_NEIGHBOR, [] { finch::components(Labels{0, 7}); });

    const finch_scores scores = finch::score(joined.labels, Labels{5, 5, -2, -2, 9, 9});
    CHECK(std::abs(scores.nmi - 1) < 1e-12 && std::abs(scores.accuracy - 1) < 1e-12);
    CHECK(finch::score(Labels{0, 0, 0, 0}, Labels{0, 0, 1, 1}).purity == 0.5);
    failure(FINCH_SAMPLE_COUNT, [] { finch::score(Labels{0, 0}, Labels{0}); });
}

static void several_threads_at_once() {
    const std::vector<float> x = many(500);
    const finch::matrix samples(x, 1);
    const finch::hierarchy shared = finch::cluster(samples);
    const Labels expected = shared.refine(samples, 7);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
            const finch::hierarchy own = finch::cluster(samples, finch::options().threads(t % 3));
            CHECK(own.all_labels() == shared.all_labels() && shared.refine(samples, 7) == expected);
            // Messages are each thread's own.
            const std::string number = std::to_string(1000 + t);
            const auto refine = [&] { shared.refine(samples, 1000 + t); };
            const auto message = failure(FINCH_CLUSTER_COUNT, refine);
            CHECK(message.find(number) != std::string::npos);
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

/// Sets of features as bytes, as packed bits and as sparse rows: one answer. And numbers of 16 bits.
static void bits_sparse_rows_and_halves() {
    constexpr std::size_t rows = 40, columns = 12, width = 2;
    std::vector<std::uint8_t> bytes(rows * columns), packed(rows * width);
    std::vector<std::int64_t> starts{0}, of;
    std::vector<float> ones;
    std::vector<std::uint16_t> halves, brains;
    for (std::size_t i = 0; i < rows; i++) {
        for (std::size_t j = 0; j < columns; j++) {
            const bool is = (i * 7 + j * j * 5 + i * j) % 5 < 2;
            bytes[i * columns + j] = is;
            halves.push_back(is ? 0x3c00 : 0);
            brains.push_back(is ? 0x3f80 : 0);
            if (is) {
                packed[i * width + j / 8] |= static_cast<std::uint8_t>(0x80 >> j % 8);
                of.push_back(static_cast<std::int64_t>(j));
                ones.push_back(1);
            }
        }
        starts.push_back(static_cast<std::int64_t>(of.size()));
    }
    const finch::csr sparse(starts, of, ones, columns);
    CHECK(sparse.rows() == rows && sparse.columns() == columns);
    for (const finch::metric metric : {finch::metric::jaccard, finch::metric::hamming}) {
        const auto options = finch::options().metric(metric);
        const auto expected = finch::nearest_neighbors({bytes, columns}, 3, options);
        for (const finch::matrix &same :
             {finch::matrix(sparse), finch::matrix::bits(packed, columns),
              finch::matrix::f16(halves, columns), finch::matrix::bf16(brains, columns)}) {
            const auto found = finch::nearest_neighbors(same, 3, options);
            CHECK(found.index == expected.index && found.distance == expected.distance);
            CHECK(finch::cluster(same, options).cluster_counts()
                  == finch::cluster({bytes, columns}, options).cluster_counts());
        }
    }
    failure(FINCH_INVALID_SIZE, [&] { finch::matrix::bits(packed, 20); });
    failure(FINCH_INVALID_SPARSE, [&] { finch::csr(starts, starts, ones, columns); });
}

/// Parts of data, and the bound of the authors' MATLAB code.
static void parts_and_bounds() {
    const std::vector<double> x = many_doubles();
    const finch::matrix all(x, 2);
    const std::size_t n = all.rows(), k = 2;
    std::vector<std::int64_t> index(n * k, -1), numbers(n), sizes(2);
    for (std::size_t i = 0; i < n; i++) numbers[i] = static_cast<std::int64_t>(i);
    std::vector<double> key(n * k), sums(4);
    for (const std::size_t first : {std::size_t(0), n / 2}) {
        const std::size_t count = first == 0 ? n / 2 : n - n / 2;
        const finch::matrix part(x.data() + 2 * first, count, 2);
        const finch::span<const std::int64_t> names(numbers.data() + first, count);
        finch::neighbors_between(all, numbers, part, names, k, index, key);
    }
    const auto expected = finch::nearest_neighbors(all, k);
    CHECK(std::equal(index.begin(), index.end(), expected.index.begin()));
    CHECK(finch::keys_to_distances(finch::metric::euclidean, key) == expected.distance);
    failure(FINCH_SAMPLE_COUNT, [&] {
        finch::neighbors_between(all, {numbers.data(), 3}, all, numbers, k, index, key);
    });

    Labels labels(n);
    for (std::size_t i = 0; i < n; i++) labels[i] = i % 3 == 0;
    finch::sums_add(all, labels, sums, sizes);
    CHECK(sizes[0] + sizes[1] == static_cast<std::int64_t>(n));
    double first_sum = 0;
    for (std::size_t i = 0; i < n; i++) if (labels[i] == 0) first_sum += x[2 * i];
    CHECK(sums[0] == first_sum);

    // Samples 1 and 2 are at 1 from their first neighbour 0, and 2 apart: the mean 0 and that of 3 and 4,
    // which is 1.95 away, may join, and far ones may not.
    const std::vector<double> points = {0, 0,  1, 0,    -1, 0, 0,  1.9, 0,
                                        2, 50, 0, 50.1, 0,  90, 0, 90.1, 0};
    const auto counts = [&](finch::link_bound of) {
        const auto found = finch::cluster({points, 2}, finch::options().link_bound(of));
        CHECK(found.link_bound() == of);
        return found.cluster_counts();
    };
    using sizes_t = std::vector<std::size_t>;
    CHECK(counts(finch::link_bound::first_neighbor) == sizes_t({4}));
    CHECK(counts(finch::link_bound::joined_pair) == sizes_t({4, 3}));
}

int main() {
    bits_sparse_rows_and_halves();
    parts_and_bounds();
    matrices_of_any_type_and_layout();
    matrices_that_are_wrong();
    spans_are_views();
    points_are_rows();
    all_of_a_hierarchy();
    refining();
    partitions_that_are_not_there();
    a_single_sample();
    moving();
    every_option();
    progress_is_told();
    a_callback_stops_or_throws();
    building_blocks();
    several_threads_at_once();
}
