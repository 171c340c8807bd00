// Neighbours by brute force under any metric that is a sum over features: float64 throughout.
#include "block_search.hpp"
#include "metrics.hpp"

namespace sepal {
namespace {

constexpr int kRows = 4, kCols = 8; // register tile

// [panel][feature][point], padded with zeros (padding is dropped by index).
std::vector<double> pack(Points points, int panel, int block) {
    std::vector<double> values((points.n + block - 1) / block * block * points.p, 0.0);
    for (std::int64_t i = 0; i < points.n; ++i)
        for (int f = 0; f < points.p; ++f)
            values[(i / panel * points.p + f) * panel + i % panel] = points.row(i)[f];
    return values;
}

template <class L, Metric M>
SEPAL_INLINE int direct_panel(const double* rows, const double* row_limit, int n_rows, const double* cols,
                              const double* col_limit, const MetricSpec& spec, int p, Hit<double>* hits) {
    using D = typename L::Double;
    using V = typename D::V;
    constexpr int W = D::width;
    int n_hits = 0;
    for (int r0 = 0; r0 < n_rows; r0 += kRows)
        for (int c = 0; c < kCols; c += 2 * W) {
            Sum<D, M> sums[kRows][2];
            for (int f = 0; f < p; ++f) {
                const V z0 = D::load(cols + f * kCols + c), z1 = D::load(cols + f * kCols + c + W);
                for (int r = 0; r < kRows; ++r) {
                    const V x = D::fill(rows[static_cast<std::int64_t>(r0) * p + f * kRows + r]);
                    sums[r][0].add(x, z0, spec, f);
                    sums[r][1].add(x, z1, spec, f);
                }
            }
            for (int r = 0; r < kRows; ++r) {
                double h[2 * W];
                const V minus = D::fill(-1), v0 = minus * sums[r][0].value(p), v1 = minus * sums[r][1].value(p);
                const V own = D::fill(row_limit[r0 + r]);
                const auto pass = D::either(D::at_least(v0, D::min(own, D::load(col_limit + c))),
                                            D::at_least(v1, D::min(own, D::load(col_limit + c + W))));
                if (!D::any(pass)) continue;
                D::store(h, v0);
                D::store(h + W, v1);
                for (int j = 0; j < 2 * W; ++j)
                    if (h[j] >= row_limit[r0 + r] || h[j] >= col_limit[c + j]) hits[n_hits++] = {r0 + r, c + j, h[j]};
            }
        }
    return n_hits;
}

using DirectFunction = int (*)(const double*, const double*, int, const double*, const double*, const MetricSpec&, int,
                               Hit<double>*);

template <Metric M>
int direct_baseline(const double* rows, const double* row_limit, int n_rows, const double* cols,
                    const double* col_limit, const MetricSpec& spec, int p, Hit<double>* hits) {
    return direct_panel<Narrow, M>(rows, row_limit, n_rows, cols, col_limit, spec, p, hits);
}
#ifdef SEPAL_HAS_V3_CLONES
template <Metric M>
SEPAL_V3 int direct_v3(const double* rows, const double* row_limit, int n_rows, const double* cols,
                       const double* col_limit, const MetricSpec& spec, int p, Hit<double>* hits) {
    return direct_panel<Wide, M>(rows, row_limit, n_rows, cols, col_limit, spec, p, hits);
}
#endif

DirectFunction direct_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> DirectFunction {
#ifdef SEPAL_HAS_V3_CLONES
        if (has_v3()) return direct_v3<M>;
#endif
        return direct_baseline<M>;
    });
}

struct DirectFilter {
    using Real = double;
    static constexpr int panel_cols = kCols;
    const double widen;

    DirectFilter(Points points, Points queries, const MetricSpec& spec_, double tie)
        : widen(1 + tie), p(points.p), block(std::clamp(12 * 1024 / (8 * std::max(p, 1)), 1, 32) * 8), spec(spec_),
          left(pack(queries, kRows, block)), right(pack(points, kCols, block)), function(direct_function(spec_.metric)) {}

    int panel(std::int64_t i0, const double* row_limit, std::int64_t j, const double* col_limit, Hit<double>* hits) {
        return function(left.data() + i0 * p, row_limit, block, right.data() + j * p, col_limit, spec, p, hits);
    }
    static double limit(double bound) { return -bound; }
    static double lower(double h) { return -h; }
    static double upper(double h, std::int64_t, std::int64_t) { return -h; }
    static double zero(double value) { return value; }
    static double exact(std::int64_t, std::int32_t, double lower) { return lower; }

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
