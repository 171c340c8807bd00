/// @brief The pool of threads behind parallel_for: leased per loop, asleep when idle, made anew in a forked child.
#include "parallel.hpp"

#include <condition_variable>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#define SEPAL_HAS_FORK 1
#include <pthread.h>
#include <signal.h>
#endif

namespace sepal {

struct Worker {
    std::mutex mutex;
    std::condition_variable wake, done;
    std::atomic<Region*> job{nullptr}; // given, not begun
    std::atomic<bool> busy{false};     // given or begun
    int number = 0;                    // in the loop
    std::atomic<bool> may_spin{false};
    Worker* next = nullptr; // in the list of the idle, or in a crew
};

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSpin = std::chrono::microseconds(20); // awake after a loop: another one often follows at once
constexpr int kMostWorkers = 256;                     // of the process; a loop that finds none works alone

thread_local int number_in_loop = 0;
thread_local bool in_loop = false, is_worker = false;

inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
}

template <class Ready> bool spin_until(Ready ready) {
    for (const auto end = Clock::now() + kSpin; Clock::now() < end;)
        for (int i = 0; i < 16; ++i, pause())
            if (ready()) return true;
    return ready();
}

[[noreturn]] void work_for_ever(Worker& own) noexcept {
    is_worker = in_loop = true;
    try { // memory that the first throw of a thread needs is taken now, not when there is none left
        throw 0;
    } catch (int) {
    }
    const auto given = [&] { return own.job.load(std::memory_order_acquire) != nullptr; };
    for (;;) {
        if (!own.may_spin || !spin_until(given)) {
            std::unique_lock lock(own.mutex);
            own.wake.wait(lock, given);
        }
        Region* const region = own.job.exchange(nullptr, std::memory_order_acq_rel);
        if (region == nullptr) continue; // taken back
        number_in_loop = own.number;
        region->share(nullptr);
        {
            const std::lock_guard guard(own.mutex);
            own.busy.store(false, std::memory_order_release);
        }
        own.done.notify_one();
    }
}

// Threads are for computing: signals go to those that Python knows. Faults of a thread are its own.
class SignalsBlocked {
  public:
#ifdef SEPAL_HAS_FORK
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) sigdelset(&all, fault);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
#endif
};

class Pool {
  public:
    // A chain of up to `wanted` workers: idle ones, then new ones, as many as the system gives.
    Worker* lease(int wanted) noexcept {
        const std::lock_guard guard(mutex_);
        Worker* chain = nullptr;
        for (; wanted > 0; --wanted) {
            Worker* one = idle_;
            if (one != nullptr) idle_ = one->next;
            else one = made();
            if (one == nullptr) break;
            one->next = chain;
            chain = one;
        }
        return chain;
    }
    void give_back(Worker* chain) noexcept {
        const std::lock_guard guard(mutex_);
        while (chain != nullptr) {
            Worker* const one = chain;
            chain = one->next;
            one->next = idle_;
            idle_ = one;
        }
    }

  private:
    Worker* made() noexcept {
        if (n_workers_ == kMostWorkers) return nullptr;
        Worker* const one = new (std::nothrow) Worker; // lives as long as the process
        if (one == nullptr) return nullptr;
        try {
            [[maybe_unused]] const SignalsBlocked blocked;
            std::thread([one] { work_for_ever(*one); }).detach();
        } catch (...) { // no memory for its stack, or too many threads
            delete one;
            return nullptr;
        }
        ++n_workers_;
        return one;
    }

    std::mutex mutex_;
    Worker* idle_ = nullptr;
    int n_workers_ = 0;
};

// The pool is never destroyed: its threads sleep in it until the process ends. In a forked child, where they do not
// exist and its lock may be held by nobody, it is forgotten.
std::atomic<Pool*> the_pool{nullptr};
std::atomic<std::uint64_t> generation{0}; // forks that led to this process

void forget_pool() {
    the_pool.store(nullptr);
    generation.fetch_add(1);
}

Pool* pool() noexcept {
#ifdef SEPAL_HAS_FORK
    static const bool watched = pthread_atfork(nullptr, nullptr, forget_pool) == 0;
    if (!watched) return nullptr;
#endif
    Pool* found = the_pool.load();
    if (found != nullptr) return found;
    Pool* const made = new (std::nothrow) Pool;
    if (made == nullptr || the_pool.compare_exchange_strong(found, made)) return made;
    delete made;
    return found;
}

} // namespace

int this_thread() { return number_in_loop; }
bool on_calling_thread() { return !is_worker; }

void Crew::call() noexcept {
    called_ = true;
    Pool* const from = pool();
    generation_ = generation.load();
    if (from == nullptr) return;
    static const int cores = static_cast<int>(std::thread::hardware_concurrency());
    first_ = from->lease(helpers_);
    int number = 0;
    for (Worker* one = first_; one != nullptr; one = one->next) {
        {
            const std::lock_guard guard(one->mutex);
            one->number = ++number;
            one->may_spin = helpers_ < cores;
            one->busy.store(true, std::memory_order_relaxed);
            one->job.store(&region_, std::memory_order_release);
        }
        one->wake.notify_one();
    }
}

bool Crew::dismiss() noexcept {
    Worker* const chain = first_;
    first_ = nullptr;
    if (chain == nullptr) return true;
    if (generation_ != generation.load()) return false;
    for (Worker* one = chain; one != nullptr; one = one->next) {
        if (one->job.exchange(nullptr, std::memory_order_acq_rel) != nullptr) {
            one->busy.store(false, std::memory_order_relaxed);
            continue;
        }
        const auto finished = [one] { return !one->busy.load(std::memory_order_acquire); };
        if (one->may_spin && spin_until(finished)) continue;
        std::unique_lock lock(one->mutex);
        one->done.wait(lock, finished);
    }
    if (Pool* const to = the_pool.load()) to->give_back(chain);
    return true;
}

void run_region(Region& region, int helpers, bool at_once) {
    const int number_before = number_in_loop;
    const bool nested = in_loop;
    number_in_loop = 0;
    in_loop = nested || helpers > 0; // a loop that is not divided leaves that to those inside it
    bool whole = true;
    {
        Crew crew(region, nested ? 0 : helpers);
        if (at_once && !nested && helpers > 0) crew.call();
        region.share(&crew);
        whole = crew.dismiss();
    }
    number_in_loop = number_before;
    in_loop = nested;
    region.rethrow();
    if (!whole) throw std::runtime_error("the process was forked while native code ran, and the child went on with it");
}

} // namespace sepal
