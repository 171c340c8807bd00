#include "byte_filter.hpp"

#include <cstring>

#include "spatial_order.hpp"

#define SEPAL_HOT_FILE "lane_sums.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr std::int32_t kNever = -(1 << 29); // in the padding
constexpr std::int64_t kLookShare = 16, kMostLooked = 4096; // of the points, for a first bound
constexpr std::int64_t kBeside = 32;                        // panels beside the queries, for the same
constexpr double kMost = 1 << 29, kMostLimit = 1 << 28; // sums of products are below 2^27: such a row passes always

std::int64_t quads_of(int p) { return (p + kQuad - 1) / kQuad; }

int rows_per_block(int p) { return std::clamp(96 * 1024 / (48 * std::max(p, 1)), 1, 5) * 48; }

// The frame of rows whose longest is below 1/2; a factor of 0 if there is none.
Frame narrow_frame(Points points, Points queries, int threads) {
    Frame frame{column_means(points, threads), 0};
    const auto square = [&](const double* row) {
        double sum = 0;
        for (int f = 0; f < points.p; ++f) sum += (row[f] - frame.mean[f]) * (row[f] - frame.mean[f]);
        return sum;
    };
    double most = largest_of(points, threads, square);
    if (!same_rows(queries, points)) most = std::max(most, largest_of(queries, threads, square));
    if (most > 1e-290 && most < 1e290) frame.factor = narrow_scale(std::sqrt(most));
    return frame;
}

// Bytes for a unit: that for which sampled rows are off least, so that a few far coordinates are cut off. Cubes are summed,
// since a row that is off by much meets nearly everybody.
float byte_scale(const NarrowRows& rows) {
    const std::int64_t step = std::max<std::int64_t>(1, rows.n / std::max(256, 32768 / rows.p));
    float most = 0;
    for (std::int64_t i = 0; i < rows.n; i += step)
        for (int f = 0; f < rows.p; ++f) most = std::max(most, std::abs(rows.row(i)[f]));
    if (!(most > 0)) return 0;
    const ByteRoundFunction round = byte_round_function();
    const auto off_at = [&](float scale) {
        double off = 0;
        for (std::int64_t i = 0; i < rows.n; i += step) {
            const double square = round(rows.row(i), rows.p, scale, nullptr).off;
            off += square * std::sqrt(square);
        }
        return std::cbrt(off) / scale;
    };
    float best = 127 / most;
    double least = off_at(best);
    const auto is_better = [&](float scale) {
        const double off = off_at(scale);
        if (!(off < least)) return false;
        least = off;
        best = scale;
        return true;
    };
    for (int halves = 1; halves < 8 && is_better(127 / most * std::exp2(0.5f * static_cast<float>(halves)));) ++halves;
    for (const float finer : {0.25f, 0.125f})
        if (!is_better(best * std::exp2(-finer))) is_better(best * std::exp2(finer));
    return best;
}

} // namespace

ByteRows::ByteRows(Points points, const Frame& frame, int block, int threads)
    : order(spatial_order(points, block, threads)), narrow(points, order.data(), frame.mean, frame.factor, threads), boxes(points.n, points.p, block) {
    parallel_for(Loop{.n = (points.n + block - 1) / block, .threads = threads}, [&](std::int64_t b) {
        for (std::int64_t i = b * block; i < std::min(points.n, (b + 1) * block); ++i) boxes.add(i, narrow.row(i));
    });
}

void ByteRows::round(float scale, int threads) {
    // Float32 rows are off by 2^-24 of their length, which is below 1.
    const double more = scale * 0x1p-24;
    const ByteRoundFunction function = byte_round_function();
    const std::int64_t width = quads_of(narrow.p) * kQuad;
    bytes.assign(narrow.n * width, 0);
    rounded.resize(narrow.n);
    off.resize(narrow.n);
    parallel_for(Loop{.n = narrow.n, .threads = threads, .grain = 256}, [&](std::int64_t i) {
        rounded[i] = function(narrow.row(i), narrow.p, scale, bytes.data() + i * width);
        off[i] = static_cast<float>(std::sqrt(static_cast<double>(rounded[i].off)) * 1.0001 + more + 1e-6);
    });
}

