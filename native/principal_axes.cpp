#include "principal_axes.hpp"

#include <cmath>
#include <numeric>

#include "filter_parts.hpp"
#include "row_products.hpp"
#include "splitmix.hpp"

namespace sepal {
namespace {

constexpr std::int64_t kSample = 1024;
constexpr int kRounds = 1;

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

// weights (n, m) times rows (m, p).
Values combined(const Values& weights, const Values& rows, std::int64_t p, int threads) {
    const std::int64_t m = static_cast<std::int64_t>(rows.size()) / p;
    return product(weights, transposed(rows, m, p), m, threads);
}

double dot(const double* a, const double* b, std::int64_t n) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (std::int64_t f = 0; f < n; ++f) s += a[f] * b[f];
    return s;
}

// Gram-Schmidt, twice; rows that depend on those before them are left out.
void orthonormalise(Values& rows, std::int64_t p) {
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
}

// The inverse of L in G = L L', G (n, n) symmetric; empty if G is not positive definite by a margin.
Values inverse_root(const Values& g, std::int64_t n) {
    Values l(n * n, 0.0), inverse(n * n, 0.0);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            const double left = g[i * n + j] - dot(l.data() + i * n, l.data() + j * n, j);
            if (i == j && !(left > 1e-10 * g[i * n + i])) return {};
            l[i * n + j] = i == j ? std::sqrt(left) : left / l[j * n + j];
        }
    for (std::int64_t i = 0; i < n; ++i) { // row i of the inverse: (e_i - sum_j l_ij row_j) / l_ii
        double* own = inverse.data() + i * n;
        own[i] = 1;
        for (std::int64_t j = 0; j < i; ++j) {
            const double share = l[i * n + j];
            const double* other = inverse.data() + j * n;
#pragma omp simd
            for (std::int64_t f = 0; f <= j; ++f) own[f] -= share * other[f];
        }
        for (std::int64_t f = 0; f <= i; ++f) own[f] /= l[i * n + i];
    }
    return inverse;
}

// Rows that are orthonormal and span the same; `threads` do the products.
void orthonormalise_well(Values& rows, std::int64_t p, int threads) {
    const Values root = inverse_root(product(rows, rows, p, threads), static_cast<std::int64_t>(rows.size()) / p);
    if (root.empty()) orthonormalise(rows, p);
    else rows = combined(root, rows, p, threads);
}

// Turns the rows of a positive semidefinite matrix in pairs until they are nearly orthogonal (one-sided Jacobi): they are
// then its eigenvectors times its eigenvalues. Returns the turns (n, n), orthonormal however early it stops, with the
// largest eigenvalues first.
Values eigenvectors(Values rows, std::int64_t n) {
    Values turns(n * n, 0.0), size(n);
    for (std::int64_t i = 0; i < n; ++i) {
        turns[i * n + i] = 1;
        size[i] = dot(rows.data() + i * n, rows.data() + i * n, n);
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < 6; ++sweep) {
        turned = false;
        for (std::int64_t i = 0; i + 1 < n; ++i)
            for (std::int64_t j = i + 1; j < n; ++j) {
                const double both = dot(rows.data() + i * n, rows.data() + j * n, n);
                if (!(std::abs(both) > 0.01 * std::sqrt(std::max(size[i] * size[j], 0.0)))) continue;
                turned = true;
                const double zeta = (size[j] - size[i]) / (2 * both);
                const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double c = 1 / std::sqrt(1 + t * t), s = c * t;
                for (Values* each : {&rows, &turns}) {
                    double *a = each->data() + i * n, *b = each->data() + j * n;
#pragma omp simd
                    for (std::int64_t f = 0; f < n; ++f) {
                        const double x = a[f], y = b[f];
                        a[f] = c * x - s * y;
                        b[f] = s * x + c * y;
                    }
                }
                size[i] -= t * both;
                size[j] += t * both;
            }
    }
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return size[a] > size[b]; });
    Values sorted;
    sorted.reserve(turns.size());
    for (const std::int64_t i : order) sorted.insert(sorted.end(), turns.begin() + i * n, turns.begin() + (i + 1) * n);
    return sorted;
}

// Numbers in [-1, 1) that are always the same.
Values scattered(std::int64_t n) {
    Values out(n);
    SplitMix mix(0);
    for (double& each : out) each = static_cast<double>(static_cast<std::int64_t>(mix.next())) * 0x1p-63;
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
    orthonormalise_well(y, p, threads);
    const Values b = product(y, a, p, threads); // (kept, m)
    std::int64_t kept = static_cast<std::int64_t>(y.size()) / p;
    Values turns = eigenvectors(product(b, b, m, threads), kept);
    kept = std::min(kept, wanted);
    turns.resize(kept * static_cast<std::int64_t>(y.size()) / p);
    found.v = combined(turns, y, p, threads);
    orthonormalise_well(found.v, p, threads); // rounding of what was done before, gone
    kept = static_cast<std::int64_t>(found.v.size()) / p;
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
