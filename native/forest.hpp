/// @brief Random forest on binned columns (bagged trees, Gini or variance splits) with out-of-bag votes: trees that did not draw a row.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

struct ForestInput {
    const std::uint8_t* bins; // (n_columns, n_rows)
    std::int64_t n_rows;
    int n_columns;
    const std::int32_t* classes; // null for numbers
    const double* numbers;       // null for classes
    int n_outputs;               // number of classes; 1 for numbers
    const double* drawn;         // running sums of the rows' chances to be drawn, the last 1; null: all alike
};

struct ForestChoice {
    int n_trees;
    std::int64_t sample; // rows drawn, with replacement, for each tree
    int tries;           // columns that vary looked at for each split
    int least;           // rows in a leaf
    std::uint64_t seed;
};

// Nodes of all trees, one tree after the other. A leaf has column -1; its outputs are entries
// leaf_start[child] .. leaf_start[child + 1]. An inner node sends bins <= cut to `child`, others to `child` + 1.
struct Forest {
    std::vector<std::int64_t> tree_start;
    std::vector<std::int32_t> column, cut;
    std::vector<std::int64_t> child;
    std::vector<std::int64_t> leaf_start;
    std::vector<std::int32_t> leaf_output;
    std::vector<double> leaf_value;
};

struct ForestVotes {
    std::vector<double> sums;         // (n_rows, n_outputs)
    std::vector<std::int32_t> counts; // trees that voted for the row
};

Forest grow_forest(const ForestInput& in, const ForestChoice& choice, ForestVotes& left_out, int threads, Poll* poll);

// Mean output of all trees for new rows, (n_rows, n_outputs).
struct ForestView {
    const std::int64_t* tree_start;
    std::int64_t n_trees;
    const std::int32_t *column, *cut;
    const std::int64_t *child, *leaf_start;
    const std::int32_t* leaf_output;
    const double* leaf_value;
};
std::vector<double> forest_means(const ForestView& forest, const std::uint8_t* bins, std::int64_t n_rows,
                                 int n_outputs, int threads);

} // namespace sepal
