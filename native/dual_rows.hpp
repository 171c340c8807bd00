/// @brief Cache of kernel rows K_i = (k(x_i, x_j))_j, computed on demand; the least recently used go first.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "dual_solver.hpp"
#include "spare_memory.hpp"

namespace sepal {

constexpr std::int64_t kFewestRows = 64;        // kept, however little room there is
constexpr int kLongRow = 64;                    // columns from which a kernel row is dear: several at a time pay, all are kept
// Memory that was never touched costs several times what computing a short row in it does. So short rows get little at
// first, and twice as much whenever this many times the rows kept have been computed again.
constexpr double kFirstBytes = 6.4e7;
constexpr std::int64_t kAgain = 4;
constexpr std::int64_t kWorthThreads = 1 << 22; // multiplications: about a millisecond

// Some rows of the source against packed columns, in strips of columns that stay in half of a small second-level cache.
// `place(k, first)` is where values of row k from column `first` go, null for nowhere; `after(k, count, first, last)`
// follows when those of `count` rows are there.
template <class Real, class Place, class After>
void kernel_strips(const KernelSource& source, const std::vector<std::int32_t>& rows, const KernelPack<Real>& cols,
                   std::int64_t width, int threads, Place place, After after) {
    const auto count = static_cast<std::int64_t>(rows.size());
    const int p = source.x.p, panel = count == 1 ? 1 : kKernelRows;
    KernelPack<Real> left(count, panel, p);
    for (std::int64_t k = 0; k < count; ++k) left.put(k, source.x.row(rows[k]));
    const auto function = kernel_tile<Real>(source.spec.kind, panel);
    const std::int64_t fit = 128 * 1024 / (static_cast<std::int64_t>(sizeof(Real)) * std::max(p, 1));
    const std::int64_t strip = std::clamp<std::int64_t>(fit / 16 * 16, 32, 512);
    const std::int64_t n_tasks = (width + strip - 1) / strip;
    const bool large = threads > 1 && n_tasks > 1 && count * width * (p + 16) > kWorthThreads;
    const Loop strips{.n = n_tasks, .threads = threads, .helpers = large ? Helpers::at_once : Helpers::never};
    using Spare = std::vector<Real>;
    parallel_for(strips, [&] { return Spare(strip); }, [&](Spare& spare, std::int64_t task) {
        Real* out[kKernelRows];
        const std::int64_t first = task * strip, last = std::min(first + strip, width);
        for (std::int64_t k = 0; k < count; k += panel) {
            for (int r = 0; r < panel; ++r) out[r] = k + r < count ? place(k + r, first) : spare.data();
            function(left.panel_at(k), left.square.data() + k, cols, first, last, source.spec, out);
            after(out, k, std::min<std::int64_t>(panel, count - k), first, last);
        }
    });
}

// out[c] += sum_k coef[k] K(support[k], rows[c]).
template <class Real>
void add_expansion(const KernelSource& source, const std::vector<std::int32_t>& support, const std::vector<double>& coef,
                   const std::vector<std::int32_t>& rows, int threads, double* out) {
    const auto n = static_cast<std::int64_t>(rows.size());
    if (source.gram != nullptr) {
        for (std::int64_t c = 0; c < n; ++c)
            for (std::size_t k = 0; k < support.size(); ++k) out[c] += coef[k] * source.gram[rows[c] * source.n + support[k]];
        return;
    }
    const std::int64_t width = padded_cols<Real>(n);
    KernelPack<Real> cols(n, kKernelCols<Real>, source.x.p);
    for (std::int64_t c = 0; c < n; ++c) cols.put(c, source.x.row(rows[c]));
    std::vector<double> sums(width, 0.0);
    const auto add = add_rows<Real>();
    static thread_local std::vector<Real> scratch;
    kernel_strips<Real>(
        source, support, cols, width, threads,
        [&](std::int64_t k, std::int64_t) {
            scratch.resize(kKernelRows * 512);
            return scratch.data() + k % kKernelRows * 512;
        },
        [&](Real* const* values, std::int64_t k, std::int64_t count, std::int64_t first, std::int64_t last) {
            add(sums.data() + first, values, coef.data() + k, count, 0, last - first);
        });
    for (std::int64_t c = 0; c < n; ++c) out[c] += sums[c];
}

// Memory in large pieces: a page fault for every 4 kB of kernel rows costs as much as the rows.
struct Slab {
    static constexpr std::size_t kPage = std::size_t{1} << 21;
    using System = SystemMemory<kPage>;
    explicit Slab(std::size_t bytes) : memory(System::take(bytes), Free{bytes}) {}
    struct Free {
        std::size_t bytes;
        void operator()(void* p) const { System::give(p, bytes); }
    };
    std::unique_ptr<void, Free> memory;
};

// Kernel rows over the active columns. Slot s lies at place s of the slabs, which are never given back.
template <class Real> class RowCache {
  public:
    RowCache(const KernelSource& source, std::int64_t n_members, const DualPlan& plan)
        : source_(source), plan_(plan),
          slab_bytes_(slab_bytes(n_members, sizeof(Real) * padded_cols<Real>(n_members))),
          granted_(source.gram != nullptr || source.x.p < kLongRow ? std::min(kFirstBytes, plan.cache_bytes) : plan.cache_bytes) {}

    // Rows present stay so when the new columns are some of the old.
    void set_active(const std::vector<std::int32_t>& active, const std::vector<double>& diagonal) {
        std::vector<std::int32_t> kept = std::move(active_), old_slots = std::move(slots_);
        std::vector<std::int64_t> old_used = std::move(used_);
        const std::int64_t old_width = width_;
        active_ = active;
        diagonal_ = diagonal.data();
        const auto n = static_cast<std::int64_t>(active_.size());
        width_ = padded_cols<Real>(n);
        slot_of_.assign(n, -1);
        slots_.clear();
        used_.clear();
        empty_.clear();
        set_room();
        if (n < static_cast<std::int64_t>(kept.size())) keep_columns(kept, old_slots, old_used, old_width);
        if (source_.gram != nullptr) return;
        cols_ = KernelPack<Real>(n, kKernelCols<Real>, source_.x.p);
        for (std::int64_t i = 0; i < n; ++i) cols_.put(i, source_.x.row(active_[i]));
    }

    bool has(std::int32_t i) const { return slot_of_[i] >= 0; }
    // Computes rows that are not there; a few, fewer than kFewestRows.
    void fetch(const std::vector<std::int32_t>& missing) {
        ++now_;
        make_room(static_cast<std::int64_t>(missing.size()));
        for (std::int32_t i : missing) {
            slot_of_[i] = empty_.back();
            empty_.pop_back();
            slots_[slot_of_[i]] = i;
            used_[slot_of_[i]] = now_;
        }
        compute(missing);
    }
    const Real* row(std::int32_t i) {
        used_[slot_of_[i]] = ++now_;
        return place(slot_of_[i], width_);
    }

  private:
    static std::size_t slab_bytes(std::size_t n_rows, std::size_t row_bytes) {
        return std::max(row_bytes, std::min(n_rows * row_bytes, 2 * Slab::kPage));
    }
    Real* place(std::int64_t slot, std::int64_t width) const {
        const auto each = static_cast<std::int64_t>(slab_bytes_ / sizeof(Real)) / width; // slots of a slab
        return static_cast<Real*>(slabs_[slot / each].memory.get()) + slot % each * width;
    }
    // Rows move towards the front: they are fewer and shorter than before, so none is overwritten before it was read.
    void keep_columns(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& old_slots,
                      const std::vector<std::int64_t>& old_used, std::int64_t old_width) {
        std::vector<std::int32_t> at(source_.n, -1);
        for (std::size_t c = 0; c < before.size(); ++c) at[before[c]] = static_cast<std::int32_t>(c);
        std::vector<std::int32_t> from(active_.size()), now(before.size(), -1);
        for (std::size_t c = 0; c < active_.size(); ++c) {
            from[c] = at[active_[c]];
            now[from[c]] = static_cast<std::int32_t>(c);
        }
        for (std::size_t s = 0; s < old_slots.size(); ++s) {
            const std::int32_t row = old_slots[s] < 0 ? -1 : now[old_slots[s]];
            if (row < 0) continue;
            const Real* old = place(static_cast<std::int64_t>(s), old_width);
            Real* values = place(static_cast<std::int64_t>(slots_.size()), width_);
            for (std::size_t c = 0; c < from.size(); ++c) values[c] = old[from[c]];
            std::fill(values + from.size(), values + width_, Real(0));
            slot_of_[row] = static_cast<std::int32_t>(slots_.size());
            slots_.push_back(row);
            used_.push_back(old_used[s]);
        }
    }

    void set_room() {
        const auto fit = static_cast<std::int64_t>(granted_ / static_cast<double>(sizeof(Real) * width_));
        room_ = std::min(std::max(kFewestRows, fit), static_cast<std::int64_t>(active_.size()));
        again_ = 0;
    }
    // New slots while there is room, then those unused for longest, many at a time.
    void make_room(std::int64_t count) {
        if (static_cast<std::int64_t>(slots_.size()) == room_ && (again_ += count) > kAgain * room_ && granted_ < plan_.cache_bytes) {
            granted_ = std::min(2 * granted_, plan_.cache_bytes);
            set_room();
        }
        while (static_cast<std::int64_t>(empty_.size()) < count && static_cast<std::int64_t>(slots_.size()) < room_) {
            empty_.push_back(static_cast<std::int32_t>(slots_.size()));
            slots_.push_back(-1);
            used_.push_back(-1);
            const auto each = static_cast<std::size_t>(slab_bytes_ / (sizeof(Real) * width_));
            if (slots_.size() > slabs_.size() * each) slabs_.emplace_back(slab_bytes_);
        }
        if (static_cast<std::int64_t>(empty_.size()) >= count) return;
        std::vector<std::int32_t> old(slots_.size());
        std::iota(old.begin(), old.end(), 0);
        std::erase_if(old, [&](std::int32_t s) { return slots_[s] < 0; });
        const std::int64_t many = std::max<std::int64_t>(count, static_cast<std::int64_t>(old.size()) / 16);
        std::nth_element(old.begin(), old.begin() + (many - 1), old.end(), [&](std::int32_t a, std::int32_t b) {
            return used_[a] < used_[b] || (used_[a] == used_[b] && a < b);
        });
        for (std::int64_t k = 0; k < many; ++k) {
            slot_of_[slots_[old[k]]] = -1;
            slots_[old[k]] = -1;
            empty_.push_back(old[k]);
        }
    }

    void compute(const std::vector<std::int32_t>& places) {
        std::vector<std::int32_t> rows;
        for (std::int32_t i : places) rows.push_back(active_[i]);
        auto to = [&](std::int64_t k) { return place(slot_of_[places[k]], width_); };
        if (source_.gram == nullptr)
            kernel_strips<Real>(
                source_, rows, cols_, width_, plan_.threads, [&](std::int64_t k, std::int64_t first) { return to(k) + first; },
                [](Real* const*, std::int64_t, std::int64_t, std::int64_t, std::int64_t) {});
        for (std::size_t k = 0; k < rows.size(); ++k) {
            Real* values = to(k);
            if (source_.gram != nullptr) {
                const double* from = source_.gram + rows[k] * source_.n;
                for (std::size_t c = 0; c < active_.size(); ++c) values[c] = static_cast<Real>(from[active_[c]]);
                std::fill(values + active_.size(), values + width_, Real(0));
            }
            values[places[k]] = static_cast<Real>(diagonal_[places[k]]);
        }
    }

    const KernelSource& source_;
    const DualPlan& plan_;
    std::vector<std::int32_t> active_; // active position -> row
    const double* diagonal_ = nullptr; // of the active rows
    std::int64_t width_ = 0, room_ = 0, now_ = 0;
    KernelPack<Real> cols_;
    std::vector<std::int32_t> slot_of_, slots_, empty_; // active position -> slot and back; slots to take next
    std::vector<std::int64_t> used_;
    std::size_t slab_bytes_;
    double granted_; // bytes, of those the plan allows
    std::int64_t again_ = 0; // rows computed since there was no more room
    std::vector<Slab> slabs_;
};

} // namespace sepal
