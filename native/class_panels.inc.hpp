/// @brief Tiles of d(x_i, x_j): pairs below a bound, and inside a class how many are; for class_panels.cpp, once per instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

// Lists the pairs whose value is at most the bound of one of both, and returns their number.
template <Metric M, bool Counting>
SEPAL_ATTR int class_panel(const double* rows, int n_rows, const double* row_bound, const double* cols,
                           const double* col_bound, const MetricSpec& spec, int p, const PanelCounts& counts,
                           Hit<double>* hits) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    int n_hits = 0;
    for (int c = 0; c < kCols; c += 2 * W) {
        V nearer[2]{}, near[2]{}; // of the columns
        for (int r0 = 0; r0 < n_rows; r0 += kRows) {
            Sum<M> sums[kRows][2];
            const double* x = rows + static_cast<std::int64_t>(r0) * p;
            for (int f = 0; f < p; ++f, x += kRows) {
                const V z[2] = {D::load(cols + f * kCols + c), D::load(cols + f * kCols + c + W)};
                for (int r = 0; r < kRows; ++r) {
                    const V own = D::fill(x[r]);
                    for (int h = 0; h < 2; ++h) sums[r][h].add(own, z[h], spec, f);
                }
            }
            V value[kRows][2];
            auto pass = D::none();
            for (int r = 0; r < kRows; ++r)
                for (int h = 0; h < 2; ++h) {
                    value[r][h] = sums[r][h].value(p);
                    const V bound = D::max(D::fill(row_bound[r0 + r]), D::load(col_bound + c + h * W));
                    pass = D::either(pass, D::at_most(value[r][h], bound));
                }
            if constexpr (Counting) {
                const V reach = D::fill(counts.reach);
                for (int r = 0; r < kRows; ++r) {
                    const V limit = D::fill(counts.row_limit[r0 + r]), weight = D::fill(counts.row_weight[r0 + r]);
                    double* row_nearer = counts.row_nearer + (r0 + r) * kLanes;
                    double* row_near = counts.row_near + (r0 + r) * kLanes;
                    V own_nearer = D::load(row_nearer), own_near = D::load(row_near);
                    for (int h = 0; h < 2; ++h) {
                        const V col_weight = D::load(counts.col_weight + c + h * W);
                        own_nearer += D::where(D::below(value[r][h], limit), col_weight);
                        nearer[h] += D::where(D::below(value[r][h], D::load(counts.col_limit + c + h * W)), weight);
                        const auto reached = D::below(value[r][h], reach);
                        own_near += D::where(reached, col_weight);
                        near[h] += D::where(reached, weight);
                    }
                    D::store(row_nearer, own_nearer);
                    D::store(row_near, own_near);
                }
            }
            if (!D::any(pass)) continue;
            for (int r = 0; r < kRows; ++r)
                for (int h = 0; h < 2; ++h) {
                    double v[W];
                    D::store(v, value[r][h]);
                    for (int j = 0; j < W; ++j)
                        if (v[j] <= std::max(row_bound[r0 + r], col_bound[c + h * W + j]))
                            hits[n_hits++] = {r0 + r, c + h * W + j, v[j]};
                }
        }
        if constexpr (Counting)
            for (int h = 0; h < 2; ++h) {
                D::store(counts.col_nearer + c + h * W, D::load(counts.col_nearer + c + h * W) + nearer[h]);
                D::store(counts.col_near + c + h * W, D::load(counts.col_near + c + h * W) + near[h]);
            }
    }
    return n_hits;
}

} // namespace sepal::SEPAL_ISA