BytePanels::BytePanels(const ByteRows& rows, double off_share, int panel, bool shifted, int threads)
    : values((rows.narrow.n + rows.boxes.block - 1) / rows.boxes.block * rows.boxes.block * quads_of(rows.narrow.p) * kQuad, 0),
      add((rows.narrow.n + rows.boxes.block - 1) / rows.boxes.block * rows.boxes.block, kNever) {
    const std::int64_t quads = quads_of(rows.narrow.p);
    parallel_for(Loop{.n = rows.narrow.n, .threads = threads, .grain = 256}, [&](std::int64_t i) {
        const std::int8_t* from = rows.bytes.data() + i * quads * kQuad;
        std::uint8_t* to = values.data() + i / panel * panel * quads * kQuad + i % panel * kQuad;
        for (std::int64_t q = 0; q < quads; ++q) {
            std::uint32_t four;
            std::memcpy(&four, from + q * kQuad, kQuad);
            if (shifted) four ^= 0x80808080u; // q + 128
            std::memcpy(to + q * panel * kQuad, &four, kQuad);
        }
        const double loose = std::min(0.5 * off_share * rows.off[i] * rows.off[i] + 1, kMost);
        add[i] = static_cast<std::int32_t>(-(rows.rounded[i].square / 2) - (shifted ? 0 : 128 * rows.rounded[i].sum) + static_cast<std::int64_t>(loose));
    });
}

ByteFilter::ByteFilter(Points points_, Points queries_, const Plan& plan)
    : points(points_), queries(queries_), block(rows_per_block(points.p)), frame(narrow_frame(points, queries, plan.threads)),
      quads_((points.p + kQuad - 1) / kQuad), right_(points, frame, block, plan.threads), slack_(3 + 0.01 * points.p),
      most_((0.015 * static_cast<double>(points.n) + 200 + 20.0 * std::min(plan.k, 1000)) * static_cast<double>(queries.n)), sure_(points.p),
      sum_(SEPAL_BEST(float_lane_sum)), function_(byte_panel_function()), best_(byte_best_function()), measure_(byte_measure_function()), pick_(byte_pick_function()) {
    if (!same_rows(queries, points)) other_.emplace(queries, frame, block, plan.threads);
    scale_ = frame.factor > 0 ? byte_scale(right_.narrow) : 0.0f;
    if (!(scale_ > 0) || !std::isfinite(scale_)) return;
    right_.round(scale_, plan.threads);
    if (other_) other_->round(scale_, plan.threads);
    std::vector<float> off = left().off;
    std::nth_element(off.begin(), off.begin() + off.size() / 2, off.end());
    const double typical = off[off.size() / 2], reach = scale_ * typical_reach(plan.k);
    if (!(2 * typical < kLoosest * reach)) return;
    const double t = std::clamp(typical / (reach + typical), 0.002, 1.0);
    reach_share_ = (1 + t) * (1 + 1e-5);
    off_share_ = (1 + 1 / t) * (1 + 1e-5);
    left_panels_.emplace(left(), off_share_, kPanelRows, false, plan.threads);
    right_panels_.emplace(right_, off_share_, kPanelCols, true, plan.threads);
}

float ByteFilter::limit(float bound, std::int64_t i) const {
    const double e = left().off[i], a = std::sqrt(static_cast<double>(bound)) * scale_ + e;
    const double value = 0.5 * (e * e * off_share_ - a * a * reach_share_);
    return static_cast<float>(std::min(value - slack_ - std::abs(value) * 0x1p-21, kMostLimit));
}

