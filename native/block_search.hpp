/// @brief Brute-force k nearest neighbours, min_j d(x_i, x_j), over pairs of blocks, with any filter that bounds d from below.
//
// A Filter has `Real`, `is_exact`, `panel_cols`, `block`, and
//   panel(i0, row_limit, j, col_limit, hits)  the pairs with h >= min(row_limit, col_limit), counted
//   limit(bound, i)                           the least h that a pair of query i within `bound` may have
//   lower(h), upper(h, i, j)                  what h, refined if the filter does so, says of the true value
//   at_most(value)                            the largest `lower` that a true value up to this one may have
//   zero(value)                               the largest `lower` that rounding noise of 0 may have
//   query_row(i), point_row(j)                the rows at these positions
//   apart(block i, block j, bound)            true if no pair of the two blocks can be within `bound`
//   exact(i, candidates, found)               their rows and true values, in float64
// and may have
//   refine(i0, j, row_bound, col_bound, hits, n)  looks closer at hits: leaves some out and changes h; how many stay
//   first_look(i0, count, near)               of 6 queries `count` pairs each with different points j that look near, refined, if it can
//   gave_up()                                 true once it leaves out too few pairs to be worth its work
#pragma once

#include <memory>
#include <mutex>

#include "block_pairs.hpp"
#include "candidates.hpp"
#include "prefetch.hpp"
#include "spare_memory.hpp"
#include "threads.hpp"
#include "tiles.hpp"

