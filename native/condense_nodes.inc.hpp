/// @brief Bounds on d(x, z) from below, prototypes z against the boxes of eight children, for condense_nodes.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

// Whoever is nearer to a center than the leader of its class leads.
SEPAL_ATTR inline void lead(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const double* center, const Leaders& leaders) {
    using D = Doubles;
    constexpr int W = D::width;
    const int p = fresh.p;
    for (std::int64_t i = 0; i < n; ++i) {
        const double* z = fresh.rows + std::int64_t{given[i]} * p;
        const std::int64_t code = fresh.codes[given[i]];
        double* const best = leaders.squares + code * kChildren;
        for (int lane = 0; lane < kChildren; lane += W) {
            D::V sum = D::fill(0);
            for (int f = 0; f < p; ++f) {
                const D::V d = D::fill(z[f]) - D::load(center + f * kChildren + lane);
                sum += d * d;
            }
            unsigned nearer = D::bits(D::below(sum, D::load(best + lane)));
            if (nearer == 0) continue;
            double sums[W];
            D::store(sums, sum);
            for (int j = 0; j < W; ++j)
                if (nearer >> j & 1) {
                    best[lane + j] = sums[j];
                    for (int f = 0; f < p; ++f) leaders.rows[(code * p + f) * kChildren + lane + j] = z[f];
                }
        }
    }
}

template <Metric M>
SEPAL_ATTR void near_children(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const ChildBoxes& boxes,
                              const Leaders& leaders, std::int32_t* const* near, std::int32_t** ends) {
    using D = Doubles;
    constexpr int W = D::width;
    const int p = fresh.p;
    const bool led = M == Metric::l2 && leaders.rows != nullptr;
    if (led) lead(fresh, given, n, boxes.center, leaders);
    const D::V none = D::fill(0), rounded = D::fill(1 - 1e-12); // the values themselves may be rounded otherwise
    const D::V apart = D::fill(2 * (64 * fresh.tie + 1e-11));   // a share of a bound on all squared distances at hand
    std::int32_t* end[kChildren];
    std::copy_n(near, kChildren, end);
    for (std::int64_t i = 0; i < n; ++i) {
        const double* z = fresh.rows + std::int64_t{given[i]} * p;
        const std::int64_t code = fresh.codes[given[i]];
        unsigned mask = 0;
        for (int lane = 0; lane < kChildren; lane += W) {
            D::V beyond = none, square = none, swing = none;
            for (int f = 0; f < p; ++f) {
                const D::V at = D::fill(z[f]), half = D::load(boxes.half + f * kChildren + lane);
                const D::V d = D::abs(at - D::load(boxes.center + f * kChildren + lane)), gap = D::max(d - half, none);
                if constexpr (M == Metric::l2) beyond += gap * gap;
                else if constexpr (M == Metric::l1) beyond += gap;
                else beyond = D::max(beyond, gap);
                if (led) {
                    square += d * d;
                    swing += half * D::abs(at - D::load(leaders.rows + (code * p + f) * kChildren + lane));
                }
            }
            unsigned within = D::bits(D::at_most(beyond * rounded, D::load(boxes.reach + lane)));
            if (led) {
                // |x - z|^2 - |x - leader|^2 is least at a corner, where it is this.
                const D::V least = square - D::load(leaders.squares + code * kChildren + lane) - swing - swing;
                within &= D::bits(D::at_most(least, apart * (square + D::load(boxes.square + lane))));
            }
            mask |= within << lane;
        }
        for (int k = 0; k < kChildren; ++k) { // how many it passes to cannot be foretold: nothing branches on it
            *end[k] = given[i];
            end[k] += mask >> k & 1;
        }
    }
    std::copy_n(end, kChildren, ends);
}

} // namespace sepal::SEPAL_ISA
