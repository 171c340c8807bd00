// Euclidean neighbours in many columns: the leading principal axes of all pairs, the rest of the few that may matter.
//
// An orthogonal rotation keeps distances. With u = V'(x - m) the coordinates on the leading axes and s = |x - m - V u| the
// length of what is left, |u_i - u_j|^2 + (s_i - s_j)^2 is never above |x_i - x_j|^2: a filter that costs a multiply-add
// per axis instead of one per column. Pairs that pass are looked at on further axes, then in float64 on all columns.
//
// Rounding. V V' = I up to `defect`, which is measured; x -> (V'x, x - V V'x) then stretches by at most 1 + 2 defect.
// Each row's (u, s) is off by at most eta: sums in float64, and a root of a difference. So from the squared length T of a
// difference of such rows, |x_i - x_j|^2 (1 + 2 defect) >= (sqrt(T) - 2 eta)^2 >= T (1 - theta) - 4 eta^2 / theta for every
// theta > 0. How far float32 sums are below T is what tile_filter.hpp proves; those in `passes` are bounded in the same way.
#include <optional>

#include "principal_axes.hpp"
#include "row_products.hpp"
#include "search_axes.hpp"
#include "tile_filter.hpp"

#define SEPAL_HOT_FILE "lane_sums.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr double kTheta = 1e-5;

using FloatSum = float (*)(const float*, const float*, int);
using DoubleSum = double (*)(const double*, const double*, int);

FloatSum float_sum() { return SEPAL_BEST(float_lane_sum); }
DoubleSum double_sum() { return SEPAL_BEST(double_lane_sum); }

// Rows on the axes: coordinates, the square of what is left after the first `lead` of them and after all, its root.
struct Rotated {
    Rotated(Points rows, const PrincipalAxes& axes, int threads)
        : n(rows.n), r(axes.count), u(static_cast<std::size_t>(rows.n) * axes.count), squares(rows.n) {
        row_products(rows, axes.mean.data(), axes.axes(), u.data(), squares.data(), threads);
        for (const double each : squares) largest = std::max(largest, each);
    }
    // (n, lead + 1): the leading coordinates, and the length of the rest.
    std::vector<double> leading(int lead, int threads) const {
        std::vector<double> out(static_cast<std::size_t>(n) * (lead + 1));
        parallel_for(Loop{.n = n, .threads = threads, .grain = 512}, [&](std::int64_t i) {
            std::copy_n(u.data() + i * r, lead, out.data() + i * (lead + 1));
            out[i * (lead + 1) + lead] = left_after(i, lead);
        });
        return out;
    }
    double left_after(std::int64_t i, int lead) const {
        double square = squares[i];
        for (int a = 0; a < lead; ++a) square -= u[i * r + a] * u[i * r + a];
        return std::sqrt(std::max(square, 0.0));
    }
    std::int64_t n;
    int r;
    std::vector<double> u, squares;
    double largest = 0; // of the squares
};

// The further axes of rows in the order of a filter, in float32: the length left after the leading ones, and for each row
// its further coordinates and the length left after these.
struct Further {
    Further(const Rotated& rows, const std::vector<std::int32_t>& order, int lead, double factor, int threads)
        : width((rows.r - lead + 1 + 7) / 8 * 8), beside(rows.n), values(static_cast<std::size_t>(rows.n) * width, 0.0f) {
        parallel_for(Loop{.n = rows.n, .threads = threads, .grain = 512}, [&](std::int64_t i) {
            const std::int64_t from = order[i];
            float* to = values.data() + i * width;
            beside[i] = static_cast<float>(rows.left_after(from, lead) * factor);
            to[rows.r - lead] = static_cast<float>(rows.left_after(from, rows.r) * factor);
            for (int a = lead; a < rows.r; ++a) to[a - lead] = static_cast<float>(rows.u[from * rows.r + a] * factor);
        });
    }
    const float* row(std::int64_t i) const { return values.data() + i * width; }
    int width;
    std::vector<float> beside, values;
};

class AxisFilter : public TileFilter {
  public:
    static constexpr bool is_exact = true; // pairs that are noted are finished ones

