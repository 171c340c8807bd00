#include "condense_nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#define SEPAL_HOT_WIDE
#define SEPAL_HOT_FILE "condense_nodes.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

NearChildren near_children_function(Metric metric, int p) {
    if (metric == Metric::l2) {
        if (p == 2) return SEPAL_BEST_WIDE(near_children<Metric::l2, 2>);
        if (p == 3) return SEPAL_BEST_WIDE(near_children<Metric::l2, 3>);
        if (p == 4) return SEPAL_BEST_WIDE(near_children<Metric::l2, 4>);
        if (p == 8) return SEPAL_BEST_WIDE(near_children<Metric::l2, 8>);
        return SEPAL_BEST_WIDE(near_children<Metric::l2>);
    }
    if (metric == Metric::l1) return SEPAL_BEST_WIDE(near_children<Metric::l1>);
    return SEPAL_BEST_WIDE(near_children<Metric::linf>);
}

} // namespace sepal
