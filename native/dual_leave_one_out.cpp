// What each row's machine would say of it had the row not been there: the whole solution, with the row's weight taken
// out and the rest repaired by a few pair steps.
#include <algorithm>
#include <limits>

#include "dual_solver.hpp"
#include "pair_steps.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

void move(PairProblem& s, const double* matrix, std::int64_t k, double step, double value) {
    const double* row = matrix + k * s.width;
    for (std::int64_t c = 0; c < s.n; ++c) s.f[c] += step * row[c];
    s.beta[k] = value;
    s.note_bounds(k);
}

// Brings the sum of beta back to 0 after `excess` was taken out: those that want it most, first. False if they have
// no room for it.
bool rebalance(PairProblem& s, const double* matrix, double excess) {
    const bool rise = excess > 0;
    for (double left = std::abs(excess); left > 0;) {
        std::int64_t best = -1;
        for (std::int64_t k = 0; k < s.n; ++k) {
            if ((rise ? s.no_rise[k] : s.no_fall[k]) != 0) continue;
            if (best < 0 || (rise ? s.f[k] < s.f[best] : s.f[k] > s.f[best])) best = k;
        }
        if (best < 0) return false;
        const double room = rise ? s.high[best] - s.beta[best] : s.beta[best] - s.low[best];
        const double bound = rise ? s.high[best] : s.low[best];
        const double step = std::min(left, room);
        move(s, matrix, best, rise ? step : -step, step == room ? bound : s.beta[best] + (rise ? step : -step));
        left -= step;
    }
    return true;
}

} // namespace

bool dual_leave_one_out(const double* gram, std::int64_t n, const double* t, const double* low, const double* high,
                        const double* left, const double* beta, const double* product, double bias, double tol,
                        bool every, int threads, Poll* poll, double* decision) {
    for (std::int64_t i = 0; i < n; ++i) decision[i] = product[i] + bias;
    std::vector<std::int64_t> again;
    for (std::int64_t i = 0; i < n; ++i) {
        if (std::abs(beta[i]) <= left[i]) continue; // its weight stays possible: nothing changes
        // A row's hinge loss cannot fall when the row goes, so one on the wrong side stays there.
        if (every || t[i] * decision[i] >= 0) again.push_back(i);
    }
    const auto count = static_cast<std::int64_t>(again.size());
    Watch watch(poll, std::max<std::int64_t>(count, 1));
#pragma omp parallel num_threads(threads) if (threads > 1 && count * n > 1 << 14)
    {
        PairProblem s;
        s.resize(n);
        std::vector<double> matrix(static_cast<std::size_t>(n * s.width), 0.0);
        for (std::int64_t i = 0; i < n; ++i) std::copy_n(gram + i * n, n, matrix.data() + i * s.width);
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t k = 0; k < count; ++k) {
            if (!watch.go_on()) continue;
            const std::int64_t i = again[k];
            for (std::int64_t c = 0; c < n; ++c) s.set(c, product[c] - t[c], beta[c], low[c], high[c], gram[c * n + c]);
            s.low[i] = std::max(low[i], -left[i]);
            s.high[i] = std::min(high[i], left[i]);
            const double kept = std::clamp(beta[i], s.low[i], s.high[i]), taken = beta[i] - kept;
            move(s, matrix.data(), i, -taken, kept);
            if (!rebalance(s, matrix.data(), taken)) {
                decision[i] = -t[i]; // nobody of its class is left
                continue;
            }
            while (pair_steps(s, matrix.data(), tol, 10000) == 10000 && watch.still_on()) {
            }
            decision[i] = s.f[i] + t[i] + dual_bias(s.f.data(), s.beta.data(), s.low.data(), s.high.data(), n);
        }
    }
    return !watch.stopped();
}

} // namespace sepal
