#include "class_pass.hpp"

#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>

#include "block_pairs.hpp"
#include "class_panels.hpp"

namespace sepal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The nearest so far of rows in blocks, for several threads; beside them, if wanted, their first edges of a tree.
class Asking {
  public:
    Asking(const Blocks& rows, double tie, double zero, std::vector<FirstEdges>* edges = nullptr,
           const EdgeOrder* order = nullptr)
        : rows_(rows), edges_(edges), order_(order), widen_(1 + tie), zero_(zero), plan_{1, false, tie, zero, 1, nullptr}, nearest_(rows.row.size()),
          locks_(std::make_unique<std::mutex[]>(rows.blocks.size())) {
        for (std::int64_t at = 0; at < rows.size(); ++at) {
            nearest_[at].reset(1);
            if (rows.row[at] < 0) nearest_[at].bound = -1; // below every value
        }
    }
    std::mutex& lock(std::int64_t block) { return locks_[block]; }
    void read_bounds(std::int64_t block, std::vector<double>& bounds) {
        const std::lock_guard guard(locks_[block]);
        for (int i = 0; i < rows_.blocks[block].n; ++i) bounds[i] = bound(rows_.blocks[block].begin + i);
    }
    // The largest value that still matters at a place.
    double bound(std::int64_t place) const {
        const double nearest = nearest_[place].bound;
        return edges_ == nullptr || rows_.row[place] < 0 ? nearest : std::max(nearest, (*edges_)[rows_.row[place]].bound());
    }
    void offer(std::int64_t place, Neighbor each) {
        nearest_[place].push(each, widen_, zero_);
        if (edges_ != nullptr && each.row >= 0) (*edges_)[rows_.row[place]].offer({each.value, rows_.row[place], each.row}, *order_);
    }
    // The nearest tied group at a place.
    std::vector<Neighbor>& settled(std::int64_t place) {
        std::vector<Neighbor>& found = nearest_[place].items();
        found.resize(settle(found, plan_));
        return found;
    }
    const Plan& plan() const { return plan_; }

  private:
    const Blocks& rows_;
    std::vector<FirstEdges>* edges_;
    const EdgeOrder* order_;
    double widen_, zero_;
    Plan plan_;
    std::vector<Nearest> nearest_; // at each place
    std::unique_ptr<std::mutex[]> locks_;
};

class Pass {
  public:
    Pass(const ClassQuestion& question, const MetricSpec& metric, int threads)
        : q_(question), metric_(metric), p_(question.points.p), threads_(threads),
          block_(std::clamp(40 * 1024 / (8 * std::max(p_, 1)) / 64, 1, 4) * 64),
          rows_(scattered(q_.points.n, q_.classes, block_)), further_(q_.further.n, std::vector<std::int32_t>(q_.further.n, 0).data(), block_),
          left_(rows_.pack(q_.points, kRows)), right_(rows_.pack(q_.points, kCols)),
          further_left_(further_.pack(q_.further, kRows)), order_{q_.classes, q_.rows}, edges_(q_.tree ? q_.points.n : 0),
          enemies_(rows_, q_.tie, q_.zero, q_.tree ? &edges_ : nullptr, &order_),
          own_(rows_, q_.tie, q_.zero, q_.tree ? &edges_ : nullptr, &order_), asked_(further_, q_.further_tie, q_.zero), weight_(rows_.row.size(), 0.0), limit_(rows_.row.size(), -1.0),
          nearer_(rows_.row.size(), 0.0), near_(rows_.row.size(), 0.0), find_(near_panel(metric.metric)),
          count_(counting_panel(metric.metric)) {
        for (std::int64_t at = 0; at < rows_.size(); ++at) {
            if (rows_.row[at] < 0) continue;
            weight_[at] = q_.copies[rows_.row[at]];
            if (weight_[at] > 1) own_.offer(at, {0, kCopies});
        }
    }

    bool run(Poll* poll) {
        // Diagonal by diagonal: the first gives every row a bound, and threads seldom meet in a block.
        const std::int64_t n_blocks = rows_.blocks.size(), n_further = further_.blocks.size();
        const std::int64_t n_pairs = n_blocks * (n_blocks + 1) / 2, n_asked = n_further * n_blocks;
        Watch watch(poll, 2 * n_pairs + n_asked);
        const auto scratch = [this] { return Scratch(block_); };
        parallel_for(Loop{.n = n_pairs, .threads = threads_}, scratch, [&](Scratch& s, std::int64_t t) {
            const BlockPair pair = triangle_pair(t, n_blocks);
            if (watch.go_on() && !same_class(pair)) find(rows_, left_, enemies_, pair.i, &enemies_, pair.j, s);
        });
        if (watch.stopped()) return false;
        set_limits();
        parallel_for(Loop{.n = n_pairs + n_asked, .threads = threads_}, scratch, [&](Scratch& s, std::int64_t t) {
            if (!watch.go_on()) return;
            if (t < n_pairs) {
                const BlockPair pair = triangle_pair(t, n_blocks);
                if (same_class(pair)) count(pair.i, pair.j, s);
            } else {
                const BlockPair pair = rectangle_pair(t - n_pairs, n_further, n_blocks);
                find(further_, further_left_, asked_, pair.i, nullptr, pair.j, s);
            }
        });
        if (q_.tree && !watch.stopped()) tree_ = spanning_tree(q_.points, order_, std::move(edges_), metric_, threads_, watch);
        return !watch.stopped();
    }

