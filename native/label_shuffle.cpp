#include "label_shuffle.hpp"

#include <algorithm>
#include <utility>

#include "splitmix.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

class Random : public SplitMix {
  public:
    using SplitMix::SplitMix;
    // Each of 0 .. n-1 equally often (Lemire 2019).
    std::uint32_t below(std::uint32_t n) {
        std::uint64_t product = (next() >> 32) * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t least = (0u - n) % n;
            while (static_cast<std::uint32_t>(product) < least) product = (next() >> 32) * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }
};

double agreement(const LabelGraph& graph, const std::int32_t* y, std::int32_t* seen) {
    double total = 0.0;
    for (std::int64_t g = 0; g < graph.n_groups; ++g) {
        const std::int64_t begin = graph.start[g], end = graph.start[g + 1];
        const std::int64_t first = graph.edge_start[g], last = graph.edge_start[g + 1];
        if (end - begin == 1) {
            for (std::int64_t e = first; e < last; ++e)
                if (y[graph.from[e]] == y[begin]) total += graph.weight[e];
            continue;
        }
        std::int64_t pairs = 0;
        for (std::int64_t i = begin; i < end; ++i) pairs += seen[y[i]]++;
        total += 2.0 * static_cast<double>(pairs) / static_cast<double>(end - begin - 1);
        for (std::int64_t e = first; e < last; ++e) total += graph.weight[e] * seen[y[graph.from[e]]];
        for (std::int64_t i = begin; i < end; ++i) seen[y[i]] = 0;
    }
    return total;
}

} // namespace

std::vector<double> shuffled_agreement(const LabelGraph& graph, const std::int32_t* classes, std::int64_t n_rows,
                                       int n_classes, std::uint64_t seed, std::int64_t first, std::int64_t count,
                                       int threads, Poll* poll) {
    std::vector<double> totals(static_cast<std::size_t>(count));
    struct Scratch {
        std::vector<std::int32_t> labels, seen;
    };
    Watch watch(poll, count);
    const auto scratch = [&] {
        return Scratch{std::vector<std::int32_t>(static_cast<std::size_t>(n_rows)),
                       std::vector<std::int32_t>(static_cast<std::size_t>(n_classes), 0)};
    };
    parallel_for(Loop{.n = count, .threads = threads, .grain = 16}, scratch, [&](Scratch& mine, std::int64_t s) {
        if (!watch.go_on()) return;
        std::int32_t* y = mine.labels.data();
        std::copy(classes, classes + n_rows, y);
        Random key(seed ^ (0x2545f4914f6cdd1dULL * static_cast<std::uint64_t>(first + s + 1)));
        Random random(key.next());
        for (std::int64_t i = n_rows - 1; i > 0; --i) std::swap(y[i], y[random.below(static_cast<std::uint32_t>(i + 1))]);
        totals[static_cast<std::size_t>(s)] = agreement(graph, y, mine.seen.data());
    });
    return totals;
}

} // namespace sepal
