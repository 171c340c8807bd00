#include "pair_values.hpp"

#include <cmath>

#include "metrics.hpp"

#define SEPAL_HOT_WIDE
#define SEPAL_HOT_FILE "pair_values.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

WithinFunction within_function() { return SEPAL_BEST_WIDE(all_within); }

ValuesFunction values_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ValuesFunction { return SEPAL_BEST_WIDE(values<M>); });
}

} // namespace sepal
