/// @brief Lower bounds from 8-bit integers on all squared distances of two blocks of rows, as a filter for block_search.hpp.
//
// With q = round(c y), cut off at 127, and e = |c y - q|, the triangle inequality gives |q_i - q_j| <= c |y_i - y_j| + e_i + e_j.
// The left side is exact: |q_i|^2 + |q_j|^2 - 2 q_i.q_j in integers. A pair within reach R_i of row i therefore has, with
// a_i = c R_i + e_i, |q_i - q_j|^2 <= (a_i + e_j)^2 <= a_i^2 (1 + t) + e_j^2 (1 + 1/t) for every t > 0: a sum of one number of
// each row, with which products of bytes can be compared. Pairs that pass are measured in float32, the nearest in float64.
//
// Products with some of the points tell at once who may be near. Measured, the k nearest of these are a first bound, with which
// most of what would be near for want of better is never looked at. Any k points would be right; these are good ones.
#pragma once

#include <optional>

#include "block_search.hpp"
#include "byte_tiles.hpp"
#include "filter_parts.hpp"
#include "narrow_rows.hpp"

namespace sepal {

// Rows in an order of their own: in float32, the box of each block, and how much each is off as bytes.
struct ByteRows {
    ByteRows(Points points, const Frame& frame, int block, int threads);
    void round(float scale, int threads); // fills in the rest

    std::vector<std::int32_t> order;
    NarrowRows narrow;
    Boxes boxes;
    SpareVector<std::int8_t> bytes; // q, row after row, filled up to whole quads
    SpareVector<RoundedRow> rounded;
    std::vector<float> off; // e
};

// One side of the products.
struct BytePanels {
    // `shifted`: each byte is q + 128, the form that the instruction wants of one side.
    BytePanels(const ByteRows& rows, double off_share, int panel, bool shifted, int threads);

    SpareVector<std::uint8_t> values;
    std::vector<std::int32_t> add; // -|q|^2 / 2 + e^2 (1 + 1/t) / 2, and what the shift of the other side needs
};

class ByteFilter {
  public:
    using Real = float;
    static constexpr bool is_exact = false;
    static constexpr int panel_cols = kPanelCols;
    static constexpr double widen = 1.000001; // more than the rounding of a bound and the tie tolerance

    // Whether there is an instruction for it, and enough columns to gain by it, but no sums beyond 31 bits.
    static bool possible(Points points) { return byte_panel_function() != nullptr && points.p >= 12 && points.p <= 4000; }

    ByteFilter(Points points, Points queries, const Plan& plan);

    // Whether bytes tell near rows from far ones; if not, nothing else may be asked.
    bool usable() const { return left_panels_.has_value(); }

    int panel(std::int64_t i0, const float* row_limit, std::int64_t j, const float* col_limit, Hit<float>* hits) {
        const auto bytes = static_cast<std::int64_t>(quads_) * kQuad;
        return function_(reinterpret_cast<const std::int8_t*>(left_panels_->values.data()) + i0 * bytes, left_panels_->add.data() + i0, row_limit,
                         block / kPanelRows, right_panels_->values.data() + j * bytes, right_panels_->add.data() + j, col_limit, quads_, hits);
    }
    // In units of the bytes.
    float limit(float bound, std::int64_t i) const;
    // For 6 queries from i0 on `count` pairs each with different points that look near, as refined; false if there are too few.
    bool first_look(std::int64_t i0, int count, std::vector<Hit<float>>& near);
    // In float32, as h of a lower bound.
    float closer(std::int64_t i, std::int64_t j, float) const { return -0.5f * lower(-0.5f * squared(i, j)); }
    int refine(std::int64_t i0, std::int64_t j0, const float* row_bound, const float* col_bound, Hit<float>* hits, int n) {
        measure_(left().narrow.row(i0), right_.narrow.row(j0), right_.narrow.width, hits, n);
        int kept = 0;
        for (int t = 0; t < n; ++t) {
            hits[kept] = hits[t];
            kept += lower(hits[t].h) <= std::max(row_bound[hits[t].i], col_bound[hits[t].j]);
        }
        measured_.fetch_add(n, std::memory_order_relaxed);
        return kept;
    }
    // Of pairs that were refined.
    float lower(float h) const { return static_cast<float>(-2.0 * h * (1 - sure_.share - 0x1p-22) - sure_.slack); }
    float upper(float h, std::int64_t, std::int64_t) const { return static_cast<float>(-2.0 * h * (1 + sure_.share + 0x1p-22) + sure_.slack + 1e-35); }
    float zero(double value) const { return static_cast<float>(value * frame.factor * frame.factor * 1.001 + 1e-35); }
    float at_most(double value) const { return std::max(static_cast<float>(value * frame.factor * frame.factor * widen), zero(value)); }
    std::int32_t query_row(std::int64_t i) const { return left().order[i]; }
    std::int32_t point_row(std::int32_t j) const { return right_.order[j]; }
    bool apart(std::int64_t i, std::int64_t j, float bound) const { return gap(left().boxes, i, right_.boxes, j) > bound; }
    void exact(std::int64_t i, Candidates<float>::Items candidates, std::vector<Neighbor>& found) const {
        measure(queries.row(query_row(i)), points, right_.order, candidates, found);
    }
    // Too many pairs come through: measuring one costs many times its share of a tile.
    bool gave_up() const { return static_cast<double>(measured_.load(std::memory_order_relaxed)) > most_; }

    std::int64_t measured() const { return measured_.load(); }
    // Products at the first look, beyond those of all pairs.
    std::int64_t looked_at() const { return looked_at_.load(); }
    const std::vector<std::int32_t>& right_rows() const { return right_.order; }
    const std::vector<std::int32_t>& left_rows() const { return left().order; }

    Points points, queries;
    int block;
    Frame frame;

  private:
    const ByteRows& left() const { return other_ ? *other_ : right_; }
    float squared(std::int64_t i, std::int64_t j) const { return sum_(left().narrow.row(i), right_.narrow.row(j), right_.narrow.width); }
    double typical_reach(int k) const;
    struct Look { // at `n` panels of points, each `step` after the one before
        std::int64_t first, n, step;
    };
    std::vector<Look> looks(std::int64_t i0, int count) const;

    int quads_;
    ByteRows right_;
    std::optional<ByteRows> other_;
    static constexpr double kLoosest = 0.15; // of the reach: what two rows may be off
    float scale_ = 0;
    double reach_share_ = 1, off_share_ = 1; // 1 + t, 1 + 1/t
    double slack_; // more than the rounding of sums to whole numbers and to float32
    double most_;
    std::optional<BytePanels> left_panels_, right_panels_;
    Sureness sure_;
    FloatSum sum_;
    BytePanelFunction function_;
    ByteBestFunction best_;
    ByteMeasureFunction measure_;
    BytePickFunction pick_;
    std::atomic<std::int64_t> measured_{0}, looked_at_{0};
};

} // namespace sepal
