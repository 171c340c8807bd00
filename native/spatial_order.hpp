// An order of rows in which neighbours in space are neighbours in memory.
#pragma once

#include "ranking.hpp"

namespace sepal {

// Splits at the median of the widest side until at most `block` rows are left; every block but the last is full.
std::vector<std::int32_t> spatial_order(Points points, int block);

} // namespace sepal
