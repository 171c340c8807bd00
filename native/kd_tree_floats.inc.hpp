/// @brief Leaves and boxes of a k-d tree compared in float32 lanes: |x - z|^2 and the square of the gap to a box; for search_tree.cpp, once per instruction set.

#include "kd_tree_squares.inc.hpp"

namespace sepal::SEPAL_ISA {

SEPAL_ATTR SEPAL_INLINE Floats::V fused(Floats::V a, Floats::V b, Floats::V c) { // either rounding is within the bound
#if defined(SEPAL_VECTOR_EXTENSIONS) && defined(__x86_64__) && SEPAL_LANE_BYTES == 32
    return __builtin_ia32_vfmaddps256(a, b, c);
#else
    return a * b + c;
#endif
}

// One leaf of queries against the nodes and leaves of a tree. P is the number of columns where it is known in advance
// (short loops unroll), or 0.
template <int P> class FloatCells {
    using F = Floats;
    using V = F::V;
    static constexpr int W = F::width;

  public:
    using Tree = NarrowTree;
    static constexpr int kColumns = P;
    static constexpr SquareCosts kCosts{.node = {6, 0.45}, .ask = {2, 0.22}, .leaf = {4.5, 0.9}, .scan = {4.5, 0.45}, .kept = {3.6, 0}};

    SEPAL_ATTR FloatCells(const Tree& tree, const Tree& asking, std::int32_t leaf, int p)
        : tree_(tree), p_(P > 0 ? P : p), block_(asking.block(leaf)), lo_(asking.low(leaf)), hi_(asking.high(leaf)) {}

    SEPAL_ATTR SEPAL_INLINE void prefetch_leaf(std::int32_t leaf) const {
        for (int at = 0; at < p_ * kLeaf; at += 16) prefetch(tree_.block(leaf) + at);
    }
    SEPAL_ATTR SEPAL_INLINE void prefetch_node(std::int32_t node) const {
        for (int at = 0; at < 2 * p_ * kFan; at += 16) prefetch(tree_.lows(node) + at);
    }

    // How far the children of a node are from the box of the queries, and a bit for each that is within the widest limit.
    SEPAL_ATTR SEPAL_INLINE unsigned near_children(std::int32_t node, float widest, float* out) const {
        const float *lows = tree_.lows(node), *highs = tree_.highs(node);
        unsigned within = 0;
        const V none = F::fill(0);
        for (int v = 0; v < kFan; v += W) {
            V sum = none;
            for (int f = 0; f < p_; ++f) {
                const V gap = F::max(F::max(F::fill(lo_[f]) - F::load(highs + f * kFan + v), F::load(lows + f * kFan + v) - F::fill(hi_[f])), none);
                sum = fused(gap, gap, sum);
            }
            F::store(out + v, sum);
            within |= F::bits(F::at_most(sum, F::fill(widest))) << v;
        }
        return within;
    }

    // Bit q of who[c] is set where child c of a node may hold something within the limit of query q, of those that ask.
    SEPAL_ATTR SEPAL_INLINE void concerned_children(std::int32_t node, unsigned asking, const float* limits, unsigned* who) const {
        constexpr int N = kFan / W, kHalf = kLeaf / 2; // sums of so many different powers of two are exact
        const float *lows = tree_.lows(node), *highs = tree_.highs(node);
        const V none = F::fill(0);
        for (int half = 0; half < 2; ++half) {
            V bits[N];
            for (int v = 0; v < N; ++v) bits[v] = none;
            for (unsigned left = asking >> (half * kHalf) & 0xffffu; left != 0; left &= left - 1) {
                const int at = std::countr_zero(left), q = half * kHalf + at;
                const V limit = F::fill(limits[q]), bit = F::fill(static_cast<float>(1u << at));
                for (int v = 0; v < N; ++v) {
                    V sum = none;
                    for (int f = 0; f < p_; ++f) {
                        const V x = F::fill(block_[f * kLeaf + q]);
                        const V gap = F::max(F::max(F::load(lows + f * kFan + v * W) - x, x - F::load(highs + f * kFan + v * W)), none);
                        sum = fused(gap, gap, sum);
                    }
                    bits[v] += F::where(F::at_most(sum, limit), bit);
                }
            }
            float found[kFan];
            for (int v = 0; v < N; ++v) F::store(found + v * W, bits[v]);
            for (int c = 0; c < kFan; ++c) who[c] = half == 0 ? static_cast<unsigned>(found[c]) : who[c] | static_cast<unsigned>(found[c]) << kHalf;
        }
    }

    // Bit q is set where the box of a leaf may hold something within the limit of query q.
    SEPAL_ATTR SEPAL_INLINE unsigned concerned(std::int32_t leaf, const float* limits) const {
        constexpr int N = kLeaf / W;
        const float *lo = tree_.low(leaf), *hi = tree_.high(leaf);
        const V none = F::fill(0);
        V sums[N];
        for (int v = 0; v < N; ++v) sums[v] = none;
        for (int f = 0; f < p_; ++f) {
            const V low = F::fill(lo[f]), high = F::fill(hi[f]);
            for (int v = 0; v < N; ++v) {
                const V x = F::load(block_ + f * kLeaf + v * W), gap = F::max(F::max(low - x, x - high), none);
                sums[v] = fused(gap, gap, sums[v]);
            }
        }
        unsigned within = 0;
        for (int v = 0; v < N; ++v) within |= F::bits(F::at_most(sums[v], F::load(limits + v * W))) << (v * W);
        return within;
    }

    // Squares of two queries against the points of a leaf; bit c is set where point c is within the limit. The padding never is.
    SEPAL_ATTR SEPAL_INLINE void scan(int q, int r, std::int32_t leaf, const float* limits, float (*squares)[kLeaf], unsigned* within) const {
        constexpr int N = kLeaf / W;
        const float* points = tree_.block(leaf);
        V a[N], b[N];
        for (int v = 0; v < N; ++v) a[v] = b[v] = F::fill(0);
        for (int f = 0; f < p_; ++f) {
            const V x = F::fill(block_[f * kLeaf + q]), y = F::fill(block_[f * kLeaf + r]);
            for (int v = 0; v < N; ++v) {
                const V z = F::load(points + f * kLeaf + v * W), s = x - z, t = y - z;
                a[v] = fused(s, s, a[v]);
                b[v] = fused(t, t, b[v]);
            }
        }
        within[0] = within[1] = 0;
        for (int v = 0; v < N; ++v) {
            F::store(squares[q] + v * W, a[v]);
            F::store(squares[r] + v * W, b[v]);
            within[0] |= F::bits(F::at_most(a[v], F::fill(limits[q]))) << (v * W);
            within[1] |= F::bits(F::at_most(b[v], F::fill(limits[r]))) << (v * W);
        }
    }

  private:
    const Tree& tree_;
    const int p_;
    const float *const block_, *const lo_, *const hi_;
};

template <int P> SEPAL_ATTR void ask_floats(const Job& job, const NarrowJob<NarrowTree>& narrow) { AskingSquares<FloatCells<P>>(job, narrow).run(); }

} // namespace sepal::SEPAL_ISA
