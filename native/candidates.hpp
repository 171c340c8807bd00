/// @brief Who may still be among the k nearest: pairs of a lower bound and a row, and the k smallest upper bounds, in one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "ranking.hpp"

namespace sepal {

// How many neighbours are kept of each query: k, or all there are.
inline int neighbors_of(const Plan& plan, std::int64_t n_points) {
    return plan.k == kEverybody ? kEverybody : static_cast<int>(std::clamp<std::int64_t>(n_points, 1, plan.k));
}

// Keeps what may still be among the k nearest (ties included). `bound` is the k-th smallest upper bound so
// far; a candidate whose lower bound exceeds it is dropped. For exact values lower = upper.
template <class Real> class Candidates {
  public:
    struct Item {
        Real lower;
        std::int32_t row;
    };
    struct Items {
        const Item *first, *last;
        const Item* begin() const { return first; }
        const Item* end() const { return last; }
        std::size_t size() const { return static_cast<std::size_t>(last - first); }
        const Item& operator[](std::size_t i) const { return first[i]; }
    };
    static constexpr int kFew = 32; // neighbours whose bounds are kept in order

    Real bound = std::numeric_limits<Real>::infinity();

    // So many items of memory a list needs to begin with, for a few neighbours.
    static std::int32_t first_room(int k) { return slots_of(k) + std::max(24, 2 * k); }
    // Memory to begin with, which is left for own one when it becomes too small.
    void lend(Item* memory, int k) { use(memory, slots_of(k), first_room(k), k); }

    // `widen` covers the tie tolerance; nothing at or below `zero` is ever left out.
    void push(Real lower, Real upper, std::int32_t row, int k, Real widen, Real zero) {
        if (!(lower <= bound)) return;
        if (end_ == room_) make_room(k);
        memory_[end_++] = {lower, row};
        if (k == kEverybody) return;
        if (k == 1) {
            bound = std::min(bound, std::max(upper * widen, zero));
            return;
        }
        Real* const least = smallest();
        if (k <= kFew) insert(least, upper, k);
        else if (upper < least[0]) replace_largest(least, static_cast<std::size_t>(k), upper);
        else return;
        bound = std::min(bound, std::max(least[k <= kFew ? k : 0] * widen, zero));
    }
    std::size_t held() const { return static_cast<std::size_t>(end_ - begin_); }
    Items items() {
        shrink();
        return {memory_ + begin_, memory_ + end_};
    }
    void reset(int k) {
        bound = std::numeric_limits<Real>::infinity();
        if (memory_ != nullptr) use(memory_, begin_, room_, k);
    }
    void release() {
        own_.reset();
        memory_ = nullptr;
        begin_ = end_ = room_ = 0;
    }

  private:
    // [the k smallest upper bounds][items]: few bounds in order after minus infinity, more as a heap, largest first; none for k = 1.
    Item* memory_ = nullptr;
    std::int32_t begin_ = 0, end_ = 0, room_ = 0; // of the items
    std::unique_ptr<Item[]> own_;

    static constexpr int kChunk = 4, kPerItem = sizeof(Item) / sizeof(Real);

    // Items whose memory the bounds take, whole lines of it.
    static std::int32_t slots_of(int k) {
        if (k == 1 || k == kEverybody) return 0;
        const std::int64_t bounds = k <= kFew ? 1 + (k + kChunk - 1) / kChunk * kChunk : k;
        return static_cast<std::int32_t>((bounds + 8 * kPerItem - 1) / (8 * kPerItem) * 8);
    }
    Real* smallest() { return reinterpret_cast<Real*>(memory_); }

    void use(Item* memory, std::int32_t begin, std::int32_t room, int k) {
        memory_ = memory;
        begin_ = end_ = begin;
        room_ = room;
        if (begin == 0) return;
        std::fill_n(smallest(), begin * kPerItem, std::numeric_limits<Real>::infinity());
        if (k <= kFew) smallest()[0] = -std::numeric_limits<Real>::infinity();
    }

    // Into its place among the k in order, where the largest goes, without a branch: the i-th becomes min(i-th, max(one before, value)).
    static void insert(Real* least, Real value, int k) {
        for (int i = (k - 1) / kChunk * kChunk; i >= 0; i -= kChunk) {
            Real next[kChunk];
            for (int c = 0; c < kChunk; ++c) {
                const Real before = least[i + c] > value ? least[i + c] : value;
                next[c] = least[i + c + 1] < before ? least[i + c + 1] : before;
            }
            for (int c = 0; c < kChunk; ++c) least[i + c + 1] = next[c];
        }
    }
    static void replace_largest(Real* heap, std::size_t n, Real value) {
        std::size_t at = 0;
        for (std::size_t child = 1; child < n; child = 2 * at + 1) {
            if (child + 1 < n && heap[child] < heap[child + 1]) ++child;
            if (!(value < heap[child])) break;
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = value;
    }
    void shrink() {
        end_ = static_cast<std::int32_t>(std::remove_if(memory_ + begin_, memory_ + end_, [this](const Item& c) { return !(c.lower <= bound); }) - memory_);
    }
    // Drops who is out, and takes more memory unless that frees half of it.
    void make_room(int k) {
        if (memory_ != nullptr) {
            shrink();
            if (2 * (end_ - begin_) <= room_ - begin_) return;
        }
        const std::int32_t begin = slots_of(k), room = begin + std::max(24, 2 * (end_ - begin_));
        std::unique_ptr<Item[]> more = std::make_unique_for_overwrite<Item[]>(static_cast<std::size_t>(room));
        if (memory_ == nullptr) {
            use(more.get(), begin, room, k);
        } else {
            std::memcpy(more.get(), memory_, static_cast<std::size_t>(end_) * sizeof(Item));
            memory_ = more.get();
            room_ = room;
        }
        own_ = std::move(more);
    }
};

} // namespace sepal
