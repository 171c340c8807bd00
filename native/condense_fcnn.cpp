// FCNN: rounds in which every prototype takes in the nearest wrong case of its cell.
//
// Cases stand in an order of their own, their places: neighbours in space beside each other where a tree shows them
// their prototypes, as they were given elsewhere. Ties are decided by the positions in which they were given.
#include <bit>

#include "condense_blocks.hpp"
#include "condense_cells.hpp"
#include "condense_tree.hpp"

namespace sepal {
namespace {

// The case that each prototype takes in next.
class Takers {
  public:
    Takers(const Condensing& c, const Cells& cells, const std::vector<std::int32_t>& order) : c_(c), cells_(cells), order_(order), of_(order.size() + 1) {}

    // Of the wrong cases of each cell the nearest, the lowest position of those tied; all by position.
    std::vector<std::int32_t> choose(const std::vector<std::int32_t>& wrong) {
        std::vector<std::size_t> takers;
        bool tied = false;
        for (const std::int32_t at : wrong) {
            const std::size_t taker = cell(at);
            const double value = cells_.unlike[at];
            Nearest& nearest = of_[taker];
            if (nearest.wrong < 0) takers.push_back(taker);
            else tied |= std::max(value, nearest.value) <= std::min(value, nearest.value) * (1 + c_.tie);
            if (nearest.wrong < 0 || value < nearest.value) nearest = {value, at};
        }
        if (tied) // without ties the nearest of each cell is known already
            for (const std::int32_t at : wrong) {
                Nearest& nearest = of_[cell(at)];
                if (cells_.unlike[at] <= nearest.value * (1 + c_.tie) && order_[at] < order_[nearest.wrong]) nearest.wrong = at;
            }
        std::vector<std::int32_t> fresh;
        for (const std::size_t taker : takers) {
            fresh.push_back(of_[taker].wrong);
            of_[taker].wrong = -1;
        }
        std::sort(fresh.begin(), fresh.end(), [&](std::int32_t a, std::int32_t b) { return order_[a] < order_[b]; });
        return fresh;
    }

  private:
    struct Nearest {
        double value = 0;
        std::int32_t wrong = -1; // the nearest, or the first of those tied with it; -1 between calls
    };
    // The position of its prototype; beyond all positions that of the cases which no prototype can be compared with.
    std::size_t cell(std::int32_t at) const { return cells_.enemy[at] < Cells::inf ? static_cast<std::size_t>(cells_.enemy[at]) : order_.size(); }

    const Condensing& c_;
    const Cells& cells_;
    const std::vector<std::int32_t>& order_;
    std::vector<Nearest> of_; // each cell
};

} // namespace

Condensed condense_fcnn(const Condensing& given, const std::vector<std::int32_t>& seeds, const std::uint8_t* may_keep) {
    const std::int64_t n = given.points.n;
    const bool in_space = CaseTree::knows(given);
    std::vector<std::int32_t> order(n), place(n), codes(panels_of(n) * kPanel, -1), kept; // order[place] is a position, place[position] its place
    if (in_space) order = spatial_order(given.points, CaseTree::kRows, given.threads);
    else std::iota(order.begin(), order.end(), 0);
    std::vector<std::uint8_t> open(panels_of(n)); // of each panel a bit for each case that may still be kept
    for (std::int32_t at = 0; at < n; ++at) {
        place[order[at]] = at;
        codes[at] = given.codes[order[at]];
        open[at / kPanel] |= static_cast<std::uint8_t>((may_keep[order[at]] != 0) << at % kPanel);
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
    std::vector<std::int32_t> fresh, wrong;
    for (const std::int32_t pos : seeds) fresh.push_back(place[pos]);
    for (std::int32_t round = 1; !fresh.empty(); ++round) {
        for (const std::int32_t at : fresh) {
            kept.push_back(at);
            out.kept_pos.push_back(order[at]);
            out.round.push_back(round);
            open[at / kPanel] &= static_cast<std::uint8_t>(~(1U << at % kPanel));
        }
        if (!(tree ? tree->meet(fresh, watch, cells) : blocks->catch_up_all(kept, watch, cells))) return {};
        for (const std::int32_t at : fresh) cells.like[at] = 0;
        wrong.clear();
        for (std::size_t panel = 0; panel < open.size(); ++panel)
            for (unsigned left = cells.wrong[panel] & open[panel]; left != 0; left &= left - 1)
                wrong.push_back(static_cast<std::int32_t>(panel * kPanel) + std::countr_zero(left));
        fresh = takers.choose(wrong);
    }
    out.right.resize(n);
    for (std::int32_t at = 0; at < n; ++at) out.right[order[at]] = cells.right(at);
    out.compared = tree ? tree->compared() : n * static_cast<std::int64_t>(kept.size());
    return out;
}

} // namespace sepal