    AxisFilter(Points points_, Points queries_, const Rotated& right_rows, const Rotated& left_rows, Points right_lead, Points left_lead,
               double eta, std::vector<double> first, int threads)
        : TileFilter(right_lead, left_lead), points_(points_), queries_(queries_), first_(std::move(first)),
          right_further_(right_rows, right_order, p - 1, frame.factor, threads),
          left_further_(&left_rows == &right_rows ? Further(right_further_) : Further(left_rows, left_order, p - 1, frame.factor, threads)),
          reach_(std::max(right_rows.largest, left_rows.largest) * frame.factor * frame.factor),
          slack_(4 * eta * eta / kTheta * frame.factor * frame.factor), sum_(float_sum()), whole_(double_sum()) {}

    float limit(float bound) const { return static_cast<float>(-0.5 * (bound * (1 + 2 * kTheta) + slack_)); }
    // Of pairs that are finished, whose value in float64 is rounded to float32 only.
    static float lower(float h) { return -2 * h * (1 - 0x1p-21f); }
    float upper(float h, std::int64_t, std::int64_t) const { return -2 * h * (1 + 0x1p-21f) + 1e-35f; }
    double exact(std::int64_t i, std::int32_t j, float) const {
        return squared_distance(queries_.row(query_row(i)), points_.row(point_row(j)), points_.p);
    }
    float first_bound(std::int64_t i) const { return first_.empty() ? std::numeric_limits<float>::infinity() : at_most(first_[query_row(i)]); }

    // Drops the pairs that further axes rule out, and finishes the others.
    int refine(std::int64_t i0, const float* row_limit, std::int64_t j0, const float* col_limit, Hit<float>* hits, int n) {
        int kept = 0;
        for (int t = 0; t < n; ++t) {
            const float limit = std::min(row_limit[hits[t].i], col_limit[hits[t].j]);
            if (passes(i0 + hits[t].i, j0 + hits[t].j, hits[t].h, limit)) hits[kept++] = hits[t];
        }
        looked_.fetch_add(n, std::memory_order_relaxed);
        finished_.fetch_add(kept, std::memory_order_relaxed);
        for (int t = 0; t < kept; ++t) {
            const std::int64_t i = i0 + hits[t].i, j = j0 + hits[t].j;
            if (i >= queries_.n || j >= points_.n) continue;
            const double value = whole_(queries_.row(query_row(i)), points_.row(point_row(static_cast<std::int32_t>(j))), points_.p);
            hits[t].h = static_cast<float>(-0.5 * value * frame.factor * frame.factor);
        }
        return kept;
    }
    // Too many pairs come through: a row of columns read for itself costs many times its share of a tile.
    bool gave_up() const {
        const double pairs = static_cast<double>(queries_.n) * static_cast<double>(points_.n);
        return static_cast<double>(finished_.load(std::memory_order_relaxed)) > 0.03 * pairs + 1000;
    }
    std::int64_t looked() const { return looked_.load(); }
    std::int64_t finished() const { return finished_.load(); }
    int further() const { return right_further_.width; }

  private:
    bool passes(std::int64_t i, std::int64_t j, float h, float limit) const {
        if (i >= queries_.n || j >= points_.n) return false;
        const double beside = static_cast<double>(left_further_.beside[i]) - right_further_.beside[j];
        // Float32 coordinates, each off by 2^-24 of itself, and their sums.
        const double more = sum_(left_further_.row(i), right_further_.row(j), right_further_.width) * (1 - 5e-5), less = beside * beside * (1 + kTheta);
        return -0.5 * (-2.0 * h + more - less - 1e-8 * reach_) >= limit;
    }

    Points points_, queries_;
    std::vector<double> first_; // an upper bound on the k-th smallest value of each query, where one is known
    Further right_further_, left_further_;
    double reach_, slack_;
    FloatSum sum_;
    DoubleSum whole_;
    std::atomic<std::int64_t> looked_{0}, finished_{0};
};

// A part of the work, told as a share of all of it.
class Part : public Poll {
  public:
    Part(Poll* whole, double begin, double end) : whole_(whole), begin_(begin), end_(end) {}
    bool stop(double fraction) override { return whole_ != nullptr && whole_->stop(begin_ + (end_ - begin_) * std::min(fraction, 1.0)); }

  private:
    Poll* whole_;
    double begin_, end_;
};

