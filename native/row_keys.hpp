/// @brief Coordinates and rows as sortable integers, and a selection among them (the k-th smallest in its place): where trees are cut.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace sepal {

// In the order of the coordinates, as far as float32 tells them apart, and of rows where it does not.
inline std::uint64_t row_key(double x, std::int32_t row) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    return std::uint64_t{bits >> 31 ? ~bits : bits | 0x80000000u} << 32 | static_cast<std::uint32_t>(row);
}

inline std::int32_t row_of_key(std::uint64_t key) { return static_cast<std::int32_t>(key & 0xffffffffu); }

// An element near the one of rank `wanted`, by a sorted sample.
inline std::uint64_t* pivot_near(std::uint64_t* a, std::int64_t n, std::int64_t wanted) {
    constexpr int kMost = 25;
    const int size = n < 200 ? 3 : n < 2000 ? 9 : kMost;
    std::uint64_t* sample[kMost];
    for (int i = 0; i < size; ++i) {
        std::uint64_t* each = a + (2 * i + 1) * n / (2 * size);
        int at = i;
        for (; at > 0 && *sample[at - 1] > *each; --at) sample[at] = sample[at - 1];
        sample[at] = each;
    }
    return sample[wanted * size / n];
}

// As std::nth_element, for distinct keys; the inner loop has no branch to mispredict.
inline void select_key(std::uint64_t* a, std::int64_t n, std::int64_t wanted) {
    for (int rounds = 0; n > 24 && rounds < 60; ++rounds) {
        std::swap(*pivot_near(a, n, wanted), a[n - 1]);
        const std::uint64_t pivot = a[n - 1];
        std::int64_t below = 0;
        for (std::int64_t i = 0; i < n - 1; ++i) {
            const std::uint64_t each = a[i];
            a[i] = a[below];
            a[below] = each;
            below += each < pivot;
        }
        std::swap(a[below], a[n - 1]);
        if (wanted == below) return;
        if (wanted < below) {
            n = below;
        } else {
            a += below + 1;
            n -= below + 1;
            wanted -= below + 1;
        }
    }
    std::nth_element(a, a + wanted, a + n);
}

} // namespace sepal
