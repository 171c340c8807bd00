#include "alignment.hpp"

#include <bit>
#include <cmath>

#include "simd.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

constexpr int kRows = 4;    // rows that share a pass over the columns
constexpr int kBlock = 256; // rows and columns of a tile

template <bool Fused> SEPAL_INLINE double mul_add(double a, double b, double c) {
#ifdef SEPAL_HAS_V3_CLONES
    if constexpr (Fused) return __builtin_fma(a, b, c);
#endif
    return a * b + c;
}

// exp(x) - 1 and exp(x) share everything but the end. x <= 0. Written so that compilers turn the loop into vectors.
template <bool Fused, bool Minus1> SEPAL_INLINE double exponential(double x) {
    constexpr double log2e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    constexpr double magic = 6755399441055744.0; // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
    x = x < -708.0 ? -708.0 : x;
    const double t = mul_add<Fused>(x, log2e, magic);
    const double k = t - magic;
    const double r = mul_add<Fused>(-k, ln2_low, mul_add<Fused>(-k, ln2_high, x));
    double q = 1.0 / 6227020800.0; // Taylor to r^13: below 4e-18 for |r| <= ln(2)/2
    q = mul_add<Fused>(q, r, 1.0 / 479001600.0);
    q = mul_add<Fused>(q, r, 1.0 / 39916800.0);
    q = mul_add<Fused>(q, r, 1.0 / 3628800.0);
    q = mul_add<Fused>(q, r, 1.0 / 362880.0);
    q = mul_add<Fused>(q, r, 1.0 / 40320.0);
    q = mul_add<Fused>(q, r, 1.0 / 5040.0);
    q = mul_add<Fused>(q, r, 1.0 / 720.0);
    q = mul_add<Fused>(q, r, 1.0 / 120.0);
    q = mul_add<Fused>(q, r, 1.0 / 24.0);
    q = mul_add<Fused>(q, r, 1.0 / 6.0);
    q = mul_add<Fused>(q, r, 0.5);
    const double p = mul_add<Fused>(q * r, r, r); // exp(r) - 1
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(t);
    const double scale = std::bit_cast<double>((bits << 52) + 0x3ff0000000000000ULL); // 2^k
    if constexpr (Minus1) return mul_add<Fused>(scale, p, scale - 1.0);
    else return mul_add<Fused>(scale, p, scale);
}

struct Workspace {
    alignas(64) double d[kRows][kBlock];
    alignas(64) double v[kRows * kBlock]; // of the step at hand
};

// Distances of kRows rows to the columns of a tile, which lie transposed: cols[f * kBlock + j].
template <bool Absolute>
SEPAL_INLINE void distances(const double* const (&row)[kRows], const double* cols, int p, int n_cols, Workspace& ws) {
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

template <bool Fused> SEPAL_INLINE void fresh(const double* __restrict d, double g, bool shifted, int n, double* __restrict v) {
    if (shifted)
        for (int j = 0; j < n; ++j) v[j] = exponential<Fused, true>(-g * d[j]);
    else
        for (int j = 0; j < n; ++j) v[j] = exponential<Fused, false>(-g * d[j]);
}

// From exp(-g D) to exp(-2 g D), shifted or not.
SEPAL_INLINE void doubled(double* v, bool was_shifted, bool shifted, int n) {
    if (shifted)
        for (int j = 0; j < n; ++j) v[j] = v[j] * (v[j] + 2.0);
    else if (was_shifted)
        for (int j = 0; j < n; ++j) v[j] = (v[j] + 1.0) * (v[j] + 1.0);
    else
        for (int j = 0; j < n; ++j) v[j] = v[j] * v[j];
}

template <class D> SEPAL_INLINE double total(typename D::V v) {
    double x[D::width];
    D::store(x, v);
    double sum = 0;
    for (double each : x) sum += each;
    return sum;
}

// Where one tile adds: rows of the tile (by row), columns (null on the diagonal), and the squares of the tile.
struct Target {
    double* rows;
    double* cols;
    double squares;
};

// Adds kRows x n_cols values. Columns beyond the tile have weight 0, so n_cols is a multiple of the width.
template <class L>
SEPAL_INLINE void add(const double* v, const double* row_weight, const double* col_weight, int n_cols, Target& to) {
    using D = typename L::Double;
    using V = typename D::V;
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
        to.rows[i] += total<D>(row_sum[i]);
        to.squares += row_weight[i] * total<D>(squares[i]);
    }
}

// The derivative's sums: d exp(-g d) in the place of one value.
template <class L>
SEPAL_INLINE void add_derivative(const Workspace& ws, double shift, const double* row_weight,
                                 const double* col_weight, int n_cols, Target& to) {
    using D = typename L::Double;
    using V = typename D::V;
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
        to.rows[i] += total<D>(row_sum);
        to.squares += row_weight[i] * total<D>(squares);
    }
}

struct Block {
    std::int64_t begin;
    int size;
    int cls;
};

struct Tile {
    const AlignmentInput* in;
    const std::vector<KernelStep>* steps;
    Block a, b;
    const double* cols;        // features of b, transposed and padded
    const double* col_weights; // of b, padded with zeros
    double* rows_to;           // [step][n]: row sums of this round
    double* cols_to;           // [step][n], or null on the diagonal
    double* d_rows_to;
    double* d_cols_to;
    double* sums; // [step][4]: total, squares, and both for the derivative
};