    ClassAnswer answer() {
        ClassAnswer a;
        const std::int64_t n = q_.points.n;
        for (auto* each : {&a.own, &a.n_own, &a.nearer, &a.near}) each->assign(n, 0.0);
        RankingBuilder enemies(n, 1);
        for (std::int64_t at = 0; at < rows_.size(); ++at) {
            const std::int32_t i = rows_.row[at];
            if (i < 0) continue;
            enemies.set(i, enemies_.settled(at), enemies_.plan(), 0);
            const std::vector<Neighbor>& own = own_.settled(at);
            a.own[i] = own.empty() ? kInfinity : own.front().value;
            for (const Neighbor& each : own) a.n_own[i] += each.row == kCopies ? q_.copies[i] - 1 : q_.copies[each.row];
            a.nearer[i] = nearer_[at];
            a.near[i] = near_[at];
        }
        a.enemies = enemies.finish();
        for (const Edge& each : tree_) {
            a.tree_from.push_back(each.a);
            a.tree_to.push_back(each.b);
        }
        a.further_tied.assign(q_.further.n, 0.0);
        a.further_same.assign(q_.further.n, 0.0);
        for (std::int64_t at = 0; at < further_.size(); ++at) {
            const std::int32_t i = further_.row[at];
            if (i < 0) continue;
            for (const Neighbor& each : asked_.settled(at)) {
                a.further_tied[i] += q_.copies[each.row];
                if (q_.classes[each.row] == q_.further_classes[i]) a.further_same[i] += q_.copies[each.row];
            }
        }
        return a;
    }

  private:
    static constexpr std::int32_t kCopies = -1; // in a list of nearest: the other rows that this one stands for

    struct Scratch {
        explicit Scratch(int block)
            : row_bound(block), col_bound(block), row_nearer(block * kLanes), row_near(block * kLanes), col_nearer(block),
              col_near(block), nobody(block, 0.0), hits(static_cast<std::size_t>(block) * kCols) {}
        std::vector<double> row_bound, col_bound, row_nearer, row_near, col_nearer, col_near, nobody;
        std::vector<Hit<double>> hits;
    };

    // Blocks of rows of a class in random order. In their own order, which may be sorted, everyone would meet nearer and
    // nearer rows, and list them all. The answer does not depend on it.
    static Blocks scattered(std::int64_t n, const std::int32_t* classes, int block) {
        std::vector<std::int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 random(1);
        for (std::int64_t i = 0, end = 0; i < n; i = end) {
            end = std::upper_bound(classes + i, classes + n, classes[i]) - classes;
            std::shuffle(order.begin() + i, order.begin() + end, random);
        }
        Blocks blocks(n, classes, block);
        for (std::int32_t& row : blocks.row)
            if (row >= 0) row = order[row];
        return blocks;
    }

    bool same_class(const BlockPair& pair) const { return rows_.blocks[pair.i].of_class == rows_.blocks[pair.j].of_class; }

    void set_limits() {
        for (std::int64_t at = 0; at < rows_.size(); ++at) {
            if (rows_.row[at] < 0) continue;
            const std::vector<Neighbor>& found = enemies_.settled(at);
            const double m = found.empty() ? kInfinity : found.front().value;
            limit_[at] = q_.compare_roots ? smallest_of_root(m) : m * (1 - q_.slack);
        }
    }
    // The smallest value whose square root is no smaller.
    static double smallest_of_root(double value) {
        for (double lower = value; value > 0; value = lower) {
            lower = std::nextafter(value, 0.0);
            if (std::sqrt(lower) < std::sqrt(value)) break;
        }
        return value;
    }

