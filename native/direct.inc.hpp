/// @brief Tiles of exact d(x_i, x_j), a block of rows against a panel of columns, for search_direct.cpp; once per instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

template <Metric M>
SEPAL_ATTR int direct_panel(const double* rows, const double* row_limit, int n_rows, const double* cols,
                              const double* col_limit, const MetricSpec& spec, int p, Hit<double>* hits) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    int n_hits = 0;
    for (int r0 = 0; r0 < n_rows; r0 += kRows)
        for (int c = 0; c < kCols; c += 2 * W) {
            Sum<M> sums[kRows][2];
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
                unsigned which = D::bits(D::at_least(v0, D::min(own, D::load(col_limit + c)))) |
                                 D::bits(D::at_least(v1, D::min(own, D::load(col_limit + c + W)))) << W;
                if (which == 0) continue;
                D::store(h, v0);
                D::store(h + W, v1);
                for (; which != 0; which &= which - 1) {
                    const int j = std::countr_zero(which);
                    hits[n_hits++] = {r0 + r, c + j, h[j]};
                }
            }
        }
    return n_hits;
}

} // namespace sepal::SEPAL_ISA
