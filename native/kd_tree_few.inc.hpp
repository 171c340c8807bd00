/// @brief The candidates of a query for a few neighbours in a k-d tree, by rounded squares; for kd_tree_squares.inc.hpp, once per instruction set.

namespace sepal::SEPAL_ISA {

// The candidates of a query for a few neighbours, by rounded squares; float64 decides about those that are left at the end.
struct Few {
    static constexpr int kMost = 24, kRoom = 96; // neighbours; candidates, two leaves more than neighbours at least
    int n = 0;
    float slot[kMost]; // the smallest squares, in order
    float square[kRoom];
    std::int32_t place[kRoom]; // leaf * kLeaf + point

    SEPAL_ATTR SEPAL_INLINE void begin() {
        std::fill_n(slot, kMost, std::numeric_limits<float>::infinity());
    }
    // A square into its place, where the largest goes, without a branch: the i-th becomes min(i-th, max(one before, value)).
    // What is read was written in the same pieces just before: other pieces would have to wait for the cache.
    SEPAL_ATTR SEPAL_INLINE void insert(float value, int k) {
        using F = Floats;
        const F::V own = F::fill(value);
        F::V before = F::fill(-std::numeric_limits<float>::infinity());
        for (int i = 0; i < k; i += F::width) {
            const F::V now = F::load(slot + i);
            F::store(slot + i, F::min(now, F::max(F::after(before, now), own)));
            before = now;
        }
    }
    SEPAL_ATTR SEPAL_INLINE void add(float value, std::int32_t at) {
        square[n] = value;
        place[n++] = at;
    }
    SEPAL_ATTR SEPAL_INLINE void cut(float limit) {
        int kept = 0;
        for (int i = 0; i < n; ++i) {
            square[kept] = square[i];
            place[kept] = place[i];
            kept += square[i] <= limit;
        }
        n = kept;
    }
};

// How many of these squares are smaller than each.
SEPAL_ATTR SEPAL_INLINE void count_smaller(const float* values, float* smaller) {
    using F = Floats;
    constexpr int N = kLeaf / F::width;
    F::V own[N], count[N];
    for (int v = 0; v < N; ++v) {
        own[v] = F::load(values + v * F::width);
        count[v] = F::fill(0);
    }
    const F::V one = F::fill(1);
    for (int c = 0; c < kLeaf; ++c) {
        const F::V each = F::fill(values[c]);
        for (int v = 0; v < N; ++v) count[v] += F::where(F::below(each, own[v]), one);
    }
    for (int v = 0; v < N; ++v) F::store(smaller + v * F::width, count[v]);
}

} // namespace sepal::SEPAL_ISA
