/// @brief Space-partitioning tree of cases for FCNN: new prototypes z go down only to boxes in which d(x, z) may lie below the bound of a case x.
//
// A node has up to eight children: nodes, or parts of kRows cases. The prototypes of a round go down from the root;
// those stay behind that surely matter to no case of a child (condense_nodes.hpp). Bounds of cases only shrink, so a
// reach noted at the last visit is still one.
#pragma once

#include <atomic>
#include <bit>
#include <numeric>
#include <optional>

#include "condense_cells.hpp"
#include "condense_nodes.hpp"
#include "spatial_order.hpp"
#include "threads.hpp"

namespace sepal {

class CaseTree {
  public:
    static constexpr int kRows = 4 * kPanel; // of a part

    // Whether a box bounds the values of this metric from below.
    static bool knows(const Condensing& c) {
        return c.zero == 0 && (c.metric.metric == Metric::l2 || c.metric.metric == Metric::l1 || c.metric.metric == Metric::linf);
    }

    // `order` is that of spatial_order in parts of kRows; cases are known by their places in it.
    CaseTree(const Condensing& c, const std::vector<std::int32_t>& order)
        : c_(c), p_(c.points.p), order_(order), packed_(c.points.p),
          values_(values_function(c.metric.metric)), near_(near_children_function(c.metric.metric, c.points.p)) {
        packed_.reserve(static_cast<std::int64_t>(order.size()));
        for (const std::int32_t pos : order) packed_.append(c.points.row(pos));
        grow(0, static_cast<std::int32_t>((order.size() + kRows - 1) / kRows), 0);
        const auto n_nodes = static_cast<std::int64_t>(nodes_.size());
        center_.resize(n_nodes * per_node());
        half_.resize(n_nodes * per_node());
        square_.resize(n_nodes * kChildren);
        std::vector<double> low(p_), high(p_);
        measure(0, low.data(), high.data());
        const std::int32_t n_classes = 1 + *std::max_element(c.codes, c.codes + c.points.n);
        if (c.metric.metric != Metric::l2 || n_classes > kMostClasses) return;
        n_classes_ = n_classes;
        leaders_.resize(n_nodes * per_node() * n_classes);
        leader_squares_.assign(n_nodes * kChildren * n_classes, Cells::inf);
    }
    // Pairs of a case and a prototype that were compared so far.
    std::int64_t compared() const { return compared_.load(); }
    // How many steps of a Watch a round takes at most.
    std::int64_t n_steps() const { return 1 + kChildren * kChildren; }

    // Shows the cells every pair of a case and one of `fresh` that can matter to it. Each case is seen by one thread,
    // prototypes in their order. False if it was stopped.
    bool meet(const std::vector<std::int32_t>& fresh, Watch& watch, Cells& cells) {
        std::vector<double> rows, positions;
        std::vector<std::int32_t> codes, all(fresh.size());
        for (const std::int32_t at : fresh) {
            rows.insert(rows.end(), row(at), row(at) + p_);
            codes.push_back(c_.codes[at]);
            positions.push_back(order_[at]);
        }
        std::iota(all.begin(), all.end(), 0);
        Round round{{rows.data(), codes.data(), p_, c_.tie}, positions.data(), cells, {}};
        const auto lists = [&] { return Lists(depth_ + 1); };
        Lists first = lists();
        if (watch.go_on()) go_down(0, round, all, first, watch, true);
        const bool worth = static_cast<double>(fresh.size()) * static_cast<double>(order_.size()) * p_ > 1e6;
        const Loop loop{.n = static_cast<std::int64_t>(round.tasks.size()), .threads = c_.threads, .helpers = worth ? Helpers::at_once : Helpers::never};
        parallel_for(loop, lists, [&](Lists& own, std::int64_t i) {
            if (watch.go_on()) go_down(round.tasks[i].node, round, round.tasks[i].near, own, watch, false);
        });
        for (std::int32_t at = static_cast<std::int32_t>(nodes_.size()) - 1; at >= 0; --at)
            if (nodes_[at].depth < kAlone) renew(at);
        return !watch.stopped();
    }

