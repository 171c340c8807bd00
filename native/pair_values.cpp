// See pair_values.hpp.
#include "pair_values.hpp"

#include "metrics.hpp"

namespace sepal {
namespace {

// R points against P panels: enough sums side by side to keep the adders busy.
template <class L, Metric M, int R, int P, bool Scaled>
SEPAL_INLINE void panel_values(const double* panels, const double* const* points, const double* scale,
                               const MetricSpec& spec, int p, double zero, double* out, std::int64_t stride) {
    using D = typename L::Double;
    using V = typename D::V;
    constexpr int W = D::width, per_panel = kPanel / W, parts = P * per_panel;
    Sum<D, M> sums[R][parts];
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

template <class L, Metric M, bool Scaled>
SEPAL_INLINE void all_values(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                             const double* scale, const MetricSpec& spec, int p, double zero, double* out) {
    const std::int64_t stride = n_panels * kPanel, step = static_cast<std::int64_t>(kPanel) * p;
    const int in_fours = m / 4 * 4;
    for (std::int64_t b = 0; b < n_panels; ++b)
        for (int r = 0; r < in_fours; r += 4)
            panel_values<L, M, 4, 1, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
    for (int r = in_fours; r < m; ++r) {
        std::int64_t b = 0;
        for (; b + 4 <= n_panels; b += 4)
            panel_values<L, M, 1, 4, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
        for (; b < n_panels; ++b)
            panel_values<L, M, 1, 1, Scaled>(panels + b * step, points + r, scale, spec, p, zero,
                                             out + r * stride + b * kPanel, stride);
    }
}

template <class L>
SEPAL_INLINE bool any_within(const double* values, const double* codes, double code, const double* own,
                             const double* other, int n) {
    using D = typename L::Double;
    const auto wanted = D::fill(code);
    auto pass = D::none();
    for (int j = 0; j < n; j += D::width) {
        const auto bound = D::pick(D::equal(D::load(codes + j), wanted), D::load(own + j), D::load(other + j));
        pass = D::either(pass, D::at_most(D::load(values + j), bound));
    }
    return D::any(pass);
}

bool within_baseline(const double* values, const double* codes, double code, const double* own, const double* other,
                     int n) {
    return any_within<Narrow>(values, codes, code, own, other, n);
}
#ifdef SEPAL_HAS_V3_CLONES
SEPAL_V3 bool within_v3(const double* values, const double* codes, double code, const double* own, const double* other,
                        int n) {
    return any_within<Wide>(values, codes, code, own, other, n);
}
#endif

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

WithinFunction within_function() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return within_v3;
#endif
    return within_baseline;
}

ValuesFunction values_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ValuesFunction {
#ifdef SEPAL_HAS_V3_CLONES
        if (has_v3()) return values_v3<M>;
#endif
        return values_baseline<M>;
    });
}

} // namespace sepal
