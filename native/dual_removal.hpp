/// @brief Decremental support vector machine: the path of the dual solution b while b_i of one row goes to its new bound, mostly 0.
//
// As the weight goes, the weights of the free rows and the bias change along a straight line, until a free row meets its
// bound or a row at a bound meets the margin: an active-set path, as in G. Cauwenberghs and T. Poggio, "Incremental and
// decremental support vector machine learning", NIPS 13 (2000). The matrix of the rows that are free at the start is
// inverted once for all removals, and all that a row has to do with it is known beforehand; so a step of a path costs a
// few sums of rows and a small system (a Schur complement) for the rows that have changed their state on the way.
#pragma once

#include <cstdint>

#include "ranking.hpp"

namespace sepal {

// Rows that may take part: those near the margin, or all. Beta is as in dual_solver.hpp. With M = [0 1'; 1 K + ridge]
// of the free rows and u_i = (1, K_i,free) of row i:
struct RemovalBase {
    std::int64_t n;
    const double* residual; // K_ij - u_i' M^-1 u_j, n x n
    const double *beta, *low, *high;
    const double* slack; // decision less the sign of the class: 0 where free, not below 0 at low, not above 0 at high
    std::int64_t n_free;
    const std::int32_t* free;    // places; one that stands at a bound is free in the inverse only
    const double* inverse;       // M^-1, (n_free + 1)^2
    const double* solved;        // u_i' M^-1, n x (n_free + 1)
    const double* solved_across; // the same, (n_free + 1) x n
    double ridge;
};

// The rows to go, one by one.
struct RemovalRows {
    std::int64_t n;
    const double* residual;    // with the rows of the base, n x base.n
    const double* solved;      // n x (base.n_free + 1)
    const double* own;         // the residual of each with itself
    const std::int32_t* place; // in the base, or -1
    const double* taken;       // the part of beta that goes
    const double* decision;    // of the whole solution
    const double* sign;
};

// turned: the decision changed its sign before all was taken, and the path ended there. alone: no row of the base can take
// what is left.
enum class RemovalStatus { ended, turned, alone, failed };

// All have one place, or one row of base.n places, for each row that goes.
struct RemovalAnswer {
    double* shift;            // the change of the bias
    double* gone;             // what was taken of its beta: all, unless the path ended before
    double* change;           // of beta
    std::int32_t* status;
};

// `until_sign_change` ends each path where the decision changes its sign. False when stopped by `poll`.
bool dual_removals(const RemovalBase& base, const RemovalRows& rows, bool until_sign_change, int threads, Poll* poll,
                   const RemovalAnswer& answer);

} // namespace sepal
