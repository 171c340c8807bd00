// All pairs of rows without storing them: blocks of values, the graph of near rows, the minimum spanning tree.
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

// Prim's algorithm: edge i joins `from[i]` and `to[i]`, n - 1 edges in the order they were found. Edges are ordered by
// value, then joining one class before joining two, then by lower and higher row; values that agree to about 2^-38 count
// as equal. With that order the tree is unique. Needs O(n p) memory. Empty if stopped by `poll`.
struct Tree {
    std::vector<std::int32_t> from, to;
    std::vector<double> values;
};
Tree spanning_tree(Points points, const std::int32_t* classes, const MetricSpec& metric, Poll* poll);

} // namespace sepal
