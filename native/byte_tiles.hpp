/// @brief Products of rows of 8-bit integers, q_i.q_j, a block of rows against 16 columns, for processors that have an instruction for them.
#pragma once

#include "tiles.hpp"

namespace sepal {

constexpr int kQuad = 4; // columns that one instruction multiplies and adds

// For an even number of panels of 6 rows ([panel][quad][6][4], signed) and one panel of columns ([quad][16][4], each q + 128):
// h = sum + row_add[i] + col_add[j]; writes each pair with h >= min(row_limit[i], col_limit[j]) to `hits` and returns
// their number, without h. Sums are exact; h as float32 is rounded.
using BytePanelFunction = int (*)(const std::int8_t* rows, const std::int32_t* row_add, const float* row_limit, int n_row_panels,
                                  const std::uint8_t* cols, const std::int32_t* col_add, const float* col_limit, int quads,
                                  Hit<float>* hits);

// Null where this processor has no such instruction.
BytePanelFunction byte_panel_function();

constexpr int kBuckets = 2 * kPanelCols;

// For one panel of 6 rows and `n` panels of columns, each `step` panels after the one before: of each of 32 buckets of columns,
// which share none, the largest sum + col_add[j] into `best` and the number of its panel, 0 .. n - 1, into `panel` (both [6][32]).
using ByteBestFunction = void (*)(const std::int8_t* rows, const std::uint8_t* cols, const std::int32_t* col_add, std::int64_t n, std::int64_t step,
                                  int quads, std::int32_t* best, std::int32_t* panel);

ByteBestFunction byte_best_function();

// For hits among rows of float32 ([row][width]), the rows of both sides given from the first on: h = -|a_i - b_j|^2 / 2 of each,
// its terms summed in lanes.
using ByteMeasureFunction = void (*)(const float* left, const float* right, int width, Hit<float>* hits, int n);

ByteMeasureFunction byte_measure_function();

// A row as bytes, q = round(c y) cut off at 127: |c y - q|^2 summed in 16 lanes, |q|^2 and the sum of q.
struct RoundedRow {
    float off;
    std::int32_t square, sum;
};

// The bytes of p cells of float32 are written to `to`, unless that is null.
using ByteRoundFunction = RoundedRow (*)(const float* row, int p, float scale, std::int8_t* to);

ByteRoundFunction byte_round_function();

// Of n values, a multiple of 16, the names of `count` of the largest; of equal ones any.
using BytePickFunction = void (*)(const std::int32_t* values, const std::int32_t* names, int n, int count, std::int32_t* to);

BytePickFunction byte_pick_function();

} // namespace sepal
