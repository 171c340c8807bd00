/// @brief Lower bounds in float32 on |x_i - x_j|^2 = |x_i|^2 + |x_j|^2 - 2 x_i.x_j, a block of rows against 16 columns.
//
// With a = |x|^2 shrunk by more than the rounding error of everything below, a_i + a_j - 2 x_i.x_j is never
// above the true squared distance. Half of it, negated, is what the accumulators hold.
#pragma once

#include <cstdint>

namespace sepal {

constexpr int kPanelRows = 6;  // rows of a register tile
constexpr int kPanelCols = 16; // columns of a register tile

// A pair that may matter: row i of the block, column j of the panel, and h, which is larger the nearer they are.
template <class Real> struct Hit {
    std::int32_t i;
    std::int32_t j;
    Real h;
};

// For rows packed in panels of 6 ([panel][feature][6]) and one panel of columns ([feature][16]): writes each
// pair with h >= min(row_limit[i], col_limit[j]) to `hits` and returns their number.
// `half` is half the shrunken squared norm, a limit is minus half the bound of that row.
using PanelFunction = int (*)(const float* rows, const float* row_half, const float* row_limit, int n_row_panels,
                              const float* cols, const float* col_half, const float* col_limit, int p, Hit<float>* hits);

PanelFunction panel_function();

} // namespace sepal
