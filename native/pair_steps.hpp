// Sequential minimal optimisation on a small dense problem: the step everything else waits for.
#pragma once

#include <cstdint>
#include <vector>

namespace sepal {

// minimise 1/2 b'Kb + (f0 - K b0)'b over low <= b <= high with the sum of b unchanged; f is the gradient at b.
struct PairProblem {
    static constexpr std::int64_t lanes = 8; // arrays are padded to a multiple of this
    void resize(std::int64_t q);
    void set(std::int64_t k, double gradient, double b, double lowest, double highest, double curvature);
    double* row(std::int64_t k) { return matrix.data() + k * width; }

    std::int64_t n = 0, width = 0;
    std::vector<double> matrix, f, beta, low, high, diagonal;
    std::vector<double> no_rise, no_fall; // 0 where b may rise (fall), infinity where it may not
};

// Takes steps until no pair violates by `tol` or more, at most `most` of them; returns how many.
using PairSteps = std::int64_t (*)(PairProblem& problem, double tol, std::int64_t most);
PairSteps pair_steps();

} // namespace sepal
