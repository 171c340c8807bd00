// Neighbours in few dimensions: a k-d tree whose leaves are asked by whole leaves of queries.
//
// All bounds are sums in the same order as the distances themselves. Rounding is monotone, so a box is never
// further, in floating point, than a point inside it: pruning is exact.
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "metrics.hpp"
#include "search_tree.hpp"
#include "threads.hpp"
#include "kd_tree.hpp"
#include "kd_tree_narrow.hpp"

namespace sepal {

struct Job { // one leaf of queries against the whole tree
    const KdTree& tree;
    const KdTree& asking;
    const MetricSpec& spec;
    const Plan& plan;
    std::int32_t leaf;
    int p;
    Nearest* found; // of the queries of the leaf
    double* cost;   // of all that was looked at, in nanoseconds of one core
    double* work;   // multiply-adds
};

struct NarrowJob { // the same trees in float32
    const NarrowTree& tree;
    const NarrowTree& asking;
    const NarrowBound bound;
};

} // namespace sepal

#define SEPAL_HOT_FILE "kd_tree_asks.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr std::int32_t kManyLeaves = 16; // of queries: then others are called at once

using AskFunction = void (*)(const Job&);

AskFunction ask_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> AskFunction { return SEPAL_BEST(ask<M>); });
}

using SquaresFunction = void (*)(const Job&, const NarrowJob&);

SquaresFunction squares_function(int p) {
    if (p == 2) return SEPAL_BEST(ask_squares<2>);
    if (p == 3) return SEPAL_BEST(ask_squares<3>);
    if (p == 4) return SEPAL_BEST(ask_squares<4>);
    return SEPAL_BEST(ask_squares<0>);
}

// What a question asks of trees that are there: `narrow` only for squares, and where queries fit into its frame.
struct Trees {
    const KdTree& tree;
    const KdTree& asking;
    const NarrowTree* narrow;
    const NarrowTree* narrow_asking;
    const NarrowFrame* frame;
};

Ranking ask_trees(const Trees& trees, Points queries, const MetricSpec& spec, const Plan& plan, double* work) {
    const int p = queries.p;
    const KdTree &tree = trees.tree, *asking = &trees.asking;
    const AskFunction function = ask_function(spec.metric);
    const SquaresFunction squares = squares_function(p);
    const auto ask = [&](const Job& job) {
        if (trees.narrow != nullptr) squares(job, {*trees.narrow, *trees.narrow_asking, NarrowBound(*trees.frame, p)});
        else function(job);
    };
    RankingBuilder builder(queries.n, plan.threads);
    const std::int32_t n_leaves = asking->n_leaves();
    Watch watch(plan.poll, n_leaves);
    std::vector<double> done(n_leaves, 0.0);
    using Found = std::vector<Nearest>;
    const auto ask_leaf = [&](Found& found, std::int32_t leaf) {
        double cost = 0;
        if (!watch.go_on()) return cost;
        for (int i = 0; i < asking->size(leaf); ++i) found[i].begin(plan, asking->rows(leaf)[i]);
        ask({tree, *asking, spec, plan, leaf, p, found.data(), &cost, &done[leaf]});
        for (int i = 0; i < asking->size(leaf); ++i)
            builder.set(asking->rows(leaf)[i], found[i].items(), plan, this_thread());
        return cost;
    };
    // Every so-many-th leaf asks first: what they cost tells what all would. Nobody asks on once they have cost too much.
    const std::int32_t apart = std::clamp(n_leaves / 8, 1, 64), n_first = (n_leaves + apart - 1) / apart;
    const double most = plan.budget / n_leaves * n_first;
    std::vector<double> costs(n_first);
    std::atomic<double> until_now{0};
    const std::int64_t grain = std::clamp(n_leaves / (64 * plan.threads), 1, 4); // few leaves one by one: nobody waits long for the last
    const Helpers helpers = n_leaves > kManyLeaves ? Helpers::at_once : Helpers::when_long;
    parallel_for(Loop{.n = n_leaves, .threads = plan.threads, .grain = grain, .helpers = helpers}, [] { return Found(kLeaf); },
                 [&](Found& found, std::int64_t at) {
                     if (until_now.load(std::memory_order_relaxed) > most * (1 + 1e-9)) return;
                     if (at < n_first) {
                         costs[at] = ask_leaf(found, static_cast<std::int32_t>(at) * apart);
                         until_now.fetch_add(costs[at], std::memory_order_relaxed);
                         return;
                     }
                     const std::int64_t left = at - n_first, leaf = left / (apart - 1) * apart + 1 + left % (apart - 1);
                     if (plan.turn.has(leaf)) ask_leaf(found, static_cast<std::int32_t>(leaf));
                 });
    if (std::accumulate(costs.begin(), costs.end(), 0.0) > most) return {};
    plan.turn.arranged(Turn::Kind::by_leaves, kLeaf, queries.n, [&](std::int64_t i) { return asking->rows(static_cast<std::int32_t>(i / kLeaf))[i % kLeaf]; });
    if (work != nullptr) *work = std::accumulate(done.begin(), done.end(), 0.0);
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace

Ranking search_tree(Points points, Points queries, const MetricSpec& spec, const Plan& plan) {
    return search_tree(points, queries, spec, plan, nullptr);
}

Ranking search_tree(Points points, Points queries, const MetricSpec& spec, const Plan& plan, double* work) {
    const KdTree tree(points, plan.threads);
    std::optional<KdTree> other;
    const KdTree& asking = plan.self_join ? tree : other.emplace(queries, plan.threads);
    const NarrowFrame frame(tree, asking, points.p);
    std::optional<NarrowTree> narrow, narrow_other;
    if (spec.metric == Metric::l2 && frame.usable) {
        narrow.emplace(tree, frame, points.p, plan.threads);
        if (!plan.self_join) narrow_other.emplace(asking, frame, points.p, plan.threads);
    }
    const NarrowTree* const own = narrow ? &*narrow : nullptr;
    return ask_trees({tree, asking, own, narrow_other ? &*narrow_other : own, &frame}, queries, spec, plan, work);
}

struct KeptTree::Parts {
    Parts(Points points, int threads) : tree(points, threads), frame(tree, points.p) {
        if (frame.usable) narrow.emplace(tree, frame, points.p, threads);
    }
    KdTree tree;
    NarrowFrame frame;
    std::optional<NarrowTree> narrow;
};

KeptTree::KeptTree(Points points, int threads) : parts_(std::make_unique<Parts>(points, threads)) {}
KeptTree::~KeptTree() = default;

Ranking KeptTree::search(Points queries, const MetricSpec& spec, const Plan& plan) const {
    const Parts& kept = *parts_;
    const KdTree asking(queries, plan.threads);
    std::optional<NarrowTree> narrow;
    if (spec.metric == Metric::l2 && kept.narrow && kept.frame.holds(asking, queries.p)) narrow.emplace(asking, kept.frame, queries.p, plan.threads);
    return ask_trees({kept.tree, asking, narrow ? &*kept.narrow : nullptr, narrow ? &*narrow : nullptr, &kept.frame}, queries, spec, plan, nullptr);
}

} // namespace sepal
