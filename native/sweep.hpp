/// @brief Criteria for many feature subsets S on the same rows: d_S(i, j)^2 = sum_{f in S} d_f(i, j)^2, one addition per pair and subset.
//
// A program walks a tree of subsets depth first; a stack of partial sums holds the path. Only additions: nothing drifts,
// and ties survive.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "ranking.hpp"

namespace sepal {

constexpr int kSweepAlign = 16; // every class starts at a multiple of this; gaps are padding

enum class Term : std::uint8_t { number, number_or_missing, level };

// Columns with the rows sorted by class and padded. A cell outside a row (row_of < 0) is padding.
template <class T> struct SweepData {
    const T* x;                      // n_columns x width
    std::int64_t width;              // multiple of kSweepAlign
    const std::int64_t* row_of;      // original row of a position, -1 for padding
    const std::int32_t* class_of;    // class of a position, -1 for padding
    const std::int64_t* class_start; // n_classes + 1 positions
    int n_classes;
    const std::uint8_t* term; // per column
    const T* cost;            // per column: of a mismatch or a missing cell
    const std::int64_t* group_of; // group of a position, whose rows are never each other's neighbours; null: none
};

// Step t adds `column[t]` to the sums of depth[t] - 1, giving those of depth[t]; out[t] >= 0 asks for the score there.
// Depth 0 is the sum of the base columns.
struct SweepProgram {
    const std::int32_t* depth;
    const std::int32_t* column;
    const std::int64_t* out;
    std::int64_t n_steps, n_out;
    std::vector<std::int32_t> base;
    int deepest;
    bool score_base; // out 0 is the base itself
};

enum class SweepTies { expected, index, pessimistic, optimistic };

struct SweepPlan {
    double tie; // values up to (1 + tie) * the smallest are tied with it
    int threads;
    Poll* poll;
};

// What can be asked of the distances of each subset.

// Thornton's index: the sum over rows, or with `samples` one value per row (n_out x n_rows).
struct AgreementQuestion {
    SweepTies ties;
    bool samples;
};
// Leave-one-out votes of the 1 .. k_max nearest (n_out x k_max sums, or samples for k = k_max only), or, with `survival`,
// the mean accuracy over splits (k_max = 1).
struct NeighborsQuestion {
    SweepTies ties; // expected or index
    bool samples;
    int k_max;
    std::int64_t ranks;     // how many ranks matter
    const double* survival; // null, or Q_0 .. Q_{n-1}: chance that none of the j nearest is a training row
};
// Sums over ordered pairs of k = exp(-gamma D), the diagonal counting as 1: per subset, gamma and doubling own, other and
// squares, and with `row_sums` squared row sums and row sums weighted by the size of the row's class (else 0):
// n_out x n_gammas x (n_doublings + 1) x 5.
struct KernelsQuestion {
    const double* gamma;       // n_out x n_gammas
    int n_gammas, n_doublings; // each gamma, its double, ... : a square each, no further exponential
    bool row_sums;
};
// How often each fraction of a binade of D occurs over unordered pairs: n_out x kSweepBins counts. Bin i holds the float32
// values whose bits begin with first + i; the first bin also what is smaller, the last what is larger.
constexpr int kSweepBinBits = 5;
constexpr int kSweepBins = 64 << kSweepBinBits;
struct HistogramQuestion {
    int first;
};

using Question = std::variant<AgreementQuestion, NeighborsQuestion, KernelsQuestion, HistogramQuestion>;

// Answers to all questions from one walk over the subsets, so that the distances are made once. False if stopped.
template <class T>
bool sweep(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, const std::vector<Question>& questions,
           std::vector<std::vector<double>>& answers);

// Thornton's index alone, which needs few of the sums themselves. One of `sums` and `samples` is null.
template <class T>
bool sweep_agreement(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, SweepTies ties, double* sums,
                     double* samples);

// Thornton's index under many labelings: labels is n_labelings values per position; sums is n_out x n_labelings.
template <class T>
bool sweep_labelings(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan,
                     const std::uint16_t* labels, std::int64_t n_labelings, double* sums);

} // namespace sepal