  private:
    static constexpr int kBatch = 16;                // prototypes that are compared together
    static constexpr int kFolds = 3;                 // halves of halves of halves are kChildren
    static constexpr int kAlone = 2;                 // a node of this depth, with all below it, is the task of one thread
    static constexpr std::int32_t kMostClasses = 16; // with more, the leaders would take more room than the cases
    struct Child {
        std::int32_t node = -1, part = -1; // one of the two, or neither
    };
    struct Node {
        int depth;
        Child child[kChildren];
        double reach[kChildren];
    };
    struct Task {
        std::int32_t node;
        std::vector<std::int32_t> near;
    };
    struct Round {
        FreshRows fresh;
        const double* positions; // in which they were given
        Cells& cells;
        std::vector<Task> tasks;
    };
    // Of one depth and one thread: what comes to each child.
    struct Level {
        std::vector<std::int32_t> near[kChildren];
    };
    using Lists = std::vector<Level>;

    std::int64_t per_node() const { return std::int64_t{kChildren} * p_; }
    // Parts begin .. end; the halves are those of spatial_order. What is no power of eight is made up for at the root, so
    // that the many nodes above parts are full.
    std::int32_t grow(std::int32_t begin, std::int32_t end, int depth) {
        const auto at = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({depth, {}, {}});
        depth_ = std::max(depth_, depth);
        std::vector<std::pair<std::int32_t, std::int32_t>> ranges{{begin, end}};
        const int folds = depth > 0 ? kFolds : (std::bit_width(static_cast<std::uint32_t>(std::max(end - begin, 2) - 1)) - 1) % kFolds + 1;
        for (int fold = 0; fold < folds; ++fold) {
            std::vector<std::pair<std::int32_t, std::int32_t>> halves;
            for (const auto& [from, to] : ranges) {
                const std::int32_t middle = from + (to - from) / 2;
                if (middle > from) halves.emplace_back(from, middle);
                halves.emplace_back(middle, to);
            }
            ranges = std::move(halves);
        }
        for (int k = 0; k < kChildren; ++k) {
            nodes_[at].reach[k] = k < static_cast<int>(ranges.size()) ? Cells::inf : -1;
            if (k >= static_cast<int>(ranges.size())) continue;
            const auto [from, to] = ranges[k];
            const std::int32_t below = to - from > 1 ? grow(from, to, depth + 1) : -1;
            nodes_[at].child[k] = {below, below < 0 ? from : -1};
        }
        return at;
    }
    const double* row(std::int64_t place) const { return c_.points.row(order_[place]); }
    std::int64_t begin(std::int32_t part) const { return std::int64_t{part} * kRows; }
    int size(std::int32_t part) const {
        return static_cast<int>(std::min<std::int64_t>(kRows, static_cast<std::int64_t>(order_.size()) - begin(part)));
    }

    // Boxes of all children; `low` and `high` become those of the node.
    void measure(std::int32_t at, double* low, double* high) {
        std::vector<double> least(p_), most(p_);
        std::fill(low, low + p_, Cells::inf);
        std::fill(high, high + p_, -Cells::inf);
        for (int k = 0; k < kChildren && nodes_[at].reach[k] >= 0; ++k) {
            const Child child = nodes_[at].child[k];
            if (child.node >= 0) measure(child.node, least.data(), most.data());
            else bounds(child.part, least.data(), most.data());
            double sum = 0;
            for (int f = 0; f < p_; ++f) {
                low[f] = std::min(low[f], least[f]);
                high[f] = std::max(high[f], most[f]);
                const double center = least[f] + (most[f] - least[f]) / 2;
                const double half = std::max(most[f] - center, center - least[f]) * (1 + 1e-15); // rounding up
                center_[at * per_node() + f * kChildren + k] = center;
                half_[at * per_node() + f * kChildren + k] = half;
                sum += half * half;
            }
            square_[std::int64_t{at} * kChildren + k] = sum;
        }
    }
    void bounds(std::int32_t part, double* low, double* high) const {
        std::fill(low, low + p_, Cells::inf);
        std::fill(high, high + p_, -Cells::inf);
        for (int j = 0; j < size(part); ++j) { // packed: the points themselves lie anywhere
            const double* cells = packed_.panel((begin(part) + j) / kPanel) + j % kPanel;
            for (int f = 0; f < p_; ++f) low[f] = std::min(low[f], cells[f * kPanel]), high[f] = std::max(high[f], cells[f * kPanel]);
        }
    }

