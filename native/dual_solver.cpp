// Pairs chosen by second-order information (Fan, Chen, Lin 2005), one after the other, over all rows in play. Rows stuck
// at a bound are set aside.
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
constexpr std::int64_t kPart = 1 << 14;  // rows one thread looks at
constexpr std::int64_t kRound = 100;     // steps between looks at the clock and at rows to set aside
constexpr double kBound = 1e-12;         // of its box: a row so near to a bound is at it
constexpr double kProgress = 0.3;        // of the violation since rows were last set aside

class Clock {
  public:
    explicit Clock(const DualPlan& plan) : plan_(plan), begin_(Now::now()), last_(begin_) {}
    // Whether to go on; asks the outside about ten times a second, from the calling thread.
    bool go_on() {
        const auto now = Now::now();
        if (std::chrono::duration<double>(now - begin_).count() > plan_.deadline) status_ = SolverStatus::out_of_time;
        if (plan_.poll != nullptr && now - last_ > std::chrono::milliseconds(100)) {
            last_ = now;
            if (plan_.poll->stop(0.0)) status_ = SolverStatus::stopped;
        }
        return status_ == SolverStatus::solved;
    }
    SolverStatus status() const { return status_; }

  private:
    using Now = std::chrono::steady_clock;
    const DualPlan& plan_;
    Now::time_point begin_, last_;
    SolverStatus status_ = SolverStatus::solved;
};

