/// @brief Support vector machine with a free bias, the exact dual: minimise 1/2 b'Kb - t'b over sum b = 0, low <= b <= high.
//
// b_i = a_i t_i, where a row of class t = +1 has the box [0, C_i] and one of class -1 the box [-C_i, 0]. Decision:
// (Kb)(x) + bias.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "dual_kernel.hpp"

namespace sepal {

// Where kernel values come from: rows of features, or a whole matrix (then `gram` is set and `x` is not used).
struct KernelSource {
    Points x;
    KernelSpec spec;
    const double* gram; // n x n, row-major, or null
    std::int64_t n;
};

struct DualPlan {
    double tol;          // stop when no pair violates optimality by more
    bool narrow;         // kernel rows in float32, as long as that cannot show in the answer
    double cache_bytes;  // kept kernel rows
    double deadline;     // seconds; infinite without a limit
    std::int64_t most_steps; // of each pair of classes
    int threads;
    Poll* poll;          // may be null
};

// How a solution ended. stalled: no step changes anything in floating point. out_of_steps: of the sweeps of the Adatron,
// too. diverged: no bias balances the classes.
enum class SolverStatus { solved, out_of_time, stopped, stalled, out_of_steps, diverged };

struct DualAnswer {
    std::vector<double> beta;
    std::vector<double> product; // Kb, in the order of the rows
    double bias = 0;
    double violation = 0; // of the worst pair
    std::int64_t iterations = 0;
    SolverStatus status = SolverStatus::solved;
};

// The problem of some of the rows. `beta` is the start: inside the box, with sum 0 (all zeros will do).
// All arrays have one place for every row of the source; those of other rows are not looked at.
DualAnswer dual_solve(const KernelSource& source, const std::vector<std::int32_t>& members, const double* t,
                      const double* low, const double* high, std::vector<double> beta, const DualPlan& plan);

// One against one: rows are sorted by class, class c has rows start[c] .. start[c + 1], row i may weigh at most box[i].
// The pairs come as (0,1), (0,2), ..., (1,2), ...; in each the later class is the positive one. The answer of pair k
// has the members of its first class, then those of its second. `start_beta` has one start per pair, or is empty.
std::vector<DualAnswer> dual_solve_pairs(const KernelSource& source, const std::vector<std::int64_t>& start,
                                         const double* box, const std::vector<std::vector<double>>& start_beta,
                                         const DualPlan& plan);

// The bias that a gradient f = Kb - t stands for: the mean over free rows, else the middle of what the others allow.
double dual_bias(const double* f, const double* beta, const double* low, const double* high, std::int64_t n);

// A solution, one place per member: signs, boxes, beta, its product Kb, and the weight that copies of a row may still
// have when one of them goes.
struct DualWhole {
    const double *t, *low, *high, *left, *beta, *product;
};

// The decision values of some members, each by the machine without it, from the whole solution. A row that takes more
// than `most` steps has the decision they lead to, and is not `solved`. False when stopped.
bool dual_leave_one_out(const KernelSource& source, const std::vector<std::int32_t>& members, const DualWhole& whole,
                        const std::vector<std::int64_t>& which, std::int64_t most, const DualPlan& plan, double* decision,
                        std::int32_t* solved);

struct AdatronPlan {
    double omega, tol;
    std::int64_t max_sweeps;
    bool with_bias;
    double offset;  // the bias held without a search
    double balance; // the sum of alpha t that counts as 0
    Poll* poll;
};

struct AdatronAnswer {
    std::vector<double> alpha, product; // product = K (alpha t)
    double bias = 0, violation = 0;
    std::int64_t sweeps = 0;
    SolverStatus status = SolverStatus::solved;
};

AdatronAnswer adatron_solve(const double* gram, std::int64_t n, const double* t, const double* box, const AdatronPlan& plan);

} // namespace sepal
