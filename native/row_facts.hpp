/// @brief What the planner asks about rows: how near near rows are, d_2 / median d, and in how many directions rows spread, (sum l)^2 / (sum l^2).
#pragma once

#include "ranking.hpp"

namespace sepal {

// The distance to the second nearest of some rows, and as a part of the median distance: medians of a few that ask. 0 where
// rows are too few to tell, or mostly equal.
struct Nearness {
    double distance = 0, relative = 0;
};
Nearness nearness(Points rows);

// Of the variances l along the principal axes, estimated from products of some rows: of independent rows x and z with mean 0 the
// mean of |x|^2 is the first sum, that of (x.z)^2 the second. 0 where rows do not spread.
double spread_directions(Points rows);

} // namespace sepal
