// Kernel rows on demand, kept while there is room.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "dual_solver.hpp"

namespace sepal {

constexpr std::int64_t kBlock = 256;       // rows solved together
constexpr std::int64_t kWhole = 1024;      // problems up to this size are one block
constexpr std::int64_t kWorthThreads = 1 << 22; // multiplications: about a millisecond

// Kernel rows over the active columns: computed by tiles, many at a time, and kept while there is room.
template <class Real> class RowCache {
  public:
    RowCache(const KernelSource& source, const DualPlan& plan) : source_(source), plan_(plan) {}

    // Rows present stay so when the new columns are some of the old.
    void set_active(const std::vector<std::int32_t>& active) {
        std::vector<std::int32_t> kept = std::move(active_), old_slots = std::move(slots_);
        std::vector<std::int64_t> old_used = std::move(used_);
        auto old_store = std::move(store_);
        active_ = active;
        const auto n = static_cast<std::int64_t>(active_.size());
        width_ = padded_cols<Real>(n);
        slot_of_.assign(n, -1);
        slots_.clear();
        used_.clear();
        store_.clear();
        const auto fit = static_cast<std::int64_t>(plan_.cache_bytes / static_cast<double>(sizeof(Real) * width_));
        room_ = std::min(std::max({kWhole, 2 * kBlock, fit}), n);
        if (n < static_cast<std::int64_t>(kept.size())) keep_columns(kept, old_slots, old_used, old_store);
        if (source_.gram != nullptr) return;
        cols_ = KernelPack<Real>(n, kKernelCols<Real>, source_.x.p);
        for (std::int64_t i = 0; i < n; ++i) cols_.put(i, source_.x.row(active_[i]));
    }

    // Makes the rows of these active positions present; at most kBlock (or all) of them.
    void need(const std::vector<std::int32_t>& wanted) {
        ++now_;
        std::vector<std::int32_t> missing;
        for (std::int32_t i : wanted)
            if (slot_of_[i] >= 0) used_[slot_of_[i]] = now_;
            else missing.push_back(i);
        if (missing.empty()) return;
        std::vector<std::int32_t> free_slots = make_room(static_cast<std::int64_t>(missing.size()));
        for (std::size_t k = 0; k < missing.size(); ++k) {
            const std::int32_t slot = free_slots[k];
            slots_[slot] = missing[k];
            used_[slot] = now_;
            slot_of_[missing[k]] = slot;
        }
        compute(missing);
    }
    const Real* row(std::int32_t i) const { return store_[slot_of_[i]].get(); }
    std::int64_t width() const { return width_; }
    const std::vector<std::int32_t>& active() const { return active_; }

  private:
    void keep_columns(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& old_slots,
                      const std::vector<std::int64_t>& old_used, std::vector<std::unique_ptr<Real[]>>& old_store) {
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
            Real* values = old_store[s].get(); // shorter than before, so in place
            for (std::size_t c = 0; c < from.size(); ++c) values[c] = values[from[c]];
            std::fill(values + from.size(), values + width_, Real(0));
            slot_of_[row] = static_cast<std::int32_t>(slots_.size());
            slots_.push_back(row);
            used_.push_back(old_used[s]);
            store_.push_back(std::move(old_store[s]));
        }
    }

    // Empty slots first, then those unused for longest.
    std::vector<std::int32_t> make_room(std::int64_t count) {
        std::vector<std::int32_t> slots;
        while (count > 0 && static_cast<std::int64_t>(slots_.size()) < room_) {
            slots.push_back(static_cast<std::int32_t>(slots_.size()));
            slots_.push_back(-1);
            used_.push_back(-1);
            store_.emplace_back(new Real[width_]); // left as it is: tiles write every place
            --count;
        }
        if (count == 0) return slots;
        std::vector<std::int32_t> old(slots_.size());
        std::iota(old.begin(), old.end(), 0);
        std::erase_if(old, [&](std::int32_t s) { return used_[s] == now_ || slots_[s] < 0; });
        std::nth_element(old.begin(), old.begin() + (count - 1), old.end(), [&](std::int32_t a, std::int32_t b) {
            return used_[a] < used_[b] || (used_[a] == used_[b] && a < b);
        });
        for (std::int64_t k = 0; k < count; ++k) {
            slot_of_[slots_[old[k]]] = -1;
            slots.push_back(old[k]);
        }
        return slots;
    }

    void compute(const std::vector<std::int32_t>& rows) {
        const auto count = static_cast<std::int64_t>(rows.size());
        if (source_.gram != nullptr) {
            for (std::int32_t i : rows) {
                Real* to = store_[slot_of_[i]].get();
                const double* from = source_.gram + active_[i] * source_.n;
                for (std::size_t c = 0; c < active_.size(); ++c) to[c] = static_cast<Real>(from[active_[c]]);
                std::fill(to + active_.size(), to + width_, Real(0));
            }
            return;
        }
        KernelPack<Real> left(count, kKernelRows, source_.x.p);
        for (std::int64_t k = 0; k < count; ++k) left.put(k, source_.x.row(active_[rows[k]]));
        const auto function = kernel_tile<Real>();
        const std::int64_t strip = strip_columns();
        const std::int64_t n_tasks = (width_ + strip - 1) / strip;
        const bool large = plan_.threads > 1 && n_tasks > 1 && count * width_ * (source_.x.p + 16) > kWorthThreads;
#pragma omp parallel num_threads(plan_.threads) if (large)
        {
            std::vector<Real> spare(strip);
            Real* out[kKernelRows];
#pragma omp for schedule(dynamic, 1)
            for (std::int64_t task = 0; task < n_tasks; ++task) {
                const std::int64_t first = task * strip, last = std::min(first + strip, width_);
                for (std::int64_t k = 0; k < count; k += kKernelRows) {
                    for (int r = 0; r < kKernelRows; ++r)
                        out[r] = k + r < count ? store_[slot_of_[rows[k + r]]].get() + first : spare.data();
                    function(left.panel_at(k), left.square.data() + k, cols_, first, last, source_.spec, out);
                }
            }
        }
    }
    // Columns that fit into half of a small second-level cache.
    std::int64_t strip_columns() const {
        const std::int64_t fit = 128 * 1024 / (static_cast<std::int64_t>(sizeof(Real)) * std::max(source_.x.p, 1));
        return std::clamp<std::int64_t>(fit / 16 * 16, 32, 512);
    }

    const KernelSource& source_;
    const DualPlan& plan_;
    std::vector<std::int32_t> active_; // active position -> row
    std::int64_t width_ = 0, room_ = 0, now_ = 0;
    KernelPack<Real> cols_;
    std::vector<std::int32_t> slot_of_, slots_; // active position -> slot and back
    std::vector<std::int64_t> used_;
    std::vector<std::unique_ptr<Real[]>> store_;
};

} // namespace sepal
