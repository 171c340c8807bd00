// Blocks of violating rows are picked from all rows, and each block is solved by pairs chosen by second-order
// information (Fan, Chen, Lin 2005), in memory that stays in the cache. Rows stuck at a bound are set aside.
#include "dual_solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "dual_rows.hpp"
#include "pair_steps.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kColumnTask = 1024; // columns one thread takes at a time

class Clock {
  public:
    explicit Clock(const DualPlan& plan) : plan_(plan), begin_(Now::now()), last_(begin_) {}
    // Whether to go on; asks the outside about ten times a second, from the calling thread.
    bool go_on() {
        const auto now = Now::now();
        if (std::chrono::duration<double>(now - begin_).count() > plan_.deadline) status_ = DualStatus::out_of_time;
        if (plan_.poll != nullptr && now - last_ > std::chrono::milliseconds(100)) {
            last_ = now;
            if (plan_.poll->stop(0.0)) status_ = DualStatus::stopped;
        }
        return status_ == DualStatus::solved;
    }
    DualStatus status() const { return status_; }

  private:
    using Now = std::chrono::steady_clock;
    const DualPlan& plan_;
    Now::time_point begin_, last_;
    DualStatus status_ = DualStatus::solved;
};

struct Range { // of the gradient: optimal when low <= up + tol
    double up, low;
};

