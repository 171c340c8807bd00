/// @brief Linear scan: d(x, z_j) of one query to all points, in the order of memory; for search_scan.cpp, once per instruction set.

#include "lane_sums.inc.hpp"
#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

template <Metric M>
SEPAL_ATTR void scan(Points points, const double* query, const MetricSpec& spec, const Plan& plan, Nearest& found) {
    using D = Doubles;
    constexpr int W = D::width;
    const int p = points.p;
    const double widen = 1 + plan.tie;
    if constexpr (M == Metric::l2) {
        // Sums of terms of one sign differ by at most p + 1 roundings each, whatever their order.
        const double sure = 1 - 4 * (p + 2) * std::numeric_limits<double>::epsilon();
        for (std::int64_t i = 0; i < points.n; ++i) {
            if (lane_squared_distance<D>(query, points.row(i), p) * sure > found.bound) continue;
            found.push({squared_distance(query, points.row(i), p), static_cast<std::int32_t>(i)}, widen, plan.zero);
        }
        return;
    }
    for (std::int64_t i = 0; i < points.n; i += W) {
        const int n = static_cast<int>(std::min<std::int64_t>(W, points.n - i));
        Sum<M> sum;
        double each[W];
        for (int f = 0; f < p; ++f) {
            for (int w = 0; w < W; ++w) each[w] = points.row(i + std::min(w, n - 1))[f];
            sum.add(D::fill(query[f]), D::load(each), spec, f);
        }
        D::store(each, sum.value(p));
        for (int w = 0; w < n; ++w) found.push({each[w], static_cast<std::int32_t>(i + w)}, widen, plan.zero);
    }
}

} // namespace sepal::SEPAL_ISA
