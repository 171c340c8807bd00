#include <type_traits>

#include "simd.hpp"
#include "tiles.hpp"

namespace sepal {
namespace {

// Tells how many of the 6 x (2 * width) pairs pass; they are rare, so this stays out of the main loop.
template <class F>
SEPAL_INLINE int collect(const typename F::V (&acc)[kPanelRows][2], const float* row_limit, const float* col_limit,
                         int first_row, int first_col, Hit<float>* hits) {
    constexpr int W = F::width;
    int n = 0;
    float h[2 * W];
    for (int r = 0; r < kPanelRows; ++r) {
        F::store(h, acc[r][0]);
        F::store(h + W, acc[r][1]);
        for (int c = 0; c < 2 * W; ++c)
            if (h[c] >= row_limit[r] || h[c] >= col_limit[c]) hits[n++] = {first_row + r, first_col + c, h[c]};
    }
    return n;
}

template <class L>
SEPAL_INLINE int panel(const float* rows, const float* row_half, const float* row_limit, int n_row_panels,
                       const float* cols, const float* col_half, const float* col_limit, int p, Hit<float>* hits) {
    using F = typename L::Float;
    using V = typename F::V;
    constexpr int W = F::width;
    int n_hits = 0;
    for (int c = 0; c < kPanelCols; c += 2 * W) {
        const V half0 = F::load(col_half + c), half1 = F::load(col_half + c + W);
        const V limit0 = F::load(col_limit + c), limit1 = F::load(col_limit + c + W);
        for (int panel = 0; panel < n_row_panels; ++panel) {
            const float* a = rows + static_cast<std::int64_t>(panel) * kPanelRows * p;
            const float* b = cols + c;
            const float* half = row_half + panel * kPanelRows;
            const float* limit = row_limit + panel * kPanelRows;
            V acc[kPanelRows][2];
            for (int r = 0; r < kPanelRows; ++r) {
                const V own = F::fill(-half[r]);
                acc[r][0] = own - half0;
                acc[r][1] = own - half1;
            }
            for (int f = 0; f < p; ++f, a += kPanelRows, b += kPanelCols) {
                const V b0 = F::load(b), b1 = F::load(b + W);
                for (int r = 0; r < kPanelRows; ++r) {
                    const V x = F::fill(a[r]);
                    acc[r][0] += x * b0;
                    acc[r][1] += x * b1;
                }
            }
            auto pass = F::none();
            for (int r = 0; r < kPanelRows; ++r) {
                const V own = F::fill(limit[r]);
                pass = F::either(pass, F::at_least(acc[r][0], F::min(own, limit0)));
                pass = F::either(pass, F::at_least(acc[r][1], F::min(own, limit1)));
            }
            if (F::any(pass))
                n_hits += collect<F>(acc, limit, col_limit + c, panel * kPanelRows, c, hits + n_hits);
        }
    }
    return n_hits;
}

#define SEPAL_PANEL_ARGS                                                                                       \
    const float *rows, const float *row_half, const float *row_limit, int n_row_panels, const float *cols,     \
        const float *col_half, const float *col_limit, int p, Hit<float> *hits
#define SEPAL_PANEL_CALL rows, row_half, row_limit, n_row_panels, cols, col_half, col_limit, p, hits

int panel_baseline(SEPAL_PANEL_ARGS) { return panel<Narrow>(SEPAL_PANEL_CALL); }
#ifdef SEPAL_HAS_V3_CLONES
SEPAL_V3 int panel_v3(SEPAL_PANEL_ARGS) { return panel<Wide>(SEPAL_PANEL_CALL); }
#endif

} // namespace

PanelFunction panel_function() {
#ifdef SEPAL_HAS_V3_CLONES
    if (has_v3()) return panel_v3;
#endif
    return panel_baseline;
}

} // namespace sepal
