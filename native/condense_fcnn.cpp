// FCNN: rounds in which every prototype takes in the nearest wrong case of its cell.
//
// Cases stand in an order of their own, their places: neighbours in space beside each other where a tree shows them
// their prototypes, as they were given elsewhere. Ties are decided by the positions in which they were given.
#include "condense_tree.hpp"

namespace sepal {
namespace {

// Rivals that also knows the nearest unlike prototype, the lowest position of those tied.
struct CellMemory : Rivals {
    CellMemory(const Condensing& c_, const std::vector<std::int32_t>& order_) : Rivals(c_), order(order_), enemy(c.points.n, -1) {}
    void meet(std::int32_t at, std::int32_t prototype, double v) {
        if (c.codes[at] != c.codes[prototype] && v <= unlike[at] * (1 + c.tie)) {
            const bool tied = enemy[at] >= 0 && unlike[at] <= v * (1 + c.tie);
            if (!tied || order[prototype] < order[enemy[at]]) enemy[at] = prototype;
        }
        Rivals::meet(at, prototype, v);
    }
    // An unlike prototype beyond the nearest like one never makes a case wrong, since that one only comes nearer; so it
    // need not be known, unless it is tied with one that does.
    double bound(std::int32_t at, bool own) const {
        return own ? like[at] : std::min(unlike[at] * (1 + c.tie), like[at] * (1 + 16 * c.tie));
    }
    const std::vector<std::int32_t>& order;
    std::vector<std::int32_t> enemy;
};

// The case that each prototype takes in next.
class Takers {
  public:
    Takers(const CellMemory& cells, const std::vector<std::int32_t>& order) : cells_(cells), order_(order), nearest_(order.size(), Rivals::inf), taken_(order.size(), -1) {}

    // Of the wrong cases of each cell the nearest, the lowest position of those tied; all by position.
    std::vector<std::int32_t> choose(const std::vector<std::int32_t>& wrong) {
        for (const std::int32_t at : wrong) nearest_[cell(at)] = std::min(nearest_[cell(at)], cells_.unlike[at]);
        for (const std::int32_t at : wrong) {
            std::int32_t& taken = taken_[cell(at)];
            const bool tied = cells_.unlike[at] <= nearest_[cell(at)] * (1 + cells_.c.tie);
            if (tied && (taken < 0 || order_[at] < order_[taken])) taken = at;
        }
        std::vector<std::int32_t> fresh;
        for (const std::int32_t at : wrong) {
            if (taken_[cell(at)] == at) fresh.push_back(at);
            nearest_[cell(at)] = Rivals::inf;
        }
        for (const std::int32_t at : wrong) taken_[cell(at)] = -1;
        std::sort(fresh.begin(), fresh.end(), [&](std::int32_t a, std::int32_t b) { return order_[a] < order_[b]; });
        return fresh;
    }

  private:
    std::int32_t cell(std::int32_t at) const { return cells_.enemy[at]; }

    const CellMemory& cells_;
    const std::vector<std::int32_t>& order_;
    std::vector<double> nearest_;     // of each prototype, between calls infinite
    std::vector<std::int32_t> taken_; // and -1
};

} // namespace

Condensed condense_fcnn(const Condensing& given, const std::vector<std::int32_t>& seeds, const std::uint8_t* may_keep) {
    const std::int64_t n = given.points.n;
    const bool in_space = CaseTree::knows(given);
    std::vector<std::int32_t> order(n), place(n), codes(n), kept; // order[place] is a position, place[position] its place
    if (in_space) order = spatial_order(given.points, kPartRows, given.threads);
    else std::iota(order.begin(), order.end(), 0);
    std::vector<std::uint8_t> open(n); // may still be kept
    for (std::int32_t at = 0; at < n; ++at) {
        place[order[at]] = at;
        codes[at] = given.codes[order[at]];
        open[at] = may_keep[order[at]];
    }
    Condensing c = given; // by place; coordinates are asked of the tree or the blocks
    c.codes = codes.data();
    CellMemory cells(c, order);
    Bounded<CellMemory> visitor(c, cells);
    std::optional<CaseTree> tree;
    std::optional<CaseBlocks> blocks;
    if (in_space) tree.emplace(c, order);
    else blocks.emplace(c, order);
    Takers takers(cells, order);
    Watch watch(c.poll, 8 * (tree ? tree->n_steps() : blocks->n_blocks()));
    Condensed out;
    std::vector<std::int32_t> fresh, wrong;
    std::vector<std::uint8_t> has_wrong((n + kPartRows - 1) / kPartRows); // of each part
    for (const std::int32_t pos : seeds) fresh.push_back(place[pos]);
    for (std::int32_t round = 1; !fresh.empty(); ++round) {
        for (const std::int32_t at : fresh) {
            kept.push_back(at);
            out.kept_pos.push_back(order[at]);
            out.round.push_back(round);
            open[at] = 0;
        }
        if (!(tree ? tree->meet(fresh, watch, visitor) : blocks->catch_up_all(kept, watch, visitor))) return {};
        for (const std::int32_t at : fresh) cells.like[at] = 0;
        wrong.resize(n);
        std::size_t n_wrong = 0;
        for (std::int32_t first = 0; first < n; first += kPartRows) {
            std::uint8_t& seen = has_wrong[first / kPartRows];
            if (tree && !seen && !tree->shown(first / kPartRows)) continue; // all were right, and have met nobody since
            const std::size_t before = n_wrong;
            for (std::int32_t at = first; at < std::min<std::int64_t>(n, first + kPartRows); ++at) { // without a branch, which would be guessed wrong as often
                wrong[n_wrong] = at;
                n_wrong += open[at] & !cells.right(at);
            }
            seen = n_wrong > before;
        }
        wrong.resize(n_wrong);
        fresh = takers.choose(wrong);
    }
    out.right.resize(n);
    for (std::int32_t at = 0; at < n; ++at) out.right[order[at]] = cells.right(at);
    out.compared = tree ? tree->compared() : n * static_cast<std::int64_t>(kept.size());
    return out;
}

} // namespace sepal
