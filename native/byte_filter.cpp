#include "byte_filter.hpp"

#include "spatial_order.hpp"

#define SEPAL_HOT_FILE "lane_sums.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr std::int32_t kNever = -(1 << 29); // in the padding
constexpr double kMost = 1 << 29, kMostLimit = 1 << 28; // sums of products are below 2^27: such a row passes always

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

int byte_of(float x) { return static_cast<int>(std::clamp(x, -127.0f, 127.0f) + (x < 0 ? -0.5f : 0.5f)); }

double off_square(const float* row, int p, float scale) {
    double sum = 0;
    for (int f = 0; f < p; ++f) {
        const float x = row[f] * scale, off = x - static_cast<float>(byte_of(x));
        sum += static_cast<double>(off * off);
    }
    return sum;
}

// Bytes for a unit: that for which sampled rows are off least, so that a few far coordinates are cut off.
float byte_scale(const NarrowRows& rows) {
    const std::int64_t step = std::max<std::int64_t>(1, rows.n / 256);
    float most = 0;
    for (std::int64_t i = 0; i < rows.n; i += step)
        for (int f = 0; f < rows.p; ++f) most = std::max(most, std::abs(rows.row(i)[f]));
    if (!(most > 0)) return 0;
    float best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int halves = 0; halves < 8; ++halves) {
        const float scale = 127 / most * std::exp2(0.5f * static_cast<float>(halves));
        double off = 0;
        for (std::int64_t i = 0; i < rows.n; i += step) off += std::sqrt(off_square(rows.row(i), rows.p, scale));
        if (off / scale < least) {
            least = off / scale;
            best = scale;
        }
    }
    return best;
}

} // namespace

ByteRows::ByteRows(Points points, const Frame& frame, int block, int threads)
    : order(spatial_order(points, block, threads)), narrow(points, order.data(), frame.mean, frame.factor, threads), boxes(points.n, points.p, block), off(points.n) {
    parallel_for(Loop{.n = (points.n + block - 1) / block, .threads = threads}, [&](std::int64_t b) {
        for (std::int64_t i = b * block; i < std::min(points.n, (b + 1) * block); ++i) boxes.add(i, narrow.row(i));
    });
}

void ByteRows::round(float scale, int threads) {
    // Float32 rows are off by 2^-24 of their length, which is below 1.
    const double more = scale * 0x1p-24;
    parallel_for(Loop{.n = narrow.n, .threads = threads, .grain = 256}, [&](std::int64_t i) {
        off[i] = static_cast<float>(std::sqrt(off_square(narrow.row(i), narrow.p, scale)) * 1.0001 + more + 1e-6);
    });
}

BytePanels::BytePanels(const ByteRows& rows, float scale, double off_share, int panel, bool shifted, int threads)
    : values((rows.narrow.n + rows.boxes.block - 1) / rows.boxes.block * rows.boxes.block * ((rows.narrow.p + kQuad - 1) / kQuad * kQuad), 0),
      add((rows.narrow.n + rows.boxes.block - 1) / rows.boxes.block * rows.boxes.block, kNever) {
    const int p = rows.narrow.p, quads = (p + kQuad - 1) / kQuad;
    parallel_for(Loop{.n = rows.narrow.n, .threads = threads, .grain = 256}, [&](std::int64_t i) {
        const float* row = rows.narrow.row(i);
        std::uint8_t* to = values.data() + i / panel * panel * quads * kQuad + i % panel * kQuad;
        std::int64_t square = 0, sum = 0;
        for (int f = 0; f < p; ++f) {
            const int q = byte_of(row[f] * scale);
            to[static_cast<std::int64_t>(f / kQuad) * panel * kQuad + f % kQuad] = static_cast<std::uint8_t>(shifted ? q + 128 : q);
            square += q * q;
            sum += q;
        }
        const double loose = std::min(0.5 * off_share * rows.off[i] * rows.off[i] + 1, kMost);
        add[i] = static_cast<std::int32_t>(-(square / 2) - (shifted ? 0 : 128 * sum) + static_cast<std::int64_t>(loose));
    });
}

ByteFilter::ByteFilter(Points points_, Points queries_, const Plan& plan)
    : points(points_), queries(queries_), block(rows_per_block(points.p)), frame(narrow_frame(points, queries, plan.threads)),
      quads_((points.p + kQuad - 1) / kQuad), right_(points, frame, block, plan.threads), slack_(3 + 0.01 * points.p),
      most_((0.015 * static_cast<double>(points.n) + 200 + 20.0 * std::min(plan.k, 1000)) * static_cast<double>(queries.n)), sure_(points.p),
      sum_(SEPAL_BEST(float_lane_sum)), function_(byte_panel_function()) {
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
    left_panels_.emplace(left(), scale_, off_share_, kPanelRows, false, plan.threads);
    right_panels_.emplace(right_, scale_, off_share_, kPanelCols, true, plan.threads);
}

float ByteFilter::limit(float bound, std::int64_t i) const {
    const double e = left().off[i], a = std::sqrt(static_cast<double>(bound)) * scale_ + e;
    const double value = 0.5 * (e * e * off_share_ - a * a * reach_share_);
    return static_cast<float>(std::min(value - slack_ - std::abs(value) * 0x1p-21, kMostLimit));
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
