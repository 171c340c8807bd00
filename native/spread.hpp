/// @brief Neighbour lists of distinct rows expanded to lists of rows: every entry becomes its copies, ordered by row within a tied group, without the row that asks.
#pragma once

#include <cstdint>
#include <vector>

namespace sepal {

// Ragged lists of distinct rows, nearest first; equal values are tied.
struct DistinctLists {
    const std::int64_t* start;
    const std::int32_t* entries;
    const double* values;
};

// The rows of each distinct row, ascending: members[start[g]] .. members[start[g + 1]].
struct CopyGroups {
    const std::int64_t* start;
    const std::int32_t* members;
    std::int64_t size(std::int32_t group) const { return start[group + 1] - start[group]; }
};

// Who asks: the list of each, its row and its distinct row, both -1 where it is none of the rows.
struct AskingRows {
    const std::int64_t* list;
    const std::int64_t* row;
    const std::int32_t* distinct;
    std::int64_t n;
};

struct RowLists {
    std::vector<std::int64_t> start, rows;
    std::vector<double> values;
};

// The first k of each list; `whole_ties` everyone tied with the k-th, too.
RowLists spread(const DistinctLists& lists, const CopyGroups& groups, const AskingRows& asking, std::int64_t k, bool whole_ties);

} // namespace sepal
