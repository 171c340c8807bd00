/// @brief One leaf of queries against a whole k-d tree by |x - z|^2, float32 first; for search_tree.cpp, once per instruction set.

namespace sepal::SEPAL_ISA {

SEPAL_ATTR SEPAL_INLINE Floats::V fused(Floats::V a, Floats::V b, Floats::V c) { // either rounding is within the bound
#if defined(SEPAL_VECTOR_EXTENSIONS) && defined(__x86_64__) && SEPAL_LANE_BYTES == 32
    return __builtin_ia32_vfmaddps256(a, b, c);
#else
    return a * b + c;
#endif
}

// The candidates of a query for a few neighbours, by float32 squares; float64 decides about those that are left at the end.
struct Few {
    static constexpr int kMost = 24, kRoom = 96; // neighbours; candidates, two leaves more than neighbours at least
    int n = 0;
    float slot[kMost]; // the smallest squares, in order
    float square[kRoom];
    std::int32_t place[kRoom]; // leaf * kLeaf + point

    SEPAL_ATTR SEPAL_INLINE void begin() {
        std::fill_n(slot, kMost, std::numeric_limits<float>::infinity());
    }
    // A square into its place, where the largest goes, without a branch: the i-th becomes min(i-th, max(one before, value)).
    // What is read was written in the same pieces just before: other pieces would have to wait for the cache.
    SEPAL_ATTR SEPAL_INLINE void insert(float value, int k) {
        using F = Floats;
        const F::V own = F::fill(value);
        F::V before = F::fill(-std::numeric_limits<float>::infinity());
        for (int i = 0; i < k; i += F::width) {
            const F::V now = F::load(slot + i);
            F::store(slot + i, F::min(now, F::max(F::after(before, now), own)));
            before = now;
        }
    }
    SEPAL_ATTR SEPAL_INLINE void add(float value, std::int32_t at) {
        square[n] = value;
        place[n++] = at;
    }
    SEPAL_ATTR SEPAL_INLINE void cut(float limit) {
        int kept = 0;
        for (int i = 0; i < n; ++i) {
            square[kept] = square[i];
            place[kept] = place[i];
            kept += square[i] <= limit;
        }
        n = kept;
    }
};

struct Hits { // the points of a leaf, a bit each, that are within the limit of a query
    int query;
    unsigned points;
};

// How many of these squares are smaller than each.
SEPAL_ATTR SEPAL_INLINE void count_smaller(const float* values, float* smaller) {
    using F = Floats;
    constexpr int N = kLeaf / F::width;
    F::V own[N], count[N];
    for (int v = 0; v < N; ++v) {
        own[v] = F::load(values + v * F::width);
        count[v] = F::fill(0);
    }
    const F::V one = F::fill(1);
    for (int c = 0; c < kLeaf; ++c) {
        const F::V each = F::fill(values[c]);
        for (int v = 0; v < N; ++v) count[v] += F::where(F::below(each, own[v]), one);
    }
    for (int v = 0; v < N; ++v) F::store(smaller + v * F::width, count[v]);
}

// P is the number of columns where it is known in advance (short loops unroll), or 0.
template <int P> class AskingSquares {
    using F = Floats;
    using D = Doubles;
    using V = F::V;
    static constexpr int W = F::width;

  public:
    SEPAL_ATTR AskingSquares(const Job& job, const NarrowJob& narrow)
        : job_(job), narrow_(narrow), p_(P > 0 ? P : job.p), block_(narrow.asking.block(job.leaf)), n_queries_(job.asking.size(job.leaf)),
          zero_(narrow.bound.above(job.plan.zero)), by_few_(job.plan.limits == nullptr && job.plan.k > 1 && job.plan.k <= Few::kMost ? ~0u : 0u) {
        for (int i = 0; i < n_queries_; ++i) limits_[i] = narrow.bound.above(job.found[i].bound);
        std::fill(limits_ + n_queries_, limits_ + kLeaf, -1.0f); // nobody asks in the padding
        widest_ = *std::max_element(limits_, limits_ + n_queries_);
    }

    SEPAL_ATTR void run() {
        const float *lo = narrow_.asking.low(job_.leaf), *hi = narrow_.asking.high(job_.leaf);
        const unsigned everybody = ~0u >> (kLeaf - n_queries_);
        if (job_.plan.self_join) ask_leaf(job_.leaf, everybody); // good bounds to begin with
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
            const float *lows = narrow_.tree.lows(visit.node), *highs = narrow_.tree.highs(visit.node);
            unsigned near = near_children(lo, hi, lows, highs, distance);
            near &= (1u << node.count) - 1;
            if (near == 0) continue;
            unsigned who[kFan];
            tell_apart(lows, highs, visit.who, near, who);
            int order[kFan], n_near = 0; // furthest first
            for (; near != 0; near &= near - 1) {
                const int c = std::countr_zero(near);
                if (who[c] == 0) continue;
                int at = n_near++;
                for (; at > 0 && distance[order[at - 1]] < distance[c]; --at) order[at] = order[at - 1];
                order[at] = c;
            }
            if (!node.of_leaves) {
                for (int i = 0; i < n_near; ++i) stack[depth++] = {node.child[order[i]], distance[order[i]], who[order[i]]};
                continue;
            }
            for (int i = n_near - 1; i >= 0 && distance[order[i]] <= widest_; --i) {
                const std::int32_t leaf = node.child[order[i]];
                if (!(job_.plan.self_join && leaf == job_.leaf)) ask_leaf(leaf, who[order[i]]);
            }
        }
        for (int q = 0; q < n_queries_; ++q)
            if (by_few_ >> q & 1) settle_few(q);
        const std::int64_t decided = job_.plan.limits == nullptr ? n_decided_ : 0; // within a radius they are the same for all who search
        *job_.cost = static_cast<double>(n_nodes_) * (6 + 0.45 * p_) + static_cast<double>(n_asks_) * (2 + 0.22 * p_) +
                     static_cast<double>(n_leaves_) * (4.5 + 0.9 * p_) + static_cast<double>(n_scans_ + decided) * (4.5 + 0.45 * p_) +
                     static_cast<double>(n_kept_) * 3.6;
        *job_.work = static_cast<double>((n_nodes_ + n_asks_) * kFan + (n_leaves_ + n_scans_) * kLeaf + n_decided_) * p_;
    }

