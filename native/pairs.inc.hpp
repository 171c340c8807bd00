// Values of a few rows against packed panels of points. Included by pairs.cpp for each instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

// out[r * kPanel + c]: value between row r (of R) and point c of the panel.
template <Metric M, int R>
SEPAL_ATTR SEPAL_INLINE void panel_values(const double* const* rows, const double* panel, const MetricSpec& spec, int p,
                                          double* out) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    for (int c = 0; c < kPanel; c += 2 * W) {
        Sum<M> sums[R][2];
        for (int f = 0; f < p; ++f) {
            const V z0 = D::load(panel + f * kPanel + c), z1 = D::load(panel + f * kPanel + c + W);
            for (int r = 0; r < R; ++r) {
                const V x = D::fill(rows[r][f]);
                sums[r][0].add(x, z0, spec, f);
                sums[r][1].add(x, z1, spec, f);
            }
        }
        for (int r = 0; r < R; ++r) {
            D::store(out + r * kPanel + c, sums[r][0].value(p));
            D::store(out + r * kPanel + c + W, sums[r][1].value(p));
        }
    }
}

template <Metric M>
SEPAL_ATTR void four_rows(const double* const* rows, const double* panel, const MetricSpec& spec, int p, double* out) {
    panel_values<M, 4>(rows, panel, spec, p, out);
}

// One row against panels [begin, end): lowers `best` where the row is nearer, and lists the places it may have lowered.
template <Metric M>
SEPAL_ATTR int lower_best(const double* row, const double* panels, std::int64_t begin, std::int64_t end,
                          const MetricSpec& spec, int p, const double* best, double widen, std::int32_t* places,
                          double* values) {
    using D = Doubles;
    constexpr int W = D::width;
    int found = 0;
    double out[kPanel];
    for (std::int64_t b = begin; b < end; ++b) {
        panel_values<M, 1>(&row, panels + b * kPanel * p, spec, p, out);
        const double* limit = best + b * kPanel;
        auto pass = D::none();
        for (int c = 0; c < kPanel; c += W)
            pass = D::either(pass, D::at_most(D::load(out + c), D::load(limit + c) * D::fill(widen)));
        if (!D::any(pass)) continue;
        for (int c = 0; c < kPanel; ++c)
            if (out[c] <= limit[c] * widen) {
                places[found] = static_cast<std::int32_t>(b * kPanel + c);
                values[found++] = out[c];
            }
    }
    return found;
}

// How many bits two rows of bits share.
SEPAL_ATTR inline std::int64_t shared_bits(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words) {
    std::int64_t total = 0;
    for (std::int64_t w = 0; w < words; ++w) total += std::popcount(a[w] & b[w]);
    return total;
}

} // namespace sepal::SEPAL_ISA
