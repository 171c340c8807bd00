/// @brief One register tile of exp(-g D_ij) and of its weighted sums, for alignment.cpp; included once per instruction set.

#include "vector_exp.inc.hpp"

namespace sepal::SEPAL_ISA {
namespace {

// Distances of kRows rows to the columns of a tile, which lie transposed: cols[f * kBlock + j]. ``alike`` is the
// value of a feature that is the same in the whole tile, else NaN.
template <bool Absolute>
SEPAL_ATTR SEPAL_INLINE void distances(const double* const (&row)[kRows], const double* cols, const double* alike, int p,
                                       int n_cols, Workspace& ws) {
    for (int i = 0; i < kRows; ++i) {
        double* __restrict d = ws.d[i];
        const double* x = row[i];
        for (int j = 0; j < n_cols; ++j) d[j] = 0;
        for (int f = 0; f < p; ++f) {
            const double xf = x[f];
            if (xf == alike[f]) continue; // adds nothing: as most of the indicators of many levels
            const double* __restrict z = cols + static_cast<std::int64_t>(f) * kBlock;
            for (int j = 0; j < n_cols; ++j) {
                const double t = xf - z[j];
                if constexpr (Absolute) d[j] += std::fabs(t);
                else d[j] += t * t;
            }
        }
    }
}

// How the values of a step come about: v = exp(-g D) or exp(-g D) - 1, afresh, or from those of half the g.
enum class How { fresh, fresh_shifted, squared, squared_shifted, squared_back };

template <How H> SEPAL_ATTR SEPAL_INLINE Doubles::V value(const double* d, const double* v, Doubles::V scale) {
    using D = Doubles;
    if constexpr (H == How::fresh) return exp2_above_zero<D, double>(D::load(d) * scale);
    else if constexpr (H == How::fresh_shifted) return exp2_less_one<D, double>(D::load(d) * scale);
    else {
        const D::V x = D::load(v);
        if constexpr (H == How::squared) return x * x;
        else if constexpr (H == How::squared_shifted) return x * (x + D::fill(2.0)); // (1 + x)^2 - 1
        else return (x + D::fill(1.0)) * (x + D::fill(1.0));
    }
}

SEPAL_ATTR SEPAL_INLINE double total(Doubles::V v) {
    using D = Doubles;
    double x[D::width];
    D::store(x, v);
    double sum = 0;
    for (double each : x) sum += each;
    return sum;
}

// Makes kRows x n_cols values and adds them up. Columns beyond the tile have weight 0, so n_cols is a multiple of the
// width. Where all weights are 1, as they mostly are, multiplications are left out: they are what takes the time.
template <How H, bool Weighted>
SEPAL_ATTR void add_by(Workspace& ws, double g, const double* row_weight, const double* col_weight, int n_cols, Target& to) {
    using D = Doubles;
    using V = D::V;
    V row_sum[kRows], squares[kRows];
    for (int i = 0; i < kRows; ++i) row_sum[i] = squares[i] = D::fill(0);
    const V scale = D::fill(-1.4426950408889634 * g);
    for (int j = 0; j < n_cols; j += D::width) {
        const V w = D::load(col_weight + j);
        V col_sum = D::fill(0);
        for (int i = 0; i < kRows; ++i) {
            double* v = ws.v + i * kBlock + j;
            const V x = value<H>(ws.d[i] + j, v, scale), wx = Weighted ? w * x : x;
            D::store(v, x);
            row_sum[i] += wx;
            squares[i] += wx * x;
            col_sum += Weighted ? D::fill(row_weight[i]) * x : x;
        }
        if (to.cols) D::store(to.cols + j, D::load(to.cols + j) + col_sum);
    }
    for (int i = 0; i < kRows; ++i) {
        to.rows[i] += total(row_sum[i]);
        to.squares += row_weight[i] * total(squares[i]);
    }
}

template <bool Weighted>
SEPAL_ATTR void add(Workspace& ws, const KernelStep& step, bool was_shifted, const double* row_weight, const double* col_weight,
                    int n_cols, Target& to) {
    const auto by = !step.doubles  ? (step.shifted ? add_by<How::fresh_shifted, Weighted> : add_by<How::fresh, Weighted>)
                    : step.shifted ? add_by<How::squared_shifted, Weighted>
                    : was_shifted  ? add_by<How::squared_back, Weighted>
                                   : add_by<How::squared, Weighted>;
    by(ws, step.g, row_weight, col_weight, n_cols, to);
}

// The derivative's sums: d exp(-g d) in the place of one value.
SEPAL_ATTR SEPAL_INLINE void add_derivative(const Workspace& ws, double shift, const double* row_weight,
                                 const double* col_weight, int n_cols, Target& to) {
    using D = Doubles;
    using V = D::V;
    for (int i = 0; i < kRows; ++i) {
        V row_sum = D::fill(0), squares = D::fill(0);
        const V weight = D::fill(row_weight[i]);
        for (int j = 0; j < n_cols; j += D::width) {
            const V x = D::load(ws.v + i * kBlock + j);
            const V slope = D::load(ws.d[i] + j) * (x + D::fill(shift)), ws_slope = D::load(col_weight + j) * slope;
            row_sum += ws_slope;
            squares += ws_slope * x;
            if (to.cols) D::store(to.cols + j, D::load(to.cols + j) + weight * slope);
        }
        to.rows[i] += total(row_sum);
        to.squares += row_weight[i] * total(squares);
    }
}

template <bool Absolute> SEPAL_ATTR void tile_by(const Tile& t, Workspace& ws) {
    const std::int64_t n = t.in->points.n;
    const int n_steps = static_cast<int>(t.steps->size()), padded = (t.b.size + 3) / 4 * 4;
    std::vector<double> local(static_cast<std::size_t>(n_steps) * kBlock * (t.in->derivative ? 2 : 1), 0.0);
    const auto is_one = [](double w) { return w == 1.0; };
    const bool ones = std::all_of(t.col_weights, t.col_weights + padded, is_one);
    for (int first = 0; first < t.a.size; first += kRows) {
        const double* row[kRows];
        double row_weight[kRows];
        for (int i = 0; i < kRows; ++i) { // rows beyond the tile repeat the last with weight 0
            const bool inside = first + i < t.a.size;
            const std::int64_t at = t.a.begin + (inside ? first + i : t.a.size - 1);
            row[i] = t.in->points.row(at);
            row_weight[i] = inside ? t.in->weights[at] : 0.0;
        }
        const bool plain = ones && std::all_of(row_weight, row_weight + kRows, is_one);
        distances<Absolute>(row, t.cols, t.alike, t.in->points.p, padded, ws);
        for (int s = 0; s < n_steps; ++s) {
            const KernelStep& step = (*t.steps)[s];
            double row_sum[kRows] = {};
            Target to{row_sum, t.cols_to ? local.data() + static_cast<std::size_t>(s) * kBlock : nullptr, 0.0};
            (plain ? add<false> : add<true>)(ws, step, s > 0 && (*t.steps)[s - 1].shifted, row_weight, t.col_weights, padded, to);
            double weighted = 0;
            for (int i = 0; i < kRows && first + i < t.a.size; ++i) {
                t.rows_to[s * n + t.a.begin + first + i] += row_sum[i];
                weighted += row_weight[i] * row_sum[i];
            }
            t.sums[4 * s] += weighted;
            t.sums[4 * s + 1] += to.squares;
            if (!t.in->derivative) continue;
            double slope_sum[kRows] = {};
            Target slope{slope_sum, t.cols_to ? local.data() + static_cast<std::size_t>(n_steps + s) * kBlock : nullptr, 0.0};
            add_derivative(ws, step.shifted ? 1.0 : 0.0, row_weight, t.col_weights, padded, slope);
            weighted = 0;
            for (int i = 0; i < kRows && first + i < t.a.size; ++i) {
                t.d_rows_to[s * n + t.a.begin + first + i] += slope_sum[i];
                weighted += row_weight[i] * slope_sum[i];
            }
            t.sums[4 * s + 2] += weighted;
            t.sums[4 * s + 3] += slope.squares;
        }
    }
    if (!t.cols_to) return;
    for (int s = 0; s < n_steps; ++s)
        for (int j = 0; j < t.b.size; ++j) {
            t.cols_to[s * n + t.b.begin + j] += local[static_cast<std::size_t>(s) * kBlock + j];
            if (t.in->derivative)
                t.d_cols_to[s * n + t.b.begin + j] += local[static_cast<std::size_t>(n_steps + s) * kBlock + j];
        }
}

SEPAL_ATTR void tile(const Tile& t, Workspace& ws) {
    if (t.in->absolute) tile_by<true>(t, ws);
    else tile_by<false>(t, ws);
}

} // namespace
} // namespace sepal::SEPAL_ISA
