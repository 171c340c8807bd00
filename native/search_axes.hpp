/// @brief Exact Euclidean neighbours by principal axes: |u_i - u_j|^2 + (s_i - s_j)^2 <= |x_i - x_j|^2 rules out most pairs.
#pragma once

#include "ranking.hpp"

namespace sepal {

// Multiply-adds: of every pair in all columns, and those that were done.
struct AxisWork {
    double all = 0, rotation = 0, leading = 0, further = 0, finished = 0;
};

// `work`, if not null, is filled in unless the search fell back on tiles.
Ranking search_axes(Points points, Points queries, const Plan& plan, AxisWork* work = nullptr);

} // namespace sepal
