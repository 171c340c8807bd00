/// @brief k nearest neighbours among the last rows of a stream, one row after the other: test, then train (prequential).
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

// The rows in the window, in arrays that the caller owns. Rows are packed in panels of 8 ([panel][feature][8]) and
// stand in any order; `arrival` says which is older.
struct WindowRows {
    double* cells;
    std::int32_t* codes;
    std::int64_t* arrival;
    double* time;
    double *low, *high;    // of each column over the rows in the window; infinite and crossed where there is none
    std::int64_t n;        // rows in the window
    std::int64_t capacity; // rows the arrays can hold
    int p;
};

enum class Distances { root, plain, power, half }; // how a native value becomes a distance

struct WindowPlan {
    int k;
    bool by_distance; // votes weigh 1/d, and rows at distance 0 vote alone; else all alike
    Distances distances;
    MetricSpec metric;
    double tie, zero;
    const double* factors;         // per column, times one over its range in the window where
    const std::uint8_t* is_scaled; // says so
    std::int64_t most;        // rows the window may hold, 0 for no limit
    double max_age;           // rows older than this are forgotten, infinite for no limit
    std::int64_t class_quota; // rows of one class it may hold, 0 for no limit
    int edit_k;               // Wilson's editing with so many neighbours, 0 for none,
    std::int64_t edit_every;  // after so many rows
    int n_classes;
    int threads;
    Poll* poll;
};

struct WindowAnswer {
    std::vector<double> votes;       // n_queries x n_classes
    std::vector<std::int32_t> codes; // the class with most votes
};

// Votes for rows that are not learnt. `seen` counts all rows of each class so far: it answers for an empty window.
WindowAnswer window_predict(const WindowRows& rows, const WindowPlan& plan, Points queries, const double* seen);

// Learns rows in turn; with `test` each is predicted first. Returns the answers (codes only; -1 where nothing was
// known yet) and updates rows, seen and n_learnt.
WindowAnswer window_learn(WindowRows& rows, const WindowPlan& plan, Points given, const std::int32_t* codes,
                          const double* times, bool test, double* seen, std::int64_t& n_learnt);

} // namespace sepal
