/// @brief Brute-force k nearest neighbours, min_j d(x_i, x_j), over pairs of blocks, with any filter that bounds d from below.
//
// A Filter has `Real`, `is_exact`, `panel_cols`, `block`, and
//   panel(i0, row_limit, j, col_limit, hits)  the pairs with h >= min(row_limit, col_limit), counted
//   limit(bound)                              the h that a value equal to `bound` would have
//   lower(h), upper(h, i, j)                  what h says of the true value
//   at_most(value)                            the largest `lower` that a true value up to this one may have
//   zero(value)                               the largest `lower` that rounding noise of 0 may have
//   query_row(i), point_row(j)                the rows at these positions
//   apart(block i, block j, limit)            true if no pair of the two blocks can have h >= limit
//   exact(i, candidates, found)               their rows and true values, in float64
// and may have
//   first_bound(i)                            a bound on the k-th smallest value that is known before
//   refine(i0, row_limit, j, col_limit, hits, n)  looks closer at hits: leaves some out and changes h; how many stay
//   gave_up()                                 true once it leaves out too few pairs to be worth its work
#pragma once

#include <memory>
#include <mutex>

#include "block_pairs.hpp"
#include "threads.hpp"
#include "tiles.hpp"

namespace sepal {

template <class Filter> class BlockSearch {
    using Real = typename Filter::Real;

  public:
    BlockSearch(Filter& filter, std::int64_t n_points, std::int64_t n_queries, const Plan& plan)
        : filter_(filter), n_points_(n_points), n_queries_(n_queries), plan_(plan), block_(filter.block),
          rows_(n_queries), locks_(std::make_unique<std::mutex[]>(blocks(n_queries))) {
        if (plan.limits != nullptr)
            for (std::int64_t i = 0; i < n_queries; ++i) rows_[i].bound = filter.at_most(plan.reach(filter.query_row(i)));
        else if constexpr (requires { filter.first_bound(0); })
            for (std::int64_t i = 0; i < n_queries; ++i) rows_[i].bound = filter.first_bound(i);
    }

    // A filter that cannot tell near from far, because the rows lie in clusters far apart or one is very far out, keeps
    // nearly everybody: then the search gives up before memory does.
    bool gave_up() const {
        if constexpr (requires { filter_.gave_up(); })
            if (filter_.gave_up()) return true;
        return !Filter::is_exact && crowded_.load(std::memory_order_relaxed) > n_queries_ / 8 + 16;
    }

    Ranking run() {
        // Diagonal by diagonal: the first gives every row a bound, and all threads stay busy to the end.
        const std::int64_t left = blocks(n_queries_), right = blocks(n_points_);
        const std::int64_t n_tiles = plan_.self_join ? left * (left + 1) / 2 : left * right;
        Watch watch(plan_.poll, n_tiles + n_queries_ / 1024);
        parallel_for(Loop{.n = n_tiles, .threads = plan_.threads}, [&] { return Scratch(block_); }, [&](Scratch& scratch, std::int64_t t) {
            if (gave_up() || !watch.go_on()) return;
            const BlockPair pair = plan_.self_join ? triangle_pair(t, left) : rectangle_pair(t, left, right);
            tile(pair.i, pair.j, scratch);
        });
        return watch.stopped() || gave_up() ? Ranking{} : decide(watch);
    }

  private:
    struct Scratch {
        explicit Scratch(int block)
            : row_limit(block), col_limit(block), hits(static_cast<std::size_t>(block) * Filter::panel_cols) {}
        std::vector<Real> row_limit, col_limit;
        std::vector<Hit<Real>> hits;
    };

    std::int64_t blocks(std::int64_t n) const { return (n + block_ - 1) / block_; }

    void read_limits(std::int64_t block, std::vector<Real>& limit) {
        const std::lock_guard guard(locks_[block]);
        for (int r = 0; r < block_; ++r) {
            const std::int64_t i = block * block_ + r;
            limit[r] = i < n_queries_ ? filter_.limit(rows_[i].bound) : std::numeric_limits<Real>::infinity();
        }
    }

    void tile(std::int64_t bi, std::int64_t bj, Scratch& s) {
        const std::int64_t i0 = bi * block_, j0 = bj * block_;
        const bool both_ways = plan_.self_join && bi != bj;
        read_limits(bi, s.row_limit);
        if (both_ways) read_limits(bj, s.col_limit);
        else std::fill(s.col_limit.begin(), s.col_limit.end(), std::numeric_limits<Real>::infinity());
        if (filter_.apart(bi, bj, loosest(s, both_ways))) return;
        for (int c = 0; c < block_ && j0 + c < n_points_; c += Filter::panel_cols) {
            int n = filter_.panel(i0, s.row_limit.data(), j0 + c, s.col_limit.data() + c, s.hits.data());
            if constexpr (requires { filter_.refine(i0, s.row_limit.data(), j0, s.col_limit.data(), s.hits.data(), n); })
                n = filter_.refine(i0, s.row_limit.data(), j0 + c, s.col_limit.data() + c, s.hits.data(), n);
            if (n == 0) continue;
            note(bi, i0, j0 + c, n, s);
            if (both_ways) note_mirrored(bj, i0, j0 + c, c, n, s);
        }
    }

    // The limit that is easiest to pass, over all rows and columns of a tile.
    Real loosest(const Scratch& s, bool both_ways) const {
        const Real row = *std::min_element(s.row_limit.begin(), s.row_limit.end());
        return both_ways ? std::min(row, *std::min_element(s.col_limit.begin(), s.col_limit.end())) : row;
    }

    void note(std::int64_t block, std::int64_t i0, std::int64_t j0, int n, Scratch& s) {
        const std::lock_guard guard(locks_[block]);
        for (int t = 0; t < n; ++t) {
            const auto& hit = s.hits[t];
            const std::int64_t i = i0 + hit.i, j = j0 + hit.j;
            if (!(hit.h >= s.row_limit[hit.i]) || i >= n_queries_ || j >= n_points_ || (plan_.self_join && i == j))
                continue;
            push(i, j, filter_.lower(hit.h), filter_.upper(hit.h, i, j));
            s.row_limit[hit.i] = filter_.limit(rows_[i].bound);
        }
    }

    void note_mirrored(std::int64_t block, std::int64_t i0, std::int64_t j0, int c, int n, Scratch& s) {
        const std::lock_guard guard(locks_[block]);
        for (int t = 0; t < n; ++t) {
            const auto& hit = s.hits[t];
            const std::int64_t i = i0 + hit.i, j = j0 + hit.j;
            if (!(hit.h >= s.col_limit[c + hit.j]) || i >= n_queries_ || j >= n_points_) continue;
            push(j, i, filter_.lower(hit.h), filter_.upper(hit.h, i, j));
            s.col_limit[c + hit.j] = filter_.limit(rows_[j].bound);
        }
    }

    void push(std::int64_t query, std::int64_t row, Real lower, Real upper) {
        rows_[query].push(lower, upper, static_cast<std::int32_t>(row), plan_.k, static_cast<Real>(filter_.widen),
                          filter_.zero(plan_.zero));
        if (rows_[query].held() == 65 + 16 * static_cast<std::size_t>(plan_.k)) crowded_.fetch_add(1, std::memory_order_relaxed);
    }

    Ranking decide(Watch& watch) {
        RankingBuilder builder(n_queries_, plan_.threads);
        using Found = std::vector<Neighbor>;
        parallel_for(Loop{.n = n_queries_, .threads = plan_.threads, .grain = 64}, [] { return Found(); }, [&](Found& found, std::int64_t i) {
            if (i % 1024 == 0) watch.go_on();
            if (watch.stopped()) return;
            found.clear();
            filter_.exact(i, rows_[i].items(), found);
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
    int block_;
    std::vector<Candidates<Real>> rows_;    // of each query
    std::atomic<std::int64_t> crowded_{0};  // queries with more candidates than a working filter leaves
    std::unique_ptr<std::mutex[]> locks_; // one per block of queries
};

} // namespace sepal
