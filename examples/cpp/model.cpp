// Keeps a clustering: how many clusters, the clusters of new samples, a tree, and the
// sample in the middle of each cluster.
//
//     c++ -std=c++17 model.cpp $(pkg-config --cflags --libs finch) -o model
//     ./model
#include <finch.hpp>

#include <iostream>
#include <vector>

static void print(const char *name, const std::vector<std::int32_t> &numbers) {
    std::cout << name << ':';
    for (std::int32_t number : numbers) {
        std::cout << ' ' << number;
    }
    std::cout << '\n';
}

static void keep_a_clustering() {
    const std::vector<double> x = {0, 0, 0, 1,   1, 0, 1, 1.2, 8,  8, 8,  9,
                                   9, 8, 9, 9.1, 20, 0, 20, 1,  21, 0, 21, 1.1};
    const std::vector<double> new_x = {0.4, 0.4, 20.4, 0.6};
    const finch::matrix samples(x, 2);
    const finch::hierarchy hierarchy = finch::cluster(samples);

    const finch::suggestion suggested = hierarchy.suggest(samples);
    std::cout << "suggested: " << suggested.cluster_count << '\n';
    print("labels", suggested.labels);

    // The suggested clusters are the labelling after the partitions.
    const finch::model model(hierarchy, samples, true, suggested.labels);
    print("predicted", model.predict({new_x, 2}, model.labelling_count() - 1).labels);

    std::cout << "newick: " << hierarchy.tree().text() << '\n';
    const finch::description description = finch::describe(samples, suggested.labels);
    const auto medoids = description.medoids();
    print("medoids", {medoids.begin(), medoids.end()});
}

int main() {
    try {
        keep_a_clustering();
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
