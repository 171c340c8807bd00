// The float32 filter, one register tile at a time. Included by tiles.cpp for each instruction set.

namespace sepal::SEPAL_ISA {

// Passing pairs are rare, so this stays out of the main loop. `h` holds a register tile, row after row.
SEPAL_ATTR inline int collect(const float* h, int width, const float* row_limit, const float* col_limit, int first_row,
                              int first_col, Hit<float>* hits) {
    int n = 0;
    for (int r = 0; r < kPanelRows; ++r)
        for (int c = 0; c < width; ++c) {
            const float value = h[r * width + c];
            if (value >= row_limit[r] || value >= col_limit[c]) hits[n++] = {first_row + r, first_col + c, value};
        }
    return n;
}

SEPAL_ATTR int panel(const float* rows, const float* row_half, const float* row_limit, int n_row_panels, const float* cols,
                     const float* col_half, const float* col_limit, int p, Hit<float>* hits) {
    using F = Floats;
    using V = F::V;
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
            if (F::any(pass)) {
                float h[kPanelRows * 2 * W];
                for (int r = 0; r < kPanelRows; ++r) {
                    F::store(h + 2 * r * W, acc[r][0]);
                    F::store(h + (2 * r + 1) * W, acc[r][1]);
                }
                n_hits += collect(h, 2 * W, limit, col_limit + c, panel * kPanelRows, c, hits + n_hits);
            }
        }
    }
    return n_hits;
}

} // namespace sepal::SEPAL_ISA
