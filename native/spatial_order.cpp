#include "spatial_order.hpp"

#include <numeric>

namespace sepal {
namespace {

struct Splitter {
    Points points;
    int block;
    std::vector<std::int32_t>& order;
    std::vector<double> low, high;

    int widest_side(std::int64_t begin, std::int64_t end) {
        std::fill(low.begin(), low.end(), std::numeric_limits<double>::infinity());
        std::fill(high.begin(), high.end(), -std::numeric_limits<double>::infinity());
        // A sample of rows is enough to find a wide side: the order decides speed, never the answer.
        const std::int64_t step = std::max<std::int64_t>(1, (end - begin) / 256);
        for (std::int64_t i = begin; i < end; i += step)
            for (int f = 0; f < points.p; ++f) {
                low[f] = std::min(low[f], points.row(order[i])[f]);
                high[f] = std::max(high[f], points.row(order[i])[f]);
            }
        int widest = 0;
        for (int f = 1; f < points.p; ++f)
            if (high[f] - low[f] > high[widest] - low[widest]) widest = f;
        return widest;
    }

    void split(std::int64_t begin, std::int64_t end) {
        if (end - begin <= block) return;
        const int side = widest_side(begin, end);
        const std::int64_t n_blocks = (end - begin + block - 1) / block, middle = begin + n_blocks / 2 * block;
        std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                         [&](std::int32_t a, std::int32_t b) { return points.row(a)[side] < points.row(b)[side]; });
        split(begin, middle);
        split(middle, end);
    }
};

} // namespace

std::vector<std::int32_t> spatial_order(Points points, int block) {
    std::vector<std::int32_t> order(points.n);
    std::iota(order.begin(), order.end(), 0);
    Splitter{points, block, order, std::vector<double>(points.p), std::vector<double>(points.p)}.split(0, points.n);
    return order;
}

} // namespace sepal
