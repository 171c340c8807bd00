// Neighbours in few dimensions: a k-d tree whose leaves are asked by whole leaves of queries.
//
// All bounds are sums in the same order as the distances themselves. Rounding is monotone, so a box is never
// further, in floating point, than a point inside it: pruning is exact.
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "metrics.hpp"
#include "prefetch.hpp"
#include "search_tree.hpp"
#include "threads.hpp"
#include "kd_tree.hpp"
#include "kd_tree_narrow.hpp"
#include "kd_tree_words.hpp"

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

template <class Tree> struct NarrowJob { // the same trees, rounded
    const Tree& tree;
    const Tree& asking;
    const NarrowBound bound;
};

struct SquareCosts { // nanoseconds of one core for what is looked at once: how much, and how much for each column
    struct Cost {
        double once, column;
        constexpr double operator()(int p) const { return once + column * p; }
    };
    Cost node, ask, leaf, scan, kept;
};

} // namespace sepal

#define SEPAL_HOT_FILE "kd_tree_asks.inc.hpp"
#include "each_isa.hpp"

#ifdef SEPAL_HAS_V3 // once more, for words
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized" // in the compiler's own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#define SEPAL_ISA vnni
#define SEPAL_ATTR __attribute__((target("arch=x86-64-v3,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define SEPAL_LANE_BYTES 32
#include "lanes.inc.hpp"
#include "kd_tree_words.inc.hpp"
#undef SEPAL_ISA
#undef SEPAL_ATTR
#undef SEPAL_LANE_BYTES
#endif

namespace sepal {
namespace {

constexpr std::int32_t kManyLeaves = 16; // of queries: then others are called at once

using FloatsFunction = void (*)(const Job&, const NarrowJob<NarrowTree>&);

FloatsFunction floats_function(int p) {
    if (p == 2) return SEPAL_BEST(ask_floats<2>);
    if (p == 3) return SEPAL_BEST(ask_floats<3>);
    if (p == 4) return SEPAL_BEST(ask_floats<4>);
    return SEPAL_BEST(ask_floats<0>);
}

using WordsFunction = void (*)(const Job&, const NarrowJob<WordTree>&);

// Nothing where the processor cannot compare words.
WordsFunction words_function(int pairs) {
#ifdef SEPAL_HAS_V3
    if (!has_byte_products()) return nullptr;
    if (pairs == 3) return vnni::ask_words<3>;
    if (pairs == 4) return vnni::ask_words<4>;
    if (pairs == 5) return vnni::ask_words<5>;
    if (pairs == 6) return vnni::ask_words<6>;
    if (pairs == 7) return vnni::ask_words<7>;
    if (pairs == 8) return vnni::ask_words<8>;
    return vnni::ask_words<0>;
#else
    return nullptr;
#endif
}

// The points of a tree rounded for squares: in words where these are fine enough, else in float32.
struct Rounded {
    std::optional<NarrowTree> floats;
    std::optional<WordTree> words;

    Rounded(const KdTree& tree, const NarrowFrame& frame, int p, bool in_words, int threads) {
        if (in_words) words.emplace(tree, WordFrame(frame, p), p, threads);
        else floats.emplace(tree, frame, p, threads);
    }
    static bool suit_words(const KdTree& tree, const NarrowFrame& frame, int p) {
        return p > kFewColumns && words_function((p + 1) / 2) != nullptr && WordFrame(frame, p).suits(tree, p);
    }

  private:
    static constexpr int kFewColumns = 4; // up to so many, float32 is as quick
};

// What a question asks of trees that are there: `rounded` only for squares, and where queries fit into its frame.
struct Trees {
    const KdTree& tree;
    const KdTree& asking;
    const Rounded* rounded;
    const Rounded* rounded_asking;
    const NarrowFrame& frame;
};

// One leaf of queries against the tree, by whatever form of it there is.
std::function<void(const Job&)> ask_function(const Trees& trees, Metric metric, int p) {
    if (trees.rounded == nullptr) return with_metric(metric, []<Metric M>() -> void (*)(const Job&) { return SEPAL_BEST(ask<M>); });
    const Rounded &points = *trees.rounded, &asking = *trees.rounded_asking;
    if (points.words) {
        const NarrowJob<WordTree> words{*points.words, *asking.words, WordFrame(trees.frame, p).bound(p)};
        return [words, function = words_function((p + 1) / 2)](const Job& job) { function(job, words); };
    }
    const NarrowJob<NarrowTree> floats{*points.floats, *asking.floats, NarrowBound(trees.frame, p)};
    return [floats, function = floats_function(p)](const Job& job) { function(job, floats); };
}

Ranking ask_trees(const Trees& trees, Points queries, const MetricSpec& spec, const Plan& plan, double* work) {
    const int p = queries.p;
    const KdTree &tree = trees.tree, *asking = &trees.asking;
    const auto ask = ask_function(trees, spec.metric, p);
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
    std::optional<Rounded> rounded, rounded_other;
    if (spec.metric == Metric::l2 && frame.usable) {
        const bool in_words = Rounded::suit_words(tree, frame, points.p);
        rounded.emplace(tree, frame, points.p, in_words, plan.threads);
        if (!plan.self_join) rounded_other.emplace(asking, frame, points.p, in_words, plan.threads);
    }
    const Rounded* const own = rounded ? &*rounded : nullptr;
    return ask_trees({tree, asking, own, rounded_other ? &*rounded_other : own, frame}, queries, spec, plan, work);
}

struct KeptTree::Parts {
    Parts(Points points, int threads) : tree(points, threads), frame(tree, points.p) {
        if (frame.usable) rounded.emplace(tree, frame, points.p, Rounded::suit_words(tree, frame, points.p), threads);
    }
    KdTree tree;
    NarrowFrame frame;
    std::optional<Rounded> rounded;
};

KeptTree::KeptTree(Points points, int threads) : parts_(std::make_unique<Parts>(points, threads)) {}
KeptTree::~KeptTree() = default;

Ranking KeptTree::search(Points queries, const MetricSpec& spec, const Plan& plan) const {
    const Parts& kept = *parts_;
    const KdTree asking(queries, plan.threads);
    if (spec.metric != Metric::l2 || !kept.rounded || !kept.frame.holds(asking, queries.p))
        return ask_trees({kept.tree, asking, nullptr, nullptr, kept.frame}, queries, spec, plan, nullptr);
    const Rounded rounded(asking, kept.frame, queries.p, kept.rounded->words.has_value(), plan.threads);
    return ask_trees({kept.tree, asking, &*kept.rounded, &rounded, kept.frame}, queries, spec, plan, nullptr);
}

} // namespace sepal
