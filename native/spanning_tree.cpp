#include "spanning_tree.hpp"

#include <bit>
#include <numeric>

#include "class_panels.hpp"

namespace sepal {
namespace {

// Trees of the forest, by one of their nodes.
class Forest {
  public:
    explicit Forest(std::int64_t n) : above_(n), size_(n, 1) { std::iota(above_.begin(), above_.end(), 0); }
    std::int32_t root(std::int32_t i) {
        for (; above_[i] != i; i = above_[i]) above_[i] = above_[above_[i]];
        return i;
    }
    bool join(std::int32_t a, std::int32_t b) {
        a = root(a);
        b = root(b);
        if (a == b) return false;
        if (size_[a] < size_[b]) std::swap(a, b);
        above_[b] = a;
        size_[a] += size_[b];
        return true;
    }
    std::int32_t largest() const { // only roots count: others never grew beyond theirs
        return static_cast<std::int32_t>(std::max_element(size_.begin(), size_.end()) - size_.begin());
    }

  private:
    std::vector<std::int32_t> above_;
    std::vector<std::int64_t> size_;
};

class Growing {
  public:
    Growing(Points points, const EdgeOrder& order, std::vector<FirstEdges> first, const MetricSpec& metric, int threads)
        : points_(points), order_(order), first_(std::move(first)), next_(points.n, 0), forest_(points.n), tree_of_(points.n),
          best_(points.n), metric_(metric), threads_(threads) {}

    std::vector<Edge> run(Watch& watch) {
        std::vector<Edge> edges;
        while (static_cast<std::int64_t>(edges.size()) + 1 < points_.n) {
            const std::vector<std::int32_t> unsure = look();
            if (!unsure.empty() && !search(unsure, watch)) return {};
            for (std::int64_t i = 0; i < points_.n; ++i)
                if (tree_of_[i] == i && i != largest_ && forest_.join(best_[i].a, best_[i].b)) edges.push_back(best_[i]);
        }
        return edges;
    }

  private:
    static constexpr int kAsking = 32; // rows that are compared with the others together

    // The first edge out of every tree, as far as known, and the nodes that may have an earlier one.
    std::vector<std::int32_t> look() {
        const auto n = static_cast<std::int32_t>(points_.n);
        for (std::int32_t i = 0; i < n; ++i) {
            tree_of_[i] = forest_.root(i);
            best_[i].a = -1;
        }
        largest_ = forest_.largest();
        std::vector<std::int32_t> ended;
        for (std::int32_t i = 0; i < n; ++i) {
            if (tree_of_[i] == largest_) continue;
            while (next_[i] < first_[i].size() && tree_of_[first_[i][next_[i]].b] == tree_of_[i]) ++next_[i];
            if (next_[i] < first_[i].size()) take(first_[i][next_[i]]);
            else if (first_[i].full()) ended.push_back(i);
        }
        std::erase_if(ended, [this](std::int32_t i) {
            const Edge& best = best_[tree_of_[i]];
            return best.a >= 0 && order_.before(best, first_[i][FirstEdges::kMost - 1]);
        });
        return ended;
    }

    void take(const Edge& edge) {
        Edge& best = best_[tree_of_[edge.a]];
        if (best.a < 0 || order_.before(edge, best)) best = edge;
    }

    // New first edges, out of those that leave their tree, for the nodes `asking`. False if stopped.
    bool search(std::vector<std::int32_t> asking, Watch& watch) {
        // Trees, and nodes inside them, in scattered order: in that of the rows, which may be sorted, everyone would meet
        // nearer and nearer nodes, and list them all.
        const auto scattered = [](std::int32_t i) { return static_cast<std::uint32_t>(i) * 2654435761u; };
        const auto by_tree = [&](std::int32_t i, std::int32_t j) {
            return tree_of_[i] != tree_of_[j] ? scattered(tree_of_[i]) < scattered(tree_of_[j]) : scattered(i) < scattered(j);
        };
        std::vector<std::int32_t> nodes(points_.n);
        std::iota(nodes.begin(), nodes.end(), 0);
        std::sort(nodes.begin(), nodes.end(), by_tree);
        std::sort(asking.begin(), asking.end(), by_tree);
        const Side columns(*this, nodes, 8 * kAsking, kCols), rows(*this, asking, kAsking, kRows);
        const ClassPanel function = near_panel(metric_.metric);
        const auto n_blocks = static_cast<std::int64_t>(rows.blocks.blocks.size());
        parallel_for(Loop{.n = n_blocks, .threads = threads_}, [&](std::int64_t b) {
            if (watch.still_on()) renew(rows, b, columns, function);
        });
        for (const std::int32_t i : asking) {
            next_[i] = 0;
            if (first_[i].size() > 0) take(first_[i][0]);
        }
        return !watch.stopped();
    }

