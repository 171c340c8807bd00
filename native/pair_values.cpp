// See pair_values.hpp.
#include "pair_values.hpp"

#include "metrics.hpp"

namespace sepal {
namespace {

// R points against one panel: 2 R accumulators of 4 (or 4 R of 2) keep the adders busy.
template <class L, Metric M, int R, bool Scaled>
SEPAL_INLINE void panel_values(const double* panel, const double* const* points, const double* scale,
                               const MetricSpec& spec, int p, double zero, double* out, std::int64_t stride) {
    using D = typename L::Double;
    using V = typename D::V;
    constexpr int W = D::width, parts = kPanel / W;
    Sum<D, M> sums[R][parts];
    for (int f = 0; f < p; ++f)
        for (int part = 0; part < parts; ++part) {
            V z = D::load(panel + f * kPanel + part * W);
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

template <class L, Metric M, bool Scaled>
SEPAL_INLINE void all_values(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                             const double* scale, const MetricSpec& spec, int p, double zero, double* out) {
    const std::int64_t stride = n_panels * kPanel;
    for (std::int64_t b = 0; b < n_panels; ++b) {
        const double* panel = panels + b * kPanel * p;
        int r = 0;
        for (; r + 4 <= m; r += 4)
            panel_values<L, M, 4, Scaled>(panel, points + r, scale, spec, p, zero, out + r * stride + b * kPanel, stride);
        for (; r < m; ++r)
            panel_values<L, M, 1, Scaled>(panel, points + r, scale, spec, p, zero, out + r * stride + b * kPanel, stride);
    }
}

template <Metric M>
void values_baseline(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                     const double* scale, const MetricSpec& spec, int p, double zero, double* out) {
    if (scale == nullptr) all_values<Narrow, M, false>(panels, n_panels, points, m, scale, spec, p, zero, out);
    else all_values<Narrow, M, true>(panels, n_panels, points, m, scale, spec, p, zero, out);
}
#ifdef SEPAL_HAS_V3_CLONES
template <Metric M>
SEPAL_V3 void values_v3(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                        const double* scale, const MetricSpec& spec, int p, double zero, double* out) {
    if (scale == nullptr) all_values<Wide, M, false>(panels, n_panels, points, m, scale, spec, p, zero, out);
    else all_values<Wide, M, true>(panels, n_panels, points, m, scale, spec, p, zero, out);
}
#endif

} // namespace

ValuesFunction values_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ValuesFunction {
#ifdef SEPAL_HAS_V3_CLONES
        if (has_v3()) return values_v3<M>;
#endif
        return values_baseline<M>;
    });
}

} // namespace sepal
