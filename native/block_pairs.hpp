/// @brief Pairs (i, j) of blocks, diagonal after diagonal (d = j - i = 0, 1, ...), computed from their number instead of stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sepal {

struct BlockPair {
    std::int64_t i, j;
};

/// Pair t of the n (n + 1) / 2 with i <= j < n. Diagonal d begins at t = d n - d (d - 1) / 2.
inline BlockPair triangle_pair(std::int64_t t, std::int64_t n) {
    const auto begin = [n](std::int64_t d) { return d * n - d * (d - 1) / 2; };
    const double b = static_cast<double>(n) + 0.5;
    auto d = static_cast<std::int64_t>(b - std::sqrt(std::max(0.0, b * b - 2.0 * static_cast<double>(t))));
    while (begin(d) > t) --d;     // the root is rounded
    while (begin(d + 1) <= t) ++d;
    return {t - begin(d), t - begin(d) + d};
}

/// Pair t of the left x right: diagonals wrap around, j = (i + d) mod right.
inline BlockPair rectangle_pair(std::int64_t t, std::int64_t left, std::int64_t right) {
    const std::int64_t i = t % left;
    return {i, (i + t / left) % right};
}

/// Some pairs one after the other, (i, j), (i, j + 1), ..., of which neighbouring runs have most blocks in common.
struct BlockRun {
    std::int64_t i, j, length;
};

/// Run t of those that make up all pairs with i <= j < n: first the diagonal, then `width` diagonals at a time.
inline BlockRun triangle_run(std::int64_t t, std::int64_t n, std::int64_t width) {
    if (t < n) return {t, t, 1};
    t -= n;
    std::int64_t first = 1;
    for (; t >= n - first; first += width) t -= n - first;
    return {t, t + first, std::min(width, n - first - t)};
}

inline std::int64_t triangle_runs(std::int64_t n, std::int64_t width) {
    std::int64_t runs = n;
    for (std::int64_t first = 1; first < n; first += width) runs += n - first;
    return runs;
}

/// Run t of those of the left x right, in the same order; j is to be taken mod right.
inline BlockRun rectangle_run(std::int64_t t, std::int64_t left, std::int64_t right, std::int64_t width) {
    const std::int64_t i = t % left;
    if (t < left) return {i, i, 1};
    const std::int64_t first = 1 + (t / left - 1) * width;
    return {i, i + first, std::min(width, right - first)};
}

inline std::int64_t rectangle_runs(std::int64_t left, std::int64_t right, std::int64_t width) { return left * (1 + (right - 1 + width - 1) / width); }

} // namespace sepal
