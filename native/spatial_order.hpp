/// @brief An order of rows by recursive median splits of the widest column: neighbours in space become neighbours in memory.
#pragma once

#include "ranking.hpp"

namespace sepal {

// Splits at the median of the widest side until at most `block` rows are left; every block but the last is full.
std::vector<std::int32_t> spatial_order(Points points, int block, int threads);

} // namespace sepal
