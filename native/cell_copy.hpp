/// @brief Cells of any layout as float64, row by row: to[i][j] = from[i][j], in one pass that also tells what they hold.
#pragma once

#include <cstdint>

namespace sepal {

// Cell (i, j) is at[i * row_step + j * column_step].
template <class T> struct Grid {
    const T* at;
    std::int64_t n, p, row_step, column_step;
};

struct CellFacts {
    bool finite = true; // neither NaN nor infinite
    bool exact = true;  // no whole number beyond 2^53, which float64 may round
};

// For double, float and whole numbers of 1, 2, 4 and 8 bytes.
template <class T> CellFacts copy_cells(const Grid<T>& from, double* to, int threads);

} // namespace sepal
