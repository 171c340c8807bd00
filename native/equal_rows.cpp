// Groups of equal rows, by hash and comparison.
#include "equal_rows.hpp"

#include <algorithm>
#include <bit>

#include "splitmix.hpp"

namespace sepal {
namespace {

constexpr std::uint64_t kNan = 0x7ff8000000000000ULL;

std::uint64_t bits(double x) { return x == 0 ? 0 : x != x ? kNan : std::bit_cast<std::uint64_t>(x); }

// `bits_of(i, cells)` writes the bits of row i.
template <class F> RowGroups grouped(std::int64_t n, int p, int threads, F&& bits_of) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(n)) size *= 2;
    std::vector<std::int32_t> table(size, -1); // open addressing: slot -> group
    const std::vector<std::uint64_t> marks = column_marks(p);
    using Cells = std::vector<std::uint64_t>;
    Cells hashes(n), cells(p), others(p);
    parallel_for(Loop{.n = n, .threads = threads, .grain = 64}, [p] { return Cells(p); }, [&](Cells& own, std::int64_t i) {
        bits_of(i, own.data());
        hashes[i] = row_hash(own.data(), marks);
    });
    RowGroups found;
    found.group_of.resize(n);
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t h = hashes[i];
        const auto is_group = [&](std::int32_t g) {
            if (hashes[found.first[g]] != h) return false;
            bits_of(i, cells.data());
            bits_of(found.first[g], others.data());
            return cells == others;
        };
        std::size_t slot = h & (size - 1);
        while (table[slot] >= 0 && !is_group(table[slot])) slot = (slot + 1) & (size - 1);
        if (table[slot] < 0) {
            table[slot] = static_cast<std::int32_t>(found.first.size());
            found.first.push_back(static_cast<std::int32_t>(i));
        }
        found.group_of[i] = table[slot];
    }
    return found;
}

} // namespace

std::vector<std::uint64_t> column_marks(int p) {
    std::vector<std::uint64_t> marks(p);
    for (int f = 0; f < p; ++f) marks[f] = mixed_bits(f);
    return marks;
}

std::uint64_t row_hash(const std::uint64_t* cells, const std::vector<std::uint64_t>& marks) {
    std::uint64_t h = 0;
    for (std::size_t f = 0; f < marks.size(); ++f) h += mixed_bits(cells[f] ^ marks[f]);
    return h;
}

RowGroups distinct_rows(Points points, int threads) {
    return grouped(points.n, points.p, threads, [&](std::int64_t i, std::uint64_t* cells) { std::transform(points.row(i), points.row(i) + points.p, cells, bits); });
}

RowGroups distinct_keys(const std::uint64_t* cells, std::int64_t n, int p, int threads) {
    return grouped(n, p, threads, [&](std::int64_t i, std::uint64_t* copy) { std::copy_n(cells + i * p, p, copy); });
}

} // namespace sepal
