// Suggestions, dendrograms, trees, models and weights of finch.hpp. Prints nothing unless something
// is wrong. Takes a path where a model may be saved.
#include <finch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);        \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

using Labels = std::vector<std::int32_t>;

static const std::vector<double> X = {0, 0, 0, 1,   1,  0, 1,  1.2, 8,  8, 8,  9,
                                      9, 8, 9, 9.1, 20, 0, 20, 1,   21, 0, 21, 1.1};
static const std::vector<double> NEW_X = {0.4, 0.4, 20.4, 0.6};
static const Labels THREE = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
static const finch::matrix SAMPLES(X, 2), NEW_SAMPLES(NEW_X, 2);

template <class T> static std::vector<std::remove_const_t<T>> copy(finch::span<T> span) {
    return {span.begin(), span.end()};
}

/// Runs what has to throw a finch::error of a status.
template <class F> static void fails(finch_status status, F run) {
    try {
        run();
    } catch (const finch::error &error) {
        CHECK(error.status() == status);
        CHECK(*error.what() != '\0');
        return;
    }
    std::fprintf(stderr, "nothing failed with %s\n", finch_status_name(status));
    std::exit(1);
}

template <class T>
constexpr bool moves_only = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>
                            && std::is_nothrow_move_constructible_v<T>
                            && std::is_nothrow_move_assignable_v<T>;
static_assert(moves_only<finch::dendrogram> && moves_only<finch::tree> && moves_only<finch::model>);
static_assert(moves_only<finch::description>);

template <class M, class = void> constexpr bool lends = false;
template <class M>
constexpr bool lends<M, std::void_t<decltype(std::declval<M>().hierarchy())>> = true;
static_assert(lends<finch::model &> && !lends<finch::model> && !lends<const finch::model>);

static void weights() {
    // Whole weights are repeated rows.
    const std::vector<double> two(12, 2), mixed = {3, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1};
    const finch::hierarchy weighted = finch::cluster_weighted(SAMPLES, mixed);
    CHECK(copy(weighted.weights()) == mixed);
    const finch::hierarchy plain = finch::cluster(SAMPLES);
    CHECK(plain.weights().empty());
    const std::vector<double> means = weighted.means(weighted.partition_count() - 1, SAMPLES);
    double sum = 0;
    for (std::size_t i = 0; i < 12; i++) sum += mixed[i] * X[2 * i];
    if (means.size() == 2) CHECK(std::abs(means[0] - sum / 15) < 1e-12);
    // Every pair of equal samples is a cluster by itself.
    CHECK(finch::cluster_weighted(SAMPLES, two).cluster_count(0) == 12);
    std::vector<double> wrong = two;
    wrong[3] = -1;
    fails(FINCH_INVALID_WEIGHT, [&] { finch::cluster_weighted(SAMPLES, wrong); });
    wrong.pop_back();
    fails(FINCH_SAMPLE_COUNT, [&] { finch::cluster_weighted(SAMPLES, wrong); });
    CHECK(finch::score_weighted(Labels{0, 0, 0}, Labels{0, 1, 1}, std::vector<double>{1, 1, 2}).purity
          == 0.75);
    fails(FINCH_SAMPLE_COUNT, [&] { finch::score_weighted(Labels{0, 0}, Labels{0, 1}, two); });
}

static void times() {
    std::vector<double> seconds(12);
    for (std::size_t i = 0; i < 12; i++) seconds[i] = double(i);
    const finch::hierarchy segments = finch::cluster_timed(SAMPLES, seconds, true);
    const std::vector<int32_t> labels = segments.refine(SAMPLES, 2);
    std::size_t changes = 0;
    for (std::size_t i = 1; i < 12; i++) changes += labels[i] != labels[i - 1];
    CHECK(changes == 1);
    CHECK(finch::cluster_timed(SAMPLES, seconds).sample_count() == 12);
    fails(FINCH_INVALID_TIMES, [&] { segments.suggest(SAMPLES); });
    seconds[3] = 1e141;
    fails(FINCH_INVALID_TIMES, [&] { finch::cluster_timed(SAMPLES, seconds); });
}

