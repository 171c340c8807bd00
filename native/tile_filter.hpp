/// @brief Lower bounds in float32 on all squared distances of two blocks of rows, as a filter for block_search.hpp.
#pragma once

#include "block_search.hpp"
#include "filter_parts.hpp"
#include "spatial_order.hpp"
#include "tiles.hpp"

namespace sepal {

inline Frame common_frame(Points points, Points queries, int threads) {
    Frame frame{column_means(points, threads)};
    const auto furthest = [&](const double* row) {
        double most = 0;
        for (int f = 0; f < points.p; ++f) most = std::max(most, std::abs(row[f] - frame.mean[f]));
        return most;
    };
    double most = largest_of(points, threads, furthest);
    if (!same_rows(queries, points)) most = std::max(most, largest_of(queries, threads, furthest));
    if (most > 0) frame.factor = std::exp2(-std::ceil(std::log2(most)));
    return frame;
}

// One side of the product: float32 rows in panels ([panel][feature][row]), half of each shrunken norm, and the box of
// each block.
struct Packed {
    Packed(Points points, const std::vector<std::int32_t>& order, const Frame& frame, double shrink, int panel, int block, int threads)
        : values((points.n + block - 1) / block * block * points.p, 0.0f),
          half((points.n + block - 1) / block * block, std::numeric_limits<float>::infinity()), boxes(points.n, points.p, block), p(points.p) {
        const Loop blocks{.n = (points.n + block - 1) / block, .threads = threads};
        parallel_for(blocks, [this] { return std::vector<float>(p); }, [&](std::vector<float>& row, std::int64_t b) {
            for (std::int64_t i = b * block; i < std::min(points.n, (b + 1) * block); ++i) {
                float* to = values.data() + i / panel * panel * p + i % panel;
                double norm = 0;
                for (int f = 0; f < p; ++f) {
                    const double centred = (points.row(order[i])[f] - frame.mean[f]) * frame.factor;
                    norm += centred * centred;
                    row[f] = to[static_cast<std::int64_t>(f) * panel] = static_cast<float>(centred);
                }
                boxes.add(i, row.data());
                half[i] = static_cast<float>(0.5 * norm * (1 - shrink) - 1e-36);
            }
        });
    }
    const float* panel_at(std::int64_t i) const { return values.data() + i * p; } // i begins a panel
    SpareVector<float> values, half;
    Boxes boxes;
    int p;
};

struct TileFilter {
    using Real = float;
    static constexpr bool is_exact = false;
    static constexpr int panel_cols = kPanelCols;
    static constexpr double widen = 1.000001; // more than the rounding of a bound and the tie tolerance

    TileFilter(Points points_, Points queries_, const Plan& plan)
        : points(points_), queries(queries_), p(points.p), block(rows_per_block(p)),
          // Rounding of the norms, the conversion, p products and p sums, each within 2^-24 of a_i + a_j.
          shrink((3.0 * p + 16) * 0x1p-24), frame(common_frame(points, queries, plan.threads)),
          right_order(spatial_order(points, block, plan.threads)),
          left_order(same_rows(queries, points) ? right_order : spatial_order(queries, block, plan.threads)),
          left(queries, left_order, frame, shrink, kPanelRows, block, plan.threads),
          right(points, right_order, frame, shrink, kPanelCols, block, plan.threads), function(panel_function()) {}

    // A multiple of 48 = lcm(6, 16), so that both packings share block boundaries; under 100 kB of float32.
    static int rows_per_block(int p) { return std::clamp(96 * 1024 / (4 * 48 * std::max(p, 1)), 1, 5) * 48; }

    int panel(std::int64_t i0, const float* row_limit, std::int64_t j, const float* col_limit, Hit<float>* hits) {
        return function(left.panel_at(i0), left.half.data() + i0, row_limit, block / kPanelRows, right.panel_at(j),
                        right.half.data() + j, col_limit, p, hits);
    }
    static float limit(float bound, std::int64_t) { return -0.5f * bound; }
    // What a hit says, as h of a lower bound.
    static float closer(std::int64_t, std::int64_t, float h) { return h; }
    static float lower(float h) { return -2 * h; }
    float upper(float h, std::int64_t i, std::int64_t j) const {
        return -2 * h + static_cast<float>(4.1 * shrink) * (left.half[i] + right.half[j]) + 1e-35f;
    }
    float zero(double value) const { return static_cast<float>(value * frame.factor * frame.factor * 1.001 + 1e-35); }
    float at_most(double value) const { return std::max(static_cast<float>(value * frame.factor * frame.factor * widen), zero(value)); }
    std::int32_t query_row(std::int64_t i) const { return left_order[i]; }
    std::int32_t point_row(std::int32_t j) const { return right_order[j]; }
    bool apart(std::int64_t i, std::int64_t j, float bound) const { return gap(left.boxes, i, right.boxes, j) > bound; }
    void exact(std::int64_t i, Candidates<float>::Items candidates, std::vector<Neighbor>& found) const {
        measure(queries.row(query_row(i)), points, right_order, candidates, found);
    }
    const std::vector<std::int32_t>& right_rows() const { return right_order; }
    const std::vector<std::int32_t>& left_rows() const { return left_order; }

    Points points, queries;
    int p, block;
    double shrink;
    Frame frame;
    std::vector<std::int32_t> right_order, left_order;
    Packed left, right;
    PanelFunction function;
};

} // namespace sepal
