/// @brief All pairs of a labelled table in one pass: nearest neighbours inside and outside the class, min d over y_j = y_i and y_j != y_i.
//
// Pairs of different classes come first: they give everyone the nearest enemies. Pairs inside a class then say at once
// who is nearest there, and how many are nearer than the enemy and nearer than a fixed value. Further rows, which are no
// part of the table, may ask for their nearest. On the way everyone keeps a few edges from which the minimum spanning
// tree grows.
#pragma once

#include "spanning_tree.hpp"

namespace sepal {

struct ClassQuestion {
    Points points; // distinct rows of each class, class after class
    const std::int32_t* classes;
    const double* copies;       // rows each of them stands for
    const std::int32_t* rows;   // the rank of the lowest of these
    Points further;             // rows that only ask
    const std::int32_t* further_classes;
    double tie, further_tie;    // values up to (1 + tie) * the smallest are tied with it
    double zero;                // values up to this are rounding noise of 0
    double slack;               // nearer than an enemy at m: below (1 - slack) * m
    bool compare_roots;         // ... or of a smaller square root, to the last digit
    double reach;               // near: below this; a negative one reaches nobody
    bool tree;                  // whether the spanning tree is wanted
};

struct ClassAnswer {
    Ranking enemies;                  // of each point, the nearest of other classes
    std::vector<double> own, n_own;   // the nearest other row of the class: value, infinite if there is none, and rows tied
    std::vector<double> nearer, near; // rows of the class that are nearer than the enemies, and near; itself included
    std::vector<double> further_tied, further_same; // rows in the nearest tied group, and those of the asking row's class
    std::vector<std::int32_t> tree_from, tree_to;   // points that an edge of the tree joins
};

// Answers do not depend on the number of threads. Empty if stopped by `poll`.
ClassAnswer class_pass(const ClassQuestion& question, const MetricSpec& metric, int threads, Poll* poll);

} // namespace sepal
