#include "cell_copy.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <type_traits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "parallel.hpp"

namespace sepal {
namespace {

constexpr int kLine = 8;                // numbers of a cache line, which is written whole
constexpr std::int64_t kFew = 24;       // columns below which row after row is faster
constexpr std::int64_t kPage = 1 << 18; // numbers of a large page of memory
constexpr std::int64_t kMuch = 1 << 20; // cells beyond which no cache keeps them until they are read

// What is wrong with some cells, as bits that are gathered without a branch.
template <class T> struct Faults {
    std::uint64_t found = 0;
    double add(T cell) {
        const auto value = static_cast<double>(cell);
        if constexpr (std::is_floating_point_v<T>) // the exponent of what is not finite is all ones, and runs over into the sign
            found |= (std::bit_cast<std::uint64_t>(value) & ~(1ULL << 63)) + (1ULL << 52);
        else if constexpr (sizeof(T) == 8) { // beyond 2^53 on either side one of these is negative
            const auto bits = static_cast<std::uint64_t>(cell);
            found |= (std::is_signed_v<T> ? bits + (1ULL << 53) : bits) | ((1ULL << 53) - bits);
        }
        return value;
    }
    bool any() const { return found >> 63 != 0; }
};

// Side by side, so that none waits for the one before.
template <class T> using LineFaults = Faults<T>[kLine];
template <class T> bool any(const LineFaults<T>& faults) {
    return std::any_of(faults, faults + kLine, [](const Faults<T>& each) { return each.any(); });
}

// Cells that follow each other.
template <class T> bool copy_run(const T* from, std::int64_t n, double* to) {
    LineFaults<T> faults;
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
    return any<T>(faults);
}

// Row after row.
template <class T> bool copy_rows(const Grid<T>& from, std::int64_t first, std::int64_t last, double* to) {
    Faults<T> faults;
    bool faulty = false;
    for (std::int64_t i = first; i < last; ++i) {
        const T* const cell = from.at + i * from.row_step;
        double* const row = to + i * from.p;
        if (from.column_step == 1) faulty |= copy_run(cell, from.p, row);
        else
            for (std::int64_t j = 0; j < from.p; ++j) row[j] = faults.add(cell[j * from.column_step]);
    }
    return faulty || faults.any();
}

// Columns that lie apart, a few at a time, into the cache lines of the copy, each of which belongs to the row where it begins.
// Half a line after the other goes past the caches five times as slowly.
template <class T> class Columns {
  public:
    Columns(const Grid<T>& from, double* to) : from_(from), to_(to), much_(from.n * from.p > kMuch) {}

    // The lines of rows `first` .. `last`, and what comes before all lines.
    bool copy(std::int64_t first, std::int64_t last) {
        LineFaults<T> faults;
        if (first == 0) copy_part(0, 0, start(0));
        std::int64_t j = 0;
        for (; j + 2 * kLine <= from_.p; j += kLine)
            for (std::int64_t i = first; i < last; ++i) {
                const std::int64_t begin = j + start(i);
                const T* const cell = from_.at + i * from_.row_step + begin * from_.column_step;
                double line[kLine];
                for (int c = 0; c < kLine; ++c) line[c] = faults[c].add(cell[c * from_.column_step]);
                write_line(line, to_ + i * from_.p + begin);
            }
        for (std::int64_t i = first; i < last; ++i)
            for (std::int64_t begin = j + start(i); begin < from_.p; begin += kLine) copy_part(i, begin, kLine);
#ifdef __SSE2__
        _mm_sfence(); // other threads see what went past the caches
#endif
        return any<T>(faults) || faults_.any();
    }

  private:
    // The column where the first line of row i begins.
    std::int64_t start(std::int64_t i) const {
        return static_cast<std::int64_t>((0 - reinterpret_cast<std::uintptr_t>(to_ + i * from_.p) / sizeof(double)) % kLine);
    }

    // Up to `most` cells from (i, j) on, those of the next row too.
    void copy_part(std::int64_t i, std::int64_t j, std::int64_t most) {
        double* const to = to_ + i * from_.p + j;
        const std::int64_t count = std::min(most, (from_.n - i) * from_.p - j);
        double line[kLine];
        for (std::int64_t c = 0; c < count; ++c) {
            line[c] = faults_.add(from_.at[i * from_.row_step + j * from_.column_step]);
            if (++j == from_.p) j = 0, ++i;
        }
        if (count == kLine) write_line(line, to);
        else std::copy_n(line, count, to);
    }

    // Of much past the caches, which would read the line before it is overwritten.
    void write_line(const double* line, double* to) const {
#ifdef __SSE2__
        if (much_) {
            for (int c = 0; c < kLine; c += 2) _mm_stream_pd(to + c, _mm_loadu_pd(line + c));
            return;
        }
#endif
        std::copy_n(line, kLine, to);
    }

    const Grid<T> from_;
    double* const to_;
    const bool much_;
    Faults<T> faults_; // in parts
};

// The large pages in which the copy lies. The system clears a new one when it is first written to; measured on Linux, this
// takes half the time where its end is written to first.
class Pages {
  public:
    Pages(double* to, std::int64_t total)
        : to_(to), total_(total), before_(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(double) % kPage)) {}

    std::int64_t count() const { return total_ > 0 ? (before_ + total_ - 1) / kPage + 1 : 0; }
    std::int64_t begin(std::int64_t page) const { return std::clamp<std::int64_t>(page * kPage - before_, 0, total_); }
    void touch(std::int64_t page) const { *const_cast<volatile double*>(to_ + begin(page + 1) - 1) = 0; }

  private:
    double* const to_;
    const std::int64_t total_, before_;
};

} // namespace

template <class T> CellFacts copy_cells(const Grid<T>& from, double* to, int threads) {
    const bool one_run = from.column_step == 1 && (from.row_step == from.p || from.n == 1);
    const bool in_rows = from.p < kFew || std::abs(from.column_step) < std::abs(from.row_step);
    const Pages pages(to, from.n * from.p);
    std::atomic<bool> faulty{false};
    parallel_for({.n = pages.count(), .threads = threads}, [&](std::int64_t page) {
        const std::int64_t begin = pages.begin(page), end = pages.begin(page + 1);
        pages.touch(page);
        if (one_run && copy_run(from.at + begin, end - begin, to + begin)) faulty.store(true, std::memory_order_relaxed);
    });
    const std::int64_t height = std::clamp<std::int64_t>(from.n / (8 * std::max(threads, 1)), 64, 1024); // long enough to be read ahead
    parallel_for({.n = one_run ? 0 : (from.n + height - 1) / height, .threads = threads}, [&](std::int64_t band) {
        const std::int64_t first = band * height, last = std::min(first + height, from.n);
        if (in_rows ? copy_rows(from, first, last, to) : Columns<T>(from, to).copy(first, last)) faulty.store(true, std::memory_order_relaxed);
    });
    const bool whole = !std::is_floating_point_v<T>;
    return {.finite = whole || !faulty, .exact = !whole || !faulty};
}

template CellFacts copy_cells(const Grid<double>&, double*, int);
template CellFacts copy_cells(const Grid<float>&, double*, int);
template CellFacts copy_cells(const Grid<std::int64_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::uint64_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::int32_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::uint32_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::int16_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::uint16_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::int8_t>&, double*, int);
template CellFacts copy_cells(const Grid<std::uint8_t>&, double*, int);

} // namespace sepal
