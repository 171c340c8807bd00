// What each row's machine would say of it had the row not been there: the whole solution, with the row's weight taken
// out and the rest repaired by a few pair steps.
#include <algorithm>
#include <cmath>

#include "dual_rows.hpp"
#include "dual_solver.hpp"
#include "pair_steps.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

constexpr std::int64_t kLook = 1000; // steps between looks at the clock

// One thread's copy of the problem, with kernel rows of its own.
template <class Real> class Repair {
  public:
    Repair(const KernelSource& source, const std::vector<std::int32_t>& members, const DualWhole& whole, const DualPlan& plan)
        : whole_(whole), plan_(plan), cache_(source, static_cast<std::int64_t>(members.size()), plan_), diagonal_(members.size()) {
        for (std::size_t k = 0; k < members.size(); ++k) {
            const std::int64_t i = members[k];
            diagonal_[k] = source.gram != nullptr ? source.gram[i * source.n + i]
                                                  : kernel_value(source.x.row(i), source.x.row(i), source.x.p, source.spec);
        }
        s_.resize(static_cast<std::int64_t>(members.size()));
        cache_.set_active(members, diagonal_);
    }

    // The decision for row i without it. False when `most` steps, or the outside, ended the search before its time.
    bool without(std::int64_t i, std::int64_t most, Watch& watch, double& decision) {
        for (std::int64_t c = 0; c < s_.n; ++c)
            s_.set(c, whole_.product[c] - whole_.t[c], whole_.beta[c], whole_.low[c], whole_.high[c], diagonal_[c]);
        s_.low[i] = std::max(whole_.low[i], -whole_.left[i]);
        s_.high[i] = std::min(whole_.high[i], whole_.left[i]);
        const double kept = std::clamp(whole_.beta[i], s_.low[i], s_.high[i]), taken = whole_.beta[i] - kept;
        move(i, -taken, kept);
        if (!rebalance(taken)) {
            decision = -whole_.t[i]; // nobody of its class is left
            return true;
        }
        const bool solved = repair(most, watch);
        decision = s_.f[i] + whole_.t[i] + dual_bias(s_.f.data(), s_.beta.data(), s_.low.data(), s_.high.data(), s_.n);
        return solved;
    }

  private:
    const Real* row(std::int64_t k) {
        const auto place = static_cast<std::int32_t>(k);
        if (!cache_.has(place)) cache_.fetch({place});
        return cache_.row(place);
    }
    void move(std::int64_t k, double step, double value) {
        const Real* values = row(k);
        for (std::int64_t c = 0; c < s_.n; ++c) s_.f[c] += step * static_cast<double>(values[c]);
        s_.beta[k] = value;
        s_.note_bounds(k);
    }

    // Brings the sum of beta back to 0 after `excess` was taken out: those that want it most, first. False if they have
    // no room for it.
    bool rebalance(double excess) {
        const bool rise = excess > 0;
        for (double left = std::abs(excess); left > 0;) {
            std::int64_t best = -1;
            for (std::int64_t k = 0; k < s_.n; ++k) {
                if ((rise ? s_.no_rise[k] : s_.no_fall[k]) != 0) continue;
                if (best < 0 || (rise ? s_.f[k] < s_.f[best] : s_.f[k] > s_.f[best])) best = k;
            }
            if (best < 0) return false;
            const double room = rise ? s_.high[best] - s_.beta[best] : s_.beta[best] - s_.low[best];
            const double bound = rise ? s_.high[best] : s_.low[best];
            const double step = std::min(left, room);
            move(best, rise ? step : -step, step == room ? bound : s_.beta[best] + (rise ? step : -step));
            left -= step;
        }
        return true;
    }

    bool repair(std::int64_t most, Watch& watch) {
        const Real* any = row(0); // a step of 0 adds nothing of it
        PairBest first = passes_.update(s_, any, any, 0.0, 0, s_.width);
        for (std::int64_t done = 0; first.highest + first.value >= plan_.tol; ++done) {
            if (done == most || (done % kLook == kLook - 1 && !watch.still_on())) return false;
            const Real* row_i = row(first.at);
            const PairBest second = passes_.partner(s_, row_i, first.at, 0, s_.width);
            if (!(second.value > 0)) break;
            const Real* row_j = row(second.at);
            const double step = s_.shift_weight(first.at, second.at, static_cast<double>(row_i[second.at]));
            if (step == 0) break;
            first = passes_.update(s_, row_i, row_j, step, 0, s_.width);
        }
        return true;
    }

    const DualWhole& whole_;
    const DualPlan plan_;
    RowCache<Real> cache_;
    const PairPasses<Real> passes_ = pair_passes<Real>();
    std::vector<double> diagonal_;
    PairProblem s_;
};

template <class Real>
bool all_without(const KernelSource& source, const std::vector<std::int32_t>& members, const DualWhole& whole,
                 const std::vector<std::int64_t>& which, std::int64_t most, const DualPlan& plan, double* decision,
                 std::int32_t* solved) {
    const auto count = static_cast<std::int64_t>(which.size());
    const bool spread = plan.threads > 1 && count * static_cast<std::int64_t>(members.size()) > 1 << 14;
    DualPlan own = plan;
    own.threads = 1;
    if (spread) own.cache_bytes /= plan.threads;
    Watch watch(plan.poll, std::max<std::int64_t>(count, 1));
    const Loop rows{.n = count, .threads = plan.threads, .helpers = spread ? Helpers::at_once : Helpers::never};
    parallel_for(
        rows, [&] { return Repair<Real>(source, members, whole, own); },
        [&](Repair<Real>& repair, std::int64_t k) {
            if (watch.go_on()) solved[k] = repair.without(which[k], most, watch, decision[k]) ? 1 : 0;
        });
    return !watch.stopped();
}

} // namespace

bool dual_leave_one_out(const KernelSource& source, const std::vector<std::int32_t>& members, const DualWhole& whole,
                        const std::vector<std::int64_t>& which, std::int64_t most, const DualPlan& plan, double* decision,
                        std::int32_t* solved) {
    const auto run = plan.narrow && source.gram == nullptr ? all_without<float> : all_without<double>;
    return run(source, members, whole, which, most, plan, decision, solved);
}

} // namespace sepal