  private:
    const Job& job_;
    const NarrowJob& narrow_;
    const int p_;
    const float* block_;
    const int n_queries_;
    const float zero_; // the float32 square of what is rounding noise
    std::int64_t n_nodes_ = 0, n_asks_ = 0, n_leaves_ = 0, n_scans_ = 0, n_decided_ = 0, n_kept_ = 0; // looked at
    float share_ = 0; // of the queries and children of a node who concern each other, lately
    float limits_[kLeaf], widest_ = 0; // of the queries, in float32 squares, and the largest of them
    unsigned by_few_; // queries whose candidates are in few_; others decide at once
    Few few_[kLeaf];
    float squares_[kLeaf][kLeaf]; // of the queries against the points of a leaf

    // How far the children of a node are from the box of the queries, and a bit for each that is within the widest limit.
    SEPAL_ATTR SEPAL_INLINE unsigned near_children(const float* lo, const float* hi, const float* lows, const float* highs, float* out) const {
        unsigned within = 0;
        const V none = F::fill(0);
        for (int v = 0; v < kFan; v += W) {
            V sum = none;
            for (int f = 0; f < p_; ++f) {
                const V gap = F::max(F::max(F::fill(lo[f]) - F::load(highs + f * kFan + v), F::load(lows + f * kFan + v) - F::fill(hi[f])), none);
                sum = fused(gap, gap, sum);
            }
            F::store(out + v, sum);
            within |= F::bits(F::at_most(sum, F::fill(widest_))) << v;
        }
        return within;
    }

    // Who of those that ask is concerned by which child of a node: looked at where it is likely to spare more than it costs, else everybody.
    SEPAL_ATTR SEPAL_INLINE void tell_apart(const float* lows, const float* highs, unsigned asking, unsigned near, unsigned* who) {
        constexpr float kMost = 0.3f; // where more of them concern each other, leaves are as quickly asked
        constexpr int kDear = 6;      // queries against all children cost what one child against all queries does
        const int n_asking = std::popcount(asking), n_near = std::popcount(near);
        if (share_ > kMost || n_asking >= kDear * n_near) {
            std::fill_n(who, kFan, asking);
            share_ *= 0.98f; // bounds become tighter: it is tried again
            return;
        }
        concerned_children(lows, highs, asking, who);
        int kept = 0;
        for (unsigned left = near; left != 0; left &= left - 1) kept += std::popcount(who[std::countr_zero(left)]);
        share_ = 0.75f * share_ + 0.25f * static_cast<float>(kept) / static_cast<float>(n_asking * n_near);
    }

