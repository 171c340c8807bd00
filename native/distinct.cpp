// Groups of equal rows, by hash and comparison.
#include <bit>
#include <cstring>
#include <numeric>

#include "ranking.hpp"

namespace sepal {
namespace {

constexpr std::uint64_t kNan = 0x7ff8000000000000ULL;

// -0 and +0 are one value, and so are all NaNs (a missing cell equals a missing cell here).
std::uint64_t bits(double x) { return x == 0 ? 0 : x != x ? kNan : std::bit_cast<std::uint64_t>(x); }

std::uint64_t hash_row(const double* row, int p) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (int f = 0; f < p; ++f) {
        h = (h ^ bits(row[f])) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32;
    }
    return h;
}

bool same_row(const double* a, const double* b, int p) {
    for (int f = 0; f < p; ++f)
        if (bits(a[f]) != bits(b[f])) return false;
    return true;
}

} // namespace

void distinct_rows(Points points, std::vector<std::int32_t>& group_of, std::vector<std::int32_t>& first) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(points.n)) size *= 2;
    std::vector<std::int32_t> table(size, -1); // open addressing: slot -> group
    std::vector<std::uint64_t> hash_of;        // of each group
    group_of.resize(points.n);
    first.clear();
    for (std::int64_t i = 0; i < points.n; ++i) {
        const std::uint64_t h = hash_row(points.row(i), points.p);
        std::size_t slot = h & (size - 1);
        while (table[slot] >= 0 && !(hash_of[table[slot]] == h &&
                                     same_row(points.row(first[table[slot]]), points.row(i), points.p)))
            slot = (slot + 1) & (size - 1);
        if (table[slot] < 0) {
            table[slot] = static_cast<std::int32_t>(first.size());
            first.push_back(static_cast<std::int32_t>(i));
            hash_of.push_back(h);
        }
        group_of[i] = table[slot];
    }
}

} // namespace sepal
