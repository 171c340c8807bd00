/// @brief Distances d(x_i, prototype_j) of blocks of cases, computed lazily and once per pair.
//
// A block catches up with all prototypes it has not met when it is visited, so that its rows stay in cache meanwhile.
#pragma once

#include <bit>
#include <limits>

#include "condense.hpp"
#include "pair_values.hpp"
#include "threads.hpp"

namespace sepal {

constexpr int kBlock = 256, kBatch = 16;
constexpr int kPart = 8, kPartRows = kPart * kPanel; // panels and rows that one thread takes at a time

class CaseBlocks {
  public:
    // `visit` lists the cases in the order they stand in the blocks.
    CaseBlocks(const Condensing& c, const std::vector<std::int32_t>& visit)
        : c_(c), visit_(visit), packed_(c.points.p), values_(values_function(c.metric.metric)),
          seen_((visit.size() + kBlock - 1) / kBlock, 0) {
        for (const std::int32_t pos : visit) packed_.append(c.points.row(pos));
    }
    std::int64_t n_blocks() const { return static_cast<std::int64_t>(seen_.size()); }
    std::int64_t begin(std::int64_t block) const { return block * kBlock; }
    std::int64_t end(std::int64_t block) const {
        return std::min<std::int64_t>((block + 1) * kBlock, static_cast<std::int64_t>(visit_.size()));
    }

    // visit.part(cases, n, prototypes, m, values, stride) for the block's cases and the prototypes it has not met.
    // Each case is seen by one thread, prototypes in their order.
    template <class Visitor>
    void catch_up(std::int64_t block, const std::vector<std::int32_t>& prototypes, int threads, Visitor& visitor) {
        const std::size_t from = seen_[block], to = prototypes.size();
        if (from == to) return;
        const std::int64_t first_panel = begin(block) / kPanel, n_panels = panels_of(end(block) - begin(block));
        const bool worth = threads > 1 && static_cast<double>(to - from) * n_panels * kPanel * c_.points.p > 2e6; // a thread needs longer to wake up
        const Helpers helpers = worth ? Helpers::at_once : Helpers::never;
        parallel_for(Loop{.n = (n_panels + kPart - 1) / kPart, .threads = threads, .helpers = helpers}, [&](std::int64_t part) {
            const std::int64_t panel = part * kPart, some = std::min<std::int64_t>(kPart, n_panels - panel);
            meet_part(first_panel + panel, some, end(block), prototypes, from, to, visitor);
        });
        seen_[block] = to;
    }
    // Every block, in parallel.
    template <class Visitor>
    bool catch_up_all(const std::vector<std::int32_t>& prototypes, Watch& watch, Visitor& visitor) {
        const bool worth = static_cast<double>(prototypes.size()) * static_cast<double>(visit_.size()) * c_.points.p > 1e6;
        const Helpers helpers = worth ? Helpers::at_once : Helpers::never;
        parallel_for(Loop{.n = n_blocks(), .threads = c_.threads, .helpers = helpers}, [&](std::int64_t block) {
            if (watch.go_on()) catch_up(block, prototypes, 1, visitor);
        });
        return !watch.stopped();
    }

  private:
    template <class Visitor>
    void meet_part(std::int64_t panel, std::int64_t n_panels, std::int64_t end, const std::vector<std::int32_t>& prototypes,
                   std::size_t from, std::size_t to, Visitor& visitor) const {
        double values[kBatch * kPartRows];
        const double* rows[kBatch];
        const std::int64_t stride = n_panels * kPanel, start = panel * kPanel;
        const int n_cases = static_cast<int>(std::min(stride, end - start));
        typename Visitor::Part part(visitor, visit_.data() + start, n_cases);
        for (std::size_t at = from; at < to; at += kBatch) {
            const int m = static_cast<int>(std::min<std::size_t>(kBatch, to - at));
            for (int r = 0; r < m; ++r) rows[r] = c_.points.row(prototypes[at + r]);
            values_(packed_.panel(panel), n_panels, rows, m, nullptr, c_.metric, c_.points.p, c_.zero, values);
            for (int r = 0; r < m; ++r) part.meet(prototypes[at + r], values + r * stride);
        }
    }

    const Condensing& c_;
    const std::vector<std::int32_t>& visit_;
    PackedRows packed_;
    ValuesFunction values_;
    std::vector<std::size_t> seen_; // prototypes each block has met
};

// Shows a memory the pairs that matter to it. Memory has
//   bound(case, like)              the largest value at which a prototype of its class, or of another, can matter to it
//   meet(case, prototype, value)   takes note of it
// Almost all pairs are beyond the bound, and those cost one comparison.
template <class Memory> struct Bounded {
    Bounded(const Condensing& c_, Memory& memory_) : c(c_), memory(memory_) {}

    class Part {
      public:
        Part(Bounded& b, const std::int32_t* cases, int n)
            : b_(b), cases_(cases), n_padded_(static_cast<int>(panels_of(n)) * kPanel), rows_(~std::uint64_t{0} >> (64 - n)) {
            for (int j = 0; j < n; ++j) {
                code_[j] = b_.c.codes[cases[j]];
                own_[j] = b_.memory.bound(cases[j], true);
                other_[j] = b_.memory.bound(cases[j], false);
            }
            for (int j = n; j < kPartRows; ++j) code_[j] = own_[j] = other_[j] = -1;
        }
        void meet(std::int32_t prototype, const double* values) {
            const std::int32_t code = b_.c.codes[prototype];
            // The bound of a row changes by its own value only.
            for (std::uint64_t near = b_.within(values, code_, code, own_, other_, n_padded_) & rows_; near != 0; near &= near - 1) {
                const int j = std::countr_zero(near);
                b_.memory.meet(cases_[j], prototype, values[j]);
                own_[j] = b_.memory.bound(cases_[j], true);
                other_[j] = b_.memory.bound(cases_[j], false);
            }
        }

      private:
        Bounded& b_;
        const std::int32_t* cases_;
        int n_padded_;
        std::uint64_t rows_; // a bit for each case
        double code_[kPartRows], own_[kPartRows], other_[kPartRows];
    };

    const Condensing& c;
    Memory& memory;
    WithinFunction within = within_function();
};

// Nearest like and nearest unlike prototype of every case.
struct Rivals {
    Rivals(const Condensing& c_) : c(c_), like(c.points.n, inf), unlike(c.points.n, inf) {}
    void meet(std::int32_t pos, std::int32_t prototype, double v) {
        double& own = c.codes[pos] == c.codes[prototype] ? like[pos] : unlike[pos];
        if (v < own) own = v;
    }
    double bound(std::int32_t pos, bool own) const { return own ? like[pos] : unlike[pos]; }
    bool right(std::int32_t pos) const { return unlike[pos] > like[pos] * (1 + c.tie); }

    static constexpr double inf = std::numeric_limits<double>::infinity();
    const Condensing& c;
    std::vector<double> like, unlike;
};

} // namespace sepal
