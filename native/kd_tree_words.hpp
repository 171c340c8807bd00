/// @brief The points of a k-d tree in 16-bit integers, w = round((x - m) s): the exact integer |w - v|^2 filters, float64 decides.
//
// Each w is off by at most 1/2, so that the length of a difference is off by at most sqrt(p). The scale is the largest at
// which no sum of p squares leaves 31 bits. Rounding is monotone: no box is further than a point inside it.
// Two columns lie side by side in 32 bits, for an instruction that multiplies and adds both; an odd one is followed by zeros.
#pragma once

#include "kd_tree_narrow.hpp"

namespace sepal {

struct WordFrame {
    const NarrowFrame& narrow;
    double factor; // of x - m

    WordFrame(const NarrowFrame& frame, int p) : narrow(frame), factor(frame.unit * (std::floor(std::sqrt(0x7fffffffp0 / std::max(p, 8))) - 2)) {}
    std::int16_t word(double x, int f) const { return static_cast<std::int16_t>(static_cast<int>((x - narrow.centre[f]) * factor + 32768.5) - 32768); }

    // From a bound on the squared distance to one on the integer, and back.
    NarrowBound bound(int p) const { return {factor, std::sqrt(p) * (1 + 1e-6), (p + 8) * 0x1p-23}; }

    // Whether leaves are so large that rounding hardly lets more points pass: their diagonals, in words. The points of
    // small ones may all lie in one place, where each meets all others in float64.
    bool suits(const KdTree& tree, int p) const {
        const double enough = kEnough * p * std::sqrt(p), most = std::min(kMostPart * tree.n_leaves(), kMostRoots * std::sqrt(tree.n_leaves()));
        int small = 0;
        for (std::int32_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
            const double *low = tree.low(leaf), *high = tree.high(leaf);
            double square = 0;
            for (int f = 0; f < p; ++f) square += (high[f] - low[f]) * (high[f] - low[f]);
            small += std::sqrt(square) * factor < enough;
        }
        return small <= most;
    }

  private:
    static constexpr double kEnough = 8, kMostPart = 0.125, kMostRoots = 1;
};

class WordTree {
  public:
    WordTree(const KdTree& tree, const WordFrame& frame, int p, int threads)
        : tree_(tree), pairs_((p + 1) / 2), values_(static_cast<std::size_t>(tree.n_leaves()) * kLeaf * pairs_),
          boxes_(static_cast<std::size_t>(tree.n_leaves()) * 2 * pairs_), sides_(static_cast<std::size_t>(tree.n_nodes()) * 2 * kFan * pairs_) {
        parallel_for(Loop{.n = tree.n_leaves(), .threads = threads, .grain = 16}, [&](std::int64_t leaf) { fill(static_cast<std::int32_t>(leaf), frame, p); });
        for (std::int32_t id = tree.n_nodes() - 1; id >= 0; --id) note_boxes(id);
    }
    struct Pair {
        std::int16_t of[2];
    };
    int pairs() const { return pairs_; }
    // Bits of the points of a leaf that are there.
    unsigned present(std::int32_t leaf) const { return ~0u >> (kLeaf - tree_.size(leaf)); }
    // As in KdTree, of two columns each.
    const Pair* block(std::int32_t leaf) const { return values_.data() + std::int64_t{leaf} * kLeaf * pairs_; }
    const Pair* low(std::int32_t leaf) const { return boxes_.data() + std::int64_t{leaf} * 2 * pairs_; }
    const Pair* high(std::int32_t leaf) const { return low(leaf) + pairs_; }
    const Pair* lows(std::int32_t node) const { return sides_.data() + std::int64_t{node} * 2 * kFan * pairs_; }
    const Pair* highs(std::int32_t node) const { return lows(node) + kFan * pairs_; }

  private:
    void fill(std::int32_t leaf, const WordFrame& frame, int p) {
        const double* from = tree_.block(leaf);
        Pair* to = values_.data() + std::int64_t{leaf} * kLeaf * pairs_;
        Pair *low = boxes_.data() + std::int64_t{leaf} * 2 * pairs_, *high = low + pairs_;
        for (int f = 0; f < p; ++f) {
            std::int16_t least = std::numeric_limits<std::int16_t>::max(), most = std::numeric_limits<std::int16_t>::min();
            for (int i = 0; i < tree_.size(leaf); ++i) {
                const std::int16_t w = frame.word(from[f * kLeaf + i], f);
                to[f / 2 * kLeaf + i].of[f % 2] = w;
                least = std::min(least, w);
                most = std::max(most, w);
            }
            low[f / 2].of[f % 2] = least;
            high[f / 2].of[f % 2] = most;
        }
    }
    void note_boxes(std::int32_t id) {
        const Node& node = tree_.node(id);
        Pair *to_low = sides_.data() + std::int64_t{id} * 2 * kFan * pairs_, *to_high = to_low + kFan * pairs_;
        for (int slot = 0; slot < node.count; ++slot)
            for (int g = 0; g < pairs_; ++g)
                for (int side = 0; side < 2; ++side) {
                    const std::int32_t child = node.child[slot];
                    const int n = node.of_leaves ? 1 : tree_.node(child).count;
                    const Pair *lowest = node.of_leaves ? low(child) + g : lows(child) + g * kFan, *highest = node.of_leaves ? high(child) + g : highs(child) + g * kFan;
                    std::int16_t least = lowest->of[side], most = highest->of[side];
                    for (int c = 1; c < n; ++c) {
                        least = std::min(least, lowest[c].of[side]);
                        most = std::max(most, highest[c].of[side]);
                    }
                    to_low[g * kFan + slot].of[side] = least;
                    to_high[g * kFan + slot].of[side] = most;
                }
    }

    const KdTree& tree_;
    int pairs_;
    SpareVector<Pair> values_, boxes_, sides_;
};

} // namespace sepal