namespace sepal {

template <class Filter> class BlockSearch {
    using Real = typename Filter::Real;
    static constexpr bool kRefines = requires(Filter& filter, const Real* limit, Hit<Real>* hits) { filter.refine(0, 0, limit, limit, hits, 0); };

  public:
    BlockSearch(Filter& filter, std::int64_t n_points, std::int64_t n_queries, const Plan& plan)
        : filter_(filter), n_points_(n_points), n_queries_(n_queries), plan_(plan), k_(neighbors_of(plan, n_points)), block_(filter.block),
          rows_(n_queries), now_(blocks(n_queries) * block_), locks_(std::make_unique<std::mutex[]>(blocks(n_queries))) {
        now_.close();
        if (k_ <= Candidates<Real>::kFew) make_lists();
        parallel_for(Loop{.n = n_queries, .threads = plan.threads, .grain = 1024}, [&](std::int64_t i) {
            if (each_ > 0) rows_[i].lend(lists_ + i * each_, k_);
            if (plan.limits != nullptr) rows_[i].bound = filter.at_most(plan.reach(filter.query_row(i)));
            now_.bound[i] = rows_[i].bound;
            now_.limit[i] = filter.limit(rows_[i].bound, i);
        });
    }

    // A filter that cannot tell near from far, because the rows lie in clusters far apart or one is very far out, keeps
    // nearly everybody: then the search gives up before memory does.
    bool gave_up() const {
        if constexpr (requires { filter_.gave_up(); })
            if (filter_.gave_up()) return true;
        return !Filter::is_exact && crowded_.load(std::memory_order_relaxed) > n_queries_ / 8 + 16;
    }

    // Pairs that float64 decided about.
    std::int64_t decided() const { return decided_.load(); }

    Ranking run() {
        // The diagonal first, which gives every row a bound, then band of diagonals after band: what the next pairs need is still
        // at hand, and all threads stay busy to the end.
        const std::int64_t left = blocks(n_queries_), right = blocks(n_points_);
        const std::int64_t runs = plan_.self_join ? triangle_runs(left, kBand) : rectangle_runs(left, right, kBand);
        // The diagonal is looked at in every turn, for its bounds; the other runs by turns.
        const Turn& turn = plan_.turn;
        const std::int64_t own = turn.of == 1 ? runs : left + std::max<std::int64_t>(0, runs - left - turn.at + turn.of - 1) / turn.of;
        turn.arranged(Turn::Kind::by_tiles, block_ * kBand, n_queries_, [this](std::int64_t i) { return filter_.query_row(i); });
        Watch watch(plan_.poll, own + (n_queries_ + 1023) / 1024);
        look_first(watch);
        const std::int64_t grain = std::clamp<std::int64_t>(own / (32 * static_cast<std::int64_t>(plan_.threads)), 1, 8);
        parallel_for(Loop{.n = own, .threads = plan_.threads, .grain = grain}, [&] { return Scratch(block_); }, [&](Scratch& scratch, std::int64_t at) {
            if (gave_up() || !watch.go_on()) return;
            const std::int64_t t = at < left || turn.of == 1 ? at : left + turn.at + (at - left) * turn.of;
            const BlockRun run = plan_.self_join ? triangle_run(t, left, kBand) : rectangle_run(t, left, right, kBand);
            for (std::int64_t d = 0; d < run.length; ++d) tile(run.i, (run.j + d) % right, scratch);
        });
        return watch.stopped() || gave_up() ? Ranking{} : decide(watch);
    }

  private:
    static constexpr int kFewNeighbors = 100;
    static constexpr std::int64_t kBand = 4;
    static constexpr int kSome = 256; // hits that are looked at together
    static constexpr int kAhead = 8;
    using Item = typename Candidates<Real>::Item;
    static constexpr std::size_t kLine = 64 / sizeof(Item);

    struct Limits { // of some queries: their bounds, and what h must be
        explicit Limits(std::int64_t n) : bound(n), limit(n) {}
        std::vector<Real> bound, limit;
        void close() { // nobody asks
            std::fill(bound.begin(), bound.end(), -std::numeric_limits<Real>::infinity());
            std::fill(limit.begin(), limit.end(), std::numeric_limits<Real>::infinity());
        }
    };
    struct Scratch {
        explicit Scratch(int block)
            : row(block), col(block), hits(static_cast<std::size_t>(block) * Filter::panel_cols + kSome), lower(hits.size()), near(hits.size()) {}
        Limits row, col;
        std::vector<Hit<Real>> hits;
        std::vector<Real> lower;        // of each hit
        std::vector<std::int32_t> near; // hits that matter to one side
    };

    std::int64_t blocks(std::int64_t n) const { return (n + block_ - 1) / block_; }

    // All lists in one piece of memory, each beginning with a line of it.
    void make_lists() {
        each_ = Candidates<Real>::first_room(k_);
        memory_.reserve(static_cast<std::size_t>(n_queries_ * each_ + kLine) * sizeof(Item)); // each list sets up what it uses
        const auto at = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(Item);
        lists_ = reinterpret_cast<Item*>(memory_.data()) + (kLine - at % kLine) % kLine;
    }

    // A first bound of each query: what the k nearest of some points that look near are within.
    void look_first(Watch& watch) {
        if constexpr (requires(std::vector<Hit<Real>>& near) { filter_.first_look(0, 1, near); }) {
            if (plan_.limits != nullptr || plan_.k > kFewNeighbors) return;
            const int count = plan_.k + plan_.k / 4 + 2; // among them may be the query itself
            struct Near {
                std::vector<Hit<Real>> hits;
                std::vector<Real> upper;
            };
            const std::int64_t sixes = (n_queries_ + kPanelRows - 1) / kPanelRows;
            parallel_for(Loop{.n = sixes, .threads = plan_.threads, .grain = 8}, [] { return Near(); }, [&](Near& near, std::int64_t six) {
                const std::int64_t i0 = six * kPanelRows;
                if ((six % 256 == 0 && !watch.still_on()) || watch.stopped() || !filter_.first_look(i0, count, near.hits)) return;
                for (std::int64_t i = i0; i < std::min(n_queries_, i0 + kPanelRows); ++i) {
                    near.upper.clear();
                    for (int t = 0; t < count; ++t) {
                        const Hit<Real>& hit = near.hits[(i - i0) * count + t];
                        if (!(plan_.self_join && i == hit.j)) near.upper.push_back(filter_.upper(hit.h, i, hit.j));
                    }
                    const auto kth = near.upper.begin() + (plan_.k - 1);
                    std::nth_element(near.upper.begin(), kth, near.upper.end());
                    rows_[i].bound = now_.bound[i] = std::max(*kth * static_cast<Real>(filter_.widen), filter_.zero(plan_.zero));
                    now_.limit[i] = filter_.limit(rows_[i].bound, i);
                }
            });
        }
    }

    // Returns the widest bound of the block's queries.
    Real read_limits(std::int64_t block, Limits& to) {
        const std::lock_guard guard(locks_[block]);
        const Real* bound = now_.bound.data() + block * block_;
        std::copy_n(bound, block_, to.bound.data());
        std::copy_n(now_.limit.data() + block * block_, block_, to.limit.data());
        Real widest = bound[0];
#pragma omp simd reduction(max : widest)
        for (int r = 0; r < block_; ++r) widest = std::max(widest, bound[r]);
        return widest;
    }

    void tile(std::int64_t bi, std::int64_t bj, Scratch& s) {
        const std::int64_t i0 = bi * block_, j0 = bj * block_;
        const bool both_ways = plan_.self_join && bi != bj;
        Real widest = read_limits(bi, s.row);
        if (both_ways) widest = std::max(widest, read_limits(bj, s.col));
        else s.col.close();
        if (filter_.apart(bi, bj, widest)) return;
        int n = 0;
        for (int c = 0; c < block_ && j0 + c < n_points_; c += Filter::panel_cols) {
            const int before = n;
            n += filter_.panel(i0, s.row.limit.data(), j0 + c, s.col.limit.data() + c, s.hits.data() + n);
            for (int t = before; t < n; ++t) s.hits[t].j += c;
            if (n >= kSome) {
                look_at(bi, bj, n, both_ways, s);
                n = 0;
            }
        }
        if (n > 0) look_at(bi, bj, n, both_ways, s);
    }

    void look_at(std::int64_t bi, std::int64_t bj, int n, bool both_ways, Scratch& s) {
        const std::int64_t i0 = bi * block_, j0 = bj * block_;
        const auto leave_out = [&s, &n](auto&& is_no_pair) { n = static_cast<int>(std::remove_if(s.hits.begin(), s.hits.begin() + n, is_no_pair) - s.hits.begin()); };
        if (i0 + block_ > n_queries_ || j0 + block_ > n_points_)
            leave_out([&](const Hit<Real>& hit) { return i0 + hit.i >= n_queries_ || j0 + hit.j >= n_points_; });
        if (plan_.self_join && bi == bj) leave_out([](const Hit<Real>& hit) { return hit.i == hit.j; });
        if constexpr (kRefines) n = filter_.refine(i0, j0, s.row.bound.data(), s.col.bound.data(), s.hits.data(), n);
        for (int t = 0; t < n; ++t) s.lower[t] = filter_.lower(s.hits[t].h);
        note<false>(bi, bj, n, s.row, s);
        if (both_ways) note<true>(bi, bj, n, s.col, s);
    }

    // Hits as candidates of the rows of a block, or mirrored of its columns. Bounds that were copied are never below those of
    // now: most hits matter to one side only, and the other is not touched.
    template <bool mirrored> void note(std::int64_t bi, std::int64_t bj, int n, Limits& limits, Scratch& s) {
        const auto place = [](const Hit<Real>& hit) { return mirrored ? hit.j : hit.i; };
        int n_near = 0;
        for (int t = 0; t < n; ++t) {
            s.near[n_near] = t;
            n_near += s.lower[t] <= limits.bound[place(s.hits[t])];
        }
        if (n_near == 0) return;
        const std::int64_t i0 = bi * block_, j0 = bj * block_, own = mirrored ? j0 : i0;
        const std::lock_guard guard(locks_[mirrored ? bj : bi]);
        for (int at = 0; at < n_near; ++at) {
            if (at + kAhead < n_near) prefetch_list(own + place(s.hits[s.near[at + kAhead]]));
            const Hit<Real>& hit = s.hits[s.near[at]];
            const std::int64_t i = i0 + hit.i, j = j0 + hit.j;
            push(mirrored ? j : i, mirrored ? i : j, s.lower[s.near[at]], filter_.upper(hit.h, i, j), limits, place(hit));
        }
    }

    void prefetch_list(std::int64_t query) const {
        prefetch(rows_.data() + query);
        if (each_ > 0) prefetch(lists_ + query * each_);
    }

    void push(std::int64_t query, std::int64_t row, Real lower, Real upper, Limits& limits, int at) {
        Candidates<Real>& own = rows_[query];
        const Real before = own.bound;
        if (!(lower <= before)) return;
        own.push(lower, upper, static_cast<std::int32_t>(row), k_, static_cast<Real>(filter_.widen), filter_.zero(plan_.zero));
        if (own.held() == 65 + 16 * static_cast<std::size_t>(k_)) crowded_.fetch_add(1, std::memory_order_relaxed);
        if (!(own.bound < before)) return;
        limits.bound[at] = now_.bound[query] = own.bound;
        limits.limit[at] = now_.limit[query] = filter_.limit(own.bound, query);
    }

    Ranking decide(Watch& watch) {
        RankingBuilder builder(n_queries_, plan_.threads);
        using Found = std::vector<Neighbor>;
        parallel_for(Loop{.n = n_queries_, .threads = plan_.threads, .grain = 64}, [] { return Found(); }, [&](Found& found, std::int64_t i) {
            if (i % 1024 == 0) watch.go_on();
            if (watch.stopped()) return;
            found.clear();
            filter_.exact(i, rows_[i].items(), found);
            decided_.fetch_add(static_cast<std::int64_t>(found.size()), std::memory_order_relaxed);
            rows_[i].release();
            if (plan_.limits != nullptr) {
                const double reach = plan_.reach(filter_.query_row(i));
                std::erase_if(found, [reach](const Neighbor& each) { return !(each.value <= reach); });
            }
            builder.set(filter_.query_row(i), found, plan_, this_thread());
        });
        return watch.stopped() ? Ranking{} : builder.finish();
    }

    Filter& filter_;
    std::int64_t n_points_, n_queries_;
    Plan plan_;
    int k_, block_;
    SpareVector<std::byte> memory_;
    Item* lists_ = nullptr;                 // of few neighbours, in that memory,
    std::int64_t each_ = 0;                 // so many items each
    SpareVector<Candidates<Real>> rows_;    // of each query
    Limits now_;                            // of all queries, one block after the other
    std::atomic<std::int64_t> crowded_{0};  // queries with more candidates than a working filter leaves
    std::atomic<std::int64_t> decided_{0};
    std::unique_ptr<std::mutex[]> locks_; // one per block of queries
};

} // namespace sepal
