/// @brief Tiles of kernel values k(x.z, |x|^2, |z|^2) and sums of rows, for dual_kernel.cpp; once per instruction set.

#include "vector_exp.inc.hpp"

namespace sepal::SEPAL_ISA {
namespace {

template <class Real> using LanesFor = std::conditional_t<std::is_same_v<Real, float>, Floats, Doubles>;

// What becomes of a dot product: the kernel value.
template <class F, class Real, KernelKind Kind> struct Finish {
    using V = typename F::V;
    // exp(-gamma d) is a power of 2.
    SEPAL_ATTR explicit Finish(const KernelSpec& spec)
        : gamma(F::fill(static_cast<Real>(Kind == KernelKind::rbf ? -1.4426950408889634 * spec.gamma : spec.gamma))),
          coef0(F::fill(static_cast<Real>(spec.coef0))), degree(spec.degree) {}
    SEPAL_ATTR SEPAL_INLINE V operator()(V dot, V row_square, V col_square) const {
        if constexpr (Kind == KernelKind::rbf) {
            const V apart = row_square + col_square - (dot + dot);
            return exp2_nonpositive<F, Real>(F::min(gamma * apart, F::fill(Real(0))));
        } else if constexpr (Kind == KernelKind::poly) {
            const V base = gamma * dot + coef0;
            V value = F::fill(Real(1));
            for (int d = 0; d < degree; ++d) value = value * base;
            return value;
        } else if constexpr (Kind == KernelKind::sigmoid) {
            Real each[F::width];
            F::store(each, gamma * dot + coef0);
            for (Real& v : each) v = std::tanh(v);
            return F::load(each);
        } else {
            return dot;
        }
    }
    V gamma, coef0;
    int degree;
};

template <class Real, int Rows, KernelKind Kind>
SEPAL_ATTR void tile(const Real* rows, const Real* row_square, const KernelPack<Real>& cols, std::int64_t first,
                       std::int64_t last, const KernelSpec& spec, Real* const* out) {
    using F = LanesFor<Real>;
    using V = typename F::V;
    constexpr int W = F::width, C = kKernelCols<Real>;
    const int p = cols.p;
    const Finish<F, Real, Kind> finish(spec);
    for (std::int64_t panel = first; panel < last; panel += C)
        for (int c = 0; c < C; c += 2 * W) {
            const Real* a = rows;
            const Real* b = cols.panel_at(panel) + c;
            V acc[Rows][2];
            for (int r = 0; r < Rows; ++r) acc[r][0] = acc[r][1] = F::fill(Real(0));
            for (int f = 0; f < p; ++f, a += Rows, b += C) {
                const V b0 = F::load(b), b1 = F::load(b + W);
                for (int r = 0; r < Rows; ++r) {
                    const V x = F::fill(a[r]);
                    acc[r][0] += x * b0;
                    acc[r][1] += x * b1;
                }
            }
            const V square0 = F::load(cols.square.data() + panel + c), square1 = F::load(cols.square.data() + panel + c + W);
            for (int r = 0; r < Rows; ++r) {
                const V own = F::fill(row_square[r]);
                F::store(out[r] + (panel - first) + c, finish(acc[r][0], own, square0));
                F::store(out[r] + (panel - first) + c + W, finish(acc[r][1], own, square1));
            }
        }
}

template <class Real>
SEPAL_ATTR void add(double* __restrict f, const Real* const* rows, const double* step, std::int64_t n_rows,
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

SEPAL_ATTR double dot(const double* a, const double* b, std::int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

} // namespace
} // namespace sepal::SEPAL_ISA
