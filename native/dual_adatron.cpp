// The kernel Adatron of Friess, Cristianini and Campbell (1998) as successive over-relaxation on a box.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "dual_solver.hpp"

namespace sepal {
namespace {

class Adatron {
  public:
    Adatron(const double* gram, std::int64_t n, const double* t, const double* box, const AdatronPlan& plan)
        : gram_(gram), n_(n), t_(t), box_(box), plan_(plan), add_(add_rows<double>()), last_(Clock::now()) {
        out_.alpha.assign(n, 0.0);
        out_.product.assign(n, 0.0);
    }

    AdatronAnswer run() {
        if (plan_.with_bias) search_bias();
        else out_.status = sweeps(0.0, plan_.tol);
        return std::move(out_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    double violation(std::int64_t i, double bias) const {
        const double slope = 1 - t_[i] * (out_.product[i] + bias), a = out_.alpha[i];
        if (gram_[i * n_ + i] <= 0) return 0;
        if (a <= 0) return std::max(slope, 0.0);
        if (a >= box_[i]) return std::max(-slope, 0.0);
        return std::abs(slope);
    }

    // Sweeps over all rows with the bias held, until no row violates its condition by `tol`.
    AdatronStatus sweeps(double bias, double tol) {
        for (;;) {
            double worst = 0;
            for (std::int64_t i = 0; i < n_; ++i) worst = std::max(worst, violation(i, bias));
            out_.violation = worst;
            if (worst < tol) return AdatronStatus::solved;
            if (out_.sweeps >= plan_.max_sweeps) return AdatronStatus::out_of_sweeps;
            ++out_.sweeps;
            for (std::int64_t i = 0; i < n_; ++i) {
                const double curvature = gram_[i * n_ + i], a = out_.alpha[i];
                if (curvature <= 0) continue;
                const double slope = 1 - t_[i] * (out_.product[i] + bias);
                const double moved = std::clamp(a + plan_.omega * slope / curvature, 0.0, box_[i]);
                if (moved == a) continue;
                const double* row = gram_ + i * n_;
                const double step = (moved - a) * t_[i];
                add_(out_.product.data(), &row, &step, 1, 0, n_);
                out_.alpha[i] = moved;
            }
            const auto now = Clock::now();
            if (plan_.poll != nullptr && now - last_ > std::chrono::milliseconds(100)) {
                last_ = now;
                if (plan_.poll->stop(0.0)) return AdatronStatus::stopped;
            }
        }
    }

    double imbalance(double bias) { // sum of alpha t at this bias; falls as the bias rises
        out_.status = sweeps(bias, plan_.tol);
        double sum = 0;
        for (std::int64_t i = 0; i < n_; ++i) sum += out_.alpha[i] * t_[i];
        return sum;
    }
    bool failed() const { return out_.status != AdatronStatus::solved; }

    // Bisection, with a secant guess wherever it halves the bracket at least as fast.
    void search_bias() {
        double here = 0, at_here = imbalance(here);
        if (failed() || at_here == 0) return settle(here);
        double there = at_here > 0 ? 1.0 : -1.0, at_there = imbalance(there);
        while (!failed() && (at_there > 0) == (at_here > 0) && at_there != 0) {
            if (std::abs(there) > 1e12) { // a class without weight
                out_.status = AdatronStatus::diverged;
                break;
            }
            here = there;
            at_here = at_there;
            there *= 2;
            at_there = imbalance(there);
        }
        double low = std::min(here, there), high = std::max(here, there);
        double at_low = here < there ? at_here : at_there, at_high = here < there ? at_there : at_here;
        double bias = at_there == 0 ? there : 0.5 * (low + high);
        double sum = at_there;
        for (bool secant = true; !failed() && sum != 0; secant = !secant) {
            const double width = high - low;
            if (width <= 4e-16 * std::max(1.0, std::abs(high))) break;
            bias = secant ? low + width * at_low / (at_low - at_high) : 0.5 * (low + high);
            bias = std::clamp(bias, low, high);
            sum = imbalance(bias);
            if (std::abs(sum) <= plan_.balance) break;
            if (sum > 0) {
                low = bias;
                at_low = sum;
            } else {
                high = bias;
                at_high = sum;
            }
        }
        settle(bias);
    }
    void settle(double bias) { out_.bias = bias; }

    const double* gram_;
    std::int64_t n_;
    const double *t_, *box_;
    const AdatronPlan& plan_;
    AddRows<double> add_;
    Clock::time_point last_;
    AdatronAnswer out_;
};

} // namespace

AdatronAnswer adatron_solve(const double* gram, std::int64_t n, const double* t, const double* box, const AdatronPlan& plan) {
    return Adatron(gram, n, t, box, plan).run();
}

} // namespace sepal
