/// @brief Permutation distribution of Thornton's index, sum_ij a_ij [y_i = y_j], on a fixed graph a of nearest neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

// Rows stand group by group, equal rows together: group g is start[g] .. start[g+1]. A row without copies points at the
// groups nearest to it; edge_start, from and weight list, group by group, which rows point at it and what each row of it
// counts. Rows with copies point at each other.
struct LabelGraph {
    const std::int64_t* start;
    std::int64_t n_groups;
    const std::int64_t* edge_start;
    const std::int32_t* from;
    const double* weight;
};

// sum_ij a_ij [y_i = y_j] for the shuffles number first, first + 1, ... of the classes given. Each shuffle depends on
// the seed and its number alone.
std::vector<double> shuffled_agreement(const LabelGraph& graph, const std::int32_t* classes, std::int64_t n_rows,
                                       int n_classes, std::uint64_t seed, std::int64_t first, std::int64_t count,
                                       int threads, Poll* poll);

} // namespace sepal