// Upper bounds on the k-th smallest value of each query: the nearest in a few axes, measured in all columns.
std::vector<double> first_bounds(Points points, Points queries, const Rotated& right, const Rotated& left, int axes, const Plan& plan) {
    const bool one = &right == &left;
    const std::vector<double> on_right = right.leading(axes, plan.threads), on_left = one ? std::vector<double>() : left.leading(axes, plan.threads);
    const Points few{on_right.data(), right.n, axes + 1}, asked = one ? few : Points{on_left.data(), left.n, axes + 1};
    Plan near = plan;
    near.k = static_cast<int>(std::min<std::int64_t>(2LL * plan.k + 4, points.n - plan.self_join));
    near.tie = near.zero = 0;
    TileFilter filter(few, asked);
    BlockSearch<TileFilter> search(filter, points.n, queries.n, near);
    const Ranking found = search.run();
    std::vector<double> first;
    if (found.start.empty()) return first; // interrupted, or these axes tell nobody apart
    first.resize(queries.n);
    const DoubleSum whole = double_sum();
    using Each = std::vector<double>;
    parallel_for(Loop{.n = queries.n, .threads = plan.threads, .grain = 64}, [] { return Each(); }, [&](Each& each, std::int64_t i) {
        each.clear();
        const std::int64_t end = std::min(found.start[i + 1], found.start[i] + near.k);
        for (std::int64_t t = found.start[i]; t < end; ++t) each.push_back(whole(queries.row(i), points.row(found.rows[t]), points.p));
        std::nth_element(each.begin(), each.begin() + (plan.k - 1), each.end());
        first[i] = each[plan.k - 1];
    });
    return first;
}

} // namespace

AxisPlan axis_plan(int p) {
    AxisPlan plan;
    plan.all = std::min(p, 128);
    plan.lead = std::min(p, 48);
    plan.few = std::min(p, 24);
    return plan;
}

Ranking search_axes(Points points, Points queries, const Plan& plan, AxisWork* work) {
    const AxisPlan wanted = axis_plan(points.p);
    const PrincipalAxes axes = principal_axes(points, wanted.all, plan.threads);
    if (axes.count < 1 || !(axes.defect < 1e-7)) return search_tiles(points, queries, plan);
    const Rotated right(points, axes, plan.threads);
    std::optional<Rotated> other;
    const Rotated& left = plan.self_join ? right : other.emplace(queries, axes, plan.threads);
    const int lead = std::min(wanted.lead, axes.count), few = std::min(wanted.few, axes.count);
    Part early(plan.poll, 0.0, 0.2), late(plan.poll, 0.2, 1.0);
    Plan part = plan;
    part.poll = &early;
    std::vector<double> first;
    if (plan.limits == nullptr) {
        first = first_bounds(points, queries, right, left, few, part);
        if (first.empty()) return plan.poll != nullptr && plan.poll->stop(0.2) ? Ranking{} : search_tiles(points, queries, plan);
    }
    part.poll = &late;
    const std::vector<double> on_right = right.leading(lead, plan.threads), on_left = plan.self_join ? std::vector<double>() : left.leading(lead, plan.threads);
    const Points points_lead{on_right.data(), right.n, lead + 1}, queries_lead = plan.self_join ? points_lead : Points{on_left.data(), left.n, lead + 1};
    const double largest = std::max(right.largest, left.largest), p = points.p, r = axes.count;
    const double eta = (std::sqrt(r) * (p + 3) * 0x1p-53 + std::sqrt((2 * p + 4 * r + 16) * 0x1p-52 + 2 * axes.defect)) * std::sqrt(largest) * 1.01;
    AxisFilter filter(points, queries, right, left, points_lead, queries_lead, eta, std::move(first), plan.threads);
    BlockSearch<AxisFilter> search(filter, points.n, queries.n, part);
    Ranking found = search.run();
    if (search.gave_up()) return search_tiles(points, queries, plan);
    if (work != nullptr) {
        const double n = static_cast<double>(points.n), m = static_cast<double>(queries.n), pairs = plan.self_join ? n * (n - 1) / 2 : n * m;
        work->all = pairs * p;
        work->rotation = (n + (plan.self_join ? 0 : m)) * p * r;
        work->leading = pairs * (lead + 1 + (plan.limits == nullptr ? few + 1 : 0));
        work->further = static_cast<double>(filter.looked()) * filter.further();
        work->finished = static_cast<double>(filter.finished()) * p + (plan.limits == nullptr ? m * (2.0 * plan.k + 4) * p : 0);
    }
    return found;
}

} // namespace sepal