template <class Real> class Solver {
  public:
    Solver(const KernelSource& source, const std::vector<std::int32_t>& members, const double* t, const double* low,
           const double* high, std::vector<double> beta, const DualPlan& plan)
        : source_(source), members_(members), t_(t), low_all_(low), high_all_(high), plan_(plan), clock_(plan), cache_(source, static_cast<std::int64_t>(members.size()), plan),
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
        std::vector<double> coef, sums(rows.size(), 0.0);
        for (std::int32_t i : members_)
            if (beta_all_[i] != known_beta_[i]) {
                support.push_back(i);
                coef.push_back(beta_all_[i] - known_beta_[i]);
            }
        if (!support.empty()) add_expansion<Real>(source_, support, coef, rows, plan_.threads, sums.data());
        for (std::size_t k = 0; k < rows.size(); ++k) gradient_all_[rows[k]] = known_gradient_[rows[k]] + sums[k];
    }

    void activate(const std::vector<std::int32_t>& rows) {
        active_ = rows;
        const auto n = static_cast<std::int64_t>(active_.size());
        s_.resize(n);
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int32_t i = active_[k];
            s_.set(k, gradient_all_[i], beta_all_[i], low_all_[i], high_all_[i], diagonal_all_[i]);
        }
        cache_.set_active(active_, s_.diagonal);
        worst_ = update(nullptr, nullptr, 0.0);
    }
    void give_back() {
        for (std::size_t k = 0; k < active_.size(); ++k) {
            gradient_all_[active_[k]] = s_.f[k];
            beta_all_[active_[k]] = s_.beta[k];
        }
    }

    bool can_rise(std::size_t k) const { return s_.no_rise[k] == 0; }
    bool can_fall(std::size_t k) const { return s_.no_fall[k] == 0; }
    double violation() const { return worst_.highest + worst_.value; }

    // A pass over all rows, in parts of fixed size so that threads do not matter.
    template <class Pass> PairBest in_parts(Pass pass) {
        if (s_.width <= kPart) return pass(0, s_.width);
        const std::int64_t n_parts = (s_.width + kPart - 1) / kPart;
        parts_.resize(n_parts);
        const Helpers helpers = n_parts > 3 ? Helpers::at_once : Helpers::never;
        parallel_for(Loop{.n = n_parts, .threads = plan_.threads, .helpers = helpers}, [&](std::int64_t k) {
            parts_[k] = pass(k * kPart, std::min((k + 1) * kPart, s_.width));
        });
        PairBest best = parts_[0];
        for (const PairBest& part : parts_) {
            best.highest = std::max(best.highest, part.highest);
            if (part.value > best.value) best.value = part.value, best.at = part.at;
        }
        return best;
    }
    PairBest update(const Real* row_i, const Real* row_j, double step) {
        if (row_i == nullptr) { // nothing to add: any readable row will do
            no_row_.assign(s_.width, Real(0));
            row_i = row_j = no_row_.data();
        }
        return in_parts([&](std::int64_t first, std::int64_t last) { return passes_.update(s_, row_i, row_j, step, first, last); });
    }

    // True when the active rows are solved; false when out of time or steps, stopped or stalled.
    bool iterate() {
        double since_shrink = violation();
        for (std::int64_t round = 1;; ++round) {
            if (!(violation() >= plan_.tol)) return true;
            if (iterations_ >= plan_.most_steps) {
                out_of_steps_ = true;
                return false;
            }
            if (round % kRound == 0) {
                if (!clock_.go_on()) return false;
                if (violation() < kProgress * since_shrink) {
                    since_shrink = violation();
                    if (shrink()) continue;
                }
            }
            if (!step()) {
                stalled_ = true;
                return false;
            }
        }
    }

    // One pair; false when nothing can move.
    bool step() {
        const std::int64_t i = worst_.at;
        const Real* row_i = row(i, true);
        const PairBest second =
            in_parts([&](std::int64_t first, std::int64_t last) { return passes_.partner(s_, row_i, i, first, last); });
        if (!(second.value > 0)) return false;
        const Real* row_j = row(second.at, false);
        const double moved = s_.shift_weight(i, second.at, static_cast<double>(row_i[second.at]));
        if (moved == 0) return false;
        worst_ = update(row_i, row_j, moved);
        ++iterations_;
        return true;
    }

    // With many columns several kernel rows are computed at a time: with the one asked for, others that violate most on
    // its side.
    const Real* row(std::int64_t i, bool rising) {
        if (!cache_.has(static_cast<std::int32_t>(i))) {
            std::vector<std::int32_t> wanted{static_cast<std::int32_t>(i)};
            if (source_.gram == nullptr && source_.x.p >= kLongRow) {
                std::vector<std::int32_t> others;
                for (std::int32_t k = 0; k < s_.n; ++k)
                    if (k != i && !cache_.has(k) && (rising ? can_rise(k) && s_.f[k] < worst_.highest : can_fall(k) && s_.f[k] > -worst_.value))
                        others.push_back(k);
                const auto end = others.begin() + std::min<std::int64_t>(kKernelRows - 1, static_cast<std::int64_t>(others.size()));
                std::partial_sort(others.begin(), end, others.end(), [&](std::int32_t a, std::int32_t b) {
                    return s_.f[a] != s_.f[b] ? (s_.f[a] < s_.f[b]) == rising : mixed(a) < mixed(b);
                });
                wanted.insert(wanted.end(), others.begin(), end);
            }
            cache_.fetch(wanted);
        }
        return cache_.row(static_cast<std::int32_t>(i));
    }
    // Ties in an order that does not follow the rows: at the start all rows of a class are tied.
    static std::uint32_t mixed(std::int32_t k) { return static_cast<std::uint32_t>(k) * 2654435761u; }

    // Sets aside rows at a bound whose gradient is on the right side of everything that still violates.
    bool shrink() {
        std::vector<std::int32_t> kept;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const bool settled = (!can_fall(k) && s_.f[k] > worst_.highest) || (!can_rise(k) && s_.f[k] < -worst_.value);
            if (!settled) kept.push_back(active_[k]);
        }
        if (kept.size() * 3 > active_.size() * 2 || kept.size() < 2) return false;
        give_back();
        if (active_.size() == members_.size()) { // from here on only some gradients are kept up to date
            known_beta_ = beta_all_;
            known_gradient_ = gradient_all_;
        }
        activate(kept);
        return true;
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
        activate(members_);
        return violation() >= plan_.tol && !stalled_;
    }

    DualAnswer answer() {
        give_back();
        DualAnswer out;
        out.bias = dual_bias(s_.f.data(), s_.beta.data(), s_.low.data(), s_.high.data(), s_.n);
        out.violation = std::max(0.0, violation());
        out.iterations = iterations_;
        out.status = clock_.status() != SolverStatus::solved ? clock_.status()
                     : stalled_                              ? SolverStatus::stalled
                     : out_of_steps_                         ? SolverStatus::out_of_steps
                                                             : SolverStatus::solved;
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
    const PairPasses<Real> passes_ = pair_passes<Real>();
    std::vector<double> beta_all_, gradient_all_, diagonal_all_;
    std::vector<double> known_beta_, known_gradient_; // when all gradients were last known
    std::vector<std::int32_t> active_; // the rows still in play; the problem is theirs
    PairProblem s_;
    PairBest worst_{}; // the row to raise next, and the highest gradient that may fall
    std::vector<PairBest> parts_;
    std::vector<Real> no_row_;
    std::int64_t iterations_ = 0;
    bool stalled_ = false, out_of_steps_ = false;
};

} // namespace