template <class Real> class Solver {
  public:
    Solver(const KernelSource& source, const std::vector<std::int32_t>& members, const double* t, const double* low,
           const double* high, std::vector<double> beta, const DualPlan& plan)
        : source_(source), members_(members), t_(t), low_all_(low), high_all_(high), plan_(plan), clock_(plan), cache_(source, plan),
          beta_all_(std::move(beta)), gradient_all_(source.n), diagonal_all_(source.n) {
        for (std::int32_t i : members_)
            diagonal_all_[i] = source.gram != nullptr ? source.gram[i * source.n + i]
                                                      : kernel_value(source.x.row(i), source.x.row(i), source.x.p, source.spec);
    }

    DualAnswer run() {
        known_beta_.assign(source_.n, 0.0);
        known_gradient_.assign(source_.n, 0.0);
        for (std::int32_t i : members_) known_gradient_[i] = -t_[i];
        add_products(members_);
        activate(members_);
        for (;;) {
            const bool go_on = iterate();
            if (active_.size() == members_.size()) break;
            const bool again = unshrink() && go_on;
            if (!again) break;
        }
        return answer();
    }

  private:
    // The gradients of the given rows: those at `known_beta_`, and what has changed since.
    void add_products(const std::vector<std::int32_t>& rows) {
        std::vector<std::int32_t> support;
        std::vector<double> coef;
        for (std::int32_t i : members_)
            if (beta_all_[i] != known_beta_[i]) {
                support.push_back(i);
                coef.push_back(beta_all_[i] - known_beta_[i]);
            }
        for (std::int32_t i : rows) gradient_all_[i] = known_gradient_[i];
        if (support.empty()) return;
        if (source_.gram != nullptr) {
            for (std::int32_t i : rows)
                for (std::size_t k = 0; k < support.size(); ++k)
                    gradient_all_[i] += coef[k] * source_.gram[i * source_.n + support[k]];
            return;
        }
        const int p = source_.x.p;
        std::vector<double> x(rows.size() * p), s(support.size() * p), out(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) std::copy_n(source_.x.row(rows[k]), p, x.data() + k * p);
        for (std::size_t k = 0; k < support.size(); ++k) std::copy_n(source_.x.row(support[k]), p, s.data() + k * p);
        kernel_expansion({s.data(), static_cast<std::int64_t>(support.size()), p},
                         {0, static_cast<std::int64_t>(support.size())}, coef.data(), 1,
                         {x.data(), static_cast<std::int64_t>(rows.size()), p}, source_.spec, plan_.threads, nullptr, out.data());
        for (std::size_t k = 0; k < rows.size(); ++k) gradient_all_[rows[k]] += out[k];
    }

    void activate(const std::vector<std::int32_t>& rows) {
        active_ = rows;
        cache_.set_active(active_);
        const auto n = active_.size();
        f_.assign(cache_.width(), 0.0);
        for (auto* v : {&beta_, &low_, &high_, &diagonal_}) v->resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::int32_t i = active_[k];
            f_[k] = gradient_all_[i];
            beta_[k] = beta_all_[i];
            low_[k] = low_all_[i];
            high_[k] = high_all_[i];
            diagonal_[k] = diagonal_all_[i];
        }
        in_block_.assign(n, 0);
        block_.clear();
    }
    void give_back() {
        for (std::size_t k = 0; k < active_.size(); ++k) {
            gradient_all_[active_[k]] = f_[k];
            beta_all_[active_[k]] = beta_[k];
        }
    }

    bool can_rise(std::size_t k) const { return beta_[k] < high_[k]; }
    bool can_fall(std::size_t k) const { return beta_[k] > low_[k]; }
    bool is_free(std::size_t k) const { return can_rise(k) && can_fall(k); }

    Range range() const {
        Range r{kInfinity, -kInfinity};
        for (std::size_t k = 0; k < active_.size(); ++k) {
            if (can_rise(k)) r.up = std::min(r.up, f_[k]);
            if (can_fall(k)) r.low = std::max(r.low, f_[k]);
        }
        return r;
    }

    // True when the active rows are solved; false when out of time, stopped or stalled.
    bool iterate() {
        double since_shrink = kInfinity;
        for (;;) {
            const Range r = range();
            violation_ = r.low - r.up;
            if (!(violation_ >= plan_.tol)) return true;
            if (rounds_++ > 0 && !clock_.go_on()) return false; // a model of one round, however short the time
            if (violation_ < 0.3 * since_shrink) {
                if (since_shrink < kInfinity) shrink(r);
                since_shrink = violation_;
            }
            pick_block(r);
            if (!solve_block()) {
                if (stalled_once_) {
                    stalled_ = true;
                    return false;
                }
                stalled_once_ = true; // another block, of the worst violators only, may still move
                block_.clear();
                std::fill(in_block_.begin(), in_block_.end(), 0);
            } else {
                stalled_once_ = false;
            }
        }
    }

    // The worst violators on both sides; then old members, the free ones first; then other free rows.
    void pick_block(const Range& r) {
        const auto n = static_cast<std::int64_t>(active_.size());
        if (n <= kWhole) {
            block_.resize(n);
            std::iota(block_.begin(), block_.end(), 0);
            return;
        }
        std::vector<std::int32_t> rising, falling, next;
        for (std::int32_t k = 0; k < n; ++k) {
            if (can_rise(k) && f_[k] < r.low) rising.push_back(k);
            if (can_fall(k) && f_[k] > r.up) falling.push_back(k);
        }
        const std::int64_t fresh = block_.empty() ? kBlock : kBlock / 2;
        sort_front(rising, fresh, [&](std::int32_t a, std::int32_t b) { return f_[a] < f_[b] || (f_[a] == f_[b] && mixed(a) < mixed(b)); });
        sort_front(falling, fresh, [&](std::int32_t a, std::int32_t b) { return f_[a] > f_[b] || (f_[a] == f_[b] && mixed(a) < mixed(b)); });
        std::vector<char> taken(n, 0);
        auto take = [&](std::int32_t k, std::int64_t most) {
            if (taken[k] || static_cast<std::int64_t>(next.size()) >= most) return;
            taken[k] = 1;
            next.push_back(k);
        };
        std::int64_t news = 0;
        for (std::size_t a = 0; a < std::max(rising.size(), falling.size()) && news < fresh; ++a)
            for (const auto* side : {&rising, &falling})
                if (a < side->size()) {
                    const std::int32_t k = (*side)[a];
                    news += !taken[k] && !in_block_[k];
                    take(k, kBlock);
                }
        for (const bool free : {true, false})
            for (std::int32_t k : block_)
                if (is_free(k) == free) take(k, kBlock);
        for (std::int32_t k = 0; k < n && static_cast<std::int64_t>(next.size()) < kBlock; ++k)
            if (is_free(k)) take(k, kBlock);
        for (std::int32_t k : block_) in_block_[k] = 0;
        std::sort(next.begin(), next.end());
        for (std::int32_t k : next) in_block_[k] = 1;
        block_ = std::move(next);
    }
    // Ties in an order that does not follow the rows: at the start all rows of a class are tied.
    static std::uint32_t mixed(std::int32_t k) { return static_cast<std::uint32_t>(k) * 2654435761u; }
    template <class Before> static void sort_front(std::vector<std::int32_t>& rows, std::int64_t most, Before before) {
        const auto end = rows.begin() + std::min<std::int64_t>(2 * most, static_cast<std::int64_t>(rows.size()));
        if (end != rows.end()) std::nth_element(rows.begin(), end, rows.end(), before);
        rows.erase(end, rows.end());
        std::sort(rows.begin(), rows.end(), before);
    }

    // Solves the block with the other rows fixed; false when nothing moved.
    bool solve_block() {
        cache_.need(block_);
        const auto q = static_cast<std::int64_t>(block_.size());
        local_.resize(q);
#pragma omp parallel for num_threads(plan_.threads) schedule(static) if (q * q > kWorthThreads / 4 && plan_.threads > 1)
        for (std::int64_t a = 0; a < q; ++a) {
            const Real* row = cache_.row(block_[a]);
            double* to = local_.row(a);
            for (std::int64_t b = 0; b < q; ++b) to[b] = static_cast<double>(row[block_[b]]);
            to[a] = diagonal_[block_[a]];
        }
        for (std::int64_t a = 0; a < q; ++a) {
            const std::int32_t k = block_[a];
            local_.set(a, f_[k], beta_[k], low_[k], high_[k], diagonal_[k]);
        }
        const bool whole = block_.size() == active_.size();
        // A block need not be solved much further than the rest of the problem is.
        const double tol = whole ? plan_.tol : std::max(0.5 * plan_.tol, 0.02 * violation_);
        for (std::int64_t left = whole ? std::numeric_limits<std::int64_t>::max() : 64 * q; left > 0;) {
            const std::int64_t most = std::min<std::int64_t>(left, 100000);
            const std::int64_t done = pair_steps()(local_, tol, most);
            iterations_ += done;
            left -= most;
            if (done < most || !clock_.go_on()) break;
        }
        return spread_changes();
    }

    bool spread_changes() {
        std::vector<const Real*> rows;
        std::vector<double> steps;
        for (std::size_t a = 0; a < block_.size(); ++a) {
            const std::int32_t k = block_[a];
            const double step = local_.beta[a] - beta_[k];
            if (step == 0) continue;
            rows.push_back(cache_.row(k));
            steps.push_back(step);
            beta_[k] = local_.beta[a];
        }
        if (rows.empty()) return false;
        if (block_.size() == active_.size()) { // the block's own gradient is that of all rows
            for (std::size_t a = 0; a < block_.size(); ++a) f_[block_[a]] = local_.f[a];
            return true;
        }
        const auto function = add_rows<Real>();
        const std::int64_t n_tasks = (cache_.width() + kColumnTask - 1) / kColumnTask;
        const bool large = plan_.threads > 1 && n_tasks > 1 && static_cast<std::int64_t>(rows.size()) * cache_.width() > kWorthThreads;
#pragma omp parallel for num_threads(plan_.threads) schedule(static) if (large)
        for (std::int64_t task = 0; task < n_tasks; ++task)
            function(f_.data(), rows.data(), steps.data(), static_cast<std::int64_t>(rows.size()), task * kColumnTask,
                     std::min((task + 1) * kColumnTask, cache_.width()));
        return true;
    }

    // Sets aside rows at a bound whose gradient is on the right side of everything that still violates.
    void shrink(const Range& r) {
        if (static_cast<std::int64_t>(active_.size()) <= kWhole) return;
        std::vector<std::int32_t> kept;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const bool settled = (!can_fall(k) && f_[k] > r.low) || (!can_rise(k) && f_[k] < r.up);
            if (!settled) kept.push_back(active_[k]);
        }
        if (kept.size() * 3 > active_.size() * 2 || kept.size() < 2) return;
        give_back();
        if (active_.size() == members_.size()) { // from here on only some gradients are kept up to date
            known_beta_ = beta_all_;
            known_gradient_ = gradient_all_;
        }
        activate(kept);
    }

    // Brings all rows back with their true gradients; false when they change nothing.
    bool unshrink() {
        give_back();
        std::vector<char> is_active(source_.n, 0);
        for (std::int32_t i : active_) is_active[i] = 1;
        std::vector<std::int32_t> others;
        for (std::int32_t i : members_)
            if (!is_active[i]) others.push_back(i);
        add_products(others);
        const bool was_stalled = stalled_;
        activate(members_);
        const Range r = range();
        violation_ = r.low - r.up;
        return violation_ >= plan_.tol && !was_stalled;
    }

    DualAnswer answer() {
        give_back();
        DualAnswer out;
        const Range r = range();
        out.bias = dual_bias(f_.data(), beta_.data(), low_.data(), high_.data(), static_cast<std::int64_t>(active_.size()));
        out.violation = std::max(0.0, r.low - r.up);
        out.iterations = iterations_;
        out.status = clock_.status() != DualStatus::solved ? clock_.status()
                     : stalled_                            ? DualStatus::stalled
                                                           : DualStatus::solved;
        out.product.resize(source_.n);
        for (std::int32_t i : members_) out.product[i] = gradient_all_[i] + t_[i];
        out.beta = std::move(beta_all_);
        return out;
    }

    const KernelSource& source_;
    const std::vector<std::int32_t>& members_;
    const double *t_, *low_all_, *high_all_;
    const DualPlan& plan_;
    Clock clock_;
    RowCache<Real> cache_;
    std::vector<double> beta_all_, gradient_all_, diagonal_all_;
    std::vector<double> known_beta_, known_gradient_; // when all gradients were last known
    std::vector<std::int32_t> active_; // the rows still in play; the arrays below are theirs
    std::vector<double> f_, beta_, low_, high_, diagonal_;
    std::vector<std::int32_t> block_;
    std::vector<char> in_block_;
    PairProblem local_;
    double violation_ = kInfinity;
    std::int64_t iterations_ = 0, rounds_ = 0;
    bool stalled_ = false, stalled_once_ = false;
};

} // namespace

