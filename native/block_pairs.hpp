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

} // namespace sepal
