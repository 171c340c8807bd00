/// @brief Tiles of d(x_i, z_j), a few rows against packed panels of points, for pairs.cpp; included once per instruction set.

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

// How many bits two rows of bits share.
SEPAL_ATTR inline std::int64_t shared_bits(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words) {
    std::int64_t total = 0;
    for (std::int64_t w = 0; w < words; ++w) total += std::popcount(a[w] & b[w]);
    return total;
}

} // namespace sepal::SEPAL_ISA
