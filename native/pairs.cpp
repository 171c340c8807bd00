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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [panel][feature][point], padded with zeros.
void pack_point(const double* row, std::int64_t place, int p, double* panels) {
    double* panel = panels + place / kPanel * kPanel * p;
    for (int f = 0; f < p; ++f) panel[f * kPanel + place % kPanel] = row[f];
}

std::vector<double> pack(Points points) {
    std::vector<double> panels((points.n + kPanel - 1) / kPanel * kPanel * points.p, 0.0);
    for (std::int64_t i = 0; i < points.n; ++i) pack_point(points.row(i), i, points.p, panels.data());
    return panels;
}

using FourRows = void (*)(const double* const*, const double*, const MetricSpec&, int, double*);
using LowerBest = int (*)(const double*, const double*, std::int64_t, std::int64_t, const MetricSpec&, int, const double*,
                          double, std::int32_t*, double*);

FourRows four_rows_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> FourRows { return SEPAL_BEST(four_rows<M>); });
}

LowerBest lower_best_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> LowerBest { return SEPAL_BEST(lower_best<M>); });
}

// Calls use(query, first point, number of points, values) for every query and panel; queries in fours, in parallel.
// A block of panels stays in the cache while all queries of a chunk pass over it.
template <class Use>
bool each_pair(Points points, Points queries, const MetricSpec& metric, int threads, Poll* poll, Use&& use) {
    const std::vector<double> panels = pack(points);
    const FourRows function = four_rows_function(metric.metric);
    const std::int64_t n_panels = (points.n + kPanel - 1) / kPanel, fours = (queries.n + 3) / 4;
    const std::int64_t block = std::max<std::int64_t>(1, 128 * 1024 / (8 * kPanel * std::max(points.p, 1)));
    constexpr std::int64_t chunk = 16;
    const std::int64_t chunks = (fours + chunk - 1) / chunk;
    Watch watch(poll, chunks);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::int64_t at = 0; at < chunks; ++at) {
        if (!watch.go_on()) continue;
        double values[4 * kPanel];
        for (std::int64_t b0 = 0; b0 < n_panels; b0 += block)
            for (std::int64_t four = at * chunk; four < std::min(fours, (at + 1) * chunk); ++four) {
                const double* rows[4];
                for (int r = 0; r < 4; ++r) rows[r] = queries.row(std::min(four * 4 + r, queries.n - 1));
                for (std::int64_t b = b0; b < std::min(n_panels, b0 + block); ++b) {
                    function(rows, panels.data() + b * kPanel * points.p, metric, points.p, values);
                    const int width = static_cast<int>(std::min<std::int64_t>(kPanel, points.n - b * kPanel));
                    for (int r = 0; r < 4 && four * 4 + r < queries.n; ++r)
                        use(four * 4 + r, b * kPanel, width, values + r * kPanel);
                }
            }
    }
    return !watch.stopped();
}

// Rounded to 38 bits of mantissa, so that values that differ by rounding only are equal.
double rounded(double value) {
    constexpr std::uint64_t unit = std::uint64_t{1} << 14;
    if (!(value < kInfinity)) return value;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + unit / 2) & ~(unit - 1));
}

// Where an edge stands among edges of equal value.
struct Rank {
    bool two_classes;
    std::int32_t low, high;
    bool before(const Rank& other) const {
        if (two_classes != other.two_classes) return !two_classes;
        return low != other.low ? low < other.low : high < other.high;
    }
};

// Rows that are not in the tree yet, packed, with their best edge into it.
class Outside {
  public:
    Outside(Points points, const std::int32_t* classes) : points_(points), classes_(classes) {
        for (std::int64_t i = 1; i < points.n; ++i) rows_.push_back(static_cast<std::int32_t>(i));
        best_.assign(rows_.size(), kInfinity);
        from_.assign(rows_.size(), 0);
        pack_all();
    }
    std::int64_t n_panels() const { return static_cast<std::int64_t>(limits_.size()) / kPanel; }
    const double* panels() const { return panels_.data(); }
    const double* limits() const { return limits_.data(); }
    int p() const { return points_.p; }

