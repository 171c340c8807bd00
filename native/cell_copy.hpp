/// @brief Cells of any layout as float64, row by row: to[i][j] = from[i][j], in one pass that also tells what they hold.
#pragma once

#include <cstdint>
#include <vector>

namespace sepal {

// Cell (i, j) is at[i * row_step + j * column_step].
template <class T> struct Grid {
    const T* at;
    std::int64_t n, p, row_step, column_step;
};

struct CellFacts {
    bool finite = true; // neither NaN nor infinite
    bool exact = true;  // no whole number beyond 2^53, which float64 may round
    void add(const CellFacts& other) { finite &= other.finite, exact &= other.exact; }
};

// For double, float and whole numbers of 1, 2, 4 and 8 bytes.
template <class T> CellFacts copy_cells(const Grid<T>& from, double* to, int threads);

// A column of a type of its own, anywhere in memory.
struct CellColumn {
    // `count` cells from cell i on, into to[0], to[to_step], ...; what is found is added to the facts.
    using Read = void (*)(const CellColumn&, std::int64_t i, std::int64_t count, double* to, std::int64_t to_step, CellFacts&);
    const void* at;
    std::int64_t step; // cells from one to the next
    Read read;
};
template <class T> CellColumn cell_column(const T* at, std::int64_t step); // for the same types

CellFacts copy_columns(const std::vector<CellColumn>& from, std::int64_t n, double* to, int threads);

} // namespace sepal
