/// @brief A search by tiles that counts its work: multiply-adds of bytes, and those in float32 and float64 of the pairs that are left.
#pragma once

#include "ranking.hpp"

namespace sepal {

// Multiply-adds: of every pair in all columns, and those that were done.
struct TileWork {
    double all = 0;      // 0 where float32 tiles were taken, which do all of them
    double bytes = 0;    // of 8-bit integers
    double finished = 0; // in float32 and float64, of pairs that bytes could not rule out
};

Ranking search_tiles(Points points, Points queries, const Plan& plan, TileWork* work);

} // namespace sepal
