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

#include "byte_filter.hpp"
#include "principal_axes.hpp"
#include "row_products.hpp"
#include "search_axes.hpp"
#include "tile_filter.hpp"

#define SEPAL_HOT_FILE "lane_sums.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr int kMostAxes = 112;
// Of the variance: with less too many pairs pass, with more all pairs cost too much.
constexpr double kLeading = 0.82, kLeadingBytes = 0.88;

FloatSum float_sum() { return SEPAL_BEST(float_lane_sum); }

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

// Both sides of a search; the same object where every row asks the others.
struct Sides {
    Points points, queries;
    const Rotated &right, &left;
    const std::vector<double>& mean;
    double scale; // of float32 rows
    bool one() const { return &right == &left; }
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

// Over a filter of the leading axes, Leading.
template <class Leading> class AxisFilter : public Leading {
  public:
    static constexpr bool is_exact = true; // pairs that are noted are finished ones
    using Leading::at_most, Leading::frame, Leading::point_row, Leading::query_row;

    AxisFilter(const Sides& sides, Points right_lead, Points left_lead, double eta, const Plan& plan)
        : Leading(right_lead, left_lead, plan), sides_(sides),
          right_further_(sides.right, this->right_rows(), right_lead.p - 1, frame.factor, plan.threads),
          left_further_(sides.one() ? Further(right_further_) : Further(sides.left, this->left_rows(), right_lead.p - 1, frame.factor, plan.threads)),
          right_narrow_(sides.points, this->right_rows().data(), sides.mean, sides.scale, plan.threads),
          to_own_(frame.factor / sides.scale * (frame.factor / sides.scale)), slack_(4 * eta * eta / kTheta * frame.factor * frame.factor),
          sure_(sides.points.p), sum_(float_sum()) {
        if (!sides.one()) other_narrow_.emplace(sides.queries, this->left_rows().data(), sides.mean, sides.scale, plan.threads);
    }

    float limit(float bound, std::int64_t i) const { return Leading::limit(within(bound), i); }
    // Of pairs that are finished.
    float lower(float h) const { return static_cast<float>(-2.0 * h * (1 - sure_.share - 0x1p-22) - sure_.slack * to_own_); }
    float upper(float h, std::int64_t, std::int64_t) const {
        return static_cast<float>(-2.0 * h * (1 + sure_.share + 0x1p-22) + sure_.slack * to_own_ + 1e-35);
    }
    void exact(std::int64_t i, Candidates<float>::Items candidates, std::vector<Neighbor>& found) const {
        measure(sides_.queries.row(query_row(i)), sides_.points, this->right_rows(), candidates, found);
    }
    bool apart(std::int64_t i, std::int64_t j, float bound) const { return Leading::apart(i, j, within(bound)); }
    // Drops the pairs that the axes rule out, and finishes the others.
    int refine(std::int64_t i0, std::int64_t j0, const float* row_bound, const float* col_bound, Hit<float>* hits, int n) {
        int kept = 0;
        for (int t = 0; t < n; ++t) {
            const float bound = std::max(row_bound[hits[t].i], col_bound[hits[t].j]);
            if (passes(i0 + hits[t].i, j0 + hits[t].j, hits[t].h, bound)) hits[kept++] = hits[t];
        }
        looked_.fetch_add(n, std::memory_order_relaxed);
        finished_.fetch_add(kept, std::memory_order_relaxed);
        for (int t = 0; t < kept; ++t) {
            if (t + 2 < kept) right_narrow_.prefetch_row(j0 + hits[t + 2].j);
            hits[t].h = h_of(i0 + hits[t].i, j0 + hits[t].j);
        }
        return kept;
    }
    bool first_look(std::int64_t i0, int count, std::vector<Hit<float>>& near)
        requires requires(Leading& leading) { leading.first_look(i0, count, near); }
    {
        if (!Leading::first_look(i0, count, near)) return false;
        finished_.fetch_add(static_cast<std::int64_t>(near.size()), std::memory_order_relaxed);
        for (Hit<float>& each : near) each.h = h_of(i0 + each.i, each.j);
        return true;
    }
    double first_products() const {
        if constexpr (requires(const Leading& leading) { leading.looked_at(); }) return static_cast<double>(Leading::looked_at());
        else return 0;
    }
    float h_of(std::int64_t i, std::int64_t j) const {
        return static_cast<float>(-0.5 * to_own_ * sum_(left_narrow().row(i), right_narrow_.row(j), right_narrow_.width));
    }
    // Too many pairs come through: a row of columns read for itself costs many times its share of a tile.
    bool gave_up() const {
        const double each = 0.03 * static_cast<double>(sides_.points.n) + 160;
        return static_cast<double>(finished_.load(std::memory_order_relaxed)) > each * static_cast<double>(sides_.queries.n);
    }
    std::int64_t looked() const { return looked_.load(); }
    std::int64_t finished() const { return finished_.load(); }
    int further() const { return right_further_.width; }

  private:
    const NarrowRows& left_narrow() const { return other_narrow_ ? *other_narrow_ : right_narrow_; }
    float within(float bound) const { return static_cast<float>(bound * (1 + 2 * kTheta) + slack_); }
    bool passes(std::int64_t i, std::int64_t j, float h, float bound) const {
        const double limit = -0.5 * within(bound), leading = this->closer(i, j, h);
        if (!(leading >= limit)) return false;
        const double beside = static_cast<double>(left_further_.beside[i]) - right_further_.beside[j];
        // Float32 coordinates, each off by 2^-24 of itself, and their sums.
        const double more = sum_(left_further_.row(i), right_further_.row(j), right_further_.width) * (1 - 5e-5);
        const double less = beside * beside * (1 + kTheta);
        return -0.5 * (-2.0 * leading + more - less - 1e-8 * to_own_) >= limit;
    }

    Sides sides_;
    Further right_further_, left_further_;
    NarrowRows right_narrow_; // pairs are finished with them, and float64 decides among the nearest
    std::optional<NarrowRows> other_narrow_;
    double to_own_; // from squares of narrow rows, all at most 1, to those of the filter
    double slack_;
    Sureness sure_;
    FloatSum sum_;
    std::atomic<std::int64_t> looked_{0}, finished_{0};
};

// How many axes are taken for all pairs: those beyond look closer.
int leading_axes(const PrincipalAxes& axes) {
    const double wanted = (byte_panel_function() == nullptr ? kLeading : kLeadingBytes) * axes.total;
    double covered = 0;
    int lead = 0;
    while (lead < axes.count && covered < wanted) covered += axes.spread[lead++];
    return std::min((lead + 7) / 8 * 8, axes.count);
}

} // namespace