double dual_bias(const double* f, const double* beta, const double* low, const double* high, std::int64_t n) {
    double sum = 0, up = kInfinity, down = -kInfinity;
    std::int64_t n_free = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const bool rises = beta[k] < high[k], falls = beta[k] > low[k];
        if (rises) up = std::min(up, f[k]);
        if (falls) down = std::max(down, f[k]);
        if (rises && falls) {
            sum += f[k];
            ++n_free;
        }
    }
    if (n_free > 0) return -sum / static_cast<double>(n_free);
    if (std::isfinite(up) && std::isfinite(down)) return -0.5 * (up + down);
    return std::isfinite(up) ? -up : -down; // one side only
}

DualAnswer dual_solve(const KernelSource& source, const std::vector<std::int32_t>& members, const double* t,
                      const double* low, const double* high, std::vector<double> beta, const DualPlan& plan) {
    if (plan.narrow && source.gram == nullptr)
        return Solver<float>(source, members, t, low, high, std::move(beta), plan).run();
    return Solver<double>(source, members, t, low, high, std::move(beta), plan).run();
}

std::vector<DualAnswer> dual_solve_pairs(const KernelSource& source, const std::vector<std::int64_t>& start,
                                         const double* box, const std::vector<std::vector<double>>& start_beta,
                                         const DualPlan& plan) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t a = 0; a + 1 < start.size(); ++a)
        for (std::size_t b = a + 1; b + 1 < start.size(); ++b) pairs.emplace_back(a, b);
    std::vector<DualAnswer> answers(pairs.size());
    const auto n_pairs = static_cast<std::int64_t>(pairs.size());
    // Many pairs: one thread each. Few: all threads work on one pair after the other. Same answers.
    const bool spread = n_pairs >= 2 * plan.threads && plan.threads > 1 && source.n > 400;
    std::atomic<bool> go_on{true};
