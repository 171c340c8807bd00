#include "dual_removal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "threads.hpp"

#define SEPAL_HOT_FILE "dual_removal.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr double kStill = 1e-12;  // a slack that changes by less, in units of the largest residual, stays
constexpr double kRounding = 1e-7; // of the weight: what happens so near the end happens after it
constexpr int kMostChanges = 300; // of the free rows, at once
constexpr int kMostSteps = 2000;
constexpr int kMostStalls = 50; // steps of no length in a row

// A row that is free but was not at the start (index -1), or was and no longer is.
struct Change {
    std::int32_t place;
    std::int64_t index; // among the free rows of the start
    bool entered() const { return index < 0; }
};

class Removal {
  public:
    explicit Removal(const RemovalBase& base)
        : base_(base), size_(base.n_free + 1), index_(base.n, -1), beta_(base.n), slack_(base.n), side_(base.n), rate_(base.n),
          direction_(size_) {
        for (std::int64_t k = 0; k < base.n_free; ++k) index_[base.free[k]] = k;
        for (std::int64_t i = 0; i < base.n; ++i) still_ = std::max(still_, kStill * base.residual[i * base.n + i]);
    }

    RemovalStatus follow(const RemovalRows& rows, std::int64_t which, bool until_sign_change) {
        prepare(rows, which);
        if (taken_ == 0) return RemovalStatus::ended;
        for (int step = 0, stalls = 0; step < kMostSteps && stalls < kMostStalls; ++step) {
            if (static_cast<int>(changes_.size()) > kMostChanges) break;
            if (n_free() == 0 && !free_one()) return RemovalStatus::alone;
            if (!solve()) return RemovalStatus::failed;
            rates();
            const Event event = next_event();
            const double falls = -sign_ * decision_rate_;
            if (until_sign_change && falls > 0 && sign_ * decision_ <= falls * event.length) {
                move(std::max(0.0, sign_ * decision_ / falls));
                return RemovalStatus::turned;
            }
            move(event.length);
            stalls = event.length > 0 ? 0 : stalls + 1;
            if (event.place < 0) return RemovalStatus::ended;
            if (event.leaves) leave(event.place, event.to_high);
            else enter(event.place);
        }
        return RemovalStatus::failed;
    }

    double shift() const { return shift_; }
    double gone() const { return (taken_ - remaining_) * toward_; }
    void write(double* change) const {
        for (std::int64_t i = 0; i < base_.n; ++i) change[i] = beta_[i] - base_.beta[i];
        if (leaving_ >= 0) change[leaving_] = -gone();
    }

  private:
    struct Event {
        double length;
        std::int32_t place = -1; // nobody: all is taken
        bool leaves = false, to_high = false;
    };

    void prepare(const RemovalRows& rows, std::int64_t which) {
        std::copy(base_.beta, base_.beta + base_.n, beta_.begin());
        std::copy(base_.slack, base_.slack + base_.n, slack_.begin());
        residual_ = rows.residual + which * base_.n;
        solved_ = rows.solved + which * size_;
        own_ = rows.own[which];
        leaving_ = rows.place[which];
        toward_ = rows.taken[which] > 0 ? 1.0 : -1.0;
        remaining_ = taken_ = std::abs(rows.taken[which]);
        decision_ = rows.decision[which];
        sign_ = rows.sign[which];
        shift_ = 0;
        changes_.clear();
        for (std::int32_t i = 0; i < base_.n; ++i) side_[i] = side_at(i);
        if (leaving_ >= 0) side_[leaving_] = 0; // its bounds are gone with it
        for (std::int64_t k = 0; k < base_.n_free; ++k) {
            const std::int32_t i = base_.free[k];
            if (i == leaving_ || side_[i] != 0) changes_.push_back({i, k});
        }
    }
    // 1 at the lower bound, where the slack must not fall below 0; -1 at the upper; 0 between them.
    double side_at(std::int32_t i) const {
        return base_.beta[i] <= base_.low[i] ? 1.0 : base_.beta[i] >= base_.high[i] ? -1.0 : 0.0;
    }
    std::int64_t n_free() const {
        std::int64_t n = base_.n_free;
        for (const Change& c : changes_) n += c.entered() ? 1 : -1;
        return n;
    }
    // To the other state: back to that of the start, or away from it.
    void turn(std::int32_t place) {
        const auto known = std::find_if(changes_.begin(), changes_.end(), [&](const Change& c) { return c.place == place; });
        if (known != changes_.end()) changes_.erase(known);
        else changes_.push_back({place, index_[place]});
    }
    void enter(std::int32_t place) {
        side_[place] = 0;
        slack_[place] = 0;
        turn(place);
    }
    void leave(std::int32_t place, bool to_high) {
        beta_[place] = to_high ? base_.high[place] : base_.low[place];
        side_[place] = to_high ? -1.0 : 1.0;
        turn(place);
    }