Ranking search_axes(Points points, Points queries, const Plan& plan, AxisWork* work) {
    const PrincipalAxes axes = principal_axes(points, kMostAxes, plan.threads);
    const int lead = leading_axes(axes);
    const bool enough = plan.limits != nullptr || plan.k <= points.n - plan.self_join;
    if (axes.count < 1 || !(axes.defect < 1e-7) || !enough) return search_tiles(points, queries, plan);
    const Rotated right(points, axes, plan.threads);
    std::optional<Rotated> other;
    if (!plan.self_join) other.emplace(queries, axes, plan.threads);
    const double longest = std::sqrt(std::max(right.largest, other ? other->largest : 0.0));
    const Sides sides{points, queries, right, other ? *other : right, axes.mean, narrow_scale(longest)};
    const std::vector<double> on_right = right.leading(lead, plan.threads);
    const std::vector<double> on_left = sides.one() ? std::vector<double>() : sides.left.leading(lead, plan.threads);
    const Points right_lead{on_right.data(), right.n, lead + 1}, left_lead = sides.one() ? right_lead : Points{on_left.data(), sides.left.n, lead + 1};
    const double p = points.p, r = axes.count;
    const double eta = (std::sqrt(r) * (p + 3) * 0x1p-53 + std::sqrt((2 * p + 4 * r + 16) * 0x1p-52 + 2 * axes.defect)) * longest * 1.01;
    const auto search = [&](auto& filter) -> std::optional<Ranking> {
        BlockSearch search(filter, points.n, queries.n, plan);
        Ranking found = search.run();
        if (search.gave_up()) return std::nullopt;
        if (work != nullptr) {
            const double n = static_cast<double>(points.n), m = static_cast<double>(queries.n), pairs = plan.self_join ? n * (n - 1) / 2 : n * m;
            work->all = pairs * p;
            work->rotation = (n + (plan.self_join ? 0 : m)) * p * r;
            work->leading = (pairs + filter.first_products()) * (lead + 1);
            work->further = static_cast<double>(filter.looked()) * filter.further();
            work->finished = static_cast<double>(filter.finished() + search.decided()) * p;
        }
        return found;
    };
    std::optional<Ranking> found;
    if (ByteFilter::possible(right_lead)) {
        AxisFilter<ByteFilter> filter(sides, right_lead, left_lead, eta, plan);
        if (filter.usable()) found = search(filter);
    }
    if (!found) {
        AxisFilter<TileFilter> filter(sides, right_lead, left_lead, eta, plan);
        found = search(filter);
    }
    return found ? std::move(*found) : search_tiles(points, queries, plan);
}

} // namespace sepal
