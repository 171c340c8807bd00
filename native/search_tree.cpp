// Neighbours in few dimensions: a k-d tree whose leaves are asked by whole leaves of queries.
//
// All bounds are sums in the same order as the distances themselves. Rounding is monotone, so a box is never
// further, in floating point, than a point inside it: pruning is exact.
#include <cmath>
#include <numeric>
#include <optional>

#include "metrics.hpp"
#include "threads.hpp"

namespace sepal {

constexpr int kLeaf = 16; // points in a leaf, one register tile wide

struct Node {
    std::int32_t begin, end;   // positions in `order`
    std::int32_t left = -1, right = -1;
    std::int32_t leaf = -1;    // number of the leaf, or -1
};

// Splits at the median of the widest side until at most kLeaf points are left.
class Tree {
  public:
    explicit Tree(Points points) : points_(points), p_(points.p), order(points.n) {
        std::iota(order.begin(), order.end(), 0);
        nodes.reserve(4 * points.n / kLeaf + 1);
        build(0, static_cast<std::int32_t>(points.n));
        fill_leaves();
    }
    const double* low(std::int32_t node) const { return boxes.data() + static_cast<std::size_t>(node) * 2 * p_; }
    const double* high(std::int32_t node) const { return low(node) + p_; }
    // Coordinates of a leaf: [feature][kLeaf], padded with NaN, which no bound admits.
    const double* block(std::int32_t leaf) const { return values.data() + static_cast<std::size_t>(leaf) * kLeaf * p_; }

  private:
    Points points_;
    int p_;

  public:
    std::vector<std::int32_t> order; // rows, leaf after leaf
    std::vector<Node> nodes;
    std::vector<std::int32_t> leaves; // node of each leaf
    std::vector<double> boxes, values;

  private:
    std::int32_t build(std::int32_t begin, std::int32_t end) {
        const auto id = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({begin, end});
        const int side = measure_box(begin, end);
        if (end - begin <= kLeaf) {
            nodes[id].leaf = static_cast<std::int32_t>(leaves.size());
            leaves.push_back(id);
            return id;
        }
        // A whole number of full leaves on the left, so that leaves are full and lanes are used.
        const std::int32_t half = ((end - begin) / 2 + kLeaf - 1) / kLeaf * kLeaf;
        const std::int32_t middle = begin + std::min(half, end - begin - 1);
        std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                         [&](std::int32_t a, std::int32_t b) { return points_.row(a)[side] < points_.row(b)[side]; });
        const std::int32_t left = build(begin, middle), right = build(middle, end);
        nodes[id].left = left;
        nodes[id].right = right;
        return id;
    }

    // Appends the tight box of these points and returns its widest side.
    int measure_box(std::int32_t begin, std::int32_t end) {
        const std::size_t at = boxes.size();
        boxes.insert(boxes.end(), p_, std::numeric_limits<double>::infinity());
        boxes.insert(boxes.end(), p_, -std::numeric_limits<double>::infinity());
        double *lo = boxes.data() + at, *hi = lo + p_;
        for (std::int32_t i = begin; i < end; ++i) {
            const double* x = points_.row(order[i]);
            for (int f = 0; f < p_; ++f) {
                lo[f] = std::min(lo[f], x[f]);
                hi[f] = std::max(hi[f], x[f]);
            }
        }
        int widest = 0;
        for (int f = 1; f < p_; ++f)
            if (hi[f] - lo[f] > hi[widest] - lo[widest]) widest = f;
        return widest;
    }

    void fill_leaves() {
        values.assign(leaves.size() * kLeaf * p_, std::numeric_limits<double>::quiet_NaN());
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const Node& node = nodes[leaves[leaf]];
            for (std::int32_t i = node.begin; i < node.end; ++i)
                for (int f = 0; f < p_; ++f)
                    values[(leaf * p_ + f) * kLeaf + (i - node.begin)] = points_.row(order[i])[f];
        }
    }
};

struct Job { // one leaf of queries against the whole tree
    const Tree& tree;
    const Tree& asking;
    const MetricSpec& spec;
    const Plan& plan;
    std::int32_t leaf;
    int p;
    Candidates<double>* found; // of the queries of the leaf
};

} // namespace sepal

#define SEPAL_HOT_FILE "tree.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

using AskFunction = void (*)(const Job&, const double*);

AskFunction ask_function(Metric metric, int p) {
    if (metric == Metric::l2 && p == 2) return SEPAL_BEST(ask<Metric::l2, 2>);
    if (metric == Metric::l2 && p == 3) return SEPAL_BEST(ask<Metric::l2, 3>);
    if (metric == Metric::l2 && p == 4) return SEPAL_BEST(ask<Metric::l2, 4>);
    return with_metric(metric, []<Metric M>() -> AskFunction { return SEPAL_BEST(ask<M, 0>); });
}

} // namespace

Ranking search_tree(Points points, Points queries, const MetricSpec& spec, const Plan& plan) {
    const Tree tree(points);
    std::optional<Tree> other;
    const Tree* asking = plan.self_join ? &tree : &other.emplace(queries);
    const AskFunction function = ask_function(spec.metric, points.p);
    RankingBuilder builder(queries.n);
    const auto n_leaves = static_cast<std::int64_t>(asking->leaves.size());
    Watch watch(plan.poll, n_leaves);
#pragma omp parallel num_threads(plan.threads)
    {
        std::vector<Candidates<double>> found(kLeaf);
        std::vector<double> rows(static_cast<std::size_t>(kLeaf) * points.p);
        std::vector<Neighbor> neighbors;
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t leaf = 0; leaf < n_leaves; ++leaf) {
            if (!watch.go_on()) continue;
            const Node& own = asking->nodes[asking->leaves[leaf]];
            for (std::int32_t i = own.begin; i < own.end; ++i) {
                found[i - own.begin].reset();
                std::copy_n(queries.row(asking->order[i]), points.p, rows.data() + static_cast<std::size_t>(i - own.begin) * points.p);
            }
            function({tree, *asking, spec, plan, static_cast<std::int32_t>(leaf), points.p, found.data()}, rows.data());
            for (std::int32_t i = own.begin; i < own.end; ++i) {
                neighbors.clear();
                for (const auto& c : found[i - own.begin].items()) neighbors.push_back({c.lower, c.row});
                builder.set(asking->order[i], neighbors, plan);
            }
        }
    }
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
