/// @brief The passes of one step over all rows, f += s (K_i - K_j) and the best pair, for pair_steps.cpp; once per instruction set.

namespace sepal::SEPAL_ISA {
namespace {

// The best of the lanes: the largest value, the lowest place among equals.
SEPAL_ATTR SEPAL_INLINE PairBest best_lane(Doubles::V value, Doubles::V place) {
    using D = Doubles;
    double values[D::width], places[D::width];
    D::store(values, value);
    D::store(places, place);
    PairBest best{values[0], static_cast<std::int64_t>(places[0]), -kInfinity};
    for (int k = 1; k < D::width; ++k) {
        const auto at = static_cast<std::int64_t>(places[k]);
        if (values[k] > best.value || (values[k] == best.value && at < best.at)) best = {values[k], at, -kInfinity};
    }
    return best;
}

SEPAL_ATTR SEPAL_INLINE Doubles::V places_from(std::int64_t first) {
    double ramp[Doubles::width];
    for (int k = 0; k < Doubles::width; ++k) ramp[k] = static_cast<double>(first + k);
    return Doubles::load(ramp);
}

template <class Real>
SEPAL_ATTR PairBest update(PairProblem& s, const Real* row_i, const Real* row_j, double step, std::int64_t first, std::int64_t last) {
    using D = Doubles;
    using V = D::V;
    V place = places_from(first), best_place = place, best = D::fill(-kInfinity), high = D::fill(-kInfinity);
    const V move = D::fill(step), next = D::fill(D::width);
    double* f_at = s.f.data();
    const float *no_rise = s.no_rise.data(), *no_fall = s.no_fall.data();
    for (std::int64_t k = first; k < last; k += D::width) {
        const V f = D::load(f_at + k) + move * (D::widen(row_i + k) - D::widen(row_j + k));
        D::store(f_at + k, f);
        const V rise = D::fill(0.0) - f - D::widen(no_rise + k);
        const auto better = D::at_least(best, rise);
        best_place = D::pick(better, best_place, place);
        best = D::pick(better, best, rise);
        high = D::max(high, f - D::widen(no_fall + k));
        place = place + next;
    }
    double lanes[D::width];
    D::store(lanes, high);
    PairBest found = best_lane(best, best_place);
    found.highest = *std::max_element(lanes, lanes + D::width);
    return found;
}

template <class Real>
SEPAL_ATTR PairBest partner(const PairProblem& s, const Real* row_i, std::int64_t i, std::int64_t first, std::int64_t last) {
    using D = Doubles;
    using V = D::V;
    V place = places_from(first), best_place = place, best = D::fill(0.0);
    const V own = D::fill(s.diagonal[i]), zero = D::fill(0.0), from = D::fill(s.f[i]), next = D::fill(D::width), floor = D::fill(kFlattest);
    for (std::int64_t k = first; k < last; k += D::width) {
        const V gap = D::max(D::load(s.f.data() + k) - D::widen(s.no_fall.data() + k) - from, zero);
        const V k_ij = D::widen(row_i + k);
        const V curvature = D::max(own + D::load(s.diagonal.data() + k) - (k_ij + k_ij), floor);
        const V gain = gap * gap / curvature;
        const auto better = D::at_least(best, gain);
        best_place = D::pick(better, best_place, place);
        best = D::pick(better, best, gain);
        place = place + next;
    }
    return best_lane(best, best_place);
}

} // namespace
} // namespace sepal::SEPAL_ISA
