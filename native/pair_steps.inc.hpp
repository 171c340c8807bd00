// The steps of pair_steps.cpp. Included there for each instruction set.

namespace sepal::SEPAL_ISA {
namespace {

// The best of the lanes: the largest value, the lowest place among equals.
SEPAL_ATTR SEPAL_INLINE Best best_lane(Doubles::V value, Doubles::V place) {
    using D = Doubles;
    double values[D::width], places[D::width];
    D::store(values, value);
    D::store(places, place);
    Best best{values[0], static_cast<std::int64_t>(places[0])};
    for (int k = 1; k < D::width; ++k) {
        const auto at = static_cast<std::int64_t>(places[k]);
        if (values[k] > best.value || (values[k] == best.value && at < best.at)) best = {values[k], at};
    }
    return best;
}

// f += step (row_i - row_j); the row that may rise with the lowest gradient (as its negative), and the highest
// gradient of those that may fall.
SEPAL_ATTR SEPAL_INLINE Best update(PairProblem& s, const double* row_i, const double* row_j, double step, double& highest) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    double ramp[W];
    for (int k = 0; k < W; ++k) ramp[k] = k;
    V place = D::load(ramp), best_place = place, best = D::fill(-kInfinity), high = D::fill(-kInfinity);
    const V move = D::fill(step), next = D::fill(W);
    for (std::int64_t k = 0; k < s.width; k += W) {
        const V f = D::load(&s.f[k]) + move * (D::load(row_i + k) - D::load(row_j + k));
        D::store(&s.f[k], f);
        const V rise = D::fill(0.0) - f - D::load(&s.no_rise[k]);
        const auto better = D::at_least(best, rise);
        best_place = D::pick(better, best_place, place);
        best = D::pick(better, best, rise);
        high = D::max(high, f - D::load(&s.no_fall[k]));
        place = place + next;
    }
    double lanes[W];
    D::store(lanes, high);
    highest = *std::max_element(lanes, lanes + W);
    return best_lane(best, best_place);
}

// The partner of i that lowers the objective most: (f_j - f_i)^2 / (K_ii + K_jj - 2 K_ij).
SEPAL_ATTR SEPAL_INLINE Best partner(const PairProblem& s, const double* row_i, double f_i, double k_ii) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    double ramp[W];
    for (int k = 0; k < W; ++k) ramp[k] = k;
    V place = D::load(ramp), best_place = place, best = D::fill(0.0);
    const V own = D::fill(k_ii), zero = D::fill(0.0), from = D::fill(f_i), next = D::fill(W), floor = D::fill(kFlattest);
    for (std::int64_t k = 0; k < s.width; k += W) {
        const V gap = D::max(D::load(&s.f[k]) - D::load(&s.no_fall[k]) - from, zero);
        const V k_ij = D::load(row_i + k);
        const V curvature = D::max(own + D::load(&s.diagonal[k]) - (k_ij + k_ij), floor);
        const V gain = gap * gap / curvature;
        const auto better = D::at_least(best, gain);
        best_place = D::pick(better, best_place, place);
        best = D::pick(better, best, gain);
        place = place + next;
    }
    return best_lane(best, best_place);
}

SEPAL_ATTR std::int64_t steps(PairProblem& s, double tol, std::int64_t most) {
    double highest;
    Best first = update(s, s.row(0), s.row(0), 0.0, highest);
    for (std::int64_t done = 0; done < most; ++done) {
        const double f_i = -first.value;
        if (!(highest - f_i >= tol)) return done;
        const std::int64_t i = first.at;
        const double* row_i = s.row(i);
        const Best second = partner(s, row_i, f_i, s.diagonal[i]);
        if (!(second.value > 0)) return done;
        const std::int64_t j = second.at;
        const double curvature = std::max(s.diagonal[i] + s.diagonal[j] - 2 * row_i[j], kFlattest);
        const double room_i = s.high[i] - s.beta[i], room_j = s.beta[j] - s.low[j];
        const double step = std::min({(s.f[j] - f_i) / curvature, room_i, room_j});
        const double b_i = step == room_i ? s.high[i] : s.beta[i] + step;
        const double b_j = step == room_j ? s.low[j] : s.beta[j] - step;
        if (b_i == s.beta[i] && b_j == s.beta[j]) return done; // below the resolution of float64
        s.beta[i] = b_i;
        s.beta[j] = b_j;
        note_bounds(s, i);
        note_bounds(s, j);
        first = update(s, row_i, s.row(j), step, highest);
    }
    return most;
}

} // namespace
} // namespace sepal::SEPAL_ISA
