#include "pair_steps.hpp"

namespace sepal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFlattest = 1e-12; // curvature of a pair is never taken to be less

} // namespace
} // namespace sepal

#define SEPAL_HOT_FILE "pair_steps.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

void PairProblem::resize(std::int64_t q) {
    n = q;
    width = (q + lanes - 1) / lanes * lanes;
    for (auto* v : {&f, &beta, &low, &high, &diagonal}) v->assign(width, 0.0);
    for (auto* v : {&no_rise, &no_fall}) v->assign(width, std::numeric_limits<float>::infinity());
}

void PairProblem::set(std::int64_t k, double gradient, double b, double lowest, double highest, double curvature) {
    f[k] = gradient;
    beta[k] = b;
    low[k] = lowest;
    high[k] = highest;
    diagonal[k] = curvature;
    note_bounds(k);
}

double PairProblem::shift_weight(std::int64_t i, std::int64_t j, double k_ij) {
    const double curvature = std::max(diagonal[i] + diagonal[j] - 2 * k_ij, kFlattest);
    const double room_i = high[i] - beta[i], room_j = beta[j] - low[j];
    const double step = std::min({(f[j] - f[i]) / curvature, room_i, room_j});
    const double b_i = step == room_i ? high[i] : beta[i] + step;
    const double b_j = step == room_j ? low[j] : beta[j] - step;
    if (b_i == beta[i] && b_j == beta[j]) return 0;
    beta[i] = b_i;
    beta[j] = b_j;
    note_bounds(i);
    note_bounds(j);
    return step;
}

template <class Real> PairPasses<Real> pair_passes() { return {SEPAL_BEST(update<Real>), SEPAL_BEST(partner<Real>)}; }
template PairPasses<float> pair_passes<float>();
template PairPasses<double> pair_passes<double>();

} // namespace sepal
