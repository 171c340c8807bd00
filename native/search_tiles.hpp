/// @brief What a search by tiles has done: pairs that went through products of bytes, and those of them that were measured again.
#pragma once

#include "ranking.hpp"

namespace sepal {

struct TileWork {
    double pairs = 0;    // by bytes; 0 where float32 tiles were taken
    double measured = 0; // in float32, since their bytes could not rule them out
};

Ranking search_tiles(Points points, Points queries, const Plan& plan, TileWork* work);

} // namespace sepal
