/// @brief The leading principal axes of a sample of rows, v_1 ... v_r with v_i.v_j = [i = j], those of largest variance first.
#pragma once

#include "ranking.hpp"

namespace sepal {

struct PrincipalAxes {
    int p = 0, count = 0;
    std::vector<double> mean;   // of the rows
    std::vector<double> v;      // (count, p)
    std::vector<double> spread; // variance of the sample along each axis
    double total = 0;           // variance of the sample in all directions
    double defect = 0;          // at least the norm of V V' - I: how far from orthonormal they are

    Points axes() const { return {v.data(), count, p}; }
};

// Orthogonal iteration on some of the rows, evenly spaced: axes need not be the best, only orthonormal, and `defect` is
// measured. Without spread (all rows equal) `count` is 0.
PrincipalAxes principal_axes(Points points, int count, int threads);

} // namespace sepal
