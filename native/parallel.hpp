/// @brief Parallel loops: body(i) for i = 0 .. n - 1 on up to `threads` threads of one pool. Every parallel region is one.
///
/// What a loop promises, whichever thread runs which i:
/// - The first exception thrown in it stops the loop and is thrown again by the caller: `std::bad_alloc` becomes a
///   MemoryError, and nothing ends in std::terminate. A thread that cannot be started is done without.
/// - A child made by fork() starts with an empty pool and makes its own threads.
/// - The caller works too, and never waits for a thread that has not begun: short loops end before others are awake, and
///   a machine whose cores are busy costs no more than those cores. Idle threads sleep.
/// - A loop inside a loop runs on the thread that came to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>

namespace sepal {

/// When other threads are called: once what is left would take longer than waking them, at once, or never.
enum class Helpers { when_long, at_once, never };

struct Loop {
    std::int64_t n;
    int threads;
    std::int64_t grain = 1; // steps taken at a time
    Helpers helpers = Helpers::when_long;
};

/// The number of this thread in the loop it works on, 0 .. threads - 1; 0 outside.
int this_thread();
/// True on the thread that called native code, the only one that may talk to Python.
bool on_calling_thread();

class Crew;

/// @brief What the threads of one loop share.
class Region {
  public:
    virtual ~Region() = default;
    /// One thread's share of the work. `crew` is given to the caller only, who may call the others.
    virtual void share(Crew* crew) noexcept = 0;
    /// Throws what was thrown first.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  protected:
    void keep_first(std::exception_ptr error) {
        const std::lock_guard guard(lock_);
        if (!error_) error_ = std::move(error);
    }

  private:
    std::mutex lock_;
    std::exception_ptr error_;
};

struct Worker;

/// @brief The helpers of one loop: leased from the pool when called, given back when dismissed.
class Crew {
  public:
    Crew(Region& region, int helpers) : region_(region), helpers_(helpers) {}
    ~Crew() { dismiss(); }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    bool called() const { return called_; }
    void call() noexcept;
    /// Calls the others if what is left, at the pace so far, is worth waking them.
    void consider(std::int64_t done, std::int64_t left) {
        if (called_ || helpers_ < 1 || left < 1) return;
        const auto spent = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
        if (spent / static_cast<double>(done) * static_cast<double>(left) > kLong) call();
    }
    /// Takes back what no helper has begun, and waits for those that have. False if the process was forked meanwhile:
    /// the helpers, and their share of the work, stayed in the other process.
    bool dismiss() noexcept;

  private:
    static constexpr double kLong = 40; // microseconds: several times what waking a thread takes

    Region& region_;
    int helpers_;
    bool called_ = false;
    Worker* first_ = nullptr;
    std::uint64_t generation_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Runs a region on the calling thread and up to `helpers` others. Throws what was thrown in it.
void run_region(Region& region, int helpers, bool at_once);

template <class MakeLocal, class Body> class LoopRegion final : public Region {
  public:
    LoopRegion(const Loop& loop, MakeLocal& make_local, Body& body)
        : n_(loop.n), grain_(std::max<std::int64_t>(loop.grain, 1)), make_local_(make_local), body_(body) {}

    void share(Crew* crew) noexcept override {
        try {
            if (next_.load(std::memory_order_relaxed) >= n_) return;
            auto local = make_local_();
            for (std::int64_t done = 0;;) {
                const std::int64_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
                if (first >= n_) return;
                const std::int64_t last = std::min(first + grain_, n_);
                for (std::int64_t i = first; i < last; ++i) body_(local, i);
                done += last - first;
                if (crew != nullptr) crew->consider(done, n_ - last);
            }
        } catch (...) {
            keep_first(std::current_exception());
            next_.store(n_, std::memory_order_relaxed);
        }
    }

  private:
    std::int64_t n_, grain_;
    MakeLocal& make_local_;
    Body& body_;
    std::atomic<std::int64_t> next_{0};
};

/// body(local, i) for every i, where each thread has a `local` of its own, from make_local().
template <class MakeLocal, class Body> void parallel_for(const Loop& loop, MakeLocal make_local, Body body) {
    if (loop.n < 1) return;
    LoopRegion<MakeLocal, Body> region(loop, make_local, body);
    const std::int64_t chunks = (loop.n - 1) / std::max<std::int64_t>(loop.grain, 1) + 1;
    const bool alone = loop.helpers == Helpers::never || loop.threads < 2;
    const int helpers = alone ? 0 : static_cast<int>(std::min<std::int64_t>(loop.threads, chunks)) - 1;
    run_region(region, helpers, loop.helpers == Helpers::at_once);
}

/// body(i) for every i.
template <class Body> void parallel_for(const Loop& loop, Body body) {
    struct Nothing {};
    parallel_for(loop, [] { return Nothing{}; }, [&body](Nothing&, std::int64_t i) { body(i); });
}

} // namespace sepal
