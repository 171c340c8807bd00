// One tile of the sums of alignment.cpp. Included there for each instruction set.

namespace sepal::SEPAL_ISA {
namespace {

// Fused where the instruction set has it: kernel values need not be the same bits on every processor.
SEPAL_ATTR SEPAL_INLINE double mul_add(double a, double b, double c) {
#if SEPAL_LANE_BYTES == 32
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// exp(x) - 1 and exp(x) share everything but the end. x <= 0. Written so that compilers turn the loop into vectors.
template <bool Minus1> SEPAL_ATTR SEPAL_INLINE double exponential(double x) {
    constexpr double log2e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    constexpr double magic = 6755399441055744.0; // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
    x = x < -708.0 ? -708.0 : x;
    const double t = mul_add(x, log2e, magic);
    const double k = t - magic;
    const double r = mul_add(-k, ln2_low, mul_add(-k, ln2_high, x));
    double q = 1.0 / 6227020800.0; // Taylor to r^13: below 4e-18 for |r| <= ln(2)/2
    q = mul_add(q, r, 1.0 / 479001600.0);
    q = mul_add(q, r, 1.0 / 39916800.0);
    q = mul_add(q, r, 1.0 / 3628800.0);
    q = mul_add(q, r, 1.0 / 362880.0);
    q = mul_add(q, r, 1.0 / 40320.0);
    q = mul_add(q, r, 1.0 / 5040.0);
    q = mul_add(q, r, 1.0 / 720.0);
    q = mul_add(q, r, 1.0 / 120.0);
    q = mul_add(q, r, 1.0 / 24.0);
    q = mul_add(q, r, 1.0 / 6.0);
    q = mul_add(q, r, 0.5);
    const double p = mul_add(q * r, r, r); // exp(r) - 1
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(t);
    const double scale = std::bit_cast<double>((bits << 52) + 0x3ff0000000000000ULL); // 2^k
    if constexpr (Minus1) return mul_add(scale, p, scale - 1.0);
    else return mul_add(scale, p, scale);
}

// Distances of kRows rows to the columns of a tile, which lie transposed: cols[f * kBlock + j].
template <bool Absolute>
SEPAL_ATTR SEPAL_INLINE void distances(const double* const (&row)[kRows], const double* cols, int p, int n_cols, Workspace& ws) {
    for (int i = 0; i < kRows; ++i) {
        double* __restrict d = ws.d[i];
        const double* x = row[i];
        for (int j = 0; j < n_cols; ++j) d[j] = 0;
        for (int f = 0; f < p; ++f) {
            const double xf = x[f];
            const double* __restrict z = cols + static_cast<std::int64_t>(f) * kBlock;
            for (int j = 0; j < n_cols; ++j) {
                const double t = xf - z[j];
                if constexpr (Absolute) d[j] += std::fabs(t);
                else d[j] += t * t;
            }
        }
    }
}

SEPAL_ATTR SEPAL_INLINE void fresh(const double* __restrict d, double g, bool shifted, int n, double* __restrict v) {
    if (shifted)
        for (int j = 0; j < n; ++j) v[j] = exponential<true>(-g * d[j]);
    else
        for (int j = 0; j < n; ++j) v[j] = exponential<false>(-g * d[j]);
}

// From exp(-g D) to exp(-2 g D), shifted or not.
SEPAL_ATTR SEPAL_INLINE void doubled(double* v, bool was_shifted, bool shifted, int n) {
    if (shifted)
        for (int j = 0; j < n; ++j) v[j] = v[j] * (v[j] + 2.0);
    else if (was_shifted)
        for (int j = 0; j < n; ++j) v[j] = (v[j] + 1.0) * (v[j] + 1.0);
    else
        for (int j = 0; j < n; ++j) v[j] = v[j] * v[j];
}

SEPAL_ATTR SEPAL_INLINE double total(Doubles::V v) {
    using D = Doubles;
    double x[D::width];
    D::store(x, v);
    double sum = 0;
    for (double each : x) sum += each;
    return sum;
}

// Adds kRows x n_cols values. Columns beyond the tile have weight 0, so n_cols is a multiple of the width.
SEPAL_ATTR SEPAL_INLINE void add(const double* v, const double* row_weight, const double* col_weight, int n_cols, Target& to) {
    using D = Doubles;
    using V = D::V;
    V row_sum[kRows], squares[kRows], weight[kRows];
    for (int i = 0; i < kRows; ++i) {
        row_sum[i] = squares[i] = D::fill(0);
        weight[i] = D::fill(row_weight[i]);
    }
    for (int j = 0; j < n_cols; j += D::width) {
        const V w = D::load(col_weight + j);
        V col_sum = to.cols ? D::load(to.cols + j) : D::fill(0);
        for (int i = 0; i < kRows; ++i) {
            const V x = D::load(v + i * kBlock + j), wx = w * x;
            row_sum[i] += wx;
            squares[i] += wx * x;
            col_sum += weight[i] * x;
        }
        if (to.cols) D::store(to.cols + j, col_sum);
    }
    for (int i = 0; i < kRows; ++i) {
        to.rows[i] += total(row_sum[i]);
        to.squares += row_weight[i] * total(squares[i]);
    }
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
    for (int first = 0; first < t.a.size; first += kRows) {
        const double* row[kRows];
        double row_weight[kRows];
        for (int i = 0; i < kRows; ++i) { // rows beyond the tile repeat the last with weight 0
            const bool inside = first + i < t.a.size;
            const std::int64_t at = t.a.begin + (inside ? first + i : t.a.size - 1);
            row[i] = t.in->points.row(at);
            row_weight[i] = inside ? t.in->weights[at] : 0.0;
        }
        distances<Absolute>(row, t.cols, t.in->points.p, padded, ws);
        for (int s = 0; s < n_steps; ++s) {
            const KernelStep& step = (*t.steps)[s];
            for (int i = 0; i < kRows; ++i) {
                double* v = ws.v + i * kBlock;
                if (step.doubles) doubled(v, (*t.steps)[s - 1].shifted, step.shifted, padded);
                else fresh(ws.d[i], step.g, step.shifted, padded, v);
            }
            double row_sum[kRows] = {};
            Target to{row_sum, t.cols_to ? local.data() + static_cast<std::size_t>(s) * kBlock : nullptr, 0.0};
            add(ws.v, row_weight, t.col_weights, padded, to);
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
