// Neighbours by brute force under any metric that is a sum over features: float64 throughout.
#include <bit>
#include <cmath>

#include "block_search.hpp"
#include "metrics.hpp"

namespace sepal {
constexpr int kRows = 4, kCols = 8; // register tile
}

#define SEPAL_HOT_FILE "direct.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

// [panel][feature][point], padded with zeros (padding is dropped by index).
std::vector<double> pack(Points points, int panel, int block) {
    std::vector<double> values((points.n + block - 1) / block * block * points.p, 0.0);
    for (std::int64_t i = 0; i < points.n; ++i)
        for (int f = 0; f < points.p; ++f)
            values[(i / panel * points.p + f) * panel + i % panel] = points.row(i)[f];
    return values;
}

using DirectFunction = int (*)(const double*, const double*, int, const double*, const double*, const MetricSpec&, int,
                               Hit<double>*);

DirectFunction direct_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> DirectFunction { return SEPAL_BEST(direct_panel<M>); });
}

struct DirectFilter {
    using Real = double;
    static constexpr bool is_exact = true;
    static constexpr int panel_cols = kCols;
    const double widen;

    DirectFilter(Points points, Points queries, const MetricSpec& spec_, double tie)
        : widen(1 + tie), p(points.p), block(std::clamp(12 * 1024 / (8 * std::max(p, 1)), 1, 32) * 8), spec(spec_),
          left(pack(queries, kRows, block)), right(pack(points, kCols, block)), function(direct_function(spec_.metric)) {}

    int panel(std::int64_t i0, const double* row_limit, std::int64_t j, const double* col_limit, Hit<double>* hits) {
        return function(left.data() + i0 * p, row_limit, block, right.data() + j * p, col_limit, spec, p, hits);
    }
    static double limit(double bound, std::int64_t) { return -bound; }
    static double lower(double h) { return -h; }
    static double upper(double h, std::int64_t, std::int64_t) { return -h; }
    static double zero(double value) { return value; }
    static double at_most(double value) { return value; }
    static std::int64_t query_row(std::int64_t i) { return i; }
    static std::int32_t point_row(std::int32_t j) { return j; }
    static bool apart(std::int64_t, std::int64_t, double) { return false; }
    static void exact(std::int64_t, Candidates<Real>::Items candidates, std::vector<Neighbor>& found) {
        for (const auto& each : candidates) found.push_back({each.lower, point_row(each.row)});
    }

    int p, block;
    MetricSpec spec;
    std::vector<double> left, right;
    DirectFunction function;
};

} // namespace

Ranking search_direct(Points points, Points queries, const MetricSpec& metric, const Plan& plan) {
    DirectFilter filter(points, queries, metric, plan.tie);
    return BlockSearch<DirectFilter>(filter, points.n, queries.n, plan).run();
}

} // namespace sepal
