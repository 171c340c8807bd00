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
    void tell(CellFacts& facts) const {
        if (any()) (std::is_floating_point_v<T> ? facts.finite : facts.exact) = false;
    }
};

// Cells that follow each other.
template <class T> CellFacts copy_run(const T* from, std::int64_t n, double* to) {
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
    CellFacts facts;
    for (const Faults<T>& each : faults) each.tell(facts);
    return facts;
}

// Row after row.
template <class T> CellFacts copy_rows(const Grid<T>& from, std::int64_t first, std::int64_t last, double* to) {
    CellFacts facts;
    Faults<T> faults;
    for (std::int64_t i = first; i < last; ++i) {
        const T* const cell = from.at + i * from.row_step;
        double* const row = to + i * from.p;
        if (from.column_step == 1) facts.add(copy_run(cell, from.p, row));
        else
            for (std::int64_t j = 0; j < from.p; ++j) row[j] = faults.add(cell[j * from.column_step]);
    }
    faults.tell(facts);
    return facts;
}

// Whole numbers below 2^51 on either side, whose bits added to those of 1.5 * 2^52 give a float64 that is as much larger: several at a time, where
// processors convert one after the other. False if one is not below.
template <class T> bool read_small(const T* __restrict cell, std::int64_t count, double* __restrict to) {
    constexpr double kLarge = 0x1.8p52;
    std::uint64_t beyond = 0;
    for (std::int64_t r = 0; r < count; ++r) {
        const auto bits = static_cast<std::uint64_t>(cell[r]);
        beyond |= std::is_signed_v<T> ? (bits + (1ULL << 51)) >> 52 : bits >> 51;
        to[r] = std::bit_cast<double>(bits + std::bit_cast<std::uint64_t>(kLarge)) - kLarge;
    }
    return beyond == 0;
}

// Cells of one column, for all that are to be copied column by column.
template <class T>
void read_cells(const CellColumn& from, std::int64_t i, std::int64_t count, double* to, std::int64_t to_step, CellFacts& facts) {
    const T* const cell = static_cast<const T*>(from.at) + i * from.step;
    Faults<T> faults;
    const bool in_line = from.step == 1 && to_step == 1;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        if (in_line && read_small(cell, count, to)) return;
    if (in_line) // the compiler takes several at a time
        for (std::int64_t r = 0; r < count; ++r) to[r] = faults.add(cell[r]);
    else
        for (std::int64_t r = 0; r < count; ++r) to[r * to_step] = faults.add(cell[r * from.step]);
    faults.tell(facts);
}

// Columns that lie apart, a few at a time, into the cache lines of the copy, each of which belongs to the row where it begins.
// Half a line after the other goes past the caches five times as slowly.
class Columns {
  public:
    Columns(const std::vector<CellColumn>& from, std::int64_t n, double* to)
        : from_(from), n_(n), p_(static_cast<std::int64_t>(from.size())), to_(to), much_(n * p_ > kMuch) {}

    // Rows `first` .. `last`; of many columns their lines, and what comes before all lines.
    CellFacts copy(std::int64_t first, std::int64_t last) {
        if (p_ < kFew) {
            for (std::int64_t i = first; i < last; i += kHeight) read(i, std::min(kHeight, last - i), 0, p_, to_ + i * p_, p_, 1);
            return facts_;
        }
        if (first == 0) read(0, 1, 0, start(0), to_, p_, 1);
        std::int64_t j = 0;
        for (; j + 2 * kLine <= p_; j += kLine)
            for (std::int64_t i = first; i < last; i += kHeight) copy_lines(i, std::min(kHeight, last - i), j);
        for (std::int64_t i = first; i < last; i += kHeight) copy_ends(i, std::min(kHeight, last - i), j);
#ifdef __SSE2__
        _mm_sfence(); // other threads see what went past the caches
#endif
        return facts_;
    }

  private:
    static constexpr std::int64_t kHeight = 64;       // rows that are kept in the nearest cache, column after column
    static constexpr std::int64_t kWidth = 3 * kLine; // columns of them at the most

    // The column where the first line of row i begins.
    std::int64_t start(std::int64_t i) const {
        return static_cast<std::int64_t>((0 - reinterpret_cast<std::uintptr_t>(to_ + i * p_) / sizeof(double)) % kLine);
    }

    // Cells of `rows` rows from row i on, columns `begin` .. `end`, into to[r * row_step + (j - begin) * column_step].
    void read(std::int64_t i, std::int64_t rows, std::int64_t begin, std::int64_t end, double* to, std::int64_t row_step, std::int64_t column_step) {
        for (std::int64_t j = begin; j < end; ++j) from_[j].read(from_[j], i, rows, to + (j - begin) * column_step, row_step, facts_);
    }
    void read_near(std::int64_t i, std::int64_t rows, std::int64_t begin, std::int64_t end, std::int64_t place) {
        read(i, rows, begin, end, near_ + place * kHeight, 1, kHeight);
    }

