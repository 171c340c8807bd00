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
namespace {

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

template <Metric M> double grow(double total, double gap, double p) {
    if constexpr (M == Metric::l2) return total + gap * gap;
    if constexpr (M == Metric::l1) return total + gap;
    if constexpr (M == Metric::linf) return std::max(total, gap);
    return total + std::pow(gap, p);
}

template <Metric M>
double box_to_box(const double* lo1, const double* hi1, const double* lo2, const double* hi2, int p, double power) {
    double total = 0;
    for (int f = 0; f < p; ++f)
        total = grow<M>(total, std::max(0.0, std::max(lo1[f] - hi2[f], lo2[f] - hi1[f])), power);
    return total;
}

// Values of the kLeaf points of a leaf against one query, and whether any is within the bound.
template <class L, Metric M>
SEPAL_INLINE bool scan(const double* query, const double* leaf, const MetricSpec& spec, int p, double bound, double* out) {
    using D = typename L::Double;
    constexpr int W = D::width, N = kLeaf / W;
    Sum<D, M> sums[N];
    for (int f = 0; f < p; ++f) {
        const auto x = D::fill(query[f]);
        for (int v = 0; v < N; ++v) sums[v].add(x, D::load(leaf + f * kLeaf + v * W), spec, f);
    }
    auto pass = D::none();
    for (int v = 0; v < N; ++v) {
        const auto value = sums[v].value(p);
        D::store(out + v * W, value);
        pass = D::either(pass, D::at_most(value, D::fill(bound)));
    }
    return D::any(pass);
}

// Distance of a box to each of the kLeaf queries of a leaf: bounds for all of them in one sweep.
template <class L, Metric M>
SEPAL_INLINE void box_to_leaf(const double* lo, const double* hi, const double* leaf, const MetricSpec& spec, int p, double* out) {
    using D = typename L::Double;
    constexpr int W = D::width;
    for (int v = 0; v < kLeaf; v += W) {
        Sum<D, M> sum;
        const auto zero = D::fill(0);
        for (int f = 0; f < p; ++f) {
            const auto x = D::load(leaf + f * kLeaf + v);
            const auto gap = D::max(D::max(D::fill(lo[f]) - x, x - D::fill(hi[f])), zero);
            sum.add(gap, zero, spec, f);
        }
        D::store(out + v, sum.value(p));
    }
}

struct Job { // one leaf of queries against the whole tree
    const Tree& tree;
    const Tree& asking;
    const MetricSpec& spec;
    const Plan& plan;
    std::int32_t leaf;
    Candidates<double>* found; // of the queries of the leaf
};

template <class L, Metric M> SEPAL_INLINE void ask(const Job& job, const double* query_values) {
    const int p = static_cast<int>(job.tree.boxes.size() / (2 * job.tree.nodes.size()));
    const double widen = 1 + job.plan.tie;
    const Node& own = job.asking.nodes[job.asking.leaves[job.leaf]];
    const int n_queries = own.end - own.begin;
    const double* block = job.asking.block(job.leaf);
    const double *lo = job.asking.low(job.asking.leaves[job.leaf]), *hi = job.asking.high(job.asking.leaves[job.leaf]);
    double widest = std::numeric_limits<double>::infinity(); // the largest bound among the queries

    struct Visit {
        std::int32_t node;
        double distance;
    };
    Visit stack[128];
    int depth = 0;
    stack[depth++] = {0, 0.0};
    while (depth > 0) {
        const Visit visit = stack[--depth];
        if (!(visit.distance <= widest)) continue;
        const Node& node = job.tree.nodes[visit.node];
        if (node.leaf < 0) {
            const double a = box_to_box<M>(lo, hi, job.tree.low(node.left), job.tree.high(node.left), p, job.spec.p);
            const double b = box_to_box<M>(lo, hi, job.tree.low(node.right), job.tree.high(node.right), p, job.spec.p);
            const bool left_first = a < b || (a == b && job.leaf % 2 == 0);
            if (left_first) {
                stack[depth++] = {node.right, b};
                stack[depth++] = {node.left, a};
            } else {
                stack[depth++] = {node.left, a};
                stack[depth++] = {node.right, b};
            }
            continue;
        }
        double reach[kLeaf], value[kLeaf];
        box_to_leaf<L, M>(job.tree.low(visit.node), job.tree.high(visit.node), block, job.spec, p, reach);
        const double* points = job.tree.block(node.leaf);
        bool changed = false;
        for (int q = 0; q < n_queries; ++q) {
            Candidates<double>& found = job.found[q];
            if (!(reach[q] <= found.bound)) continue;
            if (!scan<L, M>(query_values + q * p, points, job.spec, p, found.bound, value)) continue;
            for (int c = 0; c < node.end - node.begin; ++c) {
                if (!(value[c] <= found.bound)) continue;
                const std::int32_t row = job.tree.order[node.begin + c];
                if (job.plan.self_join && row == job.asking.order[own.begin + q]) continue;
                found.push(value[c], value[c], row, job.plan.k, widen, job.plan.zero);
                changed = true;
            }
        }
        if (changed) {
            widest = 0;
            for (int q = 0; q < n_queries; ++q) widest = std::max(widest, job.found[q].bound);
        }
    }
}

using AskFunction = void (*)(const Job&, const double*);
template <Metric M> void ask_baseline(const Job& job, const double* q) { ask<Narrow, M>(job, q); }
#ifdef SEPAL_HAS_V3_CLONES
template <Metric M> SEPAL_V3 void ask_v3(const Job& job, const double* q) { ask<Wide, M>(job, q); }
#endif

AskFunction ask_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> AskFunction {
#ifdef SEPAL_HAS_V3_CLONES
        if (has_v3()) return ask_v3<M>;
#endif
        return ask_baseline<M>;
    });
}

} // namespace

Ranking search_tree(Points points, Points queries, const MetricSpec& spec, const Plan& plan) {
    const Tree tree(points);
    std::optional<Tree> other;
    const Tree* asking = plan.self_join ? &tree : &other.emplace(queries);
    const AskFunction function = ask_function(spec.metric);
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
            function({tree, *asking, spec, plan, static_cast<std::int32_t>(leaf), found.data()}, rows.data());
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