double dual_bias(const double* f, const double* beta, const double* low, const double* high, std::int64_t n) {
    double sum = 0, up = kInfinity, down = -kInfinity;
    std::int64_t n_free = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const double rounding = kBound * (high[k] - low[k]);
        const bool rises = beta[k] < high[k] - rounding, falls = beta[k] > low[k] + rounding;
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
    if (!plan.narrow || source.gram != nullptr) return Solver<double>(source, members, t, low, high, std::move(beta), plan).run();
    const auto begin = std::chrono::steady_clock::now();
    DualAnswer found = Solver<float>(source, members, t, low, high, std::move(beta), plan).run();
    // What float32 leaves open of the gradient: errors of the kernel values, which add up as the root of squares.
    double square = 0;
    for (std::int32_t i : members) square += found.beta[i] * found.beta[i];
    if (found.status != SolverStatus::solved || std::ldexp(std::sqrt(square), -22) <= plan.tol) return found;
    DualPlan rest = plan;
    rest.deadline -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::int64_t before = found.iterations;
    rest.most_steps -= before;
    found = Solver<double>(source, members, t, low, high, std::move(found.beta), rest).run();
    found.iterations += before;
    return found;
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
    // A pair may take the share of the time left that its work has in the work left: what one leaves others may use.
    const auto begin = std::chrono::steady_clock::now();
    const auto work = [&](std::int64_t k) {
        const auto [a, b] = pairs[k];
        const double rows = static_cast<double>(start[a + 1] - start[a] + start[b + 1] - start[b]);
        return rows * rows;
    };
    std::vector<double> work_from(n_pairs + 1, 0.0); // of a pair and all after it
    for (std::int64_t k = n_pairs - 1; k >= 0; --k) work_from[k] = work_from[k + 1] + work(k);
    const auto solve_pair = [&](std::int64_t k) {
        if (!go_on.load()) return;
        const auto [a, b] = pairs[k];
        DualPlan own = plan;
        const double left = plan.deadline - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        own.deadline = left * std::min(1.0, work(k) * (spread ? plan.threads : 1) / work_from[k]);
        if (spread) {
            own.threads = 1;
            own.cache_bytes = plan.cache_bytes / plan.threads;
            if (!on_calling_thread()) own.poll = nullptr;
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
        if (found.status == SolverStatus::stopped) go_on.store(false);
        answers[k] = std::move(found);
    };
    parallel_for(Loop{.n = n_pairs, .threads = plan.threads, .helpers = spread ? Helpers::at_once : Helpers::never}, solve_pair);
    if (!go_on.load())
        for (auto& each : answers) each.status = SolverStatus::stopped;
    return answers;
}

} // namespace sepal
