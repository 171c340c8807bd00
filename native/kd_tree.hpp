/// @brief k-d tree for exact nearest neighbours: boxes of eight children a node, 32 points a leaf; d(x, box) bounds d from below.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"
#include "row_keys.hpp"

namespace sepal {

constexpr int kLeaf = 32; // points in a leaf, one bit each in a mask
constexpr int kFan = 8;   // children of a node, whose boxes are compared in lanes

struct Node {
    std::int32_t count = 0;        // children
    bool of_leaves = false;        // all of them are leaves, or none is
    std::int32_t child[kFan] = {}; // numbers of leaves or nodes
    std::int32_t begin[kFan + 1] = {}; // the leaves below child c are begin[c] .. begin[c + 1]
};

class KdTree {
  public:
    KdTree(Points points, int threads);

    std::int32_t n_leaves() const { return static_cast<std::int32_t>((n_ + kLeaf - 1) / kLeaf); }
    int size(std::int32_t leaf) const { return static_cast<int>(std::min<std::int64_t>(kLeaf, n_ - std::int64_t{leaf} * kLeaf)); }
    // Rows of a leaf.
    const std::int32_t* rows(std::int32_t leaf) const { return order_.data() + std::int64_t{leaf} * kLeaf; }
    const double* point(std::int32_t row) const { return points_.row(row); }
    // Coordinates of a leaf: [feature][kLeaf], padded with NaN, which no bound admits.
    const double* block(std::int32_t leaf) const { return values_.data() + std::int64_t{leaf} * kLeaf * p_; }
    // The tight box of a leaf.
    const double* low(std::int32_t leaf) const { return boxes_.data() + std::int64_t{leaf} * 2 * p_; }
    const double* high(std::int32_t leaf) const { return low(leaf) + p_; }

    std::int32_t n_nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
    const Node& node(std::int32_t i) const { return nodes_[i]; } // 0 is the root
    // The tight box of all points.
    void bounds(double* low, double* high) const {
        for (int f = 0; f < p_; ++f) {
            const double *lowest = lows(0) + f * kFan, *highest = highs(0) + f * kFan;
            low[f] = *std::min_element(lowest, lowest + nodes_[0].count);
            high[f] = *std::max_element(highest, highest + nodes_[0].count);
        }
    }
    // The tight boxes of a node's children: [feature][kFan].
    const double* lows(std::int32_t node) const { return sides_.data() + std::int64_t{node} * 2 * kFan * p_; }
    const double* highs(std::int32_t node) const { return lows(node) + kFan * p_; }

  private:
    // The children `from` .. `to` of a node.
    struct Part {
        std::int32_t id;
        int from, to;
        int half() const { return (from + to) / 2; }
    };

    Points points_;
    std::int64_t n_;
    int p_;
    SpareVector<std::uint64_t> keys_; // scratch for splitting: coordinate and row
    std::vector<std::int32_t> order_; // rows, leaf after leaf
    std::vector<Node> nodes_;
    SpareVector<double> values_, boxes_, sides_;

    std::int32_t row_at(std::int64_t i) const { return row_of_key(keys_[i]); }
    std::int64_t position(std::int32_t leaf) const { return std::min(n_, std::int64_t{leaf} * kLeaf); }
    std::int32_t lay_out(std::int32_t first, std::int32_t n_leaves);
    void build_all(int threads);
    void build(const Part& part);
    Part inner(Part part) const;
    std::int64_t size(const Part& part) const;
    void split(const Part& part);
    void split(std::int64_t begin, std::int64_t middle, std::int64_t end);
    int wide_side(std::int64_t begin, std::int64_t end) const;
    void fill(std::int32_t leaf);
    void note_box(std::int32_t id, int slot);
};

} // namespace sepal