static void suggestions() {
    const finch::hierarchy hierarchy = finch::cluster(SAMPLES);
    const finch::suggestion found = hierarchy.suggest(SAMPLES);
    Labels labels(12);
    std::size_t clusters = 0, partition = 0;
    CHECK(finch_hierarchy_suggest(hierarchy.get(), SAMPLES.get(), nullptr, labels.data(), 12,
                                  &clusters, &partition)
          == FINCH_OK);
    CHECK(found.labels == labels && labels == THREE);
    CHECK(found.cluster_count == clusters && clusters == 3 && found.partition == partition);
    CHECK(!found.dendrogram.scores().empty() && found.dendrogram.cut(3) == labels);
    const auto persistence = found.dendrogram.persistence(3);
    CHECK(persistence.size() == 3 && persistence[0] > 0 && persistence[2] <= 1);
    CHECK(found.dendrogram.persistence(3, found.labels) == persistence);
    fails(FINCH_SAMPLE_COUNT, [&] { found.dendrogram.persistence(1, {labels.data(), 1}); });
    fails(FINCH_NO_SUCH_CUT, [&] { found.dendrogram.persistence(found.dendrogram.start_count() + 1); });
    const finch::dendrogram plain = hierarchy.dendrogram(SAMPLES);
    CHECK(found.dendrogram.best()[0] == 3 && plain.best().empty());
    CHECK(plain.rivals().empty() && plain.ambiguity().empty());
    CHECK(found.dendrogram.rivals().empty() == found.dendrogram.ambiguity().empty());
    const finch::refinement three = hierarchy.refine_explained(SAMPLES, 3);
    CHECK(three.labels == labels && three.linkage == finch::linkage::neighbor);
    CHECK(hierarchy.refine_explained(SAMPLES, 3, finch::options().linkage(finch::linkage::ward)).linkage
          == finch::linkage::ward);
    finch_constraints rules;
    CHECK(finch_constraints_init(&rules, sizeof rules) == FINCH_OK);
    rules.min_size = 4;
    CHECK(hierarchy.refine_explained(SAMPLES, 2, {}, &rules).labels == hierarchy.refine(SAMPLES, 2, rules));
    fails(FINCH_CLUSTER_COUNT, [&] { hierarchy.refine_explained(SAMPLES, 13); });
    // Three groups without links between them; of one group alone the samples are too few.
    CHECK(found.dendrogram.clustered() == FINCH_CLUSTERED_YES && *found.dendrogram.has_clusters());
    finch_matrix four = *SAMPLES.get();
    four.rows = 4;
    const finch::matrix group(four);
    const finch::suggestion few = finch::cluster(group).suggest(group);
    CHECK(few.dendrogram.clustered() == FINCH_CLUSTERED_TOO_FEW && !few.dendrogram.has_clusters());
    CHECK(finch_dendrogram_has_clusters(few.dendrogram.get()) == 0);
    CHECK(!hierarchy.dendrogram(SAMPLES).clustered());
    const auto stop = finch::options().progress([](const finch::progress &) { return false; });
    fails(FINCH_CANCELLED, [&] { hierarchy.suggest(SAMPLES, stop); });
    fails(FINCH_SAMPLE_COUNT, [&] { hierarchy.suggest(NEW_SAMPLES); });
    fails(FINCH_NULL_POINTER, [&] { hierarchy.suggest(nullptr); });
}

