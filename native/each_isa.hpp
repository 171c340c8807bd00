/// @brief Includes the file named by SEPAL_HOT_FILE once per instruction set; see isa.hpp.
#include "isa.hpp"

#define SEPAL_ISA baseline
#define SEPAL_ATTR
#define SEPAL_LANE_BYTES 16
#include "lanes.inc.hpp"
#include SEPAL_HOT_FILE
#undef SEPAL_ISA
#undef SEPAL_ATTR
#undef SEPAL_LANE_BYTES

#ifdef SEPAL_HAS_V3
#define SEPAL_ISA v3
#define SEPAL_ATTR __attribute__((target("arch=x86-64-v3")))
#define SEPAL_LANE_BYTES 32
#include "lanes.inc.hpp"
#include SEPAL_HOT_FILE
#undef SEPAL_ISA
#undef SEPAL_ATTR
#undef SEPAL_LANE_BYTES
#ifdef SEPAL_HOT_WIDE
#define SEPAL_ISA v4
#define SEPAL_ATTR __attribute__((target("arch=x86-64-v4")))
#define SEPAL_LANE_BYTES 64
#include "lanes.inc.hpp"
#include SEPAL_HOT_FILE
#undef SEPAL_ISA
#undef SEPAL_ATTR
#undef SEPAL_LANE_BYTES
#endif
#endif

#undef SEPAL_HOT_WIDE
#undef SEPAL_HOT_FILE