#pragma omp parallel for num_threads(plan.threads) schedule(dynamic, 1) if (spread)
    for (std::int64_t k = 0; k < n_pairs; ++k) {
        if (!go_on.load()) continue;
        const auto [a, b] = pairs[k];
        DualPlan own = plan;
        if (spread) {
            own.threads = 1;
            own.cache_bytes = plan.cache_bytes / plan.threads;
            if (this_thread() != 0) own.poll = nullptr;
        }
        std::vector<std::int32_t> members;
        std::vector<double> t(source.n), low(source.n), high(source.n), beta(source.n);
        for (const auto& [cls, sign] : {std::pair{a, -1}, std::pair{b, 1}})
            for (std::int64_t i = start[cls]; i < start[cls + 1]; ++i) {
                members.push_back(static_cast<std::int32_t>(i));
                t[i] = sign;
                low[i] = sign > 0 ? 0.0 : -box[i];
                high[i] = sign > 0 ? box[i] : 0.0;
            }
        if (!start_beta.empty())
            for (std::size_t m = 0; m < members.size(); ++m) beta[members[m]] = start_beta[k][m];
        DualAnswer found = dual_solve(source, members, t.data(), low.data(), high.data(), std::move(beta), own);
        for (auto* v : {&found.beta, &found.product}) {
            std::vector<double> part;
            for (std::int32_t i : members) part.push_back((*v)[i]);
            *v = std::move(part);
        }
        if (found.status == DualStatus::stopped) go_on.store(false);
        answers[k] = std::move(found);
    }
    if (!go_on.load())
        for (auto& each : answers) each.status = DualStatus::stopped;
    return answers;
}

} // namespace sepal