static void dendrograms() {
    const finch::hierarchy hierarchy = finch::cluster(SAMPLES);
    const auto ward = finch::options().linkage(finch::linkage::ward).from(0);
    finch::dendrogram all = hierarchy.dendrogram(SAMPLES, ward);
    const std::size_t start = hierarchy.cluster_count(0);
    CHECK(all.sample_count() == 12 && all.start_count() == start && all.merge_count() == start - 1);
    CHECK(all.merges().size() == 2 * (start - 1) && all.heights().size() == start - 1);
    CHECK(all.scores().empty() && std::is_sorted(all.heights().begin(), all.heights().end()));
    for (std::size_t k = 1; k <= start; k++) CHECK(all.cut(k) == hierarchy.refine(SAMPLES, k, ward));
    fails(FINCH_NO_SUCH_CUT, [&] { all.cut(0); });
    const finch::dendrogram some = hierarchy.dendrogram(SAMPLES, ward, start - 1);
    CHECK(some.merge_count() == 1 && some.merges()[0] < some.merges()[1]);
    fails(FINCH_NO_SUCH_CUT, [&] { some.cut(start - 2); });

    finch::dendrogram moved = std::move(all);
    CHECK(moved.merge_count() == start - 1 && all.get() == nullptr && all.merges().empty());
    fails(FINCH_NULL_POINTER, [&] { all.cut(1); });
    CHECK(moved.tree().leaf_count() == start && moved.tree(hierarchy).leaf_count() == 12);
    const finch::hierarchy empty = finch::hierarchy(nullptr);
    fails(FINCH_NULL_POINTER, [&] { moved.tree(empty); });
    fails(FINCH_NULL_POINTER, [&] { all.tree(); });
}

static void trees() {
    const finch::hierarchy hierarchy = finch::cluster(SAMPLES);
    finch::tree tree = hierarchy.tree();
    const std::vector<double> linkage = tree.linkage();
    CHECK(tree.leaf_count() == 12 && linkage.size() == 44 && linkage[43] == 12);
    for (std::size_t join = 1; join < 11; join++) {
        CHECK(linkage[4 * join + 2] >= linkage[4 * join - 2]);
    }
    const std::string newick = tree.text();
    CHECK(newick.back() == ';' && newick.find("11:") != std::string::npos);
    std::vector<std::string> names;
    for (char name = 'a'; name < 'm'; name++) names.push_back({name});
    CHECK(tree.text(finch::tree_format::json, names).find("\"l\"") != std::string::npos);
    CHECK(tree.text(finch::tree_format::dot).find("graph") != std::string::npos);
    names.pop_back();
    fails(FINCH_SAMPLE_COUNT, [&] { tree.text(finch::tree_format::newick, names); });
    const double one[] = {1, 2};
    CHECK(finch::cluster({one, 2}).tree().linkage().empty());
    finch::tree moved = std::move(tree);
    CHECK(moved.text() == newick && tree.leaf_count() == 0);
    fails(FINCH_NULL_POINTER, [&] { tree.linkage(); });
    fails(FINCH_NULL_POINTER, [&] { tree.text(); });
}

static void nearest_neighbors() {
    const finch::neighbors first = finch::first_neighbors(SAMPLES);
    const finch::neighbors three = finch::nearest_neighbors(SAMPLES, 3);
    CHECK(three.index.size() == 36 && three.distance.size() == 36);
    for (std::size_t i = 0; i < 12; i++) {
        CHECK(three.index[3 * i] == first.index[i] && three.distance[3 * i] == first.distance[i]);
        Labels group(&three.index[3 * i], &three.index[3 * i] + 3);
        for (std::int32_t other : group) CHECK(std::size_t(other) / 4 == i / 4);
        CHECK(std::is_sorted(&three.distance[3 * i], &three.distance[3 * i] + 3));
    }
    for (std::size_t k : {std::size_t(0), std::size_t(12), SIZE_MAX}) {
        try {
            finch::nearest_neighbors(SAMPLES, k);
            CHECK(false);
        } catch (const finch::error &error) {
            CHECK(error.status() != FINCH_BUFFER_TOO_SMALL);
        }
    }
}

