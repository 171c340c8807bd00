#include "cell_copy.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "parallel.hpp"

namespace sepal {
namespace {

constexpr std::int64_t kCells = 1 << 18; // copied at a time, by one thread; memcpy of less reads what it is about to overwrite
constexpr std::int64_t kMuch = 1 << 20;  // cells beyond which no cache keeps them until they are read
constexpr int kLine = 8;                 // numbers of a cache line, which is written whole

// What is wrong with some cells, as bits that are gathered without a branch.
template <class T> struct Faults {
    std::uint64_t found = 0;
    double add(T cell) {
        const auto value = static_cast<double>(cell);
        if constexpr (std::is_floating_point_v<T>) // the exponent of what is not finite is all ones, and runs over into the sign
            found |= (std::bit_cast<std::uint64_t>(value) & ~(1ULL << 63)) + (1ULL << 52);
        else if constexpr (sizeof(T) == 8)
            found |= static_cast<std::uint64_t>(cell > (1LL << 53)) << 63 | static_cast<std::uint64_t>(cell < -(1LL << 53)) << 63;
        return value;
    }
    bool any() const { return found >> 63 != 0; }
};

// Cells that follow each other.
template <class T> bool copy_run(const T* from, std::int64_t n, double* to) {
    Faults<T> faults[kLine]; // side by side, so that none waits for the one before
    std::int64_t i = 0;
    if constexpr (std::is_same_v<T, double>) {
        for (; i + kLine <= n; i += kLine)
            for (int c = 0; c < kLine; ++c) faults[c].add(from[i + c]);
        std::copy_n(from, i, to);
    } else {
        for (; i + kLine <= n; i += kLine)
            for (int c = 0; c < kLine; ++c) to[i + c] = faults[c].add(from[i + c]);
    }
    for (; i < n; ++i) to[i] = faults[0].add(from[i]);
    return std::any_of(faults, faults + kLine, [](const Faults<T>& each) { return each.any(); });
}

// One cache line, of much past the caches, which would read it before it is overwritten, where its place allows.
void write_line(const double* line, double* to, bool much) {
#ifdef __SSE2__
    if (much && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
        for (int c = 0; c < kLine; c += 2) _mm_stream_pd(to + c, _mm_loadu_pd(line + c));
        return;
    }
#endif
    std::copy_n(line, kLine, to);
}

// Rows `first` .. `last` of columns that lie apart: line by line, a few columns of all these rows at a time.
template <class T> bool copy_band(const Grid<T>& from, std::int64_t first, std::int64_t last, double* to) {
    const bool much = from.n * from.p > kMuch;
    Faults<T> faults;
    std::int64_t j = 0;
    for (; j + kLine <= from.p; j += kLine)
        for (std::int64_t i = first; i < last; ++i) {
            const T* cell = from.at + i * from.row_step + j * from.column_step;
            double line[kLine];
            for (int c = 0; c < kLine; ++c) line[c] = faults.add(cell[c * from.column_step]);
            write_line(line, to + i * from.p + j, much);
        }
    for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t c = j; c < from.p; ++c) to[i * from.p + c] = faults.add(from.at[i * from.row_step + c * from.column_step]);
#ifdef __SSE2__
    _mm_sfence(); // other threads see what went past the caches
#endif
    return faults.any();
}

} // namespace

template <class T> CellFacts copy_cells(const Grid<T>& from, double* to, int threads) {
    const bool in_rows = from.column_step == 1 && (from.row_step == from.p || from.n == 1);
    const std::int64_t total = from.n * from.p, band = std::clamp<std::int64_t>(kCells / 2 / std::max<std::int64_t>(from.p, 1), 64, 4096);
    std::atomic<bool> faulty{false};
    const Loop loop{.n = in_rows ? (total + kCells - 1) / kCells : (from.n + band - 1) / band, .threads = threads};
    parallel_for(loop, [&](std::int64_t part) {
        const std::int64_t begin = part * (in_rows ? kCells : band), end = std::min(begin + (in_rows ? kCells : band), in_rows ? total : from.n);
        if (in_rows ? copy_run(from.at + begin, end - begin, to + begin) : copy_band(from, begin, end, to)) faulty.store(true, std::memory_order_relaxed);
    });
    const bool whole = !std::is_floating_point_v<T>;
    return {.finite = whole || !faulty, .exact = !whole || !faulty};
}

template CellFacts copy_cells(const Grid<double>&, double*, int);
template CellFacts copy_cells(const Grid<float>&, double*, int);
template CellFacts copy_cells(const Grid<std::int64_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::int32_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::uint8_t>&, double*, int);

} // namespace sepal
