/// @brief Leaves and boxes of a k-d tree compared in 16-bit integers (AVX-512 VNNI): |w - v|^2 and the square of the gap to a box; for search_tree.cpp.

#include "kd_tree_squares.inc.hpp"

namespace sepal::SEPAL_ISA {

// sum += d . d, two columns a lane; by name, since from its intrinsic GCC 12 makes copies of the sum.
SEPAL_ATTR SEPAL_INLINE void add_squares(__m512i& sum, __m512i d) { asm("vpdpwssd %1, %1, %0" : "+v"(sum) : "v"(d)); }
SEPAL_ATTR SEPAL_INLINE void add_squares(__m256i& sum, __m256i d) { asm("vpdpwssd %1, %1, %0" : "+v"(sum) : "v"(d)); }

// One leaf of queries against the nodes and leaves of a tree, as FloatCells. G is the number of pairs of columns where it
// is known in advance, or 0.
template <int G> class WordCells {
    using Pair = WordTree::Pair;

  public:
    using Tree = WordTree;
    static constexpr int kColumns = 0; // known in advance
    static constexpr SquareCosts kCosts{.node = {6, 0.3}, .ask = {1.2, 0.1}, .leaf = {4.5, 0.4}, .scan = G > 0 && G <= 5 ? SquareCosts::Cost{2.6, 0.17} : SquareCosts::Cost{5, 0.33}, .kept = {3, 0}};

    SEPAL_ATTR WordCells(const Tree& tree, const Tree& asking, std::int32_t leaf, int)
        : tree_(tree), pairs_(tree.pairs()), block_(asking.block(leaf)), lo_(asking.low(leaf)), hi_(asking.high(leaf)) {}

    SEPAL_ATTR SEPAL_INLINE void prefetch_leaf(std::int32_t leaf) const {
        for (int at = 0; at < pairs() * kLeaf; at += 16) prefetch(tree_.block(leaf) + at);
    }
    SEPAL_ATTR SEPAL_INLINE void prefetch_node(std::int32_t node) const {
        for (int at = 0; at < 2 * pairs() * kFan; at += 16) prefetch(tree_.lows(node) + at);
    }

    SEPAL_ATTR SEPAL_INLINE unsigned near_children(std::int32_t node, float widest, float* out) const {
        static_assert(kFan == 8);
        const Pair *lows = tree_.lows(node), *highs = tree_.highs(node);
        __m256i sum = _mm256_setzero_si256();
        for (int g = 0; g < pairs(); ++g) {
            const __m256i below = _mm256_sub_epi16(_mm256_set1_epi32(bits(lo_[g])), eight(highs + g * kFan));
            const __m256i above = _mm256_sub_epi16(eight(lows + g * kFan), _mm256_set1_epi32(bits(hi_[g])));
            add_squares(sum, _mm256_max_epi16(_mm256_max_epi16(below, above), _mm256_setzero_si256()));
        }
        const __m256 squares = _mm256_cvtepi32_ps(sum);
        _mm256_storeu_ps(out, squares);
        return _mm256_cmp_ps_mask(squares, _mm256_set1_ps(widest), _CMP_LE_OQ);
    }

    // Two queries at a time, whose boxes are the lower and the upper half of a vector.
    SEPAL_ATTR SEPAL_INLINE void concerned_children(std::int32_t node, unsigned asking, const float* limits, unsigned* who) const {
        const Pair *lows = tree_.lows(node), *highs = tree_.highs(node);
        std::uint8_t of_query[kLeaf] = {}; // a bit for each child
        while (asking != 0) {
            const int q = std::countr_zero(asking);
            asking &= asking - 1;
            const int r = asking == 0 ? q : std::countr_zero(asking);
            asking &= asking - 1; // 0 stays 0
            __m512i sum = _mm512_setzero_si512();
            for (int g = 0; g < pairs(); ++g) {
                const __m512i x = halves(bits(block_[g * kLeaf + q]), bits(block_[g * kLeaf + r]));
                const __m512i low = _mm512_broadcast_i64x4(eight(lows + g * kFan)), high = _mm512_broadcast_i64x4(eight(highs + g * kFan));
                add_squares(sum, _mm512_max_epi16(_mm512_max_epi16(_mm512_sub_epi16(low, x), _mm512_sub_epi16(x, high)), _mm512_setzero_si512()));
            }
            const __m512 limit = _mm512_mask_broadcastss_ps(_mm512_set1_ps(limits[q]), 0xff00, _mm_load_ss(limits + r));
            const unsigned near = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(sum), limit, _CMP_LE_OQ);
            of_query[q] = static_cast<std::uint8_t>(near);
            of_query[r] = static_cast<std::uint8_t>(near >> kFan);
        }
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(of_query));
        for (int c = 0; c < kFan; ++c) who[c] = _mm256_movepi8_mask(_mm256_slli_epi16(all, kFan - 1 - c));
    }

    SEPAL_ATTR SEPAL_INLINE unsigned concerned(std::int32_t leaf, const float* limits) const {
        const Pair *lo = tree_.low(leaf), *hi = tree_.high(leaf);
        __m512i first = _mm512_setzero_si512(), second = first;
        for (int g = 0; g < pairs(); ++g) {
            const __m512i low = _mm512_set1_epi32(bits(lo[g])), high = _mm512_set1_epi32(bits(hi[g]));
            add_gaps(first, sixteen(block_ + g * kLeaf), low, high);
            add_gaps(second, sixteen(block_ + g * kLeaf + 16), low, high);
        }
        return both(_mm512_cmp_ps_mask(_mm512_cvtepi32_ps(first), _mm512_loadu_ps(limits), _CMP_LE_OQ),
                    _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(second), _mm512_loadu_ps(limits + 16), _CMP_LE_OQ));
    }

    SEPAL_ATTR SEPAL_INLINE void scan(int q, int r, std::int32_t leaf, const float* limits, float (*squares)[kLeaf], unsigned* within) const {
        const Pair* points = tree_.block(leaf);
        const unsigned present = tree_.present(leaf);
        __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
        for (int g = 0; g < pairs(); ++g) {
            const __m512i x = _mm512_set1_epi32(bits(block_[g * kLeaf + q])), y = _mm512_set1_epi32(bits(block_[g * kLeaf + r]));
            const __m512i first = sixteen(points + g * kLeaf), second = sixteen(points + g * kLeaf + 16);
            add_squares(a, _mm512_sub_epi16(x, first));
            add_squares(b, _mm512_sub_epi16(x, second));
            add_squares(c, _mm512_sub_epi16(y, first));
            add_squares(d, _mm512_sub_epi16(y, second));
        }
        within[0] = note(a, b, limits[q], squares[q]) & present;
        within[1] = note(c, d, limits[r], squares[r]) & present;
    }

  private:
    const Tree& tree_;
    const int pairs_;
    const Pair *const block_, *const lo_, *const hi_;

    SEPAL_ATTR SEPAL_INLINE int pairs() const { return G > 0 ? G : pairs_; }
    SEPAL_ATTR static SEPAL_INLINE int bits(Pair pair) { return std::bit_cast<int>(pair); }
    SEPAL_ATTR static SEPAL_INLINE __m256i eight(const Pair* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
    SEPAL_ATTR static SEPAL_INLINE __m512i sixteen(const Pair* from) { return _mm512_loadu_si512(from); }
    SEPAL_ATTR static SEPAL_INLINE __m512i halves(int lower, int upper) { return _mm512_mask_set1_epi32(_mm512_set1_epi32(lower), 0xff00, upper); }
    SEPAL_ATTR static SEPAL_INLINE unsigned both(__mmask16 lower, __mmask16 upper) { return lower | static_cast<unsigned>(upper) << 16; }
    SEPAL_ATTR static SEPAL_INLINE void add_gaps(__m512i& sum, __m512i x, __m512i low, __m512i high) {
        add_squares(sum, _mm512_max_epi16(_mm512_max_epi16(_mm512_sub_epi16(low, x), _mm512_sub_epi16(x, high)), _mm512_setzero_si512()));
    }
    SEPAL_ATTR static SEPAL_INLINE unsigned note(__m512i low, __m512i high, float limit, float* squares) {
        const __m512 first = _mm512_cvtepi32_ps(low), second = _mm512_cvtepi32_ps(high), most = _mm512_set1_ps(limit);
        _mm512_storeu_ps(squares, first);
        _mm512_storeu_ps(squares + 16, second);
        return both(_mm512_cmp_ps_mask(first, most, _CMP_LE_OQ), _mm512_cmp_ps_mask(second, most, _CMP_LE_OQ));
    }
};

template <int G> SEPAL_ATTR void ask_words(const Job& job, const NarrowJob<WordTree>& words) { AskingSquares<WordCells<G>>(job, words).run(); }

} // namespace sepal::SEPAL_ISA