    // With no free row the bias moves until one is there that can take what goes. False if there is none.
    bool free_one() {
        std::int32_t best = -1;
        for (std::int32_t i = 0; i < base_.n; ++i)
            if (side_[i] == toward_ && (best < 0 || std::abs(slack_[i]) < std::abs(slack_[best]))) best = i;
        if (best < 0) return false;
        const double shift = -slack_[best];
        for (double& each : slack_) each += shift;
        shift_ += shift;
        decision_ += shift;
        enter(best);
        return true;
    }

    // What two changes have to do with each other, given the free rows of the start.
    double between(const Change& a, const Change& b) const {
        if (a.entered() && b.entered()) return base_.residual[a.place * base_.n + b.place] + (a.place == b.place ? base_.ridge : 0.0);
        if (a.entered()) return -base_.solved[a.place * size_ + b.index + 1];
        if (b.entered()) return -base_.solved[b.place * size_ + a.index + 1];
        return -base_.inverse[(a.index + 1) * size_ + b.index + 1];
    }
    double kernel_with_leaving(const Change& a) const { return a.entered() ? residual_[a.place] : -solved_[a.index + 1]; }

    // The change of the bias and of the free weights for one unit taken.
    bool solve() {
        const std::size_t k = changes_.size();
        system_.resize(k * (k + 1));
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = 0; b < k; ++b) system_[a * (k + 1) + b] = between(changes_[a], changes_[b]);
            system_[a * (k + 1) + k] = toward_ * kernel_with_leaving(changes_[a]);
        }
        if (!eliminate(k)) return false;
        for (std::int64_t i = 0; i < size_; ++i) direction_[i] = toward_ * solved_[i];
        gather([&](const Change& c) { return c.entered() ? base_.solved + c.place * size_ : base_.inverse + (c.index + 1) * size_; },
               [](const Change&) { return -1.0; });
        add(pointers_.data(), factors_.data(), static_cast<std::int64_t>(k), size_, direction_.data());
        places_.assign(base_.free, base_.free + base_.n_free);
        steps_.assign(direction_.begin() + 1, direction_.end());
        for (std::size_t a = 0; a < k; ++a)
            if (!changes_[a].entered()) steps_[changes_[a].index] = 0.0;
            else {
                places_.push_back(changes_[a].place);
                steps_.push_back(weights_[a]);
            }
        return true;
    }
    template <class Row, class Sign> void gather(Row row, Sign sign) {
        pointers_.clear();
        factors_.clear();
        for (std::size_t a = 0; a < changes_.size(); ++a) {
            pointers_.push_back(row(changes_[a]));
            factors_.push_back(sign(changes_[a]) * weights_[a]);
        }
    }
    // Gauss with partial pivoting.
    bool eliminate(std::size_t k) {
        const std::size_t width = k + 1;
        for (std::size_t c = 0; c < k; ++c) {
            std::size_t best = c;
            for (std::size_t r = c + 1; r < k; ++r)
                if (std::abs(system_[r * width + c]) > std::abs(system_[best * width + c])) best = r;
            if (!(std::abs(system_[best * width + c]) > 1e-300)) return false;
            if (best != c) std::swap_ranges(&system_[best * width], &system_[best * width] + width, &system_[c * width]);
            for (std::size_t r = c + 1; r < k; ++r) {
                const double factor = system_[r * width + c] / system_[c * width + c];
                if (factor != 0)
                    for (std::size_t i = c; i < width; ++i) system_[r * width + i] -= factor * system_[c * width + i];
            }
        }
        weights_.resize(k);
        for (std::size_t c = k; c-- > 0;) {
            double sum = system_[c * width + k];
            for (std::size_t i = c + 1; i < k; ++i) sum -= system_[c * width + i] * weights_[i];
            weights_[c] = sum / system_[c * width + c];
        }
        return true;
    }

    // The change of every slack, and of the decision for the row that goes.
    void rates() {
        for (std::int64_t i = 0; i < base_.n; ++i) rate_[i] = -toward_ * residual_[i];
        gather([&](const Change& c) { return c.entered() ? base_.residual + c.place * base_.n : base_.solved_across + (c.index + 1) * base_.n; },
               [](const Change& c) { return c.entered() ? 1.0 : -1.0; });
        add(pointers_.data(), factors_.data(), static_cast<std::int64_t>(changes_.size()), base_.n, rate_.data());
        decision_rate_ = -toward_ * own_;
        for (std::size_t a = 0; a < changes_.size(); ++a) decision_rate_ += weights_[a] * kernel_with_leaving(changes_[a]);
    }

    Event next_event() const {
        Event next{remaining_ - kRounding * taken_};
        for (std::size_t k = 0; k < places_.size(); ++k) {
            const std::int32_t i = places_[k];
            if (steps_[k] == 0) continue;
            const bool up = steps_[k] > 0;
            const double length = std::max(0.0, ((up ? base_.high[i] : base_.low[i]) - beta_[i]) / steps_[k]);
            if (length < next.length) next = {length, i, true, up};
        }
        for (std::int32_t i = 0; i < base_.n; ++i) {
            const double rate = side_[i] * rate_[i];
            if (rate < -still_ && side_[i] * slack_[i] < -rate * next.length)
                next = {std::max(0.0, side_[i] * slack_[i] / -rate), i, false, false};
        }
        if (next.place < 0) next.length = remaining_;
        return next;
    }
    void move(double length) {
        for (std::size_t k = 0; k < places_.size(); ++k) beta_[places_[k]] += length * steps_[k];
        for (std::int64_t i = 0; i < base_.n; ++i) slack_[i] += length * rate_[i];
        decision_ += length * decision_rate_;
        shift_ += length * direction_[0];
        remaining_ -= length;
    }

    const RemovalBase& base_;
    const std::int64_t size_;
    void (*const add)(const double* const*, const double*, std::int64_t, std::int64_t, double*) = SEPAL_BEST(add_rows);
    std::vector<std::int64_t> index_; // of a place among the free rows of the start
    double still_ = 0;
    // The row that goes.
    const double *residual_ = nullptr, *solved_ = nullptr;
    std::int32_t leaving_ = -1;
    double own_ = 0, toward_ = 1, taken_ = 0, remaining_ = 0, decision_ = 0, sign_ = 1, shift_ = 0, decision_rate_ = 0;
    // Where the path stands, and where it goes.
    std::vector<double> beta_, slack_, side_, rate_, direction_, system_, weights_, steps_, factors_;
    std::vector<std::int32_t> places_;
    std::vector<Change> changes_;
    std::vector<const double*> pointers_;
};

} // namespace

bool dual_removals(const RemovalBase& base, const RemovalRows& rows, bool until_sign_change, int threads, Poll* poll,
                   const RemovalAnswer& answer) {
    Watch watch(poll, std::max<std::int64_t>(rows.n, 1));
    const Loop each{.n = rows.n, .threads = threads};
    parallel_for(each, [&] { return Removal(base); }, [&](Removal& removal, std::int64_t k) {
        if (!watch.go_on()) return;
        answer.status[k] = static_cast<std::int32_t>(removal.follow(rows, k, until_sign_change));
        answer.shift[k] = removal.shift();
        answer.gone[k] = removal.gone();
        removal.write(answer.change + k * base.n);
    });
    return !watch.stopped();
}

} // namespace sepal