    Rank rank(std::int32_t place) const { return rank(from_[place], rows_[place]); }
    Rank rank(std::int32_t a, std::int32_t b) const {
        return {classes_[a] != classes_[b], std::min(a, b), std::max(a, b)};
    }
    // Offers the edge from tree row `row`.
    void offer(std::int32_t row, std::int32_t place, double value) {
        const double v = rounded(value);
        if (v > best_[place] || (v == best_[place] && !rank(row, rows_[place]).before(rank(place)))) return;
        best_[place] = limits_[place] = v;
        from_[place] = row;
    }
    // The place with the first edge of the order.
    std::int32_t first() const {
        const std::int64_t n = static_cast<std::int64_t>(limits_.size());
        double least = kInfinity;
        for (std::int64_t i = 0; i < n; ++i) {
            const double v = limits_[i] < 0 ? kInfinity : limits_[i];
            least = v < least ? v : least;
        }
        std::int32_t chosen = -1;
        for (std::int64_t i = 0; i < n; ++i)
            if (limits_[i] == least) chosen = better(chosen, static_cast<std::int32_t>(i));
        return chosen;
    }
    std::int32_t better(std::int32_t a, std::int32_t b) const {
        if (a < 0) return b;
        if (best_[a] != best_[b]) return best_[a] < best_[b] ? a : b;
        return rank(b).before(rank(a)) ? b : a;
    }
    std::int32_t take(std::int32_t place, Tree& tree) {
        const std::int32_t row = rows_[place];
        tree.from.push_back(from_[place]);
        tree.to.push_back(row);
        tree.values.push_back(best_[place]);
        limits_[place] = -1; // below every value: never lowered again
        if (++gone_ * 4 > static_cast<std::int64_t>(rows_.size()) && gone_ > 64) shrink();
        return row;
    }

  private:
    void pack_all() {
        panels_.assign((rows_.size() + kPanel - 1) / kPanel * kPanel * points_.p, 0.0);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            pack_point(points_.row(rows_[i]), static_cast<std::int64_t>(i), points_.p, panels_.data());
        limits_.assign((rows_.size() + kPanel - 1) / kPanel * kPanel, -1.0);
        std::copy(best_.begin(), best_.end(), limits_.begin());
    }
    void shrink() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (limits_[i] >= 0) {
                rows_[kept] = rows_[i];
                from_[kept] = from_[i];
                best_[kept++] = best_[i];
            }
        rows_.resize(kept);
        from_.resize(kept);
        best_.resize(kept);
        gone_ = 0;
        pack_all();
    }
    Points points_;
    const std::int32_t* classes_;
    std::vector<std::int32_t> rows_, from_;
    std::vector<double> best_, panels_, limits_; // limits: best, but -1 for padding and rows already in the tree
    std::int64_t gone_ = 0;
};

// One tree row against all panels; returns the place of the first edge.
std::int32_t step(Outside& outside, LowerBest lower, const MetricSpec& metric, const double* coordinates, std::int32_t row) {
    constexpr std::int64_t at_once = 64;
    std::int32_t places[at_once * kPanel];
    double values[at_once * kPanel];
    for (std::int64_t b = 0; b < outside.n_panels(); b += at_once) {
        const std::int64_t until = std::min(outside.n_panels(), b + at_once);
        const int n = lower(coordinates, outside.panels(), b, until, metric, outside.p(), outside.limits(), 1 + 1e-11,
                            places, values);
        for (int i = 0; i < n; ++i) outside.offer(row, places[i], values[i]);
    }
    return outside.first();
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
    // A panel of 16 points lies within one word of 64 bits, and a row of bits belongs to one thread.
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
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (std::int64_t i = 0; i < n; ++i) {
        if (!watch.go_on()) continue;
        std::int64_t* own = &sums[static_cast<std::size_t>(this_thread()) * n];
        for (std::int64_t e = graph.start[i]; e < graph.start[i + 1]; ++e) {
            const std::int32_t j = graph.neighbors[e];
            if (j < i) continue;
            const std::int64_t count = function(&bits[i * words], &bits[j * words], words);
            own[i] += count;
            own[j] += count;
        }
    }
    if (watch.stopped()) return {};
    graph.shared.assign(n, 0);
    for (int t = 0; t < threads; ++t)
        for (std::int64_t i = 0; i < n; ++i) graph.shared[i] += sums[static_cast<std::size_t>(t) * n + i];
    return graph;
}

Tree spanning_tree(Points points, const std::int32_t* classes, const MetricSpec& metric, Poll* poll) {
    Tree tree;
    if (points.n < 2) return tree;
    Outside outside(points, classes);
    const LowerBest lower = lower_best_function(metric.metric);
    Watch watch(poll, points.n - 1);
    std::int32_t row = 0;
    // One thread: a step is too short for several, which would wait for each other longer than they work.
    for (std::int64_t i = 1; i < points.n; ++i) {
        if (!watch.go_on()) return {};
        const std::int32_t place = step(outside, lower, metric, points.row(row), row);
        row = outside.take(place, tree);
    }
    return tree;
}

} // namespace sepal
