/// @brief A search by k-d tree that counts its work: squares of differences added up, between rows and between rows and boxes.
#pragma once

#include "ranking.hpp"

namespace sepal {

// `work`, if not null, is set to the multiply-adds that were done.
Ranking search_tree(Points points, Points queries, const MetricSpec& metric, const Plan& plan, double* work);

} // namespace sepal
