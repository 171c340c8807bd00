// Neighbours in few dimensions: a k-d tree whose leaves are asked by whole leaves of queries.
//
// All bounds are sums in the same order as the distances themselves. Rounding is monotone, so a box is never
// further, in floating point, than a point inside it: pruning is exact.
#include <bit>
#include <cmath>
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
    const Loop leaves{.n = n_leaves, .threads = plan.threads, .grain = 4};
    parallel_for(leaves, [] { return Found(kLeaf); }, [&](Found& found, std::int64_t at) {
        if (!watch.go_on()) return;
        const auto leaf = static_cast<std::int32_t>(at);
        for (int i = 0; i < asking->size(leaf); ++i) found[i].begin(plan, asking->rows(leaf)[i]);
        function({tree, *asking, spec, plan, leaf, points.p, found.data()});
        for (int i = 0; i < asking->size(leaf); ++i)
            builder.set(asking->rows(leaf)[i], found[i].items(), plan, this_thread());
    });
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