static void models(const std::string &path) {
    finch::hierarchy hierarchy = finch::cluster(SAMPLES);
    const finch::model made(hierarchy, SAMPLES, true, THREE);
    const std::size_t partitions = hierarchy.partition_count();
    const Labels finest = copy(hierarchy.labels(0));
    // A model needs no hierarchy.
    hierarchy = finch::cluster(NEW_SAMPLES);
    CHECK(made.labelling_count() == partitions + 1 && made.cluster_count(partitions) == 3);
    CHECK(copy(made.labels(partitions)) == THREE && copy(made.labels(0)) == finest);
    CHECK(made.hierarchy().partition_count() == partitions);
    CHECK(copy(made.hierarchy().labels(0)) == finest);
    CHECK(made.means(partitions).size() == 6 && made.means(partitions)[4] == 20.5);
    CHECK(made.samples() && made.samples()->rows() == 12);
    CHECK(finch::cluster(*made.samples()).all_labels() == made.hierarchy().all_labels());

    const finch::prediction found = made.predict(NEW_SAMPLES, partitions);
    CHECK(found.labels == (Labels{0, 2}) && found.neighbor == (Labels{0, 9}));
    for (std::size_t i = 0; i < 2; i++) {
        const double d = found.distance[i], other = found.other_distance[i];
        CHECK(0 < d && d < other && other < 20);
        CHECK(std::abs(found.confidence[i] - 1 / (1 + std::pow(d / other, 8))) < 1e-12);
    }
    CHECK(std::abs(found.distance[0] - std::sqrt(0.32)) < 1e-12);
    CHECK(made.predict_labels(NEW_SAMPLES, partitions) == found.labels && found.recall == 1);
    const auto approximate = finch::options().search(finch::search::approximate);
    const finch::prediction near = made.predict(NEW_SAMPLES, partitions, approximate, false);
    CHECK(near.neighbor == found.neighbor && near.confidence.empty() && near.recall == 1);
    fails(FINCH_UNSUPPORTED_SEARCH, [&] { made.predict(NEW_SAMPLES, partitions, approximate); });
    CHECK(made.predict(SAMPLES).labels == finest);
    fails(FINCH_NO_SUCH_PARTITION, [&] { made.predict(NEW_SAMPLES, partitions + 1); });
    fails(FINCH_NO_SUCH_PARTITION, [&] { made.labels(partitions + 1); });
    fails(FINCH_NO_SUCH_PARTITION, [&] { made.means(partitions + 1); });
    fails(FINCH_FEATURE_COUNT, [&] { made.predict({NEW_X, 4}); });

    std::vector<std::uint8_t> bytes = made.serialize();
    CHECK(finch::model::deserialize(bytes).serialize() == bytes);
    made.save(path);
    finch::model loaded = finch::model::load(path);
    CHECK(loaded.serialize() == bytes && loaded.predict(NEW_SAMPLES, partitions).labels == found.labels);
    fails(FINCH_IO, [&] { finch::model::load(path + "/none"); });
    fails(FINCH_IO, [&] { made.save(path + "/none"); });
    bytes[bytes.size() / 2] ^= 1;
    fails(FINCH_DAMAGED, [&] { finch::model::deserialize(bytes); });
    fails(FINCH_DAMAGED, [&] { finch::model::deserialize(std::vector<std::uint8_t>{1}); });

    // Warnings are kept.
    const std::vector<double> turned = {5, 0, 5, 0.1, 0, 5, 0.1, 5, 0, 0};
    const finch::matrix rows(turned, 2);
    const finch::model apart(finch::cluster(rows, finch::options().metric(finch::metric::cosine)), rows);
    const finch::model again = finch::model::deserialize(apart.serialize());
    CHECK(again.hierarchy().warnings().size() == 1);
    CHECK(again.hierarchy().warnings()[0].first == FINCH_WARNING_ZERO_ROWS);
    CHECK(again.hierarchy().warnings() == apart.hierarchy().warnings());

    // The view of the hierarchy moves along.
    finch::model moved = std::move(loaded);
    CHECK(copy(moved.hierarchy().labels(0)) == finest && loaded.labelling_count() == 0);
    CHECK(!loaded.samples());
    fails(FINCH_NULL_POINTER, [&] { loaded.labels(0); });
    fails(FINCH_NULL_POINTER, [&] { loaded.predict(NEW_SAMPLES); });
    moved = finch::model(finch::cluster(SAMPLES), SAMPLES, false);
    CHECK(!moved.samples() && moved.labelling_count() == partitions);
    CHECK(moved.predict_labels(NEW_SAMPLES, 0).size() == 2);
    const Labels short_by_one(THREE.begin(), THREE.end() - 1);
    fails(FINCH_SAMPLE_COUNT,
          [&] { finch::model(finch::cluster(SAMPLES), SAMPLES, true, short_by_one); });
}

