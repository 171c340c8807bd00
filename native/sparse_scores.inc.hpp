/// @brief Bounds from an inverted index: inner products of one row with a slab of rows, in 16 bits. Included by search_sparse.cpp for each instruction set.

namespace sepal::SEPAL_ISA {

// factor * cell / 128, rounded: one instruction where there is one for it.
SEPAL_ATTR SEPAL_INLINE std::int16_t scaled(std::int16_t factor, std::int8_t cell) {
    const auto wide = static_cast<std::int16_t>(cell * 256);
    return static_cast<std::int16_t>((((static_cast<std::int32_t>(factor) * wide) >> 14) + 1) >> 1);
}

// sums[i] += factor * cells[i] / 128, rounded, for four columns.
SEPAL_ATTR inline void add_columns(const std::int8_t* const* cells, const std::int16_t* factor, std::int16_t* sums, int n) {
    const std::int8_t *a = cells[0], *b = cells[1], *c = cells[2], *d = cells[3];
    const std::int16_t fa = factor[0], fb = factor[1], fc = factor[2], fd = factor[3];
    for (int i = 0; i < n; ++i)
        sums[i] = static_cast<std::int16_t>(sums[i] + scaled(fa, a[i]) + scaled(fb, b[i]) + scaled(fc, c[i]) + scaled(fd, d[i]));
}

SEPAL_ATTR inline void flush_columns(const std::int16_t* sums, float unit, float* products, int n) {
    for (int i = 0; i < n; ++i) products[i] += static_cast<float>(sums[i]) * unit;
}

// Lower bounds of the values from products with unit vectors that may be too small by `error`.
template <SparseKind K>
SEPAL_ATTR void lower_bounds(const Slab& slab, const float* products, float length, float root, float error, float* lower, int n) {
    const float *base = slab.base.data(), *roots = slab.root.data();
    for (int i = 0; i < n; ++i) {
        if constexpr (K == SparseKind::cosine) {
            lower[i] = base[i] - 2 * (products[i] + error);
        } else if constexpr (K == SparseKind::euclidean) {
            lower[i] = (base[i] + length) * (1 - kSquareSlack) - 2 * root * roots[i] * (products[i] + error) - 1e-35f;
        } else {
            const float both = root * roots[i] * (products[i] + error), total = base[i] + length;
            const float either = total - both;
            lower[i] = (total - 2 * both) / (either > 1e-30f ? either : 1e-30f) - kShareSlack;
        }
    }
}

// The places whose lower bound is at most `own`, or, with `others`, at most the limit of that place.
template <bool both_ways>
SEPAL_ATTR int pick(const float* lower, float own, const float* others, int n, std::int32_t* places) {
    constexpr int step = 32;
    int found = 0;
    for (int i = 0; i < n; i += step) {
        int any = 0;
        for (int j = i; j < i + step; ++j) {
            if constexpr (both_ways) any += (lower[j] <= own) | (lower[j] <= others[j]);
            else any += lower[j] <= own;
        }
        if (any == 0) continue;
        for (int j = i; j < i + step; ++j)
            if (lower[j] <= own || (both_ways && lower[j] <= others[j])) places[found++] = j;
    }
    return found;
}

} // namespace sepal::SEPAL_ISA
