// Euclidean neighbours by brute force: float32 tiles filter, float64 decides.
#include "tile_filter.hpp"

namespace sepal {

Ranking search_tiles(Points points, Points queries, const Plan& plan) {
    {
        TileFilter filter(points, queries);
        BlockSearch<TileFilter> search(filter, points.n, queries.n, plan);
        Ranking found = search.run();
        if (!search.gave_up()) return found;
    }
    const std::vector<double> weights(points.p, 1.0);
    return search_direct(points, queries, {Metric::l2, 2.0, 0, weights.data()}, plan);
}

} // namespace sepal
