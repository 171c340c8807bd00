/// @brief Tiles of d(x_i, z_j), packed rows against points, for pair_values.cpp; included once per instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

// R points against P panels: enough sums side by side to keep the adders busy.
template <Metric M, int R, int P, bool Scaled>
SEPAL_ATTR SEPAL_INLINE void panel_values(const double* panels, const double* const* points, const double* scale,
                               const MetricSpec& spec, int p, double zero, double* out, std::int64_t stride) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width, per_panel = kPanel / W, parts = P * per_panel;
    Sum<M> sums[R][parts];
    for (int f = 0; f < p; ++f)
        for (int part = 0; part < parts; ++part) {
            V z = D::load(panels + (part / per_panel * static_cast<std::int64_t>(p) + f) * kPanel + part % per_panel * W);
            if constexpr (Scaled) z = z * D::fill(scale[f]);
            for (int r = 0; r < R; ++r) sums[r][part].add(D::fill(points[r][f]), z, spec, f);
        }
    const V none = D::fill(0), limit = D::fill(zero);
    for (int r = 0; r < R; ++r)
        for (int part = 0; part < parts; ++part) {
            const V v = sums[r][part].value(p);
            D::store(out + r * stride + part * W, D::pick(D::at_most(v, limit), none, v));
        }
}

template <Metric M, bool Scaled>
SEPAL_ATTR SEPAL_INLINE void all_values(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                             const double* scale, const MetricSpec& spec, int p, double zero, double* out) {
    const std::int64_t stride = n_panels * kPanel, step = static_cast<std::int64_t>(kPanel) * p;
    const int in_fours = m / 4 * 4;
    for (std::int64_t b = 0; b < n_panels; ++b)
        for (int r = 0; r < in_fours; r += 4)
            panel_values<M, 4, 1, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
    for (int r = in_fours; r < m; ++r) {
        std::int64_t b = 0;
        for (; b + 4 <= n_panels; b += 4)
            panel_values<M, 1, 4, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
        for (; b < n_panels; ++b)
            panel_values<M, 1, 1, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
    }
}

SEPAL_ATTR std::uint64_t all_within(const double* values, const double* codes, double code, const double* own,
                             const double* other, int n) {
    using D = Doubles;
    const auto wanted = D::fill(code);
    std::uint64_t pass = 0;
    for (int j = 0; j < n; j += D::width) {
        const auto bound = D::pick(D::equal(D::load(codes + j), wanted), D::load(own + j), D::load(other + j));
        pass |= std::uint64_t{D::bits(D::at_most(D::load(values + j), bound))} << j;
    }
    return pass;
}

template <Metric M>
SEPAL_ATTR void values(const double* panels, std::int64_t n_panels, const double* const* points, int m, const double* scale,
                       const MetricSpec& spec, int p, double zero, double* out) {
    if (scale == nullptr) all_values<M, false>(panels, n_panels, points, m, scale, spec, p, zero, out);
    else all_values<M, true>(panels, n_panels, points, m, scale, spec, p, zero, out);
}

} // namespace sepal::SEPAL_ISA
