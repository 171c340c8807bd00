/// @brief One query against the points as they stand. Included by search_scan.cpp for each instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

// The squared distance, its terms summed in lanes: off by a few units of rounding from squared_distance.
SEPAL_ATTR inline double nearly_squared_distance(const double* a, const double* b, int p) {
    using D = Doubles;
    constexpr int W = D::width;
    D::V even = D::fill(0), odd = D::fill(0);
    int f = 0;
    for (; f + 2 * W <= p; f += 2 * W) {
        const D::V s = D::load(a + f) - D::load(b + f), t = D::load(a + f + W) - D::load(b + f + W);
        even += s * s;
        odd += t * t;
    }
    double parts[W], sum = 0;
    D::store(parts, even + odd);
    for (const double part : parts) sum += part;
    for (; f < p; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

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
            if (nearly_squared_distance(query, points.row(i), p) * sure > found.bound) continue;
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