    // A block of asking rows against a block of points, which ask too if there is a `back`.
    void find(const Blocks& rows, const std::vector<double>& packed, Asking& asking, std::int64_t bi, Asking* back,
              std::int64_t bj, Scratch& s) {
        asking.read_bounds(bi, s.row_bound);
        if (back != nullptr) back->read_bounds(bj, s.col_bound);
        else std::fill(s.col_bound.begin(), s.col_bound.end(), -1.0);
        const auto &left = rows.blocks[bi], &right = rows_.blocks[bj];
        for (int c = 0; c < right.n; c += kCols) {
            const int n = find_(packed.data() + left.begin * p_, left.n, s.row_bound.data(),
                                right_.data() + (right.begin + c) * p_, s.col_bound.data() + c, metric_, p_, {}, s.hits.data());
            note(rows, asking, bi, back, bj, c, n, s);
        }
    }

    // Two blocks of one class, or one with itself.
    void count(std::int64_t bi, std::int64_t bj, Scratch& s) {
        const bool both_ways = bi != bj;
        own_.read_bounds(bi, s.row_bound);
        if (both_ways) own_.read_bounds(bj, s.col_bound);
        else std::fill(s.col_bound.begin(), s.col_bound.end(), -1.0);
        for (auto* each : {&s.row_nearer, &s.row_near, &s.col_nearer, &s.col_near}) std::fill(each->begin(), each->end(), 0.0);
        const auto &left = rows_.blocks[bi], &right = rows_.blocks[bj];
        for (int c = 0; c < right.n; c += kCols) {
            const PanelCounts counts{both_ways ? &weight_[left.begin] : s.nobody.data(), &limit_[left.begin],
                                     &weight_[right.begin + c], &limit_[right.begin + c], q_.reach, s.row_nearer.data(),
                                     s.row_near.data(), &s.col_nearer[c], &s.col_near[c]};
            const int n = count_(left_.data() + left.begin * p_, left.n, s.row_bound.data(),
                                 right_.data() + (right.begin + c) * p_, s.col_bound.data() + c, metric_, p_, counts,
                                 s.hits.data());
            note(rows_, own_, bi, both_ways ? &own_ : nullptr, bj, c, n, s);
        }
        {
            const std::lock_guard guard(own_.lock(bi));
            for (int i = 0; i < left.n; ++i)
                for (int lane = 0; lane < kLanes; ++lane) {
                    nearer_[left.begin + i] += s.row_nearer[i * kLanes + lane];
                    near_[left.begin + i] += s.row_near[i * kLanes + lane];
                }
        }
        if (!both_ways) return;
        const std::lock_guard guard(own_.lock(bj));
        for (int j = 0; j < right.n; ++j) {
            nearer_[right.begin + j] += s.col_nearer[j];
            near_[right.begin + j] += s.col_near[j];
        }
    }

    void note(const Blocks& rows, Asking& asking, std::int64_t bi, Asking* back, std::int64_t bj, int c, int n, Scratch& s) {
        if (n == 0) return;
        const std::int64_t i0 = rows.blocks[bi].begin, j0 = rows_.blocks[bj].begin + c;
        const auto real = [&](const Hit<double>& hit) {
            return rows.row[i0 + hit.i] >= 0 && rows_.row[j0 + hit.j] >= 0 && !(&rows == &rows_ && i0 + hit.i == j0 + hit.j);
        };
        {
            const std::lock_guard guard(asking.lock(bi));
            for (int t = 0; t < n; ++t) {
                const auto& hit = s.hits[t];
                if (!(hit.h <= s.row_bound[hit.i]) || !real(hit)) continue;
                asking.offer(i0 + hit.i, {hit.h, rows_.row[j0 + hit.j]});
                s.row_bound[hit.i] = asking.bound(i0 + hit.i);
            }
        }
        if (back == nullptr) return;
        const std::lock_guard guard(back->lock(bj));
        for (int t = 0; t < n; ++t) {
            const auto& hit = s.hits[t];
            if (!(hit.h <= s.col_bound[c + hit.j]) || !real(hit)) continue;
            back->offer(j0 + hit.j, {hit.h, rows.row[i0 + hit.i]});
            s.col_bound[c + hit.j] = back->bound(j0 + hit.j);
        }
    }

    const ClassQuestion& q_;
    MetricSpec metric_;
    int p_, threads_, block_;
    Blocks rows_, further_;
    std::vector<double> left_, right_, further_left_; // packed: rows as they ask, points as they are asked about
    EdgeOrder order_;
    std::vector<FirstEdges> edges_; // of each row, to all others
    Asking enemies_, own_, asked_;
    std::vector<Edge> tree_;
    std::vector<double> weight_, limit_, nearer_, near_; // at each place
    ClassPanel find_, count_;
};

} // namespace

ClassAnswer class_pass(const ClassQuestion& question, const MetricSpec& metric, int threads, Poll* poll) {
    Pass pass(question, metric, threads);
    return pass.run(poll) ? pass.answer() : ClassAnswer{};
}

} // namespace sepal
