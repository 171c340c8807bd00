#include "class_panels.hpp"

#include <cmath>

#include "metrics.hpp"

#define SEPAL_HOT_FILE "class_panels.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

ClassPanel near_panel(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ClassPanel { return SEPAL_BEST(class_panel<M, false>); });
}

ClassPanel counting_panel(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ClassPanel { return SEPAL_BEST(class_panel<M, true>); });
}

} // namespace sepal