static void extending() {
    std::vector<double> all = X;
    all.insert(all.end(), NEW_X.begin(), NEW_X.end());
    all.insert(all.end(), {50, 50, 51, 51});
    const finch::matrix samples(all, 2);
    const finch::hierarchy old = finch::cluster(SAMPLES);
    const finch::hierarchy more = old.extend(samples);
    CHECK(more.all_labels() == finch::cluster(samples).all_labels());
    std::vector<double> weights(16, 1.5);
    const finch::hierarchy weighted = old.extend(samples, {}, weights);
    CHECK(copy(weighted.weights()) == weights);
    weights.pop_back();
    fails(FINCH_SAMPLE_COUNT, [&] { old.extend(samples, {}, weights); });
    fails(FINCH_SAMPLE_COUNT, [&] { old.extend(NEW_SAMPLES); });

    // Enough samples for a search that leaves the old ones alone.
    std::vector<double> many(4000);
    for (std::size_t i = 0; i < many.size(); i++) {
        many[i] = static_cast<double>(i * 7919 % 10007) + static_cast<double>(i % 2) / 4;
    }
    const finch::matrix first(many.data(), 1900, 2), last(many.data() + 3800, 100, 2);
    const finch::model model(finch::cluster(first), first);
    const finch::model grown = model.extend(last);
    CHECK(grown.hierarchy().all_labels() == finch::cluster({many, 2}).all_labels());
    CHECK(finch::model::deserialize(grown.serialize()).serialize() == grown.serialize());
    CHECK(grown.samples()->rows() == 2000 && model.samples()->rows() == 1900);
    fails(FINCH_NEEDS_SAMPLES, [&] { finch::model(old, SAMPLES, false).extend(NEW_SAMPLES); });

    using finch::fate;
    const finch::kept_labels kept = finch::keep_labels(THREE, Labels{2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0,
                                                                     0, 2, 7, 7});
    CHECK(kept.labels == (Labels{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 3, 3}));
    CHECK(kept.fates == (std::vector<fate>{fate::grew, fate::kept, fate::kept, fate::appeared}));
    const finch::kept_labels changed = finch::keep_labels(Labels{0, 0, 1, 2}, Labels{0, 1, 2, 2});
    CHECK(changed.fates == (std::vector<fate>{fate::split, fate::split, fate::merged}));
    fails(FINCH_SAMPLE_COUNT, [] { finch::keep_labels(THREE, Labels{0, 0}); });
}

