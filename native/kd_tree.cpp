// Building the tree. Where it is cut decides the speed of a search and never its answer, so rounded coordinates and
// samples are good enough here; the boxes are exact.
#include "kd_tree.hpp"

#include <utility>

namespace sepal {

KdTree::KdTree(Points points, int threads)
    : points_(points), n_(points.n), p_(points.p), keys_(points.n), order_(points.n),
      values_(static_cast<std::size_t>(n_leaves()) * kLeaf * p_, std::numeric_limits<double>::quiet_NaN()),
      boxes_(static_cast<std::size_t>(n_leaves()) * 2 * p_) {
    for (std::int64_t i = 0; i < n_; ++i) keys_[i] = static_cast<std::uint64_t>(i);
    lay_out(0, n_leaves());
    sides_.resize(nodes_.size() * 2 * kFan * p_);
    build_all(threads);
    SpareVector<std::uint64_t>().swap(keys_);
}

// Nodes above these leaves: as few levels as there can be, the lower ones full.
std::int32_t KdTree::lay_out(std::int32_t first, std::int32_t n_leaves) {
    const auto id = static_cast<std::int32_t>(nodes_.size());
    Node node;
    std::int64_t span = 1; // leaves below one child, at most
    while (span * kFan < n_leaves) span *= kFan;
    node.count = static_cast<std::int32_t>((n_leaves + span - 1) / span);
    node.of_leaves = span == 1;
    for (int c = 0; c <= node.count; ++c)
        node.begin[c] = first + static_cast<std::int32_t>(std::int64_t{n_leaves} * c / std::max(node.count, 1));
    nodes_.push_back(node);
    for (int c = 0; c < node.count; ++c) {
        const std::int32_t child = node.of_leaves ? node.begin[c] : lay_out(node.begin[c], node.begin[c + 1] - node.begin[c]);
        nodes_[id].child[c] = child;
    }
    return id;
}

// Large parts are split level by level, all of a level at once; the small ones are then built whole, each by a thread.
// Boxes come last, those of lower nodes, which have higher numbers, first.
void KdTree::build_all(int threads) {
    constexpr std::int64_t kLarge = 4096; // points that are worth another thread
    std::vector<Part> small, level{{0, 0, nodes_[0].count}};
    while (!level.empty()) {
        std::vector<Part> large, next;
        for (const Part& part : level) (part.to - part.from > 1 && size(part) > kLarge ? large : small).push_back(part);
        parallel_for(Loop{.n = static_cast<std::int64_t>(large.size()), .threads = threads, .helpers = Helpers::at_once},
                     [&](std::int64_t i) { split(large[i]); });
        for (const Part& part : large)
            for (const auto& [from, to] : {std::pair{part.from, part.half()}, std::pair{part.half(), part.to}}) next.push_back(inner({part.id, from, to}));
        level = std::move(next);
    }
    parallel_for(Loop{.n = static_cast<std::int64_t>(small.size()), .threads = threads}, [&](std::int64_t i) { build(small[i]); });
    for (auto id = static_cast<std::int32_t>(nodes_.size()) - 1; id >= 0; --id)
        for (int slot = 0; slot < nodes_[id].count; ++slot) note_box(id, slot);
}

// One child that is a node is all its children.
KdTree::Part KdTree::inner(Part part) const {
    const Node& node = nodes_[part.id];
    if (part.to - part.from != 1 || node.of_leaves) return part;
    const std::int32_t child = node.child[part.from];
    return inner({child, 0, nodes_[child].count});
}

// Divides the points of a part among its children.
void KdTree::build(const Part& part) {
    if (part.to - part.from == 1) {
        if (nodes_[part.id].of_leaves) fill(nodes_[part.id].child[part.from]);
        else build(inner(part));
        return;
    }
    split(part);
    build({part.id, part.from, part.half()});
    build({part.id, part.half(), part.to});
}

std::int64_t KdTree::size(const Part& part) const {
    return position(nodes_[part.id].begin[part.to]) - position(nodes_[part.id].begin[part.from]);
}

void KdTree::split(const Part& part) {
    const std::int32_t* begin = nodes_[part.id].begin;
    split(position(begin[part.from]), position(begin[part.half()]), position(begin[part.to]));
}

void KdTree::split(std::int64_t begin, std::int64_t middle, std::int64_t end) {
    const int side = wide_side(begin, end);
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int32_t row = row_at(i);
        keys_[i] = row_key(points_.row(row)[side], row);
    }
    select_key(keys_.data() + begin, end - begin, middle - begin);
}

// The side in which a sample of these points is spread most.
int KdTree::wide_side(std::int64_t begin, std::int64_t end) const {
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin) / 64);
    int widest = 0;
    double width = -1;
    for (int f = 0; f < p_; ++f) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (std::int64_t i = begin; i < end; i += step) {
            const double x = points_.row(row_at(i))[f];
            low = std::min(low, x);
            high = std::max(high, x);
        }
        if (high - low > width) {
            width = high - low;
            widest = f;
        }
    }
    return widest;
}

void KdTree::fill(std::int32_t leaf) {
    const std::int64_t begin = position(leaf);
    double* values = values_.data() + begin * p_;
    double *low = boxes_.data() + std::int64_t{leaf} * 2 * p_, *high = low + p_;
    std::fill(low, high, std::numeric_limits<double>::infinity());
    std::fill(high, high + p_, -std::numeric_limits<double>::infinity());
    for (int i = 0; i < size(leaf); ++i) {
        const double* x = points_.row(order_[begin + i] = row_at(begin + i));
        for (int f = 0; f < p_; ++f) {
            values[f * kLeaf + i] = x[f];
            low[f] = std::min(low[f], x[f]);
            high[f] = std::max(high[f], x[f]);
        }
    }
}

// Writes the box of a finished child beside those of its siblings.
void KdTree::note_box(std::int32_t id, int slot) {
    const Node& node = nodes_[id];
    const std::int32_t child = node.child[slot];
    double *to_low = sides_.data() + std::int64_t{id} * 2 * kFan * p_ + slot, *to_high = to_low + kFan * p_;
    for (int f = 0; f < p_; ++f) {
        if (node.of_leaves) {
            to_low[f * kFan] = low(child)[f];
            to_high[f * kFan] = high(child)[f];
        } else {
            const double *lowest = lows(child) + f * kFan, *highest = highs(child) + f * kFan;
            to_low[f * kFan] = *std::min_element(lowest, lowest + nodes_[child].count);
            to_high[f * kFan] = *std::max_element(highest, highest + nodes_[child].count);
        }
    }
}

} // namespace sepal
