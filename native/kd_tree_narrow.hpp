/// @brief The points of a k-d tree in float32, for Euclidean searches: |x - z|^2 with a bound on its error filters, float64 decides.
//
// Coordinates are centred and brought below 1 by a power of two. In float32 each is off by at most 2^-25, so that the
// length of a difference is off by at most sqrt(p) * 2^-24, and its square, summed up, by another (p + 4) * 2^-24 part.
// Boxes hold the rounded coordinates themselves: rounding is monotone, so that no box is further than a point inside it.
#pragma once

#include <cmath>
#include <initializer_list>

#include "kd_tree.hpp"

namespace sepal {

struct NarrowFrame {
    std::vector<double> centre;
    double factor = 1, unit = 1; // powers of two, and not: |x - m| times either is at most 1/2
    bool usable = true; // squares in float64 neither overflow nor vanish where those in float32 do not

    NarrowFrame(const KdTree& points, const KdTree& queries, int p) : NarrowFrame({&points, &queries}, p, 1) {}
    // For queries that are not known yet, up to twice as far from the centre as points.
    NarrowFrame(const KdTree& points, int p) : NarrowFrame({&points}, p, 2) {}

    bool holds(const KdTree& queries, int p) const {
        std::vector<double> low(p), high(p);
        queries.bounds(low.data(), high.data());
        for (int f = 0; f < p; ++f)
            if (!(std::max(high[f] - centre[f], centre[f] - low[f]) * factor <= 0.5)) return false;
        return true;
    }

  private:
    NarrowFrame(std::initializer_list<const KdTree*> trees, int p, int room) : centre(p) {
        const double inf = std::numeric_limits<double>::infinity();
        double most = 0;
        std::vector<double> low(p, inf), high(p, -inf), own_low(p), own_high(p);
        for (const KdTree* tree : trees) {
            tree->bounds(own_low.data(), own_high.data());
            for (int f = 0; f < p; ++f) {
                low[f] = std::min(low[f], own_low[f]);
                high[f] = std::max(high[f], own_high[f]);
            }
        }
        for (int f = 0; f < p; ++f) {
            centre[f] = 0.5 * low[f] + 0.5 * high[f];
            most = std::max({most, high[f] - centre[f], centre[f] - low[f]});
        }
        usable = most == 0 || (most > 1e-130 && most < 1e140);
        if (usable && most > 0) factor = std::exp2(-std::ceil(std::log2(most)) - room), unit = room == 1 ? 0.5 / most : factor;
    }
};

class NarrowTree {
  public:
    NarrowTree(const KdTree& tree, const NarrowFrame& frame, int p, int threads)
        : tree_(tree), p_(p), values_(static_cast<std::size_t>(tree.n_leaves()) * kLeaf * p), boxes_(static_cast<std::size_t>(tree.n_leaves()) * 2 * p),
          sides_(static_cast<std::size_t>(tree.n_nodes()) * 2 * kFan * p) {
        parallel_for(Loop{.n = tree.n_leaves(), .threads = threads, .grain = 16}, [&](std::int64_t leaf) { fill(static_cast<std::int32_t>(leaf), frame); });
        for (std::int32_t id = tree.n_nodes() - 1; id >= 0; --id) note_boxes(id);
    }
    // As in KdTree.
    const float* block(std::int32_t leaf) const { return values_.data() + std::int64_t{leaf} * kLeaf * p_; }
    const float* low(std::int32_t leaf) const { return boxes_.data() + std::int64_t{leaf} * 2 * p_; }
    const float* high(std::int32_t leaf) const { return low(leaf) + p_; }
    const float* lows(std::int32_t node) const { return sides_.data() + std::int64_t{node} * 2 * kFan * p_; }
    const float* highs(std::int32_t node) const { return lows(node) + kFan * p_; }

  private:
    void fill(std::int32_t leaf, const NarrowFrame& frame) {
        const double* from = tree_.block(leaf);
        float* to = values_.data() + std::int64_t{leaf} * kLeaf * p_;
        float *low = boxes_.data() + std::int64_t{leaf} * 2 * p_, *high = low + p_;
        for (int f = 0; f < p_; ++f) {
            low[f] = std::numeric_limits<float>::infinity();
            high[f] = -low[f];
            for (int i = 0; i < kLeaf; ++i) {
                const auto x = static_cast<float>((from[f * kLeaf + i] - frame.centre[f]) * frame.factor);
                to[f * kLeaf + i] = x; // padding stays NaN, and no minimum
                low[f] = x < low[f] ? x : low[f];
                high[f] = x > high[f] ? x : high[f];
            }
        }
    }
    void note_boxes(std::int32_t id) {
        const Node& node = tree_.node(id);
        float *to_low = sides_.data() + std::int64_t{id} * 2 * kFan * p_, *to_high = to_low + kFan * p_;
        for (int slot = 0; slot < node.count; ++slot)
            for (int f = 0; f < p_; ++f) {
                const std::int32_t child = node.child[slot];
                const int n = node.of_leaves ? 1 : tree_.node(child).count;
                const float *lowest = node.of_leaves ? low(child) + f : lows(child) + f * kFan, *highest = node.of_leaves ? high(child) + f : highs(child) + f * kFan;
                to_low[f * kFan + slot] = *std::min_element(lowest, lowest + n);
                to_high[f * kFan + slot] = *std::max_element(highest, highest + n);
            }
    }

    const KdTree& tree_;
    int p_;
    SpareVector<float> values_, boxes_, sides_;
};

// From a bound on the squared distance to one on its float32 form, and back.
struct NarrowBound {
    double factor, off, part;
    float length_part, length_off, square_part; // of `beyond`, rounded up
    NarrowBound(const NarrowFrame& frame, int p) : NarrowBound(frame.factor, std::sqrt(p) * 0x1p-23, (p + 8) * 0x1p-23) {}
    // Lengths times `factor` are off by `off` at most, and their squares by another `part`.
    NarrowBound(double factor_, double off_, double part_)
        : factor(factor_), off(off_), part(part_), length_part(static_cast<float>((1 + part) * kUp)),
          length_off(static_cast<float>(2 * off * kUp + 1e-17)), square_part(static_cast<float>((1 + part) * kUp)) {}
    // No pair within `bound` has a float32 square above this.
    float above(double bound) const {
        const double length = std::sqrt(bound) * factor + off;
        return static_cast<float>(std::min(length * length * (1 + part) + 1e-35, 3e38));
    }
    // A pair with this float32 square is within the bound that this one is the float32 form of, and more than that.
    float beyond(float square) const {
        const float length = std::sqrt(square) * length_part + length_off;
        return std::min(length * length * square_part + 2e-35f, 3e38f);
    }

  private:
    static constexpr double kUp = 1 + 0x1p-20; // more than these few operations in float32 round
};

} // namespace sepal
