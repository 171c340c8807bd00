/// @brief Lower bounds in float32 on all squared distances of two blocks of rows, as a filter for block_search.hpp.
#pragma once

#include <cmath>

#include "block_search.hpp"
#include "spatial_order.hpp"
#include "tiles.hpp"

namespace sepal {

// Column means and a power of two that brings all centred coordinates below 1: less cancellation, no overflow.
struct Frame {
    std::vector<double> mean;
    double factor = 1;
};

inline Frame common_frame(Points points, Points queries) {
    Frame frame;
    frame.mean.assign(points.p, 0.0);
    for (std::int64_t i = 0; i < points.n; ++i)
        for (int f = 0; f < points.p; ++f) frame.mean[f] += points.row(i)[f];
    for (double& m : frame.mean) m /= static_cast<double>(points.n);
    double most = 0;
    for (Points set : {points, queries})
        for (std::int64_t i = 0; i < set.n; ++i)
            for (int f = 0; f < set.p; ++f) most = std::max(most, std::abs(set.row(i)[f] - frame.mean[f]));
    if (most > 0) frame.factor = std::exp2(-std::ceil(std::log2(most)));
    return frame;
}

// One side of the product: float32 rows in panels ([panel][feature][row]), half of each shrunken norm, and the box of
// each block.
struct Packed {
    Packed(Points points, const std::vector<std::int32_t>& order, const Frame& frame, double shrink, int panel, int block)
        : values((points.n + block - 1) / block * block * points.p, 0.0f),
          half((points.n + block - 1) / block * block, std::numeric_limits<float>::infinity()),
          low((points.n + block - 1) / block * points.p, std::numeric_limits<float>::infinity()), high(low.size(), -low[0]),
          p(points.p) {
        for (std::int64_t i = 0; i < points.n; ++i) {
            float* to = values.data() + i / panel * panel * p + i % panel;
            float *lo = low.data() + i / block * p, *hi = high.data() + i / block * p;
            double norm = 0;
            for (int f = 0; f < p; ++f) {
                const double centred = (points.row(order[i])[f] - frame.mean[f]) * frame.factor;
                lo[f] = std::min(lo[f], static_cast<float>(centred));
                hi[f] = std::max(hi[f], static_cast<float>(centred));
                norm += centred * centred;
                to[static_cast<std::int64_t>(f) * panel] = static_cast<float>(centred);
            }
            half[i] = static_cast<float>(0.5 * norm * (1 - shrink) - 1e-36);
        }
    }
    const float* panel_at(std::int64_t i) const { return values.data() + i * p; } // i begins a panel
    std::vector<float> values, half, low, high;
    int p;
};

// A lower bound on the squared distance between any row of one block and any row of the other.
inline float gap(const Packed& a, std::int64_t i, const Packed& b, std::int64_t j) {
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

struct TileFilter {
    using Real = float;
    static constexpr bool is_exact = false;
    static constexpr int panel_cols = kPanelCols;
    static constexpr double widen = 1.000001; // more than the rounding of a bound and the tie tolerance

    TileFilter(Points points_, Points queries_)
        : points(points_), queries(queries_), p(points.p), block(rows_per_block(p)),
          // Rounding of the norms, the conversion, p products and p sums, each within 2^-24 of a_i + a_j.
          shrink((3.0 * p + 16) * 0x1p-24), frame(common_frame(points, queries)),
          right_order(spatial_order(points, block)),
          left_order(queries.x == points.x ? right_order : spatial_order(queries, block)),
          left(queries, left_order, frame, shrink, kPanelRows, block),
          right(points, right_order, frame, shrink, kPanelCols, block), function(panel_function()) {}

    // A multiple of 48 = lcm(6, 16), so that both packings share block boundaries; under 100 kB of float32.
    static int rows_per_block(int p) { return std::clamp(96 * 1024 / (4 * 48 * std::max(p, 1)), 1, 5) * 48; }

    int panel(std::int64_t i0, const float* row_limit, std::int64_t j, const float* col_limit, Hit<float>* hits) {
        return function(left.panel_at(i0), left.half.data() + i0, row_limit, block / kPanelRows, right.panel_at(j),
                        right.half.data() + j, col_limit, p, hits);
    }
    static float limit(float bound) { return -0.5f * bound; }
    static float lower(float h) { return -2 * h; }
    float upper(float h, std::int64_t i, std::int64_t j) const {
        return -2 * h + static_cast<float>(4.1 * shrink) * (left.half[i] + right.half[j]) + 1e-35f;
    }
    float zero(double value) const { return static_cast<float>(value * frame.factor * frame.factor * 1.001 + 1e-35); }
    float at_most(double value) const { return std::max(static_cast<float>(value * frame.factor * frame.factor * widen), zero(value)); }
    std::int32_t query_row(std::int64_t i) const { return left_order[i]; }
    std::int32_t point_row(std::int32_t j) const { return right_order[j]; }
    bool apart(std::int64_t i, std::int64_t j, float limit) const { return gap(left, i, right, j) > -2 * limit; }
    void exact(std::int64_t i, const std::vector<Candidates<float>::Item>& candidates, std::vector<Neighbor>& found) const {
        measure(queries.row(query_row(i)), points, candidates, found);
    }
    void measure(const double* query, Points among, const std::vector<Candidates<float>::Item>& candidates, std::vector<Neighbor>& found) const {
        constexpr int kSome = 64;
        const double* rows[kSome];
        double values[kSome];
        for (std::size_t at = 0; at < candidates.size(); at += kSome) {
            const int n = static_cast<int>(std::min<std::size_t>(kSome, candidates.size() - at));
            for (int t = 0; t < n; ++t) rows[t] = among.row(point_row(candidates[at + t].row));
            squared_distances(query, rows, n, among.p, values);
            for (int t = 0; t < n; ++t) found.push_back({values[t], point_row(candidates[at + t].row)});
        }
    }

    Points points, queries;
    int p, block;
    double shrink;
    Frame frame;
    std::vector<std::int32_t> right_order, left_order;
    Packed left, right;
    PanelFunction function;
};

} // namespace sepal
