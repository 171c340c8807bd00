// Kernel values need not be the same bits on every processor, so products and sums may be fused here.
#if defined(__clang__)
#pragma clang fp contract(fast)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#include "dual_kernel.hpp"

#include <algorithm>
#include <atomic>

#include "simd.hpp"
#include "threads.hpp"
#include "vector_exp.hpp"

namespace sepal {
namespace {

template <class L, class Real>
using Lane = std::conditional_t<std::is_same_v<Real, float>, typename L::Float, typename L::Double>;

template <class F, class Real>
SEPAL_INLINE typename F::V finish(typename F::V dot, typename F::V row_square, typename F::V col_square,
                                  const KernelSpec& spec) {
    using V = typename F::V;
    const V gamma = F::fill(static_cast<Real>(spec.gamma)), coef0 = F::fill(static_cast<Real>(spec.coef0));
    switch (spec.kind) {
    case KernelKind::rbf: {
        const V apart = row_square + col_square - (dot + dot);
        return exp_nonpositive<F, Real>(F::min(F::fill(Real(0)) - gamma * apart, F::fill(Real(0))));
    }
    case KernelKind::poly: {
        const V base = gamma * dot + coef0;
        V value = F::fill(Real(1));
        for (int d = 0; d < spec.degree; ++d) value = value * base;
        return value;
    }
    case KernelKind::sigmoid: {
        Real each[F::width];
        F::store(each, gamma * dot + coef0);
        for (Real& v : each) v = std::tanh(v);
        return F::load(each);
    }
    default:
        return dot;
    }
}

template <class L, class Real>
SEPAL_INLINE void tile(const Real* rows, const Real* row_square, const KernelPack<Real>& cols, std::int64_t first,
                       std::int64_t last, const KernelSpec& spec, Real* const* out) {
    using F = Lane<L, Real>;
    using V = typename F::V;
    constexpr int W = F::width, C = kKernelCols<Real>;
    const int p = cols.p;
    for (std::int64_t panel = first; panel < last; panel += C)
        for (int c = 0; c < C; c += 2 * W) {
            const Real* a = rows;
            const Real* b = cols.panel_at(panel) + c;
            V acc[kKernelRows][2];
            for (int r = 0; r < kKernelRows; ++r) acc[r][0] = acc[r][1] = F::fill(Real(0));
            for (int f = 0; f < p; ++f, a += kKernelRows, b += C) {
                const V b0 = F::load(b), b1 = F::load(b + W);
                for (int r = 0; r < kKernelRows; ++r) {
                    const V x = F::fill(a[r]);
                    acc[r][0] += x * b0;
                    acc[r][1] += x * b1;
                }
            }
            const V square0 = F::load(cols.square.data() + panel + c), square1 = F::load(cols.square.data() + panel + c + W);
            for (int r = 0; r < kKernelRows; ++r) {
                const V own = F::fill(row_square[r]);
                F::store(out[r] + (panel - first) + c, finish<F, Real>(acc[r][0], own, square0, spec));
                F::store(out[r] + (panel - first) + c + W, finish<F, Real>(acc[r][1], own, square1, spec));
            }
        }
}

template <class Real>
SEPAL_INLINE void add(double* __restrict f, const Real* const* rows, const double* step, std::int64_t n_rows,
                      std::int64_t first, std::int64_t last) {
    std::int64_t k = 0;
    for (; k + 4 <= n_rows; k += 4) {
        const Real *r0 = rows[k], *r1 = rows[k + 1], *r2 = rows[k + 2], *r3 = rows[k + 3];
        const double s0 = step[k], s1 = step[k + 1], s2 = step[k + 2], s3 = step[k + 3];
#pragma omp simd
        for (std::int64_t c = first; c < last; ++c)
            f[c] += s0 * static_cast<double>(r0[c]) + s1 * static_cast<double>(r1[c]) +
                    (s2 * static_cast<double>(r2[c]) + s3 * static_cast<double>(r3[c]));
    }
    for (; k < n_rows; ++k) {
        const Real* r = rows[k];
        const double s = step[k];
#pragma omp simd
        for (std::int64_t c = first; c < last; ++c) f[c] += s * static_cast<double>(r[c]);
    }
}

SEPAL_INLINE double dot(const double* a, const double* b, std::int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

#define SEPAL_TILE_ARGS(Real)                                                                                   \
    const Real *rows, const Real *row_square, const KernelPack<Real>&cols, std::int64_t first, std::int64_t last, \
        const KernelSpec &spec, Real *const *out
#define SEPAL_ADD_ARGS(Real)                                                                                     \
    double *f, const Real *const *rows, const double *step, std::int64_t n_rows, std::int64_t first, std::int64_t last

template <class Real> void tile_baseline(SEPAL_TILE_ARGS(Real)) { tile<Narrow, Real>(rows, row_square, cols, first, last, spec, out); }
template <class Real> void add_baseline(SEPAL_ADD_ARGS(Real)) { add<Real>(f, rows, step, n_rows, first, last); }
double dot_baseline(const double* a, const double* b, std::int64_t n) { return dot(a, b, n); }
#ifdef SEPAL_HAS_V3_CLONES
template <class Real> SEPAL_V3 void tile_v3(SEPAL_TILE_ARGS(Real)) { tile<Wide, Real>(rows, row_square, cols, first, last, spec, out); }
template <class Real> SEPAL_V3 void add_v3(SEPAL_ADD_ARGS(Real)) { add<Real>(f, rows, step, n_rows, first, last); }
SEPAL_V3 double dot_v3(const double* a, const double* b, std::int64_t n) { return dot(a, b, n); }
#endif

auto dot_function() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return dot_v3;
#endif
    return dot_baseline;
}

constexpr std::int64_t kWorthThreads = 1 << 22; // multiplications: about a millisecond
constexpr std::int64_t kStrip = 256; // columns between two looks at the clock, and what stays in the second-level cache

KernelPack<double> packed_columns(Points rows, const std::vector<std::int64_t>& start, std::vector<std::int64_t>& place) {
    std::int64_t places = 0;
    place.clear();
    for (std::size_t g = 0; g + 1 < start.size(); ++g) {
        place.push_back(places);
        places += padded_cols<double>(start[g + 1] - start[g]);
    }
    place.push_back(places);
    KernelPack<double> pack(places, kKernelCols<double>, rows.p);
    for (std::size_t g = 0; g + 1 < start.size(); ++g)
        for (std::int64_t i = start[g]; i < start[g + 1]; ++i) pack.put(place[g] + i - start[g], rows.row(i));
    return pack;
}

// Calls use(query, n_queries, strip first, strip last, values[6]) for every panel of queries and strip of columns.
template <class Use>
bool for_each_strip(const KernelPack<double>& cols, std::int64_t n_cols, Points queries, const KernelSpec& spec, int threads,
                    Poll* poll, Use use) {
    const auto function = kernel_tile<double>();
    constexpr std::int64_t group = 8 * kKernelRows;
    const std::int64_t n_groups = (queries.n + group - 1) / group;
    Watch watch(poll, n_groups);
    const bool large = threads > 1 && n_groups > 1 && n_cols * queries.n * (queries.p + 16) > kWorthThreads;
#pragma omp parallel num_threads(threads) if (large)
    {
        std::vector<double> scratch(kKernelRows * kStrip);
        double* out[kKernelRows];
        for (int r = 0; r < kKernelRows; ++r) out[r] = scratch.data() + r * kStrip;
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t g = 0; g < n_groups; ++g) {
            if (!watch.go_on()) continue;
            const std::int64_t begin = g * group, end = std::min(begin + group, queries.n);
            KernelPack<double> rows(end - begin, kKernelRows, queries.p);
            for (std::int64_t q = begin; q < end; ++q) rows.put(q - begin, queries.row(q));
            for (std::int64_t first = 0; first < n_cols; first += kStrip) {
                const std::int64_t last = std::min(first + kStrip, n_cols);
                for (std::int64_t q = begin; q < end; q += kKernelRows) {
                    function(rows.panel_at(q - begin), rows.square.data() + (q - begin), cols, first, last, spec, out);
                    for (int r = 0; r < kKernelRows && q + r < end; ++r) use(q + r, first, last, scratch.data() + r * kStrip);
                }
            }
        }
    }
    return !watch.stopped();
}

} // namespace

