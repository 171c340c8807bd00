#include "row_facts.hpp"

#include <array>
#include <cmath>

#include "pairs.hpp"

namespace sepal {
namespace {

constexpr int kAsking = 4; // as many as are compared at a time
constexpr std::int64_t kLooked = 32768, kWide = 64; // rows of so many columns, among which the nearest are looked for
constexpr std::int64_t kTypical = 256;
constexpr std::int64_t kFewest = 64, kMost = 1024, kPart = 4; // a fourth of the rows tells the directions, but not fewer or more

// So many rows, `step` apart, one after the other.
std::vector<double> each(Points rows, std::int64_t n, std::int64_t step) {
    std::vector<double> found;
    found.reserve(n * rows.p);
    for (std::int64_t i = 0; i < n; ++i) found.insert(found.end(), rows.row(i * step), rows.row(i * step) + rows.p);
    return found;
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The third smallest: the row itself is the first.
double second_nearest(const double* squares, std::int64_t n) {
    std::array<double, 3> least;
    least.fill(std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < n; ++i) {
        if (!(squares[i] < least[2])) continue;
        least[2] = squares[i];
        if (least[2] < least[1]) std::swap(least[1], least[2]);
        if (least[1] < least[0]) std::swap(least[0], least[1]);
    }
    return least[2];
}

double product(const double* a, const double* b, std::int64_t p) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t f = 0; f < p; ++f) sum += a[f] * b[f];
    return sum;
}

} // namespace

Nearness nearness(Points rows) {
    if (rows.n < 12 * kAsking || rows.p == 0) return {};
    const std::int64_t most = kLooked * std::min<std::int64_t>(rows.p, kWide), step = (rows.n * rows.p + most - 1) / most;
    const std::int64_t n = (rows.n + step - 1) / step;
    const std::vector<double> some = step > 1 ? each(rows, n, step) : std::vector<double>();
    const Points looked = step > 1 ? Points{some.data(), n, rows.p} : rows;
    const std::vector<double> who = each(looked, kAsking, n / kAsking), weights(rows.p, 1.0);
    const Points asking{who.data(), kAsking, rows.p};
    std::vector<double> squares(static_cast<std::size_t>(kAsking * n)), near, shares;
    pair_values(looked, asking, {Metric::l2, 2.0, 0, weights.data()}, 1, nullptr, squares.data());
    for (std::int64_t i = 0; i < kAsking; ++i) {
        const double* own = squares.data() + i * n;
        std::vector<double> typical;
        for (std::int64_t j = 0, apart = (n + kTypical - 1) / kTypical; j < n; j += apart) typical.push_back(own[j]);
        const double middle = median(typical);
        if (!(middle > 0 && std::isfinite(middle))) continue;
        near.push_back(second_nearest(own, n));
        shares.push_back(near.back() / middle);
    }
    return near.empty() ? Nearness{} : Nearness{std::sqrt(median(near)), std::sqrt(median(shares))};
}

double spread_directions(Points rows) {
    const std::int64_t n = std::min(rows.n, std::clamp(rows.n / kPart, kFewest, kMost)), p = rows.p;
    std::vector<double> taken(static_cast<std::size_t>(n * p)), mean(p, 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
        const double* from = rows.row(n > 1 ? i * (rows.n - 1) / (n - 1) : 0);
        for (std::int64_t f = 0; f < p; ++f) mean[f] += taken[i * p + f] = from[f];
    }
    for (double& own : mean) own /= static_cast<double>(n);
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t f = 0; f < p; ++f) largest = std::max(largest, std::abs(taken[i * p + f] -= mean[f]));
    if (!(largest > 0 && std::isfinite(largest))) return 0;
    const double scale = std::exp2(-std::ceil(std::log2(largest)));
    for (double& own : taken) own *= scale;
    double first = 0, second = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const double *x = taken.data() + i * p, *z = taken.data() + (i + n / 3 + 1) % n * p, both = product(x, z, p);
        first += product(x, x, p) / static_cast<double>(n);
        second += both * both / static_cast<double>(n);
    }
    return second > 0 ? std::min(static_cast<double>(p), first * first / second) : 1;
}

} // namespace sepal
