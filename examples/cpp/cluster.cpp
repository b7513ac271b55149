// Clusters the rows of a table: a header, then lines of a name and numbers, separated by commas.
//
//     c++ -std=c++17 cluster.cpp $(pkg-config --cflags --libs finch) -o cluster
//     ./cluster ../data/planets.csv
#include <finch.hpp>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Table {
    std::vector<std::string> names;
    std::vector<double> values; // row after row
    std::size_t columns() const { return names.empty() ? 0 : values.size() / names.size(); }
};

static Table read_table(const std::string &path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(path + ": cannot be read");
    }
    Table table;
    std::string line, field;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        if (!std::getline(fields, field, ',')) {
            continue;
        }
        table.names.push_back(field);
        while (std::getline(fields, field, ',')) {
            table.values.push_back(std::stod(field));
        }
    }
    return table;
}

static void print_clusters(const std::string &path) {
    const Table table = read_table(path);
    const finch::hierarchy hierarchy = finch::cluster({table.values, table.columns()});
    const auto labels = hierarchy.labels(0);
    std::cout << hierarchy.cluster_count(0) << " clusters\n";
    for (std::size_t cluster = 0; cluster < hierarchy.cluster_count(0); cluster++) {
        const char *separator = "  ";
        for (std::size_t row = 0; row < labels.size(); row++) {
            if (labels[row] == static_cast<std::int32_t>(cluster)) {
                std::cout << separator << table.names[row];
                separator = ", ";
            }
        }
        std::cout << '\n';
    }
}

int main(int argc, char **argv) {
    try {
        print_clusters(argc > 1 ? argv[1] : "examples/data/planets.csv");
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
