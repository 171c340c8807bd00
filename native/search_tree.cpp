// Neighbours in few dimensions: a k-d tree whose leaves are asked by whole leaves of queries.
//
// All bounds are sums in the same order as the distances themselves. Rounding is monotone, so a box is never
// further, in floating point, than a point inside it: pruning is exact.
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "metrics.hpp"
#include "threads.hpp"

namespace sepal {

constexpr int kLeaf = 16; // points in a leaf, one register tile wide

struct Node {
    std::int32_t begin, end; // positions in `order`
    std::int32_t left = -1, right = -1;
    std::int32_t leaf = -1; // number of the leaf, or -1
};

// Splits at the median of the widest side until at most kLeaf points are left.
class Tree {
  public:
    Tree(Points points, [[maybe_unused]] int threads)
        : points_(points), p_(points.p), order(points.n), keyed_(points.n), nodes(size_of(points.n)),
          leaves((points.n + kLeaf - 1) / kLeaf), boxes(nodes.size() * 2 * p_),
          values(leaves.size() * kLeaf * p_, std::numeric_limits<double>::quiet_NaN()) {
        std::iota(order.begin(), order.end(), 0);
#pragma omp parallel num_threads(threads)
#pragma omp single
        build(0, 0, 0, static_cast<std::int32_t>(points.n));
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

  private:
    std::vector<std::pair<double, std::int32_t>> keyed_; // scratch for splitting: coordinate and row

  public:
    std::vector<Node> nodes;
    std::vector<std::int32_t> leaves; // node of each leaf
    std::vector<double> boxes, values;

  private:
    // Leaves are full but for the last, so the number of nodes is known before they are built.
    static std::int32_t size_of(std::int64_t n) { return static_cast<std::int32_t>(2 * ((n + kLeaf - 1) / kLeaf) - 1); }

    void build(std::int32_t id, std::int32_t leaf, std::int32_t begin, std::int32_t end) {
        nodes[id] = {begin, end};
        const int side = measure_box(id, begin, end);
        if (end - begin <= kLeaf) {
            nodes[id].leaf = leaf;
            leaves[leaf] = id;
            for (std::int32_t i = begin; i < end; ++i)
                for (int f = 0; f < p_; ++f)
                    values[(static_cast<std::size_t>(leaf) * p_ + f) * kLeaf + (i - begin)] = points_.row(order[i])[f];
            return;
        }
        const std::int32_t n_leaves = (end - begin + kLeaf - 1) / kLeaf, left_leaves = n_leaves / 2;
        const std::int32_t middle = begin + left_leaves * kLeaf;
        for (std::int32_t i = begin; i < end; ++i) keyed_[i] = {points_.row(order[i])[side], order[i]};
        std::nth_element(keyed_.begin() + begin, keyed_.begin() + middle, keyed_.begin() + end);
        for (std::int32_t i = begin; i < end; ++i) order[i] = keyed_[i].second;
        const std::int32_t left = id + 1, right = left + size_of(middle - begin);
        nodes[id].left = left;
        nodes[id].right = right;
        [[maybe_unused]] const bool apart = end - begin > 4096; // large enough to be worth another thread
#pragma omp task if (apart)
        build(left, leaf, begin, middle);
        build(right, leaf + left_leaves, middle, end);
#pragma omp taskwait
    }

    // Notes the tight box of these points and returns its widest side.
    int measure_box(std::int32_t id, std::int32_t begin, std::int32_t end) {
        double *lo = boxes.data() + static_cast<std::size_t>(id) * 2 * p_, *hi = lo + p_;
        std::fill(lo, hi, std::numeric_limits<double>::infinity());
        std::fill(hi, hi + p_, -std::numeric_limits<double>::infinity());
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
};

struct Job { // one leaf of queries against the whole tree
    const Tree& tree;
    const Tree& asking;
    const MetricSpec& spec;
    const Plan& plan;
    std::int32_t leaf;
    int p;
    Nearest* found; // of the queries of the leaf
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
    const Tree tree(points, plan.threads);
    std::optional<Tree> other;
    const Tree* asking = plan.self_join ? &tree : &other.emplace(queries, plan.threads);
    const AskFunction function = ask_function(spec.metric, points.p);
    RankingBuilder builder(queries.n, plan.threads);
    const auto n_leaves = static_cast<std::int64_t>(asking->leaves.size());
    Watch watch(plan.poll, n_leaves);
#pragma omp parallel num_threads(plan.threads)
    {
        std::vector<Nearest> found(kLeaf);
        std::vector<double> rows(static_cast<std::size_t>(kLeaf) * points.p);
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t leaf = 0; leaf < n_leaves; ++leaf) {
            if (!watch.go_on()) continue;
            const Node& own = asking->nodes[asking->leaves[leaf]];
            for (std::int32_t i = own.begin; i < own.end; ++i) {
                found[i - own.begin].reset(static_cast<std::size_t>(plan.k));
                std::copy_n(queries.row(asking->order[i]), points.p, rows.data() + static_cast<std::size_t>(i - own.begin) * points.p);
            }
            function({tree, *asking, spec, plan, static_cast<std::int32_t>(leaf), points.p, found.data()}, rows.data());
            for (std::int32_t i = own.begin; i < own.end; ++i)
                builder.set(asking->order[i], found[i - own.begin].items(), plan, this_thread());
        }
    }
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
