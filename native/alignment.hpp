/// @brief Sums for kernel-target alignment over all pairs of rows, sum_ij w_i w_j exp(-g D_ij) and its squares, for many g in one pass.
//
// Nothing of size n x n is stored.
//
// Rows come sorted by class and cut into blocks that lie in one class each. A value is v = exp(-g D) - shift, with
// shift 1 for wide kernels: centred sums do not feel the shift, and without it they would cancel to nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

struct KernelStep {
    double g;
    bool doubles; // g is twice that of the step before: a square saves the exponential
    bool shifted;
};

struct AlignmentSums {
    std::vector<double> rows;    // [step][row]: sum_j w_j v_ij
    std::vector<double> within;  // [step][class]: sum over pairs of the class of w_i w_j v_ij
    std::vector<double> squares; // [step]: sum w_i w_j v_ij^2
    // The same with D exp(-g D) in the place of one v; empty unless asked for.
    std::vector<double> d_rows, d_within, d_squares;
};

struct AlignmentInput {
    Points points;               // sorted by class
    const double* weights;       // one per row
    const std::int32_t* classes; // one per row, ascending
    int n_classes;
    bool absolute; // D is the sum of absolute differences, not of squares
    bool derivative;
};

AlignmentSums alignment_sums(const AlignmentInput& in, const std::vector<KernelStep>& steps, int threads, Poll* poll);

} // namespace sepal
