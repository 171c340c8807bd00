/// @brief Rankings of nearest neighbours with ties, and how candidates become one: values up to (1 + tie) * smallest are tied.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "parallel.hpp"
#include "spare_memory.hpp"
#include "splitmix.hpp"

namespace sepal {

constexpr int kEverybody = std::numeric_limits<int>::max(); // as k: nobody is left out for being one too many

// Points as rows of float64, row-major.
struct Points {
    const double* x;
    std::int64_t n;
    int p;
    const double* row(std::int64_t i) const { return x + i * p; }
};

// Ragged: the neighbours of query i are entries start[i] .. start[i+1], nearest first, the tied group of
// the k-th included whole. Members of a tied group carry the group's smallest value, so that equal means tied.
struct Ranking {
    SpareVector<std::int64_t> start;
    SpareVector<std::int32_t> rows;
    SpareVector<double> values;
};

// Asked now and then by the calling thread only: shows progress, and says whether to stop.
struct Poll {
    virtual ~Poll() = default;
    virtual bool stop(double fraction_done) = 0;
};

// A self join shared between processes that hold the same rows: each looks at some of the pairs, all of them at every pair.
// Which ones follows from how the rows were arranged, so that shares go together only where `arrangement`, a checksum of
// that, came out the same.
struct Turn {
    std::int64_t at = 0, of = 1;
    std::uint64_t* arrangement = nullptr;
    bool has(std::int64_t i) const { return i % of == at; }
    // Rows in their order, in groups of so many, that one kind of search shares.
    enum class Kind : std::uint64_t { by_tiles = 1, by_leaves = 2 };
    template <class RowAt> void arranged(Kind kind, std::int64_t group, std::int64_t n, const RowAt& row) const {
        if (arrangement == nullptr) return;
        auto sum = static_cast<std::uint64_t>(kind);
        const auto add = [&sum](std::int64_t value) { sum = mixed_bits(sum ^ static_cast<std::uint64_t>(value)); };
        add(group);
        for (std::int64_t i = 0; i < n; ++i) add(row(i));
        *arrangement = sum;
    }
};

struct Plan {
    int k;          // kEverybody with limits
    bool self_join; // queries are the points themselves: self is left out by index
    double tie;     // values up to (1 + tie) * the smallest of a group are tied with it
    double zero;    // values up to this are rounding noise of 0
    int threads;
    Poll* poll;
    const double* limits = nullptr; // per query, for a search by radius: everybody up to (1 + tie) * this value
    double budget = std::numeric_limits<double>::infinity(); // what a tree may cost, by its own count, before it gives up
    bool raw = false; // of a part of the points: no groups yet, but everybody up to (1 + tie) * the k-th value
    Turn turn = {};   // raw self joins only

    // The largest value that belongs to the answer of a query.
    double reach(std::int64_t query) const {
        return limits == nullptr ? std::numeric_limits<double>::infinity() : std::max(limits[query] * (1 + tie), zero);
    }
};

struct Neighbor {
    double value;
    std::int32_t row;
};

// Sorts candidates, forms tied groups, cuts after the group that holds the k-th. Returns how many stay.
inline std::size_t settle(std::vector<Neighbor>& found, const Plan& plan) {
    for (Neighbor& each : found)
        if (each.value <= plan.zero) each.value = 0;
    const auto nearer = [](const Neighbor& a, const Neighbor& b) {
        return a.value < b.value || (a.value == b.value && a.row < b.row);
    };
    if (!std::is_sorted(found.begin(), found.end(), nearer)) std::sort(found.begin(), found.end(), nearer);
    std::size_t begin = 0;
    if (plan.raw) {
        if (static_cast<std::int64_t>(found.size()) <= plan.k) return found.size();
        const double last = found[plan.k - 1].value * (1 + plan.tie);
        for (begin = plan.k; begin < found.size() && found[begin].value <= last;) ++begin;
        return begin;
    }
    while (begin < found.size()) {
        const double first = found[begin].value, limit = first * (1 + plan.tie);
        std::size_t end = begin + 1;
        while (end < found.size() && found[end].value <= limit) ++end;
        if (end - begin > 1 && found[end - 1].value != first) {
            for (std::size_t j = begin; j < end; ++j) found[j].value = first;
            std::sort(found.begin() + begin, found.begin() + end,
                      [](const Neighbor& a, const Neighbor& b) { return a.row < b.row; });
        }
        begin = end;
        if (static_cast<std::int64_t>(end) >= plan.k) break;
    }
    return begin;
}

// Keeps the k smallest values and those tied with the k-th, where values are exact.
class Nearest {
  public:
    double bound = std::numeric_limits<double>::infinity(); // nothing above it can be among them

