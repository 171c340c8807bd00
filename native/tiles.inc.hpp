/// @brief One register tile of these float32 lower bounds, for tiles.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

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
            if (!F::any(pass)) continue;
            for (int r = 0; r < kPanelRows; ++r) { // rare: which pairs are they?
                const V own = F::fill(limit[r]);
                float h[2 * W];
                F::store(h, acc[r][0]);
                F::store(h + W, acc[r][1]);
                unsigned which = F::bits(F::at_least(acc[r][0], F::min(own, limit0))) |
                                 F::bits(F::at_least(acc[r][1], F::min(own, limit1))) << W;
                for (; which != 0; which &= which - 1) {
                    const int j = std::countr_zero(which);
                    hits[n_hits++] = {panel * kPanelRows + r, c + j, h[j]};
                }
            }
        }
    }
    return n_hits;
}

} // namespace sepal::SEPAL_ISA
