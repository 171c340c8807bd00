// FCNN: rounds in which every prototype takes in the nearest wrong case of its cell.
//
// Cases stand in an order of their own, their places: neighbours in space beside each other where a tree shows them
// their prototypes, as they were given elsewhere. Ties are decided by the positions in which they were given.
#include <span>

#include "condense_blocks.hpp"
#include "condense_cells.hpp"
#include "condense_tree.hpp"

namespace sepal {
namespace {

// The case that each prototype takes in next.
class Takers {
  public:
    Takers(const Condensing& c, const Cells& cells, const std::vector<std::int32_t>& order)
        : c_(c), cells_(cells), order_(order), nearest_(order.size() + 1, Cells::inf), taken_(order.size() + 1, -1) {}

    // Of the wrong cases of each cell the nearest, the lowest position of those tied; all by position.
    std::vector<std::int32_t> choose(std::span<const std::int32_t> wrong) {
        for (const std::int32_t at : wrong) nearest_[cell(at)] = std::min(nearest_[cell(at)], cells_.unlike[at]);
        for (const std::int32_t at : wrong) {
            std::int32_t& taken = taken_[cell(at)];
            const bool tied = cells_.unlike[at] <= nearest_[cell(at)] * (1 + c_.tie);
            if (tied && (taken < 0 || order_[at] < order_[taken])) taken = at;
        }
        std::vector<std::int32_t> fresh;
        for (const std::int32_t at : wrong) {
            if (taken_[cell(at)] == at) fresh.push_back(at);
            nearest_[cell(at)] = Cells::inf;
        }
        for (const std::int32_t at : wrong) taken_[cell(at)] = -1;
        std::sort(fresh.begin(), fresh.end(), [&](std::int32_t a, std::int32_t b) { return order_[a] < order_[b]; });
        return fresh;
    }

  private:
    // The position of its prototype; beyond all positions that of the cases which no prototype can be compared with.
    std::size_t cell(std::int32_t at) const { return cells_.enemy[at] < Cells::inf ? static_cast<std::size_t>(cells_.enemy[at]) : order_.size(); }

    const Condensing& c_;
    const Cells& cells_;
    const std::vector<std::int32_t>& order_;
    std::vector<double> nearest_;     // of each cell; between calls infinite
    std::vector<std::int32_t> taken_; // and -1
};

} // namespace

Condensed condense_fcnn(const Condensing& given, const std::vector<std::int32_t>& seeds, const std::uint8_t* may_keep) {
    const std::int64_t n = given.points.n;
    const bool in_space = CaseTree::knows(given);
    std::vector<std::int32_t> order(n), place(n), codes(panels_of(n) * kPanel, -1), kept; // order[place] is a position, place[position] its place
    if (in_space) order = spatial_order(given.points, CaseTree::kRows, given.threads);
    else std::iota(order.begin(), order.end(), 0);
    std::vector<std::uint8_t> open(n); // may still be kept
    for (std::int32_t at = 0; at < n; ++at) {
        place[order[at]] = at;
        codes[at] = given.codes[order[at]];
        open[at] = may_keep[order[at]];
    }
    Condensing c = given; // by place; coordinates are asked of the tree or the blocks
    c.codes = codes.data();
    Cells cells(c, order);
    std::optional<CaseTree> tree;
    std::optional<CaseBlocks> blocks;
    if (in_space) tree.emplace(c, order);
    else blocks.emplace(c, order);
    Takers takers(c, cells, order);
    Watch watch(c.poll, 8 * (tree ? tree->n_steps() : blocks->n_blocks()));
    Condensed out;
    std::vector<std::int32_t> fresh, wrong(n); // of the second as many as there are in a round
    for (const std::int32_t pos : seeds) fresh.push_back(place[pos]);
    for (std::int32_t round = 1; !fresh.empty(); ++round) {
        for (const std::int32_t at : fresh) {
            kept.push_back(at);
            out.kept_pos.push_back(order[at]);
            out.round.push_back(round);
            open[at] = 0;
        }
        if (!(tree ? tree->meet(fresh, watch, cells) : blocks->catch_up_all(kept, watch, cells))) return {};
        for (const std::int32_t at : fresh) cells.like[at] = 0;
        std::size_t n_wrong = 0;
        for (std::int32_t first = 0; first < n; first += CaseTree::kRows) {
            if (tree && !tree->wrong(first / CaseTree::kRows)) continue;
            for (std::int32_t at = first; at < std::min<std::int64_t>(n, first + CaseTree::kRows); ++at) { // without a branch, which would be guessed wrong as often
                wrong[n_wrong] = at;
                n_wrong += open[at] & !cells.right(at);
            }
        }
        fresh = takers.choose({wrong.data(), n_wrong});
    }
    out.right.resize(n);
    for (std::int32_t at = 0; at < n; ++at) out.right[order[at]] = cells.right(at);
    out.compared = tree ? tree->compared() : n * static_cast<std::int64_t>(kept.size());
    return out;
}

} // namespace sepal