static void describing() {
    const finch::description clusters = finch::describe(SAMPLES, THREE, 2);
    CHECK(clusters.cluster_count() == 3 && copy(clusters.sizes()) == std::vector<double>(3, 4));
    CHECK(clusters.means().size() == 6 && clusters.means()[4] == 20.5);
    CHECK(clusters.exemplars().size() == 6 && clusters.medoids().size() == 3);
    for (std::size_t k = 0; k < 3; k++) {
        CHECK(clusters.medoids()[k] == clusters.exemplars()[2 * k]);
        CHECK(THREE[std::size_t(clusters.exemplars()[2 * k + 1])] == std::int32_t(k));
        CHECK(clusters.silhouettes()[k] > 0.8 && clusters.spreads()[k] < 1 && !clusters.sampled(k));
    }
    const double squares = 0.55 * 0.55 * 2 + 0.45 * 0.45 + 0.65 * 0.65;
    CHECK(std::abs(clusters.spreads()[0] - std::sqrt(0.25 + squares / 4)) < 1e-9);
    fails(FINCH_NO_SUCH_PARTITION, [&] { clusters.sampled(3); });
    const std::vector<double> weights(12, 2);
    const finch::description weighted = finch::describe(SAMPLES, THREE, 1, {}, weights);
    CHECK(weighted.sizes()[2] == 8 && weighted.exemplars().size() == 3);
    CHECK(clusters.modularities().empty());
    // All links stay within, and chance has a third of them stay.
    const finch::span<const double> none{nullptr, 0};
    const finch::neighbors nearest = finch::nearest_neighbors(SAMPLES, 3);
    const finch::description linked = finch::describe(SAMPLES, THREE, 1, {}, none, nearest.index);
    CHECK(linked.modularities().size() == 3);
    for (double share : linked.modularities()) CHECK(std::abs(share - 2.0 / 3) < 1e-12);
    fails(FINCH_SAMPLE_COUNT,
          [&] { finch::describe(SAMPLES, THREE, 1, {}, none, {nearest.index.data(), 13}); });
    fails(FINCH_SAMPLE_COUNT,
          [&] { finch::describe(SAMPLES, THREE, 1, {}, {weights.data(), 11}); });
    fails(FINCH_SAMPLE_COUNT, [&] { finch::describe(SAMPLES, {THREE.data(), 11}); });

    std::vector<double> all = X;
    all.insert(all.end(), {14, 30});
    const finch::matrix samples(all, 2);
    const std::vector<double> scores = finch::cluster(samples).outlier_scores(samples);
    CHECK(scores.size() == 13);
    CHECK(std::max_element(scores.begin(), scores.end()) - scores.begin() == 12);
    CHECK(scores[12] > 0.5 && scores[12] <= 1 && scores[0] >= 0);
    fails(FINCH_SAMPLE_COUNT, [&] { finch::cluster(samples).outlier_scores(SAMPLES); });
}

