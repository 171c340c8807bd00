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
#include "kd_tree.hpp"

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
};

} // namespace sepal

#define SEPAL_HOT_FILE "kd_tree_ask.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

using AskFunction = void (*)(const Job&);

AskFunction ask_function(Metric metric, int p) {
    if (metric == Metric::l2 && p == 2) return SEPAL_BEST(ask<Metric::l2, 2>);
    if (metric == Metric::l2 && p == 3) return SEPAL_BEST(ask<Metric::l2, 3>);
    if (metric == Metric::l2 && p == 4) return SEPAL_BEST(ask<Metric::l2, 4>);
    return with_metric(metric, []<Metric M>() -> AskFunction { return SEPAL_BEST(ask<M, 0>); });
}

} // namespace

Ranking search_tree(Points points, Points queries, const MetricSpec& spec, const Plan& plan) {
    const KdTree tree(points, plan.threads);
    std::optional<KdTree> other;
    const KdTree* asking = plan.self_join ? &tree : &other.emplace(queries, plan.threads);
    const AskFunction function = ask_function(spec.metric, points.p);
    RankingBuilder builder(queries.n, plan.threads);
    const std::int32_t n_leaves = asking->n_leaves();
    Watch watch(plan.poll, n_leaves);
    using Found = std::vector<Nearest>;
    const auto ask_leaf = [&](Found& found, std::int32_t leaf) {
        double cost = 0;
        if (!watch.go_on()) return cost;
        for (int i = 0; i < asking->size(leaf); ++i) found[i].begin(plan, asking->rows(leaf)[i]);
        function({tree, *asking, spec, plan, leaf, points.p, found.data(), &cost});
        for (int i = 0; i < asking->size(leaf); ++i)
            builder.set(asking->rows(leaf)[i], found[i].items(), plan, this_thread());
        return cost;
    };
    // Every so-many-th leaf asks first: what they cost tells what all would.
    const std::int32_t apart = std::clamp(n_leaves / 8, 1, 64), n_first = (n_leaves + apart - 1) / apart;
    std::vector<double> costs(n_first);
    parallel_for(Loop{.n = n_first, .threads = plan.threads}, [] { return Found(kLeaf); },
                 [&](Found& found, std::int64_t i) { costs[i] = ask_leaf(found, static_cast<std::int32_t>(i) * apart); });
    if (std::accumulate(costs.begin(), costs.end(), 0.0) / n_first * n_leaves > plan.budget) return {};
    parallel_for(Loop{.n = n_leaves, .threads = plan.threads, .grain = 4}, [] { return Found(kLeaf); },
                 [&](Found& found, std::int64_t at) {
                     if (at % apart != 0) ask_leaf(found, static_cast<std::int32_t>(at));
                 });
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
