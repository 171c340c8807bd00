/// @brief Minimum spanning tree, min sum of d over its edges (Boruvka, from the first edges of every node), unique by an order of ties.
#pragma once

#include <array>

#include "threads.hpp"

namespace sepal {

// Between the asking node `a` and `b`. Values that agree to about 2^-38 count as equal (`rounded_value`).
struct Edge {
    double value;
    std::int32_t a, b;
};
double rounded_value(double value);

// Edges are ordered by value, then joining one class before joining two, then by lower and higher row. No two are equal,
// so the tree is unique.
struct EdgeOrder {
    const std::int32_t *classes, *rows; // of each node
    bool before(const Edge& x, const Edge& y) const {
        if (x.value != y.value) return x.value < y.value;
        const bool two = classes[x.a] != classes[x.b], other_two = classes[y.a] != classes[y.b];
        if (two != other_two) return !two;
        const std::int32_t low = std::min(rows[x.a], rows[x.b]), other_low = std::min(rows[y.a], rows[y.b]);
        if (low != other_low) return low < other_low;
        return std::max(rows[x.a], rows[x.b]) < std::max(rows[y.a], rows[y.b]);
    }
};

// The first edges of a node among those offered, in order.
class FirstEdges {
  public:
    static constexpr int kMost = 8;
    // No value above it can be among them.
    double bound() const {
        return n_ < kMost ? std::numeric_limits<double>::infinity() : edges_[kMost - 1].value * (1 + 1e-11);
    }
    void offer(Edge edge, const EdgeOrder& order) {
        edge.value = rounded_value(edge.value);
        int at = n_;
        while (at > 0 && order.before(edge, edges_[at - 1])) --at;
        if (at == kMost) return;
        n_ = std::min(n_ + 1, kMost);
        for (int i = n_ - 1; i > at; --i) edges_[i] = edges_[i - 1];
        edges_[at] = edge;
    }
    int size() const { return n_; }
    bool full() const { return n_ == kMost; } // else all that were offered are here
    const Edge& operator[](int i) const { return edges_[i]; }

  private:
    std::array<Edge, kMost> edges_;
    int n_ = 0;
};

// The n - 1 edges of the tree. `first` holds the first edges of every node, out of all there are. Boruvka's algorithm:
// every tree of the forest so far, the largest excepted, takes its first edge to another one. Only rows whose first edges
// all ended inside their own tree, and who may have an earlier edge than anyone found in it, are compared with the
// others again. Empty if `watch` was stopped.
std::vector<Edge> spanning_tree(Points points, const EdgeOrder& order, std::vector<FirstEdges> first,
                                const MetricSpec& metric, int threads, Watch& watch);

} // namespace sepal
