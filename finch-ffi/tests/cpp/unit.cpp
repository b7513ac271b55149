// One of two translation units that use everything inline of finch.hpp, and are linked together.
#include <finch.hpp>

#include <finch.h>
#include <finch.hpp>

#ifdef FIRST
finch::hierarchy cluster_elsewhere(const std::vector<double> &x);

int main() {
    const std::vector<double> x = {0, 1, 5, 6};
    const finch::hierarchy here = finch::cluster({x, 1}), there = cluster_elsewhere(x);
    try {
        there.labels(9);
    } catch (const finch::error &error) {
        const bool same = here.all_labels() == there.all_labels();
        return same && error.status() == FINCH_NO_SUCH_PARTITION ? 0 : 1;
    }
    return 1;
}
#else
finch::hierarchy cluster_elsewhere(const std::vector<double> &x) {
    const auto go_on = [](const finch::progress &) { return true; };
    return finch::cluster({x, 1}, finch::options().progress(go_on));
}
#endif
