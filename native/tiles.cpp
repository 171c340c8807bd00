#include "tiles.hpp"

#include <bit>

#define SEPAL_HOT_FILE "tiles.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

PanelFunction panel_function() { return SEPAL_BEST(panel); }

} // namespace sepal
