/// @brief Both searches of one leaf of queries in a k-d tree: any metric in float64, and |x - z|^2 with float32 first; for search_tree.cpp.

#include "kd_tree_ask.inc.hpp"
#include "kd_tree_floats.inc.hpp"