    // Bit q of who[c] is set where child c of a node may hold something within the limit of query q, of those that ask.
    SEPAL_ATTR SEPAL_INLINE void concerned_children(const float* lows, const float* highs, unsigned asking, unsigned* who) {
        constexpr int N = kFan / W, kHalf = kLeaf / 2; // sums of so many different powers of two are exact
        n_asks_ += std::popcount(asking);
        const V none = F::fill(0);
        for (int half = 0; half < 2; ++half) {
            V bits[N];
            for (int v = 0; v < N; ++v) bits[v] = none;
            for (unsigned left = asking >> (half * kHalf) & 0xffffu; left != 0; left &= left - 1) {
                const int at = std::countr_zero(left), q = half * kHalf + at;
                const V limit = F::fill(limits_[q]), bit = F::fill(static_cast<float>(1u << at));
                for (int v = 0; v < N; ++v) {
                    V sum = none;
                    for (int f = 0; f < p_; ++f) {
                        const V x = F::fill(block_[f * kLeaf + q]);
                        const V gap = F::max(F::max(F::load(lows + f * kFan + v * W) - x, x - F::load(highs + f * kFan + v * W)), none);
                        sum = fused(gap, gap, sum);
                    }
                    bits[v] += F::where(F::at_most(sum, limit), bit);
                }
            }
            float found[kFan];
            for (int v = 0; v < N; ++v) F::store(found + v * W, bits[v]);
            for (int c = 0; c < kFan; ++c) who[c] = half == 0 ? static_cast<unsigned>(found[c]) : who[c] | static_cast<unsigned>(found[c]) << kHalf;
        }
    }

    // Bit q is set where the box may hold something within the limit of query q of the leaf.
    SEPAL_ATTR SEPAL_INLINE unsigned concerned(const float* lo, const float* hi) const {
        constexpr int N = kLeaf / W;
        const V none = F::fill(0);
        V sums[N];
        for (int v = 0; v < N; ++v) sums[v] = none;
        for (int f = 0; f < p_; ++f) {
            const V low = F::fill(lo[f]), high = F::fill(hi[f]);
            for (int v = 0; v < N; ++v) {
                const V x = F::load(block_ + f * kLeaf + v * W), gap = F::max(F::max(low - x, x - high), none);
                sums[v] = fused(gap, gap, sums[v]);
            }
        }
        unsigned within = 0;
        for (int v = 0; v < N; ++v) within |= F::bits(F::at_most(sums[v], F::load(limits_ + v * W))) << (v * W);
        return within;
    }

    // Float32 squares of two queries against the points of a leaf; bit c is set where point c is within the limit.
    SEPAL_ATTR SEPAL_INLINE void scan(int q, int r, const float* leaf, unsigned* within) {
        constexpr int N = kLeaf / W;
        V a[N], b[N];
        for (int v = 0; v < N; ++v) a[v] = b[v] = F::fill(0);
        for (int f = 0; f < p_; ++f) {
            const V x = F::fill(block_[f * kLeaf + q]), y = F::fill(block_[f * kLeaf + r]);
            for (int v = 0; v < N; ++v) {
                const V z = F::load(leaf + f * kLeaf + v * W), s = x - z, t = y - z;
                a[v] = fused(s, s, a[v]);
                b[v] = fused(t, t, b[v]);
            }
        }
        within[0] = within[1] = 0;
        for (int v = 0; v < N; ++v) {
            F::store(squares_[q] + v * W, a[v]);
            F::store(squares_[r] + v * W, b[v]);
            within[0] |= F::bits(F::at_most(a[v], F::fill(limits_[q]))) << (v * W);
            within[1] |= F::bits(F::at_most(b[v], F::fill(limits_[r]))) << (v * W);
        }
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

    SEPAL_ATTR SEPAL_INLINE void ask_leaf(std::int32_t leaf, unsigned asking) {
        const bool own = job_.plan.self_join && leaf == job_.leaf; // where a query meets itself
        const float* points = narrow_.tree.block(leaf);
        ++n_leaves_;
        Hits hits[kLeaf + 1]; // one more, so that the next can be looked at after the last
        int n = 0;
        if (std::popcount(asking) > 1) asking &= concerned(narrow_.tree.low(leaf), narrow_.tree.high(leaf));
        while (asking != 0) {
            const int q = std::countr_zero(asking);
            asking &= asking - 1;
            const int r = asking == 0 ? q : std::countr_zero(asking);
            asking &= asking - 1; // 0 stays 0
            unsigned within[2];
            scan(q, r, points, within);
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

    // Notes the points that float32 leaves, of all queries in one loop, whose length alone is a branch.
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

    // No square of a point as near as that of this one is above it.
    SEPAL_ATTR SEPAL_INLINE float reach(float square) const { return std::max(narrow_.bound.beyond(square), zero_); }

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

    // Float64 decides about the points that float32 leaves.
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
        if (found.bound < before) limits_[q] = narrow_.bound.above(found.bound);
    }
};

template <int P> SEPAL_ATTR void ask_squares(const Job& job, const NarrowJob& narrow) { AskingSquares<P>(job, narrow).run(); }

} // namespace sepal::SEPAL_ISA
