/// @brief What FCNN knows of each case x: d to its nearest like and unlike prototype, and whose cell it lies in; noted for a lane of cases at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "condense.hpp"
#include "pair_values.hpp"

namespace sepal {

// Of panels of cases, one after the other.
struct CaseRivals {
    const std::int32_t* codes; // class of each case; -1 past the last
    double *like, *unlike;     // values to the nearest prototype of its class, and of another
    double* enemy;             // position of that one, the lowest of those tied; infinite without one
    std::uint8_t* wrong;       // of each panel: bit j is set where the unlike one of case j is not farther than the like one
};

// Prototypes that come in this order, and their values to each case: [prototype][stride].
struct Newcomers {
    const double *codes, *positions;
    const double* values;
    std::int64_t stride;
    int n;
};

// Takes note of the newcomers, and tells the largest value at which a further one can matter to a case. That is where its
// nearest prototype lies, like or unlike: a like one beyond the nearest unlike one never makes it right, since that one
// only comes nearer, and an unlike one beyond the nearest like one never makes it wrong; so neither needs to be noted,
// unless it may be tied with one that does. `rare` says that hardly one is noted at all.
using RivalsFunction = double (*)(const Newcomers& fresh, const CaseRivals& cases, std::int64_t n_panels, double tie, bool rare);

RivalsFunction rivals_function();

class Cells {
  public:
    // Cases in the order of c.codes, which has room for whole panels; case i was given at position order[i].
    Cells(const Condensing& c, const std::vector<std::int32_t>& order)
        : like(panels_of(c.points.n) * kPanel, inf), unlike(like.size(), inf), enemy(like.size(), inf), wrong(like.size() / kPanel, 0xff), c_(c), order_(order) {
        std::fill(like.begin() + c.points.n, like.end(), 0.0); // nothing matters to what is no case
    }
    bool right(std::int32_t at) const { return unlike[at] > like[at] * (1 + c_.tie); }

    // To the cases from `first` on, the first of a panel.
    double meet(std::int64_t first, std::int64_t n_panels, const Newcomers& fresh) {
        return note_(fresh, {c_.codes + first, like.data() + first, unlike.data() + first, enemy.data() + first, wrong.data() + first / kPanel}, n_panels, c_.tie, c_.points.p > kFewColumns);
    }

    // For CaseBlocks: cases one after the other meet prototypes one by one.
    class Part {
      public:
        Part(Cells& cells, const std::int32_t* cases, int n) : cells_(cells), first_(cases[0]), n_panels_(panels_of(n)) {}
        void meet(std::int32_t prototype, const double* values) {
            const double code = cells_.c_.codes[prototype], position = cells_.order_[prototype];
            cells_.meet(first_, n_panels_, {&code, &position, values, 0, 1});
        }

      private:
        Cells& cells_;
        std::int64_t first_, n_panels_;
    };

    static constexpr double inf = std::numeric_limits<double>::infinity();
    SpareVector<double> like, unlike, enemy;
    std::vector<std::uint8_t> wrong; // as in CaseRivals, of all panels

  private:
    static constexpr int kFewColumns = 4; // in more, of those in reach of a box hardly one is near

    const Condensing& c_;
    const std::vector<std::int32_t>& order_;
    RivalsFunction note_ = rivals_function();
};

} // namespace sepal
