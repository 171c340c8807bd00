// See window.hpp.
#include "window.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pair_values.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

constexpr double kSame = 1e-10; // votes that differ by less than this share of the most are level: shares of tied places are rounded
// Exponents of two. Up to 2^kSteepest a factor over a range is a number; squares of coordinates from 2^-kUsual to
// 2^kUsual are numbers; costs of mismatches remain so if coordinates grow by 2^kMostMixed.
constexpr int kSteepest = 1020, kUsual = 300, kMostShift = 1000, kMostMixed = 250, kEmpty = -100000;

double distance_of(double value, const WindowPlan& plan) {
    switch (plan.distances) {
    case Distances::root: return std::sqrt(value);
    case Distances::power: return std::pow(value, 1 / plan.metric.p);
    case Distances::half: return value / 2;
    default: return value;
    }
}

class Window {
  public:
    Window(WindowRows& rows, const WindowPlan& plan)
        : rows_(rows), plan_(plan), values_(values_function(plan.metric.metric)), low_(rows.low), high_(rows.high),
          metric_(plan.metric), scale_(rows.p), count_(plan.n_classes, 0) {
        for (std::int64_t i = 0; i < rows_.n; ++i) ++count_[rows_.codes[i]];
        rescale();
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    struct Scratch {
        std::vector<double> query, found, top, votes, nearest;
        std::vector<Neighbor> near;
    };

    // Votes and nearest value of each class around a row; `self` is left out. False if nobody can vote.
    bool ask(const double* row, std::int64_t self, int k, Scratch& s) const {
        s.votes.assign(plan_.n_classes, 0);
        s.nearest.assign(plan_.n_classes, kNone);
        if (rows_.n - (self >= 0) < 1) return false;
        s.query.resize(rows_.p);
        for (int f = 0; f < rows_.p; ++f) s.query[f] = row[f] * scale_[f];
        s.found.resize(panels_of(rows_.n) * kPanel);
        const double* point = s.query.data();
        values_(rows_.cells, panels_of(rows_.n), &point, 1, scale_.data(), metric_, rows_.p, plan_.zero, s.found.data());
        nearest_rows(self, k, s);
        if (s.near.empty()) return false; // no distance to anybody is a number
        vote(k, s);
        return true;
    }

    std::int32_t winner(const Scratch& s) const {
        const double same = level(s);
        std::int32_t best = 0;
        for (std::int32_t c = 1; c < plan_.n_classes; ++c)
            if (beats(c, best, s, same)) best = c;
        return best;
    }

    void forget_older_than(double time) {
        for (std::int64_t i = rows_.n - 1; i >= 0; --i)
            if (rows_.time[i] < time) remove(i);
    }

    void learn(const double* row, std::int32_t code, double time, std::int64_t arrival) {
        std::int64_t slot = rows_.n;
        if (plan_.class_quota > 0 && count_[code] >= plan_.class_quota) slot = oldest(code);
        else if (plan_.most > 0 && rows_.n >= plan_.most) slot = oldest(-1);
        if (slot == rows_.n) ++rows_.n;
        else leave(slot);
        put(slot, row);
        rows_.codes[slot] = code;
        rows_.time[slot] = time;
        rows_.arrival[slot] = arrival;
        ++count_[code];
        bool wider = false;
        for (int f = 0; f < rows_.p; ++f)
            if (row[f] < low_[f] || row[f] > high_[f]) {
                low_[f] = std::min(low_[f], row[f]);
                high_[f] = std::max(high_[f], row[f]);
                wider = true;
            }
        if (wider && stale_.empty()) rescale();
        measure_stale();
    }

    // Takes out, together, all rows that their neighbours in the window get wrong.
    void edit(Scratch& s) {
        if (rows_.n <= plan_.edit_k) return;
        std::vector<std::int64_t> wrong;
        std::vector<double> row(rows_.p);
        for (std::int64_t i = 0; i < rows_.n; ++i) {
            for (int f = 0; f < rows_.p; ++f) row[f] = cell(i, f);
            if (ask(row.data(), i, plan_.edit_k, s) && beaten(rows_.codes[i], s)) wrong.push_back(i);
        }
        for (auto at = wrong.rbegin(); at != wrong.rend(); ++at) remove(*at);
    }

  private:
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    double& cell(std::int64_t i, int f) const {
        return rows_.cells[(i / kPanel * rows_.p + f) * kPanel + i % kPanel];
    }
    void put(std::int64_t i, const double* row) {
        for (int f = 0; f < rows_.p; ++f) cell(i, f) = row[f];
    }
    bool has_range(int f) const { return plan_.is_scaled[f] && high_[f] > low_[f]; }

    // What multiplies each coordinate: its factor, over the range where it is scaled, times a power of two common to
    // all columns, so that no number, difference or power of one leaves what a double can hold.
    void rescale() {
        const int shift = common_shift();
        for (int f = 0; f < rows_.p; ++f) {
            const double factor = std::ldexp(plan_.factors[f], shift), range = high_[f] - low_[f];
            if (!has_range(f)) scale_[f] = factor;
            else scale_[f] = range < kNone ? factor / range : factor / 2 / (high_[f] / 2 - low_[f] / 2);
        }
        if (metric_.metric != Metric::mixed || plan_.metric.weights == nullptr) return;
        mismatch_.resize(rows_.p); // costs are of the size of squares
        for (int f = 0; f < rows_.p; ++f) mismatch_[f] = std::ldexp(plan_.metric.weights[f], 2 * shift);
        metric_.weights = mismatch_.data();
    }
    int common_shift() const {
        int steepest = 0, largest = kEmpty;
        for (int f = 0; f < metric_.n_numeric; ++f) {
            if (!(plan_.factors[f] > 0) || !(high_[f] >= low_[f])) continue;
            const int factor = std::ilogb(plan_.factors[f]);
            const double size = std::max(std::fabs(low_[f]), std::fabs(high_[f]));
            const double range = std::min(high_[f] - low_[f], std::numeric_limits<double>::max());
            if (has_range(f)) steepest = std::max(steepest, factor - std::ilogb(range));
            else if (!plan_.is_scaled[f] && size > 0) largest = std::max(largest, factor + std::ilogb(size));
        }
        if (steepest > kSteepest) return kSteepest - steepest;
        const int usual = metric_.metric == Metric::lp ? static_cast<int>(2 * kUsual / metric_.p) : kUsual;
        if (largest == kEmpty || std::abs(largest) <= usual) return 0;
        return std::clamp(-largest, -kMostShift, metric_.metric == Metric::mixed ? kMostMixed : kMostShift);
    }
    void measure(int f) {
        low_[f] = kNone, high_[f] = -kNone;
        for (std::int64_t i = 0; i < rows_.n; ++i) {
            const double x = cell(i, f);
            if (x < low_[f]) low_[f] = x;
            if (x > high_[f]) high_[f] = x;
        }
    }
    void measure_stale() {
        if (stale_.empty()) return;
        for (const int f : stale_) measure(f);
        stale_.clear();
        rescale();
    }
    std::int64_t oldest(std::int32_t code) const {
        std::int64_t found = -1;
        for (std::int64_t i = 0; i < rows_.n; ++i)
            if ((code < 0 || rows_.codes[i] == code) && (found < 0 || rows_.arrival[i] < rows_.arrival[found])) found = i;
        return found;
    }
    // A slot is about to lose its row: columns whose range it may have held are measured anew.
    void leave(std::int64_t slot) {
        --count_[rows_.codes[slot]];
        for (int f = 0; f < rows_.p; ++f)
            if (cell(slot, f) == low_[f] || cell(slot, f) == high_[f]) stale_.push_back(f);
    }
    void remove(std::int64_t slot) {
        leave(slot);
        const std::int64_t last = --rows_.n;
        for (int f = 0; f < rows_.p; ++f) {
            cell(slot, f) = cell(last, f);
            cell(last, f) = 0;
        }
        rows_.codes[slot] = rows_.codes[last];
        rows_.time[slot] = rows_.time[last];
        rows_.arrival[slot] = rows_.arrival[last];
        measure_stale();
    }

    // The k nearest with everyone tied with the k-th, in tied groups.
    void nearest_rows(std::int64_t self, int k, Scratch& s) const {
        double* found = s.found.data();
        for (std::int64_t i = rows_.n; i < static_cast<std::int64_t>(s.found.size()); ++i) found[i] = kNone;
        const double own = self >= 0 ? found[self] : 0;
        if (self >= 0) found[self] = kNone;
        const std::int64_t wanted = std::min<std::int64_t>(k, rows_.n - (self >= 0));
        s.top.assign(wanted, kNone); // the smallest so far, ascending
        double bound = kNone;
        const std::int64_t n_cells = panels_of(rows_.n) * kPanel;
        for (std::int64_t b = 0; b < n_cells; b += kPanel) {
            bool any = false;
            for (int j = 0; j < kPanel; ++j) any |= found[b + j] < bound;
            if (!any) continue;
            for (int j = 0; j < kPanel; ++j) {
                if (!(found[b + j] < bound)) continue;
                std::int64_t at = wanted - 1;
                for (; at > 0 && s.top[at - 1] > found[b + j]; --at) s.top[at] = s.top[at - 1];
                s.top[at] = found[b + j];
                bound = s.top[wanted - 1];
            }
        }
        // A group opens at its smallest value, so the last one may reach this far beyond the k-th.
        const double limit = bound * (1 + plan_.tie);
        s.near.clear();
        for (std::int64_t i = 0; i < rows_.n; ++i)
            if (found[i] <= limit && i != self) s.near.push_back({found[i], static_cast<std::int32_t>(i)});
        s.near.resize(settle(s.near, Plan{static_cast<int>(wanted), false, plan_.tie, 0, 1, nullptr}));
        if (self >= 0) found[self] = own;
    }

    void vote(int k, Scratch& s) const {
        const double last = s.near.back().value;
        double before = 0;
        for (const Neighbor& n : s.near) before += n.value < last;
        const double tied = static_cast<double>(s.near.size()) - before;
        const double share = std::min(1.0, (k - before) / tied);
        const double nearest = s.near.front().value;
        const bool touching = plan_.by_distance && nearest == 0, apart = plan_.by_distance && 0 < nearest && nearest < kNone;
        const double unit = apart ? distance_of(nearest, plan_) : 0; // weights relative to the nearest: none overflows
        for (const Neighbor& n : s.near) {
            const std::int32_t c = rows_.codes[n.row];
            double weight = n.value < last ? 1 : share;
            if (touching) weight = n.value == 0 ? weight : 0;
            else if (apart) weight *= unit / distance_of(n.value, plan_);
            s.votes[c] += weight;
            s.nearest[c] = std::min(s.nearest[c], n.value);
        }
    }
    static double level(const Scratch& s) { return kSame * *std::max_element(s.votes.begin(), s.votes.end()); }
    static bool beats(std::size_t c, std::size_t other, const Scratch& s, double same) {
        const double ahead = s.votes[c] - s.votes[other];
        return ahead > same || (ahead >= -same && s.nearest[c] < s.nearest[other]);
    }
    static bool beaten(std::int32_t own, const Scratch& s) {
        const double same = level(s);
        for (std::size_t c = 0; c < s.votes.size(); ++c)
            if (beats(c, own, s, same)) return true;
        return false;
    }

    WindowRows& rows_;
    const WindowPlan& plan_;
    ValuesFunction values_;
    double *low_, *high_;
    MetricSpec metric_;
    std::vector<double> scale_, mismatch_;
    std::vector<std::int64_t> count_;
    std::vector<int> stale_;
};

// The most frequent class so far answers for an empty window.
std::int32_t prior(const double* seen, int n_classes, double* votes) {
    double all = 0;
    std::int32_t best = -1;
    for (int c = 0; c < n_classes; ++c) {
        all += seen[c];
        if (seen[c] > 0 && (best < 0 || seen[c] > seen[best])) best = c;
    }
    if (votes != nullptr)
        for (int c = 0; c < n_classes; ++c) votes[c] = all > 0 ? seen[c] / all : 0;
    return best;
}

} // namespace