// Panels of points that are looked at together: every so-many-th of all, and those beside the queries, which are near in space.
std::vector<ByteFilter::Look> ByteFilter::looks(std::int64_t i0, int count) const {
    // Whole panels only, so that every column is a point.
    const std::int64_t panels = right_.narrow.n / kPanelCols;
    // Twice as many buckets as are wanted, and in each of them a few columns: else nothing is gained.
    const std::int64_t groups = (2 * static_cast<std::int64_t>(count) + kBuckets - 1) / kBuckets;
    const std::int64_t each = std::min(panels / kLookShare, kMostLooked / kPanelCols) / groups / 2 * 2;
    std::vector<Look> all;
    if (const std::int64_t beside = std::min(kBeside, panels) / 2 * 2; !other_ && beside >= 8)
        all.push_back({std::clamp<std::int64_t>(i0 / kPanelCols - beside / 2, 0, panels - beside), beside, 1});
    if (each >= 8)
        for (std::int64_t g = 0, step = panels / (each * groups); g < groups; ++g) all.push_back({g * each * step, each, step});
    return all;
}

bool ByteFilter::first_look(std::int64_t i0, int count, std::vector<Hit<float>>& near) {
    const std::vector<Look> all = looks(i0, count);
    const std::int64_t bytes = static_cast<std::int64_t>(quads_) * kQuad, some = kPanelRows * kBuckets;
    const auto n = static_cast<std::int64_t>(all.size()) * kBuckets;
    std::vector<std::int32_t> best(kPanelRows * n), panel(kPanelRows * n), values(n), names(n), picked(count);
    const auto rows = static_cast<int>(std::min<std::int64_t>(kPanelRows, left().narrow.n - i0));
    for (std::size_t g = 0; g < all.size(); ++g) {
        const std::int64_t j = all[g].first * kPanelCols;
        best_(reinterpret_cast<const std::int8_t*>(left_panels_->values.data()) + i0 * bytes, right_panels_->values.data() + j * bytes,
              right_panels_->add.data() + j, all[g].n, all[g].step, quads_, best.data() + g * some, panel.data() + g * some);
        looked_at_.fetch_add(rows * all[g].n * kPanelCols, std::memory_order_relaxed);
    }
    near.clear();
    for (int r = 0; r < rows; ++r) {
        int different = 0;
        for (std::size_t g = 0; g < all.size(); ++g) {
            const Look look = all[g], beside = all[0];
            const std::int64_t from = (static_cast<std::int64_t>(g) * kPanelRows + r) * kBuckets;
            for (int b = 0; b < kBuckets; ++b) {
                const auto at = static_cast<std::int32_t>(look.first + panel[from + b] * look.step);
                const bool again = g > 0 && beside.step == 1 && at >= beside.first && at < beside.first + beside.n; // nobody counts twice
                values[g * kBuckets + b] = again ? std::numeric_limits<std::int32_t>::min() : best[from + b];
                names[g * kBuckets + b] = at * kPanelCols + b % kPanelCols;
                different += !again;
            }
        }
        if (different < count) return false;
        pick_(values.data(), names.data(), static_cast<int>(n), count, picked.data());
        for (const std::int32_t j : picked) near.push_back({r, j, 0.0f});
    }
    measure_(left().narrow.row(i0), right_.narrow.row(0), right_.narrow.width, near.data(), static_cast<int>(near.size()));
    measured_.fetch_add(static_cast<std::int64_t>(near.size()), std::memory_order_relaxed);
    return true;
}

// The k-th nearest in the block of a row, for a few rows: their median.
double ByteFilter::typical_reach(int k) const {
    std::vector<float> reach, squares;
    const std::int64_t n = right_.narrow.n, blocks = (n + block - 1) / block, step = std::max<std::int64_t>(1, blocks / 16);
    for (std::int64_t b = 0; b < blocks; b += step) {
        const std::int64_t begin = b * block, end = std::min(n, begin + block), own = (begin + end) / 2;
        squares.clear();
        for (std::int64_t j = begin; j < end; ++j)
            if (j != own) squares.push_back(sum_(right_.narrow.row(own), right_.narrow.row(j), right_.narrow.width));
        if (squares.empty()) continue;
        const auto rank = squares.begin() + std::min<std::int64_t>(k, static_cast<std::int64_t>(squares.size())) - 1;
        std::nth_element(squares.begin(), rank, squares.end());
        reach.push_back(std::sqrt(*rank));
    }
    if (reach.empty()) return 0;
    std::nth_element(reach.begin(), reach.begin() + reach.size() / 2, reach.end());
    return reach[reach.size() / 2];
}

} // namespace sepal
