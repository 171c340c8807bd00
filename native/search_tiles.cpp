// Euclidean neighbours by brute force: products of bytes or float32 tiles filter, float64 decides.
#include "search_tiles.hpp"

#include "byte_filter.hpp"
#include "tile_filter.hpp"

namespace sepal {

Ranking search_tiles(Points points, Points queries, const Plan& plan) { return search_tiles(points, queries, plan, nullptr); }

Ranking search_tiles(Points points, Points queries, const Plan& plan, TileWork* work) {
    if (ByteFilter::possible(points)) {
        ByteFilter filter(points, queries, plan);
        if (filter.usable()) {
            BlockSearch<ByteFilter> search(filter, points.n, queries.n, plan);
            Ranking found = search.run();
            if (!search.gave_up()) {
                const double n = static_cast<double>(points.n), m = static_cast<double>(queries.n), pairs = plan.self_join ? n * (n - 1) / 2 : n * m;
                const double first = static_cast<double>(filter.looked_at()), finished = static_cast<double>(filter.measured() + search.decided());
                if (work != nullptr) *work = {pairs * points.p, (pairs + first) * points.p, finished * points.p};
                return found;
            }
        }
    }
    {
        TileFilter filter(points, queries, plan);
        BlockSearch<TileFilter> search(filter, points.n, queries.n, plan);
        Ranking found = search.run();
        if (!search.gave_up()) return found;
    }
    const std::vector<double> weights(points.p, 1.0);
    return search_direct(points, queries, {Metric::l2, 2.0, 0, weights.data()}, plan);
}

} // namespace sepal
