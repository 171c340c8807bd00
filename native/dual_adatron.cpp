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
        if (plan_.with_bias) {
            search_bias();
        } else {
            out_.bias = plan_.offset;
            out_.status = sweeps(plan_.offset, plan_.tol);
        }
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
    SolverStatus sweeps(double bias, double tol) {
        for (;;) {
            double worst = 0;
            for (std::int64_t i = 0; i < n_; ++i) worst = std::max(worst, violation(i, bias));
            out_.violation = worst;
            if (worst < tol) return SolverStatus::solved;
            if (out_.sweeps >= plan_.max_sweeps) return SolverStatus::out_of_steps;
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
                if (plan_.poll->stop(0.0)) return SolverStatus::stopped;
            }
        }
    }

    double imbalance(double bias) { // sum of alpha t at this bias; falls as the bias rises
        out_.bias = bias;
        out_.status = sweeps(bias, plan_.tol);
        double sum = 0;
        for (std::int64_t i = 0; i < n_; ++i) sum += out_.alpha[i] * t_[i];
        return sum;
    }
    bool failed() const { return out_.status != SolverStatus::solved; }

    // A bias, the imbalance there, and the solution.
    struct Point {
        double bias, sum;
        std::vector<double> alpha, product;
    };
    Point point(double bias) {
        const double sum = imbalance(bias);
        return {bias, sum, out_.alpha, out_.product};
    }

    // Bisection, every other time with a secant guess.
    void search_bias() {
        Point low = point(0.0);
        if (failed() || low.sum == 0) return;
        Point high = low;
        for (double step = low.sum > 0 ? 1.0 : -1.0; !failed() && std::abs(step) < 1e12; step *= 2) {
            Point next = point(step);
            const bool crossed = (next.sum > 0) != (low.sum > 0) || next.sum == 0;
            high = std::move(next);
            if (crossed) break;
            low = high;
        }
        if (!failed() && high.sum != 0 && (low.sum > 0) == (high.sum > 0))
            out_.status = SolverStatus::diverged; // a class without weight
        if (low.sum < high.sum) std::swap(low, high); // the imbalance falls: low has the positive one
        for (bool secant = true; !failed(); secant = !secant) {
            const double width = high.bias - low.bias;
            if (low.sum <= plan_.balance || -high.sum <= plan_.balance) break;
            if (width <= 4e-16 * std::max(1.0, std::abs(high.bias))) break;
            const double guess = secant ? low.bias + width * low.sum / (low.sum - high.sum) : 0.5 * (low.bias + high.bias);
            Point next = point(std::clamp(guess, low.bias, high.bias));
            (next.sum > 0 ? low : high) = std::move(next);
        }
        if (!failed()) balance(low, high);
    }

    // Where several weightings are optimal the imbalance jumps over 0 at the bias: the right mixture of both sides is
    // optimal too, and balanced.
    void balance(const Point& low, const Point& high) {
        const double share = low.sum - high.sum > 0 ? low.sum / (low.sum - high.sum) : 1.0;
        for (std::int64_t i = 0; i < n_; ++i) {
            out_.alpha[i] = (1 - share) * low.alpha[i] + share * high.alpha[i];
            out_.product[i] = (1 - share) * low.product[i] + share * high.product[i];
        }
        out_.bias = (1 - share) * low.bias + share * high.bias;
    }

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
