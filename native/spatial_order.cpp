#include "spatial_order.hpp"

#include "row_keys.hpp"
#include "spare_memory.hpp"

namespace sepal {
namespace {

struct Part {
    std::int64_t begin, end;
};

struct Splitter {
    Points points;
    int block;
    SpareVector<std::uint64_t>& keys; // of coordinates in the side that was cut last, and rows

    std::int32_t row(std::int64_t i) const { return row_of_key(keys[i]); }

    int widest_side(const Part& part) const {
        std::vector<double> low(points.p, std::numeric_limits<double>::infinity()), high(points.p, -std::numeric_limits<double>::infinity());
        // A sample of rows is enough to find a wide side: the order decides speed, never the answer.
        const std::int64_t step = std::max<std::int64_t>(1, (part.end - part.begin) / 256);
        for (std::int64_t i = part.begin; i < part.end; i += step)
            for (int f = 0; f < points.p; ++f) {
                low[f] = std::min(low[f], points.row(row(i))[f]);
                high[f] = std::max(high[f], points.row(row(i))[f]);
            }
        int widest = 0;
        for (int f = 1; f < points.p; ++f)
            if (high[f] - low[f] > high[widest] - low[widest]) widest = f;
        return widest;
    }

    bool is_whole(const Part& part) const { return part.end - part.begin <= block; }

    // Where the second half begins.
    std::int64_t halve(const Part& part) {
        const int side = widest_side(part);
        const std::int64_t n_blocks = (part.end - part.begin + block - 1) / block, middle = part.begin + n_blocks / 2 * block;
        for (std::int64_t i = part.begin; i < part.end; ++i) keys[i] = row_key(points.row(row(i))[side], row(i));
        select_key(keys.data() + part.begin, part.end - part.begin, middle - part.begin);
        return middle;
    }

    void split(const Part& part) {
        if (is_whole(part)) return;
        const std::int64_t middle = halve(part);
        split({part.begin, middle});
        split({middle, part.end});
    }
};

} // namespace

std::vector<std::int32_t> spatial_order(Points points, int block, int threads) {
    SpareVector<std::uint64_t> keys(points.n);
    for (std::int64_t i = 0; i < points.n; ++i) keys[i] = static_cast<std::uint64_t>(i);
    Splitter splitter{points, block, keys};
    // Halves of halves of halves, then each of them by one thread.
    std::vector<Part> parts{{0, points.n}};
    for (int level = 0; level < 3; ++level) {
        std::vector<Part> halves(2 * parts.size());
        parallel_for(Loop{.n = static_cast<std::int64_t>(parts.size()), .threads = threads}, [&](std::int64_t i) {
            const std::int64_t middle = splitter.is_whole(parts[i]) ? parts[i].end : splitter.halve(parts[i]);
            halves[2 * i] = {parts[i].begin, middle};
            halves[2 * i + 1] = {middle, parts[i].end};
        });
        parts = std::move(halves);
    }
    parallel_for(Loop{.n = static_cast<std::int64_t>(parts.size()), .threads = threads}, [&](std::int64_t i) { splitter.split(parts[i]); });
    std::vector<std::int32_t> order(points.n);
    for (std::int64_t i = 0; i < points.n; ++i) order[i] = row_of_key(keys[i]);
    return order;
}

} // namespace sepal
