/// @brief The squared distance sum_f (a_f - b_f)^2, its terms summed in lanes; included for each instruction set by hot files.

namespace sepal::SEPAL_ISA {

// Off by a few units of rounding from the sum in the order of f: at most p + 2 of each.
template <class L, class T> SEPAL_ATTR inline T lane_squared_distance(const T* a, const T* b, int p) {
    constexpr int W = L::width;
    typename L::V sums[4] = {L::fill(0), L::fill(0), L::fill(0), L::fill(0)};
    int f = 0;
    for (; f + 4 * W <= p; f += 4 * W)
        for (int s = 0; s < 4; ++s) {
            const typename L::V t = L::load(a + f + s * W) - L::load(b + f + s * W);
            sums[s] += t * t;
        }
    for (; f + W <= p; f += W) {
        const typename L::V t = L::load(a + f) - L::load(b + f);
        sums[0] += t * t;
    }
    T parts[W], sum = 0;
    L::store(parts, (sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (const T part : parts) sum += part;
    for (; f < p; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

SEPAL_ATTR inline float float_lane_sum(const float* a, const float* b, int p) { return lane_squared_distance<Floats>(a, b, p); }


} // namespace sepal::SEPAL_ISA