WindowAnswer window_predict(const WindowRows& rows, const WindowPlan& plan, Points queries, const double* seen) {
    WindowRows own = rows;
    const Window window(own, plan);
    WindowAnswer out;
    out.votes.resize(queries.n * plan.n_classes);
    out.codes.resize(queries.n);
    Watch watch(plan.poll, queries.n);
    const bool worth = plan.threads > 1 && queries.n * rows.n > 100000;
    const Loop each{.n = queries.n, .threads = plan.threads, .grain = 16, .helpers = worth ? Helpers::at_once : Helpers::never};
    parallel_for(each, [] { return Window::Scratch(); }, [&](Window::Scratch& s, std::int64_t i) {
        if (!watch.go_on()) return;
        double* votes = out.votes.data() + i * plan.n_classes;
        if (window.ask(queries.row(i), -1, plan.k, s)) {
            std::copy(s.votes.begin(), s.votes.end(), votes);
            out.codes[i] = window.winner(s);
        } else {
            out.codes[i] = prior(seen, plan.n_classes, votes);
        }
    });
    return out;
}

WindowAnswer window_learn(WindowRows& rows, const WindowPlan& plan, Points given, const std::int32_t* codes,
                          const double* times, bool test, double* seen, std::int64_t& n_learnt) {
    Window window(rows, plan);
    Window::Scratch s;
    WindowAnswer out;
    Watch watch(plan.poll, given.n);
    if (test) out.codes.resize(given.n, -1);
    for (std::int64_t i = 0; i < given.n; ++i) {
        if (!watch.go_on()) return out;
        if (plan.max_age < std::numeric_limits<double>::infinity()) window.forget_older_than(times[i] - plan.max_age);
        if (test)
            out.codes[i] = window.ask(given.row(i), -1, plan.k, s) ? window.winner(s) : prior(seen, plan.n_classes, nullptr);
        window.learn(given.row(i), codes[i], times[i], n_learnt++);
        ++seen[codes[i]];
        if (plan.edit_k > 0 && n_learnt % plan.edit_every == 0) window.edit(s);
    }
    return out;
}

} // namespace sepal