    // The line of each row that begins at one of columns j .. j + 7.
    void copy_lines(std::int64_t i, std::int64_t rows, std::int64_t j) {
        const bool even = p_ % kLine == 0; // all begin at the same
        const std::int64_t begin = even ? start(i) : 0, end = begin + (even ? kLine : 2 * kLine - 1);
        read_near(i, rows, j + begin, j + end, begin);
        for (std::int64_t r = 0; r < rows; ++r) write_line(r, start(i + r), kLine, to_ + (i + r) * p_ + j);
    }

    // The lines that begin at column j or after it; the last of a row ends in the next row, where there is one.
    void copy_ends(std::int64_t i, std::int64_t rows, std::int64_t j) {
        const std::int64_t width = p_ - j;
        read_near(i, rows, j, p_, 0);
        read_near(i + 1, std::min(rows, n_ - i - 1), 0, kLine, width);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t at = start(i + r); at < width; at += kLine)
                write_line(r, at, i + r + 1 < n_ ? kLine : std::min<std::int64_t>(kLine, width - at), to_ + (i + r) * p_ + j);
    }

    // Cells `at` .. `at` + `count` of row r, into to[at], ...: whole lines of much past the caches, which would read a line
    // before it is overwritten.
    void write_line(std::int64_t r, std::int64_t at, std::int64_t count, double* to) const {
        const double* const cell = near_ + at * kHeight + r;
#ifdef __SSE2__
        if (much_ && count == kLine) {
            for (int c = 0; c < kLine; c += 2) _mm_stream_pd(to + at + c, _mm_set_pd(cell[(c + 1) * kHeight], cell[c * kHeight]));
            return;
        }
#endif
        for (std::int64_t c = 0; c < count; ++c) to[at + c] = cell[c * kHeight];
    }

    const std::vector<CellColumn>& from_;
    const std::int64_t n_, p_;
    double* const to_;
    const bool much_;
    CellFacts facts_;
    double near_[kHeight * kWidth];
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

// Parts on threads; `copy(part)` tells what it found.
template <class F> CellFacts in_parts(std::int64_t n, int threads, const F& copy) {
    std::atomic<bool> finite{true}, exact{true};
    parallel_for({.n = n, .threads = threads}, [&](std::int64_t part) {
        const CellFacts found = copy(part);
        if (!found.finite) finite.store(false, std::memory_order_relaxed);
        if (!found.exact) exact.store(false, std::memory_order_relaxed);
    });
    return {.finite = finite, .exact = exact};
}

// The same for bands of rows `first` .. `last`, each long enough to be read ahead, into pages that are there already.
template <class F> CellFacts in_bands(const Pages& pages, std::int64_t n, int threads, const F& copy) {
    parallel_for({.n = pages.count(), .threads = threads}, [&](std::int64_t page) { pages.touch(page); });
    const std::int64_t height = std::clamp<std::int64_t>(n / (8 * std::max(threads, 1)), 64, 1024);
    return in_parts((n + height - 1) / height, threads, [&](std::int64_t band) { return copy(band * height, std::min((band + 1) * height, n)); });
}

} // namespace

template <class T> CellColumn cell_column(const T* at, std::int64_t step) { return {.at = at, .step = step, .read = read_cells<T>}; }

CellFacts copy_columns(const std::vector<CellColumn>& from, std::int64_t n, double* to, int threads) {
    const Pages pages(to, n * static_cast<std::int64_t>(from.size()));
    return in_bands(pages, n, threads, [&](std::int64_t first, std::int64_t last) { return Columns(from, n, to).copy(first, last); });
}

template <class T> CellFacts copy_cells(const Grid<T>& from, double* to, int threads) {
    const Pages pages(to, from.n * from.p);
    if (from.column_step == 1 && (from.row_step == from.p || from.n == 1))
        return in_parts(pages.count(), threads, [&](std::int64_t page) {
            const std::int64_t begin = pages.begin(page), end = pages.begin(page + 1);
            pages.touch(page);
            return copy_run(from.at + begin, end - begin, to + begin);
        });
    if (std::abs(from.column_step) < std::abs(from.row_step))
        return in_bands(pages, from.n, threads, [&](std::int64_t first, std::int64_t last) { return copy_rows(from, first, last, to); });
    std::vector<CellColumn> columns;
    columns.reserve(from.p);
    for (std::int64_t j = 0; j < from.p; ++j) columns.push_back(cell_column(from.at + j * from.column_step, from.row_step));
    return copy_columns(columns, from.n, to, threads);
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
template CellColumn cell_column(const double*, std::int64_t);
template CellColumn cell_column(const float*, std::int64_t);
template CellColumn cell_column(const std::int64_t*, std::int64_t);
template CellColumn cell_column(const std::uint64_t*, std::int64_t);
template CellColumn cell_column(const std::int32_t*, std::int64_t);
template CellColumn cell_column(const std::uint32_t*, std::int64_t);
template CellColumn cell_column(const std::int16_t*, std::int64_t);
template CellColumn cell_column(const std::uint16_t*, std::int64_t);
template CellColumn cell_column(const std::int8_t*, std::int64_t);
template CellColumn cell_column(const std::uint8_t*, std::int64_t);

} // namespace sepal