template <class L, bool Fused, bool Absolute> SEPAL_INLINE void tile(const Tile& t, Workspace& ws) {
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
                else fresh<Fused>(ws.d[i], step.g, step.shifted, padded, v);
            }
            double row_sum[kRows] = {};
            Target to{row_sum, t.cols_to ? local.data() + static_cast<std::size_t>(s) * kBlock : nullptr, 0.0};
            add<L>(ws.v, row_weight, t.col_weights, padded, to);
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
            add_derivative<L>(ws, step.shifted ? 1.0 : 0.0, row_weight, t.col_weights, padded, slope);
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

void tile_any(const Tile& t, Workspace& ws) {
    if (t.in->absolute) tile<Narrow, false, true>(t, ws);
    else tile<Narrow, false, false>(t, ws);
}

#ifdef SEPAL_HAS_V3_CLONES
SEPAL_V3 void tile_v3(const Tile& t, Workspace& ws) {
    if (t.in->absolute) tile<Wide, true, true>(t, ws);
    else tile<Wide, true, false>(t, ws);
}
#endif

using TileFunction = void (*)(const Tile&, Workspace&);

TileFunction tile_function() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return tile_v3;
#endif
    return tile_any;
}

std::vector<Block> blocks_of(const AlignmentInput& in) {
    std::vector<Block> blocks;
    for (std::int64_t begin = 0; begin < in.points.n;) {
        std::int64_t end = begin;
        while (end < in.points.n && in.classes[end] == in.classes[begin] && end - begin < kBlock) ++end;
        blocks.push_back({begin, static_cast<int>(end - begin), in.classes[begin]});
        begin = end;
    }
    return blocks;
}

// Columns of a block, transposed: [feature][kBlock], the rest filled with the last row at weight 0.
void pack(const AlignmentInput& in, const Block& b, double* cols, double* weights) {
    for (int j = 0; j < kBlock; ++j) {
        const std::int64_t at = b.begin + std::min(j, b.size - 1);
        weights[j] = j < b.size ? in.weights[at] : 0.0;
        for (int f = 0; f < in.points.p; ++f) cols[static_cast<std::int64_t>(f) * kBlock + j] = in.points.row(at)[f];
    }
}

} // namespace

// Round k pairs block i with block i + k (cyclically). Within a round every block is written once as rows and once as
// columns, into arrays of their own, so threads never meet and the order of additions is always the same.
AlignmentSums alignment_sums(const AlignmentInput& in, const std::vector<KernelStep>& steps, int threads, Poll* poll) {
    const std::vector<Block> blocks = blocks_of(in);
    const int nb = static_cast<int>(blocks.size()), n_steps = static_cast<int>(steps.size());
    const std::size_t size = static_cast<std::size_t>(n_steps) * in.points.n, d_size = in.derivative ? size : 0;
    std::vector<double> by_row(size, 0.0), by_col(size, 0.0), d_by_row(d_size, 0.0), d_by_col(d_size, 0.0);
    std::vector<double> sums(static_cast<std::size_t>(nb) * n_steps * 4);
    const TileFunction run = tile_function();
    AlignmentSums out;
    out.within.assign(static_cast<std::size_t>(n_steps) * in.n_classes, 0.0);
    out.squares.assign(n_steps, 0.0);
    out.d_within.assign(in.derivative ? out.within.size() : 0, 0.0);
    out.d_squares.assign(in.derivative ? n_steps : 0, 0.0);
    Watch watch(poll, static_cast<std::int64_t>(nb) * (nb + 1) / 2);
    const int rounds = nb / 2 + 1;
    for (int k = 0; k < rounds; ++k) {
        const int n_tiles = 2 * k == nb ? nb / 2 : nb; // the last round of an even number would see each pair twice
        std::fill(sums.begin(), sums.end(), 0.0);
#pragma omp parallel num_threads(threads)
        {
            Workspace ws;
            std::vector<double> cols(static_cast<std::size_t>(in.points.p) * kBlock), weights(kBlock);
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < n_tiles; ++i) {
                if (!watch.go_on()) continue;
                const Block &a = blocks[i], &b = blocks[(i + k) % nb];
                pack(in, b, cols.data(), weights.data());
                run({&in, &steps, a, b, cols.data(), weights.data(), by_row.data(), k ? by_col.data() : nullptr,
                     d_by_row.data(), k ? d_by_col.data() : nullptr, sums.data() + static_cast<std::size_t>(i) * n_steps * 4},
                    ws);
            }
        }
        if (watch.stopped()) return out;
        const double copies = k ? 2.0 : 1.0; // off the diagonal every pair counts in both orders
        for (int i = 0; i < n_tiles; ++i) {
            const bool same = blocks[i].cls == blocks[(i + k) % nb].cls;
            for (int s = 0; s < n_steps; ++s) {
                const double* sum = sums.data() + (static_cast<std::size_t>(i) * n_steps + s) * 4;
                out.squares[s] += copies * sum[1];
                if (same) out.within[static_cast<std::size_t>(s) * in.n_classes + blocks[i].cls] += copies * sum[0];
                if (!in.derivative) continue;
                out.d_squares[s] += copies * sum[3];
                if (same) out.d_within[static_cast<std::size_t>(s) * in.n_classes + blocks[i].cls] += copies * sum[2];
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) by_row[i] += by_col[i];
    for (std::size_t i = 0; i < d_size; ++i) d_by_row[i] += d_by_col[i];
    out.rows = std::move(by_row);
    out.d_rows = std::move(d_by_row);
    return out;
}

} // namespace sepal
