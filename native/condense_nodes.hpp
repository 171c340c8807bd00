/// @brief Pruning in a tree of cases: prototype z can matter to a child only where min over its box of d(x, z) <= its reach; eight boxes in lanes.
#pragma once

#include <cstdint>

#include "ranking.hpp"

namespace sepal {

constexpr int kChildren = 8;
constexpr int kSpare = 16; // numbers that are written in one piece

// Eight boxes, arrays of [feature][kChildren] or [kChildren]. A child that is not there has a reach below 0.
struct ChildBoxes {
    const double *center, *half; // no coordinate of a case differs from the center by more than half
    const double* square;        // sum of the squares of half
    const double* reach;         // no value above it matters to any case inside
};

// Of each class the prototype nearest to each center so far: [class][feature][kChildren], and its squared distance
// [class][kChildren], infinite where there is none. Null where these are not kept.
struct Leaders {
    double *rows, *squares;
};

struct FreshRows {
    const double* rows; // [prototype][feature]
    const std::int32_t* codes;
    int p;
    double tie;
};

// near[c] becomes the prototypes of `given` that may matter to a case in child c, in their order, with room for all of
// them and kSpare more; `ends` says where they end. One is left out only if it is farther than the child reaches, or if the
// leader of its class is nearer to every point of the box, by more than any tie (squared distances only: their difference
// is linear between the corners). Leaders are updated first; who leads always passes its box.
using NearChildren = void (*)(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const ChildBoxes& boxes,
                              const Leaders& leaders, std::int32_t* const* near, std::int32_t** ends);

// For l2, l1 and linf, and so many columns.
NearChildren near_children_function(Metric metric, int p);

} // namespace sepal