    // Nodes in a given order, that of their trees, packed.
    struct Side {
        Side(const Growing& g, const std::vector<std::int32_t>& order, int block, int panel)
            : nodes(order), blocks(static_cast<std::int64_t>(order.size()), std::vector<std::int32_t>(order.size(), 0).data(), block) {
            std::vector<double> x(order.size() * g.points_.p);
            for (std::size_t i = 0; i < order.size(); ++i)
                std::copy(g.points_.row(order[i]), g.points_.row(order[i]) + g.points_.p, x.begin() + i * g.points_.p);
            packed = blocks.pack({x.data(), static_cast<std::int64_t>(order.size()), g.points_.p}, panel);
            for (std::size_t i = 0; i < order.size(); i += block) { // sorted by tree
                const std::int32_t low = g.tree_of_[order[i]], high = g.tree_of_[order[std::min(i + block, order.size()) - 1]];
                tree.push_back(low == high ? low : -1);
            }
        }
        std::int32_t node(std::int64_t place) const { return blocks.row[place] < 0 ? -1 : nodes[blocks.row[place]]; }
        const std::vector<std::int32_t>& nodes;
        Blocks blocks;
        std::vector<double> packed;
        std::vector<std::int32_t> tree; // of each block, the one that all its nodes are in, or -1
    };

    void renew(const Side& rows, std::int64_t b, const Side& columns, ClassPanel function) {
        const auto& left = rows.blocks.blocks[b];
        const std::int32_t own = rows.tree[b];
        double bound[kAsking], nobody[kCols];
        std::fill(nobody, nobody + kCols, -1.0);
        std::fill(bound, bound + kAsking, -1.0);
        for (int i = 0; i < left.n; ++i)
            if (const std::int32_t node = rows.node(left.begin + i); node >= 0) {
                first_[node] = {};
                bound[i] = first_[node].bound();
            }
        Hit<double> hits[kAsking * kCols];
        for (std::size_t k = 0; k < columns.blocks.blocks.size(); ++k) {
            if (own >= 0 && columns.tree[k] == own) continue;
            const auto& right = columns.blocks.blocks[k];
            for (int c = 0; c < right.n; c += kCols) {
                const int n = function(rows.packed.data() + left.begin * points_.p, left.n, bound,
                                       columns.packed.data() + (right.begin + c) * points_.p, nobody, metric_, points_.p, {}, hits);
                for (int t = 0; t < n; ++t) {
                    const std::int32_t i = rows.node(left.begin + hits[t].i), j = columns.node(right.begin + c + hits[t].j);
                    if (i < 0 || j < 0 || tree_of_[i] == tree_of_[j]) continue;
                    first_[i].offer({hits[t].h, i, j}, order_);
                    bound[hits[t].i] = first_[i].bound();
                }
            }
        }
    }

    Points points_;
    const EdgeOrder& order_;
    std::vector<FirstEdges> first_; // of each node, perhaps only those that left its tree when they were found
    std::vector<int> next_;         // of each node, the first of these that may leave its tree
    Forest forest_;
    std::vector<std::int32_t> tree_of_;
    std::vector<Edge> best_; // of each tree, at its root; a < 0: none
    std::int32_t largest_ = 0;
    MetricSpec metric_;
    int threads_;
};

} // namespace

double rounded_value(double value) {
    constexpr std::uint64_t unit = std::uint64_t{1} << 14; // leaves 38 bits
    if (!(value < std::numeric_limits<double>::infinity())) return value;
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + unit / 2) & ~(unit - 1));
}

std::vector<Edge> spanning_tree(Points points, const EdgeOrder& order, std::vector<FirstEdges> first,
                                const MetricSpec& metric, int threads, Watch& watch) {
    return Growing(points, order, std::move(first), metric, threads).run(watch);
}

} // namespace sepal
