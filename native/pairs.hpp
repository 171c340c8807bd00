/// @brief Matrix of distances d(x_i, z_j) in blocks, and the graph of pairs with d(x_i, x_j) below the limit of one of both.
#pragma once

#include "ranking.hpp"

namespace sepal {

// values[i * points.n + j]: the metric's value between query i and point j. False if stopped by `poll`.
bool pair_values(Points points, Points queries, const MetricSpec& metric, int threads, Poll* poll, double* values);

// The graph of points whose value is below the limit of at least one of both: the neighbours of i are neighbors[start[i] .. start[i + 1]), ascending,
// and shared[i] is the sum, over them, of the neighbours they share with i. Needs n^2 bits. Empty if stopped by `poll`.
struct NearGraph {
    std::vector<std::int64_t> start, shared;
    std::vector<std::int32_t> neighbors;
};
NearGraph near_graph(Points points, const double* limits, const MetricSpec& metric, int threads, Poll* poll);

} // namespace sepal