template <class Real> KernelTile<Real> kernel_tile() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return tile_v3<Real>;
#endif
    return tile_baseline<Real>;
}
template <class Real> AddRows<Real> add_rows() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return add_v3<Real>;
#endif
    return add_baseline<Real>;
}
template KernelTile<float> kernel_tile<float>();
template KernelTile<double> kernel_tile<double>();
template AddRows<float> add_rows<float>();
template AddRows<double> add_rows<double>();

double kernel_value(const double* x, const double* z, int p, const KernelSpec& spec) {
    double product = 0, apart = 0;
    for (int f = 0; f < p; ++f) {
        product += x[f] * z[f];
        apart += (x[f] - z[f]) * (x[f] - z[f]);
    }
    switch (spec.kind) {
    case KernelKind::rbf:
        return std::exp(-spec.gamma * apart);
    case KernelKind::poly: {
        double value = 1;
        for (int d = 0; d < spec.degree; ++d) value *= spec.gamma * product + spec.coef0;
        return value;
    }
    case KernelKind::sigmoid:
        return std::tanh(spec.gamma * product + spec.coef0);
    default:
        return product;
    }
}

bool kernel_matrix(Points a, Points b, const KernelSpec& spec, int threads, Poll* poll, double* out) {
    std::vector<std::int64_t> place;
    const auto cols = packed_columns(b, {0, b.n}, place);
    return for_each_strip(cols, place.back(), a, spec, threads, poll,
                          [&](std::int64_t q, std::int64_t first, std::int64_t last, const double* values) {
                              std::copy(values, values + std::min(last, b.n) - first, out + q * b.n + first);
                          });
}

bool kernel_expansion(Points support, const std::vector<std::int64_t>& start, const double* coef, int n_out, Points queries,
                      const KernelSpec& spec, int threads, Poll* poll, double* out) {
    std::vector<std::int64_t> place;
    const auto cols = packed_columns(support, start, place);
    const auto n_groups = static_cast<std::int64_t>(start.size()) - 1;
    const std::int64_t places = place.back();
    std::vector<double> weight(static_cast<std::size_t>(n_out) * places, 0.0);
    for (int m = 0; m < n_out; ++m)
        for (std::int64_t g = 0; g < n_groups; ++g)
            std::copy(coef + m * support.n + start[g], coef + m * support.n + start[g + 1], weight.data() + m * places + place[g]);
    std::fill(out, out + queries.n * n_groups * n_out, 0.0);
    const auto product = dot_function();
    return for_each_strip(cols, places, queries, spec, threads, poll,
                          [&](std::int64_t q, std::int64_t first, std::int64_t last, const double* values) {
                              for (std::int64_t g = 0; g < n_groups; ++g) {
                                  const std::int64_t from = std::max(first, place[g]), to = std::min(last, place[g + 1]);
                                  if (from >= to) continue;
                                  double* sums = out + (q * n_groups + g) * n_out;
                                  for (int m = 0; m < n_out; ++m)
                                      sums[m] += product(values + (from - first), weight.data() + m * places + from, to - from);
                              }
                          });
}

} // namespace sepal
