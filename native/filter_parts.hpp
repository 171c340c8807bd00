/// @brief What the filters of block_search.hpp share: column means, the box of each block of rows, and |x_i - x_j|^2 in float64 at the end.
#pragma once

#include <cmath>

#include "candidates.hpp"
#include "threads.hpp"

namespace sepal {

// Whether both sides of a search are the very same rows. Where they lie does not tell: the first of some rows begin there, too.
inline bool same_rows(Points a, Points b) { return a.x == b.x && a.n == b.n; }

// Column means and a power of two by which centred coordinates become small: less cancellation, no overflow.
struct Frame {
    std::vector<double> mean;
    double factor = 1;
};

// Sums of parts, which are the same for any number of threads.
inline std::vector<double> column_means(Points points, int threads) {
    const std::int64_t parts = std::min<std::int64_t>(points.n, 16);
    std::vector<double> sums(parts * points.p, 0.0), mean(points.p, 0.0);
    parallel_for(Loop{.n = parts, .threads = threads}, [&](std::int64_t part) {
        double* sum = sums.data() + part * points.p;
        for (std::int64_t i = part * points.n / parts; i < (part + 1) * points.n / parts; ++i)
            for (int f = 0; f < points.p; ++f) sum[f] += points.row(i)[f];
    });
    for (std::int64_t part = 0; part < parts; ++part)
        for (int f = 0; f < points.p; ++f) mean[f] += sums[part * points.p + f];
    for (double& m : mean) m /= static_cast<double>(points.n);
    return mean;
}

// The largest of f(row) over the rows, by several threads.
template <class F> double largest_of(Points points, int threads, F f) {
    const std::int64_t parts = std::min<std::int64_t>(points.n, 16);
    std::vector<double> most(parts, 0.0);
    parallel_for(Loop{.n = parts, .threads = threads}, [&](std::int64_t part) {
        for (std::int64_t i = part * points.n / parts; i < (part + 1) * points.n / parts; ++i) most[part] = std::max(most[part], f(points.row(i)));
    });
    return most.empty() ? 0.0 : *std::max_element(most.begin(), most.end());
}

// The box of each block of rows, in float32 coordinates below 1.
struct Boxes {
    Boxes(std::int64_t n, int p_, int block_)
        : low((n + block_ - 1) / block_ * p_, std::numeric_limits<float>::infinity()), high(low.size(), -std::numeric_limits<float>::infinity()), p(p_),
          block(block_) {}
    void add(std::int64_t i, const float* row) {
        float *lo = low.data() + i / block * p, *hi = high.data() + i / block * p;
        for (int f = 0; f < p; ++f) {
            lo[f] = std::min(lo[f], row[f]);
            hi[f] = std::max(hi[f], row[f]);
        }
    }
    std::vector<float> low, high;
    int p, block;
};

// A lower bound on the squared distance between any row of one block and any row of the other.
inline float gap(const Boxes& a, std::int64_t i, const Boxes& b, std::int64_t j) {
    const float *lo1 = a.low.data() + i * a.p, *hi1 = a.high.data() + i * a.p;
    const float *lo2 = b.low.data() + j * b.p, *hi2 = b.high.data() + j * b.p;
    float total = 0;
    for (int f = 0; f < a.p; ++f) {
        // A coordinate in float32 is off by at most 2^-24 (all are below 1).
        const float side = std::max(0.0f, std::max(lo1[f] - hi2[f], lo2[f] - hi1[f]) - 0x1p-22f);
        total += side * side;
    }
    return total * (1 - static_cast<float>(a.p + 4) * 0x1p-23f);
}

// The values of candidates, which are positions in `order`, in float64.
inline void measure(const double* query, Points among, const std::vector<std::int32_t>& order, Candidates<float>::Items candidates,
                    std::vector<Neighbor>& found) {
    constexpr int kSome = 64;
    const double* rows[kSome];
    double values[kSome];
    for (std::size_t at = 0; at < candidates.size(); at += kSome) {
        const int n = static_cast<int>(std::min<std::size_t>(kSome, candidates.size() - at));
        for (int t = 0; t < n; ++t) rows[t] = among.row(order[candidates[at + t].row]);
        squared_distances(query, rows, n, among.p, values);
        for (int t = 0; t < n; ++t) found.push_back({values[t], order[candidates[at + t].row]});
    }
}

} // namespace sepal
