// One leaf of queries against a whole k-d tree. Included by search_tree.cpp for each instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

template <Metric M> SEPAL_ATTR SEPAL_INLINE double grow(double total, double gap, double p) {
    if constexpr (M == Metric::l2) return total + gap * gap;
    if constexpr (M == Metric::l1) return total + gap;
    if constexpr (M == Metric::linf) return std::max(total, gap);
    return total + std::pow(gap, p);
}

template <Metric M>
SEPAL_ATTR SEPAL_INLINE double box_to_box(const double* lo1, const double* hi1, const double* lo2, const double* hi2, int p,
                                          double power) {
    using D = Doubles;
    double total = 0, gap[D::width];
    int f = 0;
    for (; f + D::width <= p; f += D::width) {
        const auto one = D::load(lo1 + f) - D::load(hi2 + f), other = D::load(lo2 + f) - D::load(hi1 + f);
        D::store(gap, D::max(D::max(one, other), D::fill(0)));
        for (int i = 0; i < D::width; ++i) total = grow<M>(total, gap[i], power);
    }
    for (; f < p; ++f) total = grow<M>(total, std::max(0.0, std::max(lo1[f] - hi2[f], lo2[f] - hi1[f])), power);
    return total;
}

// Values of the kLeaf points of a leaf against one query; bit c is set where point c is within the bound.
template <Metric M>
SEPAL_ATTR SEPAL_INLINE unsigned scan(const double* query, const double* leaf, const MetricSpec& spec, int p, double bound,
                                      double* out) {
    using D = Doubles;
    constexpr int W = D::width, N = kLeaf / W;
    Sum<M> sums[N];
    for (int f = 0; f < p; ++f) {
        const auto x = D::fill(query[f]);
        for (int v = 0; v < N; ++v) sums[v].add(x, D::load(leaf + f * kLeaf + v * W), spec, f);
    }
    unsigned within = 0;
    for (int v = 0; v < N; ++v) {
        const auto value = sums[v].value(p);
        D::store(out + v * W, value);
        within |= D::bits(D::at_most(value, D::fill(bound))) << (v * W);
    }
    return within;
}

// Bit q is set where the box may hold something within the bound of query q of the leaf.
template <Metric M>
SEPAL_ATTR SEPAL_INLINE unsigned concerned(const double* lo, const double* hi, const double* leaf, const double* bounds,
                                           const MetricSpec& spec, int p) {
    using D = Doubles;
    constexpr int W = D::width;
    unsigned within = 0;
    for (int v = 0; v < kLeaf; v += W) {
        Sum<M> sum;
        const auto zero = D::fill(0);
        for (int f = 0; f < p; ++f) {
            const auto x = D::load(leaf + f * kLeaf + v);
            const auto gap = D::max(D::max(D::fill(lo[f]) - x, x - D::fill(hi[f])), zero);
            sum.add(gap, zero, spec, f);
        }
        within |= D::bits(D::at_most(sum.value(p), D::load(bounds + v))) << v;
    }
    return within;
}

// P is the number of columns where it is known in advance (short loops unroll), or 0.
template <Metric M, int P> SEPAL_ATTR void ask(const Job& job, const double* query_values) {
    const int p = P > 0 ? P : job.p;
    const double widen = 1 + job.plan.tie;
    const Node& own = job.asking.nodes[job.asking.leaves[job.leaf]];
    const int n_queries = own.end - own.begin;
    const double* block = job.asking.block(job.leaf);
    const double *lo = job.asking.low(job.asking.leaves[job.leaf]), *hi = job.asking.high(job.asking.leaves[job.leaf]);
    double bounds[kLeaf], widest = std::numeric_limits<double>::infinity(); // of the queries, and the largest of them
    std::fill_n(bounds, n_queries, widest);
    std::fill(bounds + n_queries, bounds + kLeaf, -1.0); // nobody asks in the padding
    const std::int32_t own_leaf = job.plan.self_join ? job.leaf : -1; // where a query meets itself

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
        unsigned asking = concerned<M>(job.tree.low(visit.node), job.tree.high(visit.node), block, bounds, job.spec, p);
        const double* points = job.tree.block(node.leaf);
        const std::int32_t* rows = job.tree.order.data() + node.begin;
        bool changed = false;
        for (; asking != 0; asking &= asking - 1) {
            const int q = std::countr_zero(asking);
            Nearest& found = job.found[q];
            double value[kLeaf];
            // Padding points are NaN, which is never within a bound.
            unsigned within = scan<M>(query_values + q * p, points, job.spec, p, bounds[q], value);
            if (own_leaf == node.leaf) within &= ~(1u << q);
            if (within == 0) continue;
            for (; within != 0; within &= within - 1) {
                const int c = std::countr_zero(within);
                found.push({value[c], rows[c]}, widen, job.plan.zero);
            }
            bounds[q] = found.bound;
            changed = true;
        }
        if (changed) widest = *std::max_element(bounds, bounds + n_queries);
    }
}

} // namespace sepal::SEPAL_ISA
