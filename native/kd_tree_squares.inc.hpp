/// @brief One leaf of queries against a whole k-d tree by |x - z|^2, rounded squares first; for search_tree.cpp, once per instruction set.

#include "kd_tree_few.inc.hpp"

namespace sepal::SEPAL_ISA {

struct Hits { // the points of a leaf, a bit each, that are within the limit of a query
    int query;
    unsigned points;
};

// Cells compare them in float32 or in words, and never leave out what float64 would not.
template <class Cells> class AskingSquares {
    using F = Floats;
    using D = Doubles;
    using V = F::V;
    static constexpr int W = F::width, P = Cells::kColumns;

  public:
    SEPAL_ATTR AskingSquares(const Job& job, const NarrowJob<typename Cells::Tree>& narrow)
        : job_(job), bound_(narrow.bound), cells_(narrow.tree, narrow.asking, job.leaf, job.p), p_(P > 0 ? P : job.p), n_queries_(job.asking.size(job.leaf)),
          zero_(narrow.bound.above(job.plan.zero)), widen_(static_cast<float>((1 + job.plan.tie) * (1 + 0x1p-20))),
          by_few_(job.plan.limits == nullptr && job.plan.k > 1 && job.plan.k <= Few::kMost ? ~0u : 0u) {
        for (int i = 0; i < n_queries_; ++i) limits_[i] = narrow.bound.above(job.found[i].bound);
        std::fill(limits_ + n_queries_, limits_ + kLeaf, -1.0f); // nobody asks in the padding
        widest_ = *std::max_element(limits_, limits_ + n_queries_);
    }

    SEPAL_ATTR void run() {
        const unsigned everybody = ~0u >> (kLeaf - n_queries_);
        if (job_.plan.self_join) ask_leaf(job_.leaf, everybody, true); // good bounds to begin with
        struct Visit {
            std::int32_t node;
            float distance;
            unsigned who; // of the queries may find something there
        };
        Visit stack[128];
        int depth = 0;
        stack[depth++] = {0, 0.0f, everybody};
        while (depth > 0) {
            const Visit visit = stack[--depth];
            if (!(visit.distance <= widest_)) continue;
            ++n_nodes_;
            const Node& node = job_.tree.node(visit.node);
            float distance[kFan];
            unsigned near = cells_.near_children(visit.node, widest_, distance);
            near &= (1u << node.count) - 1;
            if (near == 0) continue;
            unsigned who[kFan];
            const bool told = tell_apart(visit.node, visit.who, near, who);
            int order[kFan], n_near = 0; // furthest first
            for (; near != 0; near &= near - 1) {
                const int c = std::countr_zero(near);
                if (who[c] == 0) continue;
                int at = n_near++;
                for (; at > 0 && distance[order[at - 1]] < distance[c]; --at) order[at] = order[at - 1];
                order[at] = c;
            }
            if (!node.of_leaves) {
                for (int i = 0; i < n_near; ++i) {
                    stack[depth++] = {node.child[order[i]], distance[order[i]], who[order[i]]};
                    cells_.prefetch_node(node.child[order[i]]);
                }
                continue;
            }
            for (int i = n_near - 1; i >= 0 && distance[order[i]] <= widest_; --i) {
                const std::int32_t leaf = node.child[order[i]];
                if (i > 0) cells_.prefetch_leaf(node.child[order[i - 1]]);
                if (!(job_.plan.self_join && leaf == job_.leaf)) ask_leaf(leaf, who[order[i]], told);
            }
        }
        for (int q = 0; q < n_queries_; ++q)
            if (by_few_ >> q & 1) settle_few(q);
        const std::int64_t decided = job_.plan.limits == nullptr ? n_decided_ : 0; // within a radius they are the same for all who search
        constexpr SquareCosts each = Cells::kCosts;
        *job_.cost = static_cast<double>(n_nodes_) * each.node(p_) + static_cast<double>(n_asks_) * each.ask(p_) +
                     static_cast<double>(n_leaves_) * each.leaf(p_) + static_cast<double>(n_scans_ + decided) * each.scan(p_) +
                     static_cast<double>(n_kept_) * each.kept(p_);
        *job_.work = static_cast<double>((n_nodes_ + n_asks_) * kFan + (n_leaves_ + n_scans_) * kLeaf + n_decided_) * p_;
    }

  private:
    const Job& job_;
    const NarrowBound& bound_;
    const Cells cells_;
    const int p_;
    const int n_queries_;
    const float zero_;  // the rounded square of what is rounding noise
    const float widen_; // by ties, and more than its product rounds
    std::int64_t n_nodes_ = 0, n_asks_ = 0, n_leaves_ = 0, n_scans_ = 0, n_decided_ = 0, n_kept_ = 0; // looked at
    float share_ = 0; // of the queries and children of a node who concern each other, lately
    float limits_[kLeaf], widest_ = 0; // of the queries, as rounded squares, and the largest of them
    unsigned by_few_; // queries whose candidates are in few_; others decide at once
    Few few_[kLeaf];
    float squares_[kLeaf][kLeaf]; // of the queries against the points of a leaf

    // Who of those that ask is concerned by which child of a node: looked at where it is likely to spare more than it costs, else everybody.
    SEPAL_ATTR SEPAL_INLINE bool tell_apart(std::int32_t node, unsigned asking, unsigned near, unsigned* who) {
        constexpr float kMost = 0.3f; // where more of them concern each other, leaves are as quickly asked
        constexpr int kDear = 6;      // queries against all children cost what one child against all queries does
        const int n_asking = std::popcount(asking), n_near = std::popcount(near);
        if (share_ > kMost || n_asking >= kDear * n_near) {
            std::fill_n(who, kFan, asking);
            share_ *= 0.98f; // bounds become tighter: it is tried again
            return false;
        }
        n_asks_ += n_asking;
        cells_.concerned_children(node, asking, limits_, who);
        int kept = 0;
        for (unsigned left = near; left != 0; left &= left - 1) kept += std::popcount(who[std::countr_zero(left)]);
        share_ = 0.75f * share_ + 0.25f * static_cast<float>(kept) / static_cast<float>(n_asking * n_near);
        return true;
    }

    // Of these squares those that may be the smallest, ties included: most of a first leaf is not.
    SEPAL_ATTR SEPAL_INLINE unsigned smallest(const float* values, unsigned within) const {
        float least = std::numeric_limits<float>::infinity();
        for (unsigned left = within; left != 0; left &= left - 1) least = std::min(least, values[std::countr_zero(left)]);
        const V limit = F::fill(reach(least));
        unsigned near = 0;
        for (int v = 0; v < kLeaf; v += W) near |= F::bits(F::at_most(F::load(values + v), limit)) << v;
        return within & near;
    }

    SEPAL_ATTR SEPAL_INLINE void ask_leaf(std::int32_t leaf, unsigned asking, bool told) {
        const bool own = job_.plan.self_join && leaf == job_.leaf; // where a query meets itself
        ++n_leaves_;
        Hits hits[kLeaf + 1]; // one more, so that the next can be looked at after the last
        int n = 0;
        if (!told && std::popcount(asking) > 1) asking &= cells_.concerned(leaf, limits_);
        while (asking != 0) {
            const int q = std::countr_zero(asking);
            asking &= asking - 1;
            const int r = asking == 0 ? q : std::countr_zero(asking);
            asking &= asking - 1; // 0 stays 0
            unsigned within[2];
            cells_.scan(q, r, leaf, limits_, squares_, within);
            n_scans_ += 1 + (r != q);
            if (own) {
                within[0] &= ~(1u << q);
                within[1] &= ~(1u << r);
            }
            // Who has hits cannot be foretold: nothing branches on it here.
            hits[n] = {q, within[0]};
            n += within[0] != 0;
            hits[n] = {r, within[1]};
            n += (within[1] != 0) & (r != q);
        }
        if (n == 0) return;
        hits[n] = {};
        take(leaf, hits, n);
        widest_ = *std::max_element(limits_, limits_ + n_queries_);
    }

    // Those that have candidates already note theirs together; the others come one by one.
    SEPAL_ATTR SEPAL_INLINE void take(std::int32_t leaf, Hits* hits, int n) {
        int together = 0, total = 0;
        for (int i = 0; i < n; ++i) {
            const auto [q, within] = hits[i];
            if (!(by_few_ >> q & 1) || !has_room(q)) {
                decide(q, leaf, squares_[q], within);
            } else if (few_[q].n == 0) {
                begin_few(q, leaf, squares_[q], within);
            } else {
                hits[together++] = hits[i];
                total += std::popcount(within);
            }
        }
        if (total == 0) return;
        keep(leaf, hits, total);
        for (int i = 0; i < together; ++i) tighten(hits[i].query);
    }

    // Whether the candidates of another leaf fit in; where so many are tied that they do not, float64 decides from now on.
    SEPAL_ATTR SEPAL_INLINE bool has_room(int q) {
        Few& few = few_[q];
        if (few.n + kLeaf <= Few::kRoom) return true;
        few.cut(limits_[q]);
        if (few.n + kLeaf <= Few::kRoom) return true;
        settle_few(q);
        by_few_ &= ~(1u << q);
        return false;
    }

    // Notes the points that rounded squares leave, of all queries in one loop, whose length alone is a branch.
    SEPAL_ATTR SEPAL_INLINE void keep(std::int32_t leaf, const Hits* hits, int total) {
        const int k = job_.plan.k;
        n_kept_ += total;
        unsigned within = hits->points;
        for (; total > 0; --total) {
            const int c = std::countr_zero(within);
            Few& few = few_[hits->query];
            const float square = squares_[hits->query][c];
            few.insert(square, k);
            few.add(square, leaf * kLeaf + c);
            within &= within - 1;
            hits += within == 0;
            within = within == 0 ? hits->points : within;
        }
    }

    // The first leaf of a query.
    SEPAL_ATTR SEPAL_INLINE void begin_few(int q, std::int32_t leaf, float* squares, unsigned within) {
        Few& few = few_[q];
        const int k = job_.plan.k;
        n_kept_ += std::popcount(within);
        few.begin();
        if (std::popcount(within) > k) within = smallest_few(few, squares, within);
        else for (unsigned left = within; left != 0; left &= left - 1) few.insert(squares[std::countr_zero(left)], k);
        for (; within != 0; within &= within - 1) few.add(squares[std::countr_zero(within)], leaf * kLeaf + std::countr_zero(within));
        tighten(q);
    }

    SEPAL_ATTR SEPAL_INLINE void tighten(int q) { limits_[q] = std::min(limits_[q], reach(few_[q].slot[job_.plan.k - 1])); }

    // No square of a point as near as that of this one, or tied with it, is above it.
    SEPAL_ATTR SEPAL_INLINE float reach(float square) const { return std::max(bound_.beyond(square) * widen_, zero_); }

    // Of a first leaf the k smallest, in order, and who may belong to them.
    SEPAL_ATTR SEPAL_INLINE unsigned smallest_few(Few& few, float* squares, unsigned within) const {
        const int k = job_.plan.k;
        float smaller[kLeaf];
        for (unsigned out = ~within; out != 0; out &= out - 1) squares[std::countr_zero(out)] = std::numeric_limits<float>::infinity();
        count_smaller(squares, smaller);
        unsigned first = 0;
        for (int v = 0; v < kLeaf; v += W) first |= F::bits(F::below(F::load(smaller + v), F::fill(static_cast<float>(k)))) << v;
        for (; first != 0; first &= first - 1) {
            const int c = std::countr_zero(first);
            int at = static_cast<int>(smaller[c]);
            while (at < k && few.slot[at] == squares[c]) ++at; // equal ones after each other
            if (at < k) few.slot[at] = squares[c];
        }
        const V limit = F::fill(reach(few.slot[k - 1]));
        unsigned near = 0;
        for (int v = 0; v < kLeaf; v += W) near |= F::bits(F::at_most(F::load(squares + v), limit)) << v;
        return within & near;
    }

    SEPAL_ATTR const double* coordinates(std::int32_t place) const { return job_.tree.block(place / kLeaf) + place % kLeaf; }

    // The places of the candidates, nearly in order already, which spares a sort.
    SEPAL_ATTR SEPAL_INLINE void in_order(Few& few, std::vector<Neighbor>& items) const {
        constexpr std::int32_t kFree = -1;
        const int padded = (few.n + W - 1) / W * W;
        std::fill(few.square + few.n, few.square + padded, std::numeric_limits<float>::infinity());
        items.assign(few.n, {0.0, kFree});
        const V one = F::fill(1);
        for (int v = 0; v < padded; v += W) {
            const V own = F::load(few.square + v);
            V smaller = F::fill(0);
            for (int j = 0; j < few.n; ++j) smaller += F::where(F::below(F::fill(few.square[j]), own), one);
            float at[W];
            F::store(at, smaller);
            for (int i = v; i < std::min(v + W, few.n); ++i) {
                auto place = static_cast<std::size_t>(at[i - v]);
                while (items[place].row != kFree) ++place; // equal ones after each other
                items[place].row = few.place[i];
            }
        }
    }

    // Float64 values of candidates by their places: in few columns the leaves that were just looked at are at hand.
    SEPAL_ATTR SEPAL_INLINE void measure_in_leaves(int q, std::vector<Neighbor>& items) const {
        const double* x = job_.asking.block(job_.leaf) + q;
        constexpr int kSide = 4; // sums that do not wait for each other
        const int n = static_cast<int>(items.size());
        for (int i = 0; i < n; i += kSide) {
            const double* z[kSide];
            double sum[kSide] = {};
            for (int c = 0; c < kSide; ++c) z[c] = coordinates(items[std::min(i + c, n - 1)].row);
            for (int f = 0; f < p_; ++f)
                for (int c = 0; c < kSide; ++c) {
                    const double t = x[f * kLeaf] - z[c][f * kLeaf];
                    sum[c] += t * t;
                }
            for (int c = 0; c < kSide && i + c < n; ++c) items[i + c].value = sum[c];
        }
    }

    // The same by their rows: in more columns these lie in fewer pieces of memory than a column of leaves.
    SEPAL_ATTR SEPAL_INLINE void measure_rows(int q, std::vector<Neighbor>& items) const {
        const double* rows[Few::kRoom];
        double values[Few::kRoom];
        const int n = static_cast<int>(items.size());
        for (int i = 0; i < n; ++i) rows[i] = job_.tree.point(items[i].row);
        squared_distances(job_.asking.point(job_.asking.rows(job_.leaf)[q]), rows, n, p_, values);
        for (int i = 0; i < n; ++i) items[i].value = values[i];
    }

    // Float64 values of the candidates that are left.
    SEPAL_ATTR void settle_few(int q) {
        Few& few = few_[q];
        Nearest& found = job_.found[q];
        few.cut(limits_[q]);
        n_decided_ += few.n;
        std::vector<Neighbor>& items = found.items();
        in_order(few, items);
        if constexpr (P > 0) measure_in_leaves(q, items);
        for (Neighbor& each : items) each.row = job_.tree.rows(each.row / kLeaf)[each.row % kLeaf];
        if constexpr (P == 0) measure_rows(q, items);
        found.recount(1 + job_.plan.tie, job_.plan.zero);
        few.n = 0;
    }

    // Float64 decides about the points that rounded squares leave.
    SEPAL_ATTR void decide(int q, std::int32_t leaf, const float* squares, unsigned within) {
        constexpr int E = D::width;
        Nearest& found = job_.found[q];
        const double widen = 1 + job_.plan.tie, zero = job_.plan.zero, before = found.bound;
        if (job_.plan.k == 1 && (within & (within - 1)) != 0) within = smallest(squares, within);
        n_decided_ += std::popcount(within);
        const double *x = job_.asking.block(job_.leaf) + q, *z = job_.tree.block(leaf);
        const std::int32_t* rows = job_.tree.rows(leaf);
        while (within != 0) {
            const int at = std::countr_zero(within) / E * E;
            auto sum = D::fill(0);
            for (int f = 0; f < p_; ++f) {
                const auto t = D::fill(x[f * kLeaf]) - D::load(z + f * kLeaf + at);
                sum += t * t;
            }
            double value[E];
            D::store(value, sum);
            for (int e = 0; e < E; ++e, within &= ~(1u << (at + e - 1)))
                if (within >> (at + e) & 1) found.push({value[e], rows[at + e]}, widen, zero);
        }
        if (found.bound < before) limits_[q] = bound_.above(found.bound);
    }
};

} // namespace sepal::SEPAL_ISA
