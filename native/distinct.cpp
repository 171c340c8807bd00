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
    constexpr int kLanes = 4; // which do not wait for each other
    std::uint64_t h[kLanes] = {0x9e3779b97f4a7c15ULL, 0xbf58476d1ce4e5b9ULL, 0x94d049bb133111ebULL, 0xd6e8feb86659fd93ULL};
    const auto mix = [&](std::uint64_t& lane, std::uint64_t x) {
        lane = (lane ^ x) * 0xff51afd7ed558ccdULL;
        lane ^= lane >> 32;
    };
    int f = 0;
    for (; f + kLanes <= p; f += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) mix(h[lane], bits(row[f + lane]));
    for (; f < p; ++f) mix(h[0], bits(row[f]));
    for (int lane = 1; lane < kLanes; ++lane) mix(h[0], h[lane]);
    return h[0];
}

bool same_row(const double* a, const double* b, int p) {
    for (int f = 0; f < p; ++f)
        if (bits(a[f]) != bits(b[f])) return false;
    return true;
}

} // namespace

void distinct_rows(Points points, std::vector<std::int32_t>& group_of, std::vector<std::int32_t>& first, int threads) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(points.n)) size *= 2;
    std::vector<std::int32_t> table(size, -1); // open addressing: slot -> group
    std::vector<std::uint64_t> hash_of;        // of each group
    std::vector<std::uint64_t> hashes(points.n);
    parallel_for(Loop{.n = points.n, .threads = threads, .grain = 512}, [&](std::int64_t i) { hashes[i] = hash_row(points.row(i), points.p); });
    group_of.resize(points.n);
    first.clear();
    for (std::int64_t i = 0; i < points.n; ++i) {
        const std::uint64_t h = hashes[i];
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
