/// @brief Progress and Ctrl-C inside a parallel loop: every thread counts its steps, the calling thread alone asks Python whether to stop.
#pragma once

#include <algorithm>
#include <chrono>

#include "parallel.hpp"
#include "ranking.hpp"

namespace sepal {

// Shared by the threads of one search: counts finished steps, and lets the calling thread ask `Poll`
// about ten times a second whether to go on.
class Watch {
  public:
    Watch(Poll* poll, std::int64_t steps) : poll_(poll), steps_(steps), last_(Clock::now() - std::chrono::seconds(1)) {}
    // True while work should go on. Call once per step, from any thread.
    bool go_on() {
        const std::int64_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
        if (stopped_.load(std::memory_order_relaxed)) return false;
        if (poll_ == nullptr || !on_calling_thread()) return true;
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return true;
        last_ = now;
        if (poll_->stop(std::min(1.0, static_cast<double>(done) / static_cast<double>(steps_)))) // some take more steps than was foreseen
            stopped_.store(true, std::memory_order_relaxed);
        return !stopped_.load(std::memory_order_relaxed);
    }
    // Asks without counting a step: for work that is long inside one.
    bool still_on() {
        done_.fetch_sub(1, std::memory_order_relaxed);
        return go_on();
    }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  private:
    using Clock = std::chrono::steady_clock;
    Poll* poll_;
    std::int64_t steps_;
    Clock::time_point last_;
    std::atomic<std::int64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

} // namespace sepal
