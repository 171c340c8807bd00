#include "pair_steps.hpp"

#include <algorithm>
#include <limits>

namespace sepal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFlattest = 1e-12; // curvature of a pair is never taken to be less

struct Best {
    double value;
    std::int64_t at;
};

inline void note_bounds(PairProblem& s, std::int64_t k) {
    s.no_rise[k] = s.beta[k] < s.high[k] ? 0.0 : kInfinity;
    s.no_fall[k] = s.beta[k] > s.low[k] ? 0.0 : kInfinity;
}

} // namespace
} // namespace sepal

#define SEPAL_HOT_FILE "pair_steps.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

void PairProblem::resize(std::int64_t q) {
    n = q;
    const std::int64_t wanted = (q + lanes - 1) / lanes * lanes;
    if (wanted != width || q * wanted != static_cast<std::int64_t>(matrix.size())) {
        width = wanted;
        matrix.assign(static_cast<std::size_t>(q) * width, 0.0);
    }
    for (auto* v : {&f, &beta, &low, &high, &diagonal}) v->assign(width, 0.0);
    no_rise.assign(width, kInfinity);
    no_fall.assign(width, kInfinity);
}

void PairProblem::set(std::int64_t k, double gradient, double b, double lowest, double highest, double curvature) {
    f[k] = gradient;
    beta[k] = b;
    low[k] = lowest;
    high[k] = highest;
    diagonal[k] = curvature;
    note_bounds(*this, k);
}

PairSteps pair_steps() { return SEPAL_BEST(steps); }

} // namespace sepal
