// What c/golden.c prints and writes, from C++, of row-major and of column-major memory.
//
//     golden SAMPLES TRUTH f32|f64|u8 ROWS COLUMNS METRIC LINK_BOUND CLUSTERS LABELS
#include <finch.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

template <class T> static std::vector<T> read_file(const std::string &path, size_t count) {
    std::vector<T> values(count);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(values.data()),
              static_cast<std::streamsize>(count * sizeof(T)));
    if (!file || file.peek() != EOF) {
        throw std::runtime_error(path + ": not as many values as expected");
    }
    return values;
}

struct Request {
    std::string samples, truth, labels;
    size_t rows, columns, clusters;
    finch::options options;
};

static void print_scores(const finch::hierarchy &hierarchy, const std::vector<int32_t> &truth) {
    for (size_t p = 0; p < hierarchy.partition_count(); p++) {
        const finch_scores scores = finch::score(hierarchy.labels(p), truth);
        std::printf("%zu %.17g %.17g %.17g\n", hierarchy.cluster_count(p), scores.purity,
                    scores.nmi, scores.accuracy);
    }
}

static std::vector<int32_t> all_labels(const finch::hierarchy &hierarchy,
                                       const finch::matrix &samples, Request &request) {
    std::vector<int32_t> labels = hierarchy.all_labels(finch::order::column_major);
    using finch::linkage;
    for (linkage by : {linkage::automatic, linkage::neighbor, linkage::means, linkage::centroid,
                       linkage::ward}) {
        const std::vector<int32_t> refined =
            hierarchy.refine(samples, request.clusters, request.options.linkage(by));
        labels.insert(labels.end(), refined.begin(), refined.end());
    }
    return labels;
}

template <class T> static void run(Request &request) {
    const size_t rows = request.rows, columns = request.columns;
    const std::vector<T> values = read_file<T>(request.samples, rows * columns);
    const std::vector<int32_t> truth = read_file<int32_t>(request.truth, rows);
    const finch::matrix samples(values, columns);
    const finch::hierarchy hierarchy = finch::cluster(samples, request.options);
    const std::vector<int32_t> labels = all_labels(hierarchy, samples, request);

    std::vector<T> transposed(values.size());
    for (size_t i = 0; i < values.size(); i++) {
        transposed[i % columns * rows + i / columns] = values[i];
    }
    const finch::matrix by_column = finch::matrix::column_major(transposed.data(), rows, columns);
    if (all_labels(finch::cluster(by_column, request.options), by_column, request) != labels) {
        throw std::runtime_error("column-major memory gives other labels");
    }

    print_scores(hierarchy, truth);
    std::ofstream file(request.labels, std::ios::binary);
    file.write(reinterpret_cast<const char *>(labels.data()),
               static_cast<std::streamsize>(labels.size() * sizeof labels[0]));
    if (!file.flush()) {
        throw std::runtime_error(request.labels + ": cannot be written");
    }
}

int main(int argc, char **argv) {
    if (argc != 10) {
        return 2;
    }
    try {
        finch::options options;
        options.metric(static_cast<finch::metric>(std::atoi(argv[6])));
        options.link_bound(static_cast<finch::link_bound>(std::atoi(argv[7])));
        Request request{argv[1], argv[2], argv[9], std::stoul(argv[4]), std::stoul(argv[5]),
                        std::stoul(argv[8]), options};
        const std::string element = argv[3];
        if (element == "f64") {
            run<double>(request);
        } else if (element == "f32") {
            run<float>(request);
        } else {
            run<uint8_t>(request);
        }
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