static void noise() {
    std::vector<double> all = X;
    all.insert(all.end(), {14, 300});
    const finch::matrix samples(all, 2);
    std::vector<std::int32_t> four = THREE, expected = THREE;
    four.push_back(3);
    expected.push_back(-1);
    const finch::hierarchy hierarchy = finch::cluster(samples);
    CHECK(hierarchy.noise(samples, four, {}) == four);
    CHECK(hierarchy.noise(samples, four, finch::options().min_cluster_size(2)) == expected);
    CHECK(hierarchy.noise(samples, four, finch::options().outliers(0.1)) == expected);
    CHECK(hierarchy.noise(samples, four, finch::options().outlier_threshold(0.9)) == expected);
    const auto joined =
        hierarchy.noise(samples, four, finch::options().min_cluster_size(2).join_small(true));
    CHECK(std::vector<std::int32_t>(joined.begin(), joined.end() - 1) == THREE && joined[12] >= 0);
    CHECK(finch::labels(samples, finch::flat::clusters(4), finch::options().min_cluster_size(2))[12]
          == -1);
    fails(FINCH_INVALID_CONSTRAINT,
          [&] { hierarchy.noise(samples, four, finch::options().min_cluster_size(14).join_small(true)); });
    fails(FINCH_SAMPLE_COUNT, [&] { hierarchy.noise(samples, THREE, {}); });

    const finch::membership found = hierarchy.membership(samples, expected);
    CHECK(found.probabilities().size() == 13 && found.probabilities()[12] == 0);
    const auto shares = found.shares();
    CHECK(shares && shares->rows() == 13 && shares->columns() == 3);
    const auto &csr = *static_cast<const finch_csr *>(shares->get()->data);
    const auto *starts = static_cast<const std::int32_t *>(csr.starts);
    const auto *columns = static_cast<const std::int32_t *>(csr.columns);
    const auto *values = static_cast<const double *>(csr.values);
    for (std::size_t i = 0; i < 12; i++) {
        double sum = 0, own = 0;
        for (std::int32_t at = starts[i]; at < starts[i + 1]; at++) {
            sum += values[at];
            if (columns[at] == THREE[i]) own += values[at];
        }
        CHECK(std::abs(sum - 1) < 1e-12 && own == found.probabilities()[i]);
    }
    fails(FINCH_INVALID_VALUE, [&] {
        hierarchy.membership(samples, std::vector<std::int32_t>(13, -2)); });
    CHECK(finch::score(expected, four).noise > 0.07 && finch::score(expected, four).ari == 1);
    CHECK(finch::keep_labels(THREE, expected).labels == expected);
    CHECK(finch::describe(samples, expected).cluster_count() == 3);

    const finch::model model(hierarchy, samples, true, expected), back = finch::model::deserialize(model.serialize());
    const std::size_t last = back.labelling_count() - 1;
    CHECK(copy(back.labels(last)) == expected && back.cluster_count(last) == 3);
    const std::vector<double> near = {14, 299, 0, 0};
    CHECK(back.predict_labels({near, 2}, last) == (Labels{-1, THREE[0]}));
    CHECK(finch::model(hierarchy, samples, false, expected).predict_labels({near, 2}, last)[0] >= 0);
}

static void what_the_caller_brings() {
    const finch::hierarchy own = finch::cluster(SAMPLES);
    const finch::neighbors found = finch::nearest_neighbors(SAMPLES, 3);
    const finch::hierarchy same =
        finch::cluster_neighbors(SAMPLES, found.index, found.distance, 3);
    CHECK(same.all_labels() == own.all_labels());
    const finch::hierarchy bare = finch::cluster_neighbors(nullptr, found.index, found.distance, 3);
    CHECK(copy(bare.labels(0)) == copy(own.labels(0)) && bare.feature_count() == 0);
    fails(FINCH_INVALID_SIZE,
          [&] { finch::cluster_neighbors(SAMPLES, found.index, found.distance, 5); });
    fails(FINCH_SAMPLE_COUNT, [&] { finch::cluster_neighbors(SAMPLES, found.index, X, 3); });

    std::vector<double> distances;
    for (std::size_t i = 0; i < 12; i++) {
        for (std::size_t j = 0; j < 12; j++) {
            distances.push_back(std::hypot(X[2 * i] - X[2 * j], X[2 * i + 1] - X[2 * j + 1]));
        }
    }
    const finch::hierarchy pairs = finch::cluster_distances(distances, 12);
    CHECK(copy(pairs.labels(0)) == copy(own.labels(0)));
    CHECK(pairs.suggest(nullptr).labels == THREE && pairs.refine(nullptr, 3) == THREE);
    CHECK(pairs.dendrogram(nullptr).cut(3) == THREE);
    CHECK(finch::model(pairs, nullptr, false).labelling_count() == pairs.partition_count());
    distances[1] = -1;
    fails(FINCH_INVALID_DISTANCE, [&] { finch::cluster_distances(distances, 12); });
    fails(FINCH_INVALID_SIZE, [&] { finch::cluster_distances(distances, 11); });
}

int main(int, char **arguments) {
    describing();
    noise();
    what_the_caller_brings();
    weights();
    times();
    suggestions();
    dendrograms();
    trees();
    nearest_neighbors();
    models(arguments[1]);
    extending();
}