    // `widen` covers the tie tolerance; nothing at or below `zero` is ever left out.
    void push(Neighbor each, double widen, double zero) {
        if (!(each.value <= bound)) return;
        if (k_ <= kFew) {
            auto at = items_.insert(items_.end(), each);
            for (; at != items_.begin() && (at - 1)->value > each.value; --at) *at = *(at - 1);
            *at = each;
            if (items_.size() < k_) return;
            bound = std::max(items_[k_ - 1].value * widen, zero);
            while (items_.back().value > bound) items_.pop_back();
        } else {
            items_.push_back(each);
            if (items_.size() >= room_) cut(widen, zero);
        }
    }
    std::vector<Neighbor>& items() { return items_; }
    // After a few items were put in from outside: as if each of them had been pushed.
    void recount(double widen, double zero) {
        const auto nearer = [](const Neighbor& a, const Neighbor& b) { return a.value < b.value; };
        if (!std::is_sorted(items_.begin(), items_.end(), nearer)) std::sort(items_.begin(), items_.end(), nearer);
        if (items_.size() < k_) return;
        bound = std::max(items_[k_ - 1].value * widen, zero);
        while (items_.back().value > bound) items_.pop_back();
    }
    void reset(std::size_t k) {
        bound = std::numeric_limits<double>::infinity();
        items_.clear();
        k_ = k;
        room_ = 2 * k;
    }
    // Keep everything up to a value instead.
    void reset_within(double reach) {
        reset(std::numeric_limits<std::size_t>::max());
        bound = reach;
        room_ = k_;
    }
    void begin(const Plan& plan, std::int64_t query) {
        if (plan.limits == nullptr) reset(static_cast<std::size_t>(plan.k));
        else reset_within(plan.reach(query));
    }

  private:
    // Few are kept in order; more are cut down whenever twice as many have come.
    static constexpr std::size_t kFew = 32;
    std::vector<Neighbor> items_;
    std::size_t k_ = 1, room_ = 2;

    void cut(double widen, double zero) {
        std::nth_element(items_.begin(), items_.begin() + (k_ - 1), items_.end(),
                         [](const Neighbor& a, const Neighbor& b) { return a.value < b.value; });
        bound = std::max(items_[k_ - 1].value * widen, zero);
        std::erase_if(items_, [this](const Neighbor& each) { return each.value > bound; });
        room_ = 2 * std::max(k_, items_.size());
    }
};

// Collects the settled neighbours of each query, every thread in a store of its own, then joins them into one Ranking.
class RankingBuilder {
  public:
    RankingBuilder(std::int64_t n_queries, int threads) : stores_(threads), places_(n_queries) {}
    void set(std::int64_t query, std::vector<Neighbor>& found, const Plan& plan, int thread) {
        const std::size_t keep = settle(found, plan);
        auto& store = stores_[thread];
        places_[query] = {store.size(), static_cast<std::int32_t>(keep), thread};
        store.insert(store.end(), found.begin(), found.begin() + keep);
    }
    Ranking finish() const {
        Ranking r;
        r.start.resize(places_.size() + 1);
        for (std::size_t i = 0; i < places_.size(); ++i) r.start[i + 1] = r.start[i] + places_[i].count;
        r.rows.resize(r.start.back());
        r.values.resize(r.start.back());
        const auto n = static_cast<std::int64_t>(places_.size());
        const Helpers helpers = r.rows.size() > 50'000 ? Helpers::at_once : Helpers::never;
        parallel_for(Loop{.n = n, .threads = static_cast<int>(stores_.size()), .grain = 1024, .helpers = helpers}, [&](std::int64_t i) {
            const Neighbor* from = stores_[places_[i].thread].data() + places_[i].offset;
            std::int64_t at = r.start[i];
            for (std::int32_t j = 0; j < places_[i].count; ++j, ++at) {
                r.rows[at] = from[j].row;
                r.values[at] = from[j].value;
            }
        });
        return r;
    }

  private:
    struct Place {
        std::size_t offset = 0;
        std::int32_t count = 0, thread = 0;
    };
    std::vector<SpareVector<Neighbor>> stores_;
    std::vector<Place> places_;
};

// The metrics that are computed directly from differences, in float64, feature after feature.
enum class Metric { l2, l1, linf, lp, nan_l2, unit_l2, mixed, gower, tanimoto, canberra, bray_curtis, haversine };

struct MetricSpec {
    Metric metric;
    double p;              // for lp
    int n_numeric;         // for mixed and gower: columns before this are numbers, the rest level codes
    const double* weights; // per column; mixed: cost of a mismatch or a missing cell; nan_l2, gower, canberra, bray_curtis: what a cell counts
};

Ranking search_tiles(Points points, Points queries, const Plan& plan);
Ranking search_direct(Points points, Points queries, const MetricSpec& metric, const Plan& plan);
Ranking search_tree(Points points, Points queries, const MetricSpec& metric, const Plan& plan);
Ranking search_scan(Points points, Points queries, const MetricSpec& metric, const Plan& plan);
Ranking search_matrix(Points distances, const Plan& plan);

// Sum of squared differences, one feature after the other: the value every Euclidean path must return.
inline double squared_distance(const double* a, const double* b, int p) {
    double s = 0;
    for (int f = 0; f < p; ++f) {
        const double t = a[f] - b[f];
        s += t * t;
    }
    return s;
}

// The same for several rows at a time, whose sums then do not wait for each other.
inline void squared_distances(const double* a, const double* const* rows, int n, int p, double* out) {
    constexpr int kSide = 8;
    int at = 0;
    for (; at + kSide <= n; at += kSide) {
        double s[kSide] = {};
        for (int f = 0; f < p; ++f)
            for (int c = 0; c < kSide; ++c) {
                const double t = a[f] - rows[at + c][f];
                s[c] += t * t;
            }
        std::copy_n(s, kSide, out + at);
    }
    for (; at + 2 <= n; at += 2) {
        double s = 0, t = 0;
        for (int f = 0; f < p; ++f) {
            const double x = a[f] - rows[at][f], y = a[f] - rows[at + 1][f];
            s += x * x;
            t += y * y;
        }
        out[at] = s;
        out[at + 1] = t;
    }
    if (at < n) out[at] = squared_distance(a, rows[at], p);
}

} // namespace sepal