    // Prototypes that may matter to the cases of a node go on to its children. With `hand_over`, children of depth
    // kAlone become tasks.
    void go_down(std::int32_t at, Round& round, const std::vector<std::int32_t>& given, Lists& lists, Watch& watch, bool hand_over) {
        Node& node = nodes_[at];
        Level& level = lists[node.depth];
        const std::int64_t cells = at * per_node(), lanes = std::int64_t{at} * kChildren;
        const ChildBoxes boxes{center_.data() + cells, half_.data() + cells, square_.data() + lanes, node.reach};
        const bool led = n_classes_ > 0;
        const Leaders leaders{led ? leaders_.data() + cells * n_classes_ : nullptr, led ? leader_squares_.data() + lanes * n_classes_ : nullptr};
        std::int32_t *near[kChildren], *ends[kChildren];
        for (int k = 0; k < kChildren; ++k) {
            level.near[k].resize(given.size() + kSpare);
            near[k] = level.near[k].data();
        }
        near_(round.fresh, given.data(), static_cast<std::int64_t>(given.size()), boxes, leaders, near, ends);
        for (int k = 0; k < kChildren; ++k) level.near[k].resize(ends[k] - near[k]);
        for (int k = 0; k < kChildren && !watch.stopped(); ++k) {
            const Child child = node.child[k];
            if (level.near[k].empty()) continue;
            if (child.node < 0) node.reach[k] = show(child.part, node.reach[k], round, level.near[k]);
            else if (hand_over && nodes_[child.node].depth == kAlone) round.tasks.push_back({child.node, std::move(level.near[k])});
            else go_down(child.node, round, level.near[k], lists, watch, hand_over);
        }
        renew(at);
    }
    void renew(std::int32_t at) {
        Node& node = nodes_[at];
        for (int k = 0; k < kChildren; ++k) {
            if (node.child[k].node < 0) continue;
            const double* below = nodes_[node.child[k].node].reach;
            node.reach[k] = *std::max_element(below, below + kChildren);
        }
    }
    // To the cases of one part; its reach afterwards.
    double show(std::int32_t which, double reach, const Round& round, const std::vector<std::int32_t>& near) {
        double values[kBatch * kRows], codes[kBatch], positions[kBatch];
        const double* rows[kBatch];
        const std::int64_t n_panels = panels_of(size(which)), stride = n_panels * kPanel;
        compared_.fetch_add(static_cast<std::int64_t>(near.size()) * size(which), std::memory_order_relaxed);
        for (std::size_t next = 0; next < near.size(); next += kBatch) {
            const int m = static_cast<int>(std::min<std::size_t>(kBatch, near.size() - next));
            for (int r = 0; r < m; ++r) {
                const std::int32_t z = near[next + r];
                rows[r] = round.fresh.rows + std::int64_t{z} * p_;
                codes[r] = round.fresh.codes[z];
                positions[r] = round.positions[z];
            }
            values_(packed_.panel(begin(which) / kPanel), n_panels, rows, m, nullptr, c_.metric, p_, c_.zero, values);
            reach = std::min(reach, round.cells.meet(begin(which), n_panels, {codes, positions, values, stride, m}));
        }
        return reach;
    }

    const Condensing& c_;
    int p_, depth_ = 0;
    const std::vector<std::int32_t>& order_;
    PackedRows packed_;
    ValuesFunction values_;
    NearChildren near_;
    std::atomic<std::int64_t> compared_{0};
    std::vector<Node> nodes_; // each before those below it
    std::int32_t n_classes_ = 0; // 0: no leaders
    SpareVector<double> center_, half_, square_, leaders_, leader_squares_; // as in condense_nodes.hpp, node by node
};

} // namespace sepal
