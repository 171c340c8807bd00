/// @brief Distances as sums over columns, sum_f g(x_f, z_f), in float64 and in SIMD lanes: several points against one row at a time.
//
// The order of the sum is the order of the columns and no multiply-add is fused, so that every path, lane width and
// processor gives the same value for the same pair. Included by the hot files, for each instruction set.

namespace sepal::SEPAL_ISA {

template <Metric M> struct Sum {
    using D = Doubles;
    using V = D::V;
    V total{}, count{}; // count: weight of the cells compared; tanimoto: of the union; bray_curtis: of the sums;
                        // haversine: product of the cosines of both latitudes

    SEPAL_ATTR SEPAL_INLINE void add(V x, V z, const MetricSpec& spec, int f) {
        const V t = x - z;
        if constexpr (M == Metric::l2 || M == Metric::unit_l2) total += t * t;
        if constexpr (M == Metric::l1) total += D::abs(t);
        if constexpr (M == Metric::linf) total = D::max(total, D::abs(t));
        if constexpr (M == Metric::lp) total += power(D::abs(t), spec.p);
        if constexpr (M == Metric::nan_l2) {
            const auto present = D::equal(t, t);
            total += D::pick(present, t * t, D::fill(0));
            count += D::pick(present, D::fill(spec.weights[f]), D::fill(0));
        }
        if constexpr (M == Metric::mixed) { // Wilson & Martinez 1997: a missing cell differs as much as a mismatch
            const V cost = D::fill(spec.weights[f]);
            if (f < spec.n_numeric) total += D::pick(D::equal(t, t), t * t, cost);
            else total += D::pick(D::equal(x, z), D::fill(0), cost);
        }
        if constexpr (M == Metric::gower) { // a code below 0 is absence: absent in both says nothing
            const V weight = D::fill(spec.weights[f]), none = D::fill(0);
            const auto present = D::equal(t, t);
            if (f < spec.n_numeric) {
                total += D::pick(present, weight * D::abs(t), none);
                count += D::pick(present, weight, none);
            } else {
                const V counted = D::pick(D::equal(t, none), D::pick(D::at_least(x, none), weight, none), weight);
                total += D::pick(present, D::pick(D::equal(t, none), none, weight), none);
                count += D::pick(present, counted, none);
            }
        }
        if constexpr (M == Metric::tanimoto) {
            total += D::abs(t);
            count += D::max(x, z);
        }
        if constexpr (M == Metric::canberra) { // two zeros agree
            const V size = D::abs(x) + D::abs(z), none = D::fill(0);
            total += D::pick(D::equal(size, none), none, D::fill(spec.weights[f]) * (D::abs(t) / size));
        }
        if constexpr (M == Metric::bray_curtis) {
            total += D::fill(spec.weights[f]) * D::abs(t);
            count += D::fill(spec.weights[f]) * D::abs(x + z);
        }
        if constexpr (M == Metric::haversine) { // latitude, its cosine, longitude: hav(a) = sin^2(a / 2)
            if (f == 0) total = half_sine_squared(t);
            if (f == 1) count = x * z;
            if (f == 2) total += count * half_sine_squared(t);
        }
    }
    SEPAL_ATTR SEPAL_INLINE V value(int p) const {
        if constexpr (M == Metric::nan_l2) {
            const V none = D::fill(std::numeric_limits<double>::infinity());
            return D::pick(D::equal(count, D::fill(0)), none, total * (D::fill(p) / count));
        }
        if constexpr (M == Metric::gower) { // nothing to compare: infinitely far
            const V none = D::fill(std::numeric_limits<double>::infinity());
            return D::pick(D::equal(count, D::fill(0)), none, total / count);
        }
        if constexpr (M == Metric::tanimoto) // two empty sets are equal
            return D::pick(D::equal(count, D::fill(0)), D::fill(0), total / count);
        if constexpr (M == Metric::bray_curtis) { // two rows of zeros are equal; opposite rows have no common size
            const V none = D::fill(0), far = D::fill(std::numeric_limits<double>::infinity());
            return D::pick(D::equal(total, none), none, D::pick(D::equal(count, none), far, total / count));
        }
        if constexpr (M == Metric::unit_l2) // a row of NaN stands for a zero vector: at right angles to everything
            return D::pick(D::equal(total, total), total, D::fill(2));
        return total;
    }

  private:
    SEPAL_ATTR static SEPAL_INLINE V power(V t, double p) {
        double x[D::width];
        D::store(x, t);
        for (double& each : x) each = std::pow(each, p);
        return D::load(x);
    }
    SEPAL_ATTR static SEPAL_INLINE V half_sine_squared(V t) {
        double x[D::width];
        D::store(x, t);
        for (double& each : x) {
            const double s = std::sin(each / 2);
            each = s * s;
        }
        return D::load(x);
    }
};

} // namespace sepal::SEPAL_ISA
