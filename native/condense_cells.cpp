#include "condense_cells.hpp"

#define SEPAL_HOT_WIDE
#define SEPAL_HOT_FILE "condense_cells.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

RivalsFunction rivals_function() { return SEPAL_BEST_WIDE(note_rivals); }

} // namespace sepal
