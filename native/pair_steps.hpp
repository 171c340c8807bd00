/// @brief Sequential minimal optimisation, one step: the pair of largest gain (f_j - f_i)^2 / (K_ii + K_jj - 2 K_ij), and its update.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace sepal {

// minimise 1/2 b'Kb + (f0 - K b0)'b over low <= b <= high with the sum of b unchanged; f is the gradient at b.
struct PairProblem {
    static constexpr std::int64_t lanes = 8; // arrays are padded to a multiple of this, as rows of K must be
    void resize(std::int64_t q);
    void set(std::int64_t k, double gradient, double b, double lowest, double highest, double curvature);
    void note_bounds(std::int64_t k) {
        no_rise[k] = beta[k] < high[k] ? 0.0f : std::numeric_limits<float>::infinity();
        no_fall[k] = beta[k] > low[k] ? 0.0f : std::numeric_limits<float>::infinity();
    }
    // Moves weight from j to i as far as it pays and the bounds let it, but leaves f alone; returns how much. 0 when
    // that is below the resolution of float64.
    double shift_weight(std::int64_t i, std::int64_t j, double k_ij);

    std::int64_t n = 0, width = 0;
    std::vector<double> f, beta, low, high, diagonal;
    std::vector<float> no_rise, no_fall; // 0 where b may rise (fall), infinity where it may not
};

// A value and the lowest place that has it.
struct PairBest {
    double value;
    std::int64_t at;
    double highest; // of the gradients that may fall; from `update` only
};

// Both look at the places first .. last, which are multiples of the lanes.
template <class Real> struct PairPasses {
    // f += step (row_i - row_j); then the least gradient that may rise, as its negative, and the highest that may fall.
    PairBest (*update)(PairProblem& problem, const Real* row_i, const Real* row_j, double step, std::int64_t first, std::int64_t last);
    // The partner of i that lowers the objective most: (f_j - f_i)^2 / (K_ii + K_jj - 2 K_ij).
    PairBest (*partner)(const PairProblem& problem, const Real* row_i, std::int64_t i, std::int64_t first, std::int64_t last);
};
template <class Real> PairPasses<Real> pair_passes();

} // namespace sepal
