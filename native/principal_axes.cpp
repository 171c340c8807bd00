#include "principal_axes.hpp"

#include <cmath>
#include <numeric>

#include "row_products.hpp"

namespace sepal {
namespace {

constexpr std::int64_t kSample = 1024;
constexpr int kRounds = 2;

using Values = std::vector<double>;

Values transposed(const Values& a, std::int64_t rows, std::int64_t columns) {
    Values t(a.size());
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) t[j * rows + i] = a[i * columns + j];
    return t;
}

// a (n, f) times the transpose of b (m, f).
Values product(const Values& a, const Values& b, std::int64_t f, int threads) {
    const auto width = static_cast<int>(f);
    const std::int64_t n = static_cast<std::int64_t>(a.size()) / f, m = static_cast<std::int64_t>(b.size()) / f;
    Values out(n * m);
    row_products({a.data(), n, width}, nullptr, {b.data(), m, width}, out.data(), nullptr, threads);
    return out;
}

double dot(const double* a, const double* b, std::int64_t n) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (std::int64_t f = 0; f < n; ++f) s += a[f] * b[f];
    return s;
}

// Gram-Schmidt, twice; rows that depend on those before them are left out. Returns how many stay.
std::int64_t orthonormalise(Values& rows, std::int64_t p) {
    const std::int64_t n = static_cast<std::int64_t>(rows.size()) / p;
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        double* own = rows.data() + kept * p;
        if (kept < i) std::copy_n(rows.data() + i * p, p, own);
        const double before = std::sqrt(dot(own, own, p));
        for (int pass = 0; pass < 2; ++pass)
            for (std::int64_t j = 0; j < kept; ++j) {
                const double* other = rows.data() + j * p;
                const double share = dot(own, other, p);
#pragma omp simd
                for (std::int64_t f = 0; f < p; ++f) own[f] -= share * other[f];
            }
        const double norm = std::sqrt(dot(own, own, p));
        if (!(norm > 1e-10 * before) || !(before > 0)) continue;
        for (std::int64_t f = 0; f < p; ++f) own[f] /= norm;
        ++kept;
    }
    rows.resize(kept * p);
    return kept;
}

// Turns rows in pairs until they are orthogonal (one-sided Jacobi): those of a positive semidefinite matrix become its
// eigenvectors times its eigenvalues.
void turn_to_eigenvectors(Values& rows, std::int64_t n) {
    for (int sweep = 0; sweep < 12; ++sweep) {
        bool turned = false;
        for (std::int64_t i = 0; i + 1 < n; ++i)
            for (std::int64_t j = i + 1; j < n; ++j) {
                double *a = rows.data() + i * n, *b = rows.data() + j * n;
                const double aa = dot(a, a, n), bb = dot(b, b, n), ab = dot(a, b, n);
                if (!(std::abs(ab) > 1e-7 * std::sqrt(aa * bb))) continue;
                turned = true;
                const double zeta = (bb - aa) / (2 * ab);
                const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double c = 1 / std::sqrt(1 + t * t), s = c * t;
#pragma omp simd
                for (std::int64_t f = 0; f < n; ++f) {
                    const double x = a[f], y = b[f];
                    a[f] = c * x - s * y;
                    b[f] = s * x + c * y;
                }
            }
        if (!turned) return;
    }
}

void largest_first(Values& rows, std::int64_t n) {
    std::vector<std::int64_t> order(static_cast<std::int64_t>(rows.size()) / n);
    std::iota(order.begin(), order.end(), 0);
    const auto size = [&](std::int64_t i) { return dot(rows.data() + i * n, rows.data() + i * n, n); };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return size(a) > size(b); });
    Values sorted;
    sorted.reserve(rows.size());
    for (const std::int64_t i : order) sorted.insert(sorted.end(), rows.begin() + i * n, rows.begin() + (i + 1) * n);
    rows.swap(sorted);
}

Values column_means(Points points, int threads) {
    const std::int64_t parts = std::min<std::int64_t>(points.n, 16);
    Values sums(parts * points.p, 0.0), mean(points.p, 0.0);
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

// Numbers in [-1, 1) that are always the same.
Values scattered(std::int64_t n) {
    Values out(n);
    std::uint64_t state = 0;
    for (double& each : out) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        each = static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31))) * 0x1p-63;
    }
    return out;
}

} // namespace

PrincipalAxes principal_axes(Points points, int count, int threads) {
    PrincipalAxes found;
    const std::int64_t p = points.p, m = std::min(points.n, kSample);
    const std::int64_t wanted = std::min({static_cast<std::int64_t>(count), p, m});
    found.p = points.p;
    found.mean = column_means(points, threads);
    Values a(m * p);
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t f = 0; f < p; ++f) a[i * p + f] = points.row(i * points.n / m)[f] - found.mean[f];
    const double squares = dot(a.data(), a.data(), m * p);
    found.total = squares / static_cast<double>(m);
    if (!(squares > 0) || !std::isfinite(squares)) return found;
    for (double& each : a) each /= std::sqrt(squares);
    // A few more directions than wanted, so that the last of those wanted are good ones.
    const std::int64_t tried = std::min({wanted + 16, p, m});
    const Values across = transposed(a, m, p);                     // (p, m)
    Values y = product(scattered(tried * m), across, m, threads);  // (tried, p)
    for (int round = 0; round < kRounds; ++round) {
        const Values b = product(y, a, p, threads); // (tried, m)
        y = product(b, across, m, threads);
    }
    std::int64_t kept = orthonormalise(y, p);
    const Values b = product(y, a, p, threads);   // (kept, m)
    Values turned = product(b, b, m, threads);    // (kept, kept)
    turn_to_eigenvectors(turned, kept);
    largest_first(turned, kept);
    orthonormalise(turned, kept);
    found.v = product(turned, transposed(y, kept, p), kept, threads);
    kept = std::min(orthonormalise(found.v, p), wanted);
    found.v.resize(kept * p);
    found.count = static_cast<int>(kept);
    const Values along = product(found.v, a, p, threads), gram = product(found.v, found.v, p, threads);
    for (std::int64_t i = 0; i < kept; ++i) found.spread.push_back(found.total * dot(along.data() + i * m, along.data() + i * m, m));
    double defect = 0;
    for (std::int64_t i = 0; i < kept; ++i)
        for (std::int64_t j = 0; j < kept; ++j) {
            const double off = gram[i * kept + j] - (i == j ? 1 : 0);
            defect += off * off;
        }
    // The Frobenius norm, and what rounding may have hidden in each of its cells.
    found.defect = std::sqrt(defect) * 1.01 + static_cast<double>(kept * (p + 4)) * 0x1p-52;
    return found;
}

} // namespace sepal
