/// @brief One leaf of queries against a whole k-d tree, branch and bound on d(x, box); for search_tree.cpp, once per instruction set.

#include "metrics.inc.hpp"

namespace sepal::SEPAL_ISA {

// Adds one column's gap between intervals, 0 where they meet.
template <Metric M, class V>
SEPAL_ATTR SEPAL_INLINE void add_gap(Sum<M>& sum, V below, V above, const MetricSpec& spec, int f) {
    using D = Doubles;
    sum.add(D::max(D::max(below, above), D::fill(0)), D::fill(0), spec, f);
}

// How far the children of a node are from a box, and a bit for each that is within the bound.
template <Metric M>
SEPAL_ATTR SEPAL_INLINE unsigned near_children(const double* lo, const double* hi, const double* lows, const double* highs,
                                               const MetricSpec& spec, int p, double bound, double* out) {
    using D = Doubles;
    unsigned within = 0;
    for (int v = 0; v < kFan; v += D::width) {
        Sum<M> sum;
        for (int f = 0; f < p; ++f)
            add_gap<M>(sum, D::fill(lo[f]) - D::load(highs + f * kFan + v), D::load(lows + f * kFan + v) - D::fill(hi[f]), spec, f);
        const auto value = sum.value(p);
        D::store(out + v, value);
        within |= D::bits(D::at_most(value, D::fill(bound))) << v;
    }
    return within;
}

// Bit q is set where the box may hold something within the bound of query q of the leaf.
template <Metric M>
SEPAL_ATTR SEPAL_INLINE unsigned concerned(const double* lo, const double* hi, const double* leaf, const double* bounds,
                                           const MetricSpec& spec, int p) {
    using D = Doubles;
    unsigned within = 0;
    for (int v = 0; v < kLeaf; v += D::width) {
        Sum<M> sum;
        for (int f = 0; f < p; ++f) {
            const auto x = D::load(leaf + f * kLeaf + v);
            add_gap<M>(sum, D::fill(lo[f]) - x, x - D::fill(hi[f]), spec, f);
        }
        within |= D::bits(D::at_most(sum.value(p), D::load(bounds + v))) << v;
    }
    return within;
}

// Values of the points of a leaf against query q of another; bit c is set where point c is within the bound.
template <Metric M>
SEPAL_ATTR SEPAL_INLINE unsigned scan(const double* queries, int q, const double* leaf, const MetricSpec& spec, int p,
                                      double bound, double* out) {
    using D = Doubles;
    constexpr int W = D::width, N = kLeaf / W;
    Sum<M> sums[N];
    for (int f = 0; f < p; ++f) {
        const auto x = D::fill(queries[f * kLeaf + q]);
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

// Of these values those that may be the smallest, ties included: most of a first leaf is not.
SEPAL_ATTR SEPAL_INLINE unsigned smallest(const double* values, double widen, double zero) {
    using D = Doubles;
    auto least = D::fill(std::numeric_limits<double>::infinity());
    for (int v = 0; v < kLeaf; v += D::width) least = D::min(D::load(values + v), least); // NaN leaves it as it is
    double lanes[D::width];
    D::store(lanes, least);
    const double limit = std::max(*std::min_element(lanes, lanes + D::width) * widen, zero);
    unsigned within = 0;
    for (int v = 0; v < kLeaf; v += D::width)
        within |= D::bits(D::at_most(D::load(values + v), D::fill(limit))) << v;
    return within;
}

template <Metric M> class Asking {
  public:
    SEPAL_ATTR explicit Asking(const Job& job)
        : job_(job), p_(job.p), block_(job.asking.block(job.leaf)), n_queries_(job.asking.size(job.leaf)) {
        for (int i = 0; i < n_queries_; ++i) bounds_[i] = job.found[i].bound;
        std::fill(bounds_ + n_queries_, bounds_ + kLeaf, -1.0); // nobody asks in the padding
        widest_ = *std::max_element(bounds_, bounds_ + n_queries_);
    }

    SEPAL_ATTR void run() {
        const double *lo = job_.asking.low(job_.leaf), *hi = job_.asking.high(job_.leaf);
        if (job_.plan.self_join) ask_leaf(job_.leaf, lo, hi); // good bounds to begin with
        struct Visit {
            std::int32_t node;
            double distance;
        };
        Visit stack[128];
        int depth = 0;
        stack[depth++] = {0, 0.0};
        while (depth > 0) {
            const Visit visit = stack[--depth];
            if (!(visit.distance <= widest_)) continue;
            ++n_nodes_;
            const Node& node = job_.tree.node(visit.node);
            const double *lows = job_.tree.lows(visit.node), *highs = job_.tree.highs(visit.node);
            double distance[kFan];
            unsigned near = near_children<M>(lo, hi, lows, highs, job_.spec, p_, widest_, distance);
            near &= (1u << node.count) - 1;
            int order[kFan], n_near = 0; // furthest first
            for (; near != 0; near &= near - 1) {
                const int c = std::countr_zero(near);
                int at = n_near++;
                for (; at > 0 && distance[order[at - 1]] < distance[c]; --at) order[at] = order[at - 1];
                order[at] = c;
            }
            if (!node.of_leaves) {
                for (int i = 0; i < n_near; ++i) stack[depth++] = {node.child[order[i]], distance[order[i]]};
                continue;
            }
            for (int i = n_near - 1; i >= 0 && distance[order[i]] <= widest_; --i) {
                const std::int32_t leaf = node.child[order[i]];
                if (!(job_.plan.self_join && leaf == job_.leaf)) ask_leaf(leaf, job_.tree.low(leaf), job_.tree.high(leaf));
            }
        }
        constexpr double kDear = M == Metric::lp ? 120 : 1; // powers
        *job_.cost = (static_cast<double>(n_nodes_) * (10 + p_) + static_cast<double>(n_leaves_ + n_scans_) * (5 + 2 * p_)) * kDear;
        *job_.work = static_cast<double>(n_nodes_ * kFan + (n_leaves_ + n_scans_) * kLeaf) * p_;
    }

  private:
    const Job& job_;
    const int p_;
    const double* block_;
    const int n_queries_;
    std::int64_t n_nodes_ = 0, n_leaves_ = 0, n_scans_ = 0; // looked at
    double bounds_[kLeaf], widest_ = std::numeric_limits<double>::infinity(); // of the queries, and the largest of them

    SEPAL_ATTR SEPAL_INLINE void ask_leaf(std::int32_t leaf, const double* lo, const double* hi) {
        const bool own = job_.plan.self_join && leaf == job_.leaf; // where a query meets itself
        const double widen = 1 + job_.plan.tie, zero = job_.plan.zero;
        const double* points = job_.tree.block(leaf);
        const std::int32_t* rows = job_.tree.rows(leaf);
        bool changed = false;
        ++n_leaves_;
        for (unsigned asking = concerned<M>(lo, hi, block_, bounds_, job_.spec, p_); asking != 0; asking &= asking - 1) {
            const int q = std::countr_zero(asking);
            double value[kLeaf];
            ++n_scans_;
            // Padding points are NaN, which is never within a bound.
            unsigned within = scan<M>(block_, q, points, job_.spec, p_, bounds_[q], value);
            if (own) {
                value[q] = std::numeric_limits<double>::quiet_NaN();
                within &= ~(1u << q);
            }
            if (within == 0) continue;
            if (job_.plan.k == 1) within &= smallest(value, widen, zero);
            for (; within != 0; within &= within - 1) {
                const int c = std::countr_zero(within);
                job_.found[q].push({value[c], rows[c]}, widen, zero);
            }
            bounds_[q] = job_.found[q].bound;
            changed = true;
        }
        if (changed) widest_ = *std::max_element(bounds_, bounds_ + n_queries_);
    }
};

template <Metric M> SEPAL_ATTR void ask(const Job& job) { Asking<M>(job).run(); }

} // namespace sepal::SEPAL_ISA
