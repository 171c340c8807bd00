/// @brief Equal rows: one hash, h(row) = sum_f mix(bits(x_f) ^ mix(f)) mod 2^64, mix as in splitmix64, and groups of equal rows by it.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

// mix(0), ..., mix(p - 1): so that equal cells in two columns count differently.
std::vector<std::uint64_t> column_marks(int p);

// The hash of a row given by the bits of its cells, one for each mark.
std::uint64_t row_hash(const std::uint64_t* cells, const std::vector<std::uint64_t>& marks);

// The group of each row, numbered in the order of first rows, and the first row of each group.
struct RowGroups {
    std::vector<std::int32_t> group_of, first;
};

// -0 and +0 are one value, and so are all NaNs: a missing cell equals a missing cell here.
RowGroups distinct_rows(Points points, int threads);

// Rows of bits, n times p of them; all bits count.
RowGroups distinct_keys(const std::uint64_t* cells, std::int64_t n, int p, int threads);

} // namespace sepal
