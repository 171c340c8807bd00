#include "pairs.hpp"

#include <bit>
#include <cmath>

#include "metrics.hpp"
#include "threads.hpp"

namespace sepal {
constexpr int kPanel = 16; // points side by side
}

#define SEPAL_HOT_FILE "pairs.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

// [feature][point] of the points from `begin` on, padded with zeros.
void pack_panel(Points points, std::int64_t begin, double* panel) {
    const std::int64_t n = std::min<std::int64_t>(kPanel, points.n - begin);
    for (int f = 0; f < points.p; ++f) std::fill_n(panel + f * kPanel + n, kPanel - n, 0.0);
    for (std::int64_t i = 0; i < n; ++i)
        for (int f = 0; f < points.p; ++f) panel[f * kPanel + i] = points.row(begin + i)[f];
}

using FourRows = void (*)(const double* const*, const double*, const MetricSpec&, int, double*);

FourRows four_rows_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> FourRows { return SEPAL_BEST(four_rows<M>); });
}

// Calls use(query, first point, number of points, values) for every query and panel; queries in fours, in parallel.
// A block of panels stays in the cache while all queries of a chunk pass over it.
template <class Use>
bool each_pair(Points points, Points queries, const MetricSpec& metric, int threads, Poll* poll, Use&& use) {
    const FourRows function = four_rows_function(metric.metric);
    const std::int64_t n_panels = (points.n + kPanel - 1) / kPanel, fours = (queries.n + 3) / 4;
    const auto four_against = [&](std::int64_t four, std::int64_t b, const double* panel) {
        double values[4 * kPanel];
        const double* rows[4];
        for (int r = 0; r < 4; ++r) rows[r] = queries.row(std::min(four * 4 + r, queries.n - 1));
        function(rows, panel, metric, points.p, values);
        const int width = static_cast<int>(std::min<std::int64_t>(kPanel, points.n - b * kPanel));
        for (int r = 0; r < 4 && four * 4 + r < queries.n; ++r) use(four * 4 + r, b * kPanel, width, values + r * kPanel);
    };
    constexpr std::int64_t chunk = 16, some = 64; // some panels: 1,024 points, whole words of their bits
    const std::int64_t size = std::int64_t{kPanel} * points.p;
    if (fours <= chunk) { // each panel is packed where it is needed, once
        const std::int64_t parts = (n_panels + some - 1) / some;
        Watch watch(poll, parts);
        parallel_for(Loop{.n = parts, .threads = threads}, [&] { return std::vector<double>(size); }, [&](std::vector<double>& panel, std::int64_t part) {
            if (!watch.go_on()) return;
            for (std::int64_t b = part * some; b < std::min(n_panels, (part + 1) * some); ++b) {
                pack_panel(points, b * kPanel, panel.data());
                for (std::int64_t four = 0; four < fours; ++four) four_against(four, b, panel.data());
            }
        });
        return !watch.stopped();
    }
    std::vector<double> panels(n_panels * size);
    for (std::int64_t b = 0; b < n_panels; ++b) pack_panel(points, b * kPanel, panels.data() + b * size);
    const std::int64_t block = std::max<std::int64_t>(1, 128 * 1024 / (8 * kPanel * std::max(points.p, 1)));
    const std::int64_t chunks = (fours + chunk - 1) / chunk;
    Watch watch(poll, chunks);
    parallel_for(Loop{.n = chunks, .threads = threads}, [&](std::int64_t at) {
        if (!watch.go_on()) return;
        for (std::int64_t b0 = 0; b0 < n_panels; b0 += block)
            for (std::int64_t four = at * chunk; four < std::min(fours, (at + 1) * chunk); ++four)
                for (std::int64_t b = b0; b < std::min(n_panels, b0 + block); ++b) four_against(four, b, panels.data() + b * size);
    });
    return !watch.stopped();
}

} // namespace

bool pair_values(Points points, Points queries, const MetricSpec& metric, int threads, Poll* poll, double* values) {
    return each_pair(points, queries, metric, threads, poll,
                     [&](std::int64_t i, std::int64_t j, int width, const double* v) {
                         std::copy(v, v + width, values + i * points.n + j);
                     });
}

NearGraph near_graph(Points points, const double* limits, const MetricSpec& metric, int threads, Poll* poll) {
    const std::int64_t n = points.n, words = (n + 63) / 64;
    std::vector<std::uint64_t> bits(n * words, 0);
    // A panel of 16 points lies within one word of 64 bits, and no word belongs to two threads.
    const bool done = each_pair(points, points, metric, threads, poll,
                                [&](std::int64_t i, std::int64_t j, int width, const double* v) {
                                    std::uint64_t near = 0;
                                    for (int c = 0; c < width; ++c)
                                        near |= std::uint64_t{v[c] < std::max(limits[i], limits[j + c])} << c;
                                    bits[i * words + j / 64] |= near << (j % 64);
                                });
    if (!done) return {};
    NearGraph graph;
    graph.start.assign(n + 1, 0);
    for (std::int64_t i = 0; i < n; ++i) {
        std::uint64_t* row = &bits[i * words];
        row[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        for (std::int64_t w = 0; w < words; ++w)
            for (std::uint64_t rest = row[w]; rest != 0; rest &= rest - 1)
                graph.neighbors.push_back(static_cast<std::int32_t>(w * 64 + std::countr_zero(rest)));
        graph.start[i + 1] = static_cast<std::int64_t>(graph.neighbors.size());
    }
    // Both ends of an edge share the same rows, so each edge is looked at once. Sums are of integers: threads may add
    // them in any order.
    std::vector<std::int64_t> sums(static_cast<std::size_t>(threads) * n, 0);
    const auto function = SEPAL_BEST(shared_bits);
    Watch watch(poll, n);
    parallel_for(Loop{.n = n, .threads = threads, .grain = 16}, [&](std::int64_t i) {
        if (!watch.go_on()) return;
        std::int64_t* own = &sums[static_cast<std::size_t>(this_thread()) * n];
        for (std::int64_t e = graph.start[i]; e < graph.start[i + 1]; ++e) {
            const std::int32_t j = graph.neighbors[e];
            if (j < i) continue;
            const std::int64_t count = function(&bits[i * words], &bits[j * words], words);
            own[i] += count;
            own[j] += count;
        }
    });
    if (watch.stopped()) return {};
    graph.shared.assign(n, 0);
    for (int t = 0; t < threads; ++t)
        for (std::int64_t i = 0; i < n; ++i) graph.shared[i] += sums[static_cast<std::size_t>(t) * n + i];
    return graph;
}

} // namespace sepal
