#include "dual_kernel.hpp"

#include <algorithm>
#include <type_traits>

#include "threads.hpp"

#define SEPAL_HOT_FILE "dual_kernel.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr std::int64_t kWorthThreads = 1 << 22; // multiplications: about a millisecond
constexpr std::int64_t kStrip = 256; // columns between two looks at the clock, and what stays in the second-level cache

KernelPack<double> packed_columns(Points rows, const std::vector<std::int64_t>& start, std::vector<std::int64_t>& place) {
    std::int64_t places = 0;
    place.clear();
    for (std::size_t g = 0; g + 1 < start.size(); ++g) {
        place.push_back(places);
        places += padded_cols<double>(start[g + 1] - start[g]);
    }
    place.push_back(places);
    KernelPack<double> pack(places, kKernelCols<double>, rows.p);
    for (std::size_t g = 0; g + 1 < start.size(); ++g)
        for (std::int64_t i = start[g]; i < start[g + 1]; ++i) pack.put(place[g] + i - start[g], rows.row(i));
    return pack;
}

// Calls use(query, n_queries, strip first, strip last, values[6]) for every panel of queries and strip of columns.
template <class Use>
bool for_each_strip(const KernelPack<double>& cols, std::int64_t n_cols, Points queries, const KernelSpec& spec, int threads,
                    Poll* poll, Use use) {
    const auto function = kernel_tile<double>(spec.kind, kKernelRows);
    constexpr std::int64_t group = 8 * kKernelRows;
    const std::int64_t n_groups = (queries.n + group - 1) / group;
    Watch watch(poll, n_groups);
    const bool large = threads > 1 && n_groups > 1 && n_cols * queries.n * (queries.p + 16) > kWorthThreads;
    const Loop groups{.n = n_groups, .threads = threads, .helpers = large ? Helpers::at_once : Helpers::never};
    using Strips = std::vector<double>;
    parallel_for(groups, [] { return Strips(kKernelRows * kStrip); }, [&](Strips& scratch, std::int64_t g) {
        if (!watch.go_on()) return;
        double* out[kKernelRows];
        for (int r = 0; r < kKernelRows; ++r) out[r] = scratch.data() + r * kStrip;
        const std::int64_t begin = g * group, end = std::min(begin + group, queries.n);
        KernelPack<double> rows(end - begin, kKernelRows, queries.p);
        for (std::int64_t q = begin; q < end; ++q) rows.put(q - begin, queries.row(q));
        for (std::int64_t first = 0; first < n_cols; first += kStrip) {
            const std::int64_t last = std::min(first + kStrip, n_cols);
            for (std::int64_t q = begin; q < end; q += kKernelRows) {
                function(rows.panel_at(q - begin), rows.square.data() + (q - begin), cols, first, last, spec, out);
                for (int r = 0; r < kKernelRows && q + r < end; ++r) use(q + r, first, last, scratch.data() + r * kStrip);
            }
        }
    });
    return !watch.stopped();
}

} // namespace

template <class Real> KernelTile<Real> kernel_tile(KernelKind kind, int rows) {
    switch (kind) {
    case KernelKind::rbf:
        return rows == 1 ? SEPAL_BEST(tile<Real, 1, KernelKind::rbf>) : SEPAL_BEST(tile<Real, kKernelRows, KernelKind::rbf>);
    case KernelKind::poly:
        return rows == 1 ? SEPAL_BEST(tile<Real, 1, KernelKind::poly>) : SEPAL_BEST(tile<Real, kKernelRows, KernelKind::poly>);
    case KernelKind::sigmoid:
        return rows == 1 ? SEPAL_BEST(tile<Real, 1, KernelKind::sigmoid>) : SEPAL_BEST(tile<Real, kKernelRows, KernelKind::sigmoid>);
    default:
        return rows == 1 ? SEPAL_BEST(tile<Real, 1, KernelKind::linear>) : SEPAL_BEST(tile<Real, kKernelRows, KernelKind::linear>);
    }
}
template <class Real> AddRows<Real> add_rows() { return SEPAL_BEST(add<Real>); }
template KernelTile<float> kernel_tile<float>(KernelKind, int);
template KernelTile<double> kernel_tile<double>(KernelKind, int);
template AddRows<float> add_rows<float>();
template AddRows<double> add_rows<double>();

double kernel_value(const double* x, const double* z, int p, const KernelSpec& spec) {
    double product = 0, apart = 0;
    for (int f = 0; f < p; ++f) {
        product += x[f] * z[f];
        apart += (x[f] - z[f]) * (x[f] - z[f]);
    }
    switch (spec.kind) {
    case KernelKind::rbf:
        return std::exp(-spec.gamma * apart);
    case KernelKind::poly: {
        double value = 1;
        for (int d = 0; d < spec.degree; ++d) value *= spec.gamma * product + spec.coef0;
        return value;
    }
    case KernelKind::sigmoid:
        return std::tanh(spec.gamma * product + spec.coef0);
    default:
        return product;
    }
}

bool kernel_matrix(Points a, Points b, const KernelSpec& spec, int threads, Poll* poll, double* out) {
    std::vector<std::int64_t> place;
    const auto cols = packed_columns(b, {0, b.n}, place);
    return for_each_strip(cols, place.back(), a, spec, threads, poll,
                          [&](std::int64_t q, std::int64_t first, std::int64_t last, const double* values) {
                              std::copy(values, values + std::min(last, b.n) - first, out + q * b.n + first);
                          });
}

bool kernel_expansion(Points support, const std::vector<std::int64_t>& start, const double* coef, int n_out, Points queries,
                      const KernelSpec& spec, int threads, Poll* poll, double* out) {
    std::vector<std::int64_t> place;
    const auto cols = packed_columns(support, start, place);
    const auto n_groups = static_cast<std::int64_t>(start.size()) - 1;
    const std::int64_t places = place.back();
    std::vector<double> weight(static_cast<std::size_t>(n_out) * places, 0.0);
    for (int m = 0; m < n_out; ++m)
        for (std::int64_t g = 0; g < n_groups; ++g)
            std::copy(coef + m * support.n + start[g], coef + m * support.n + start[g + 1], weight.data() + m * places + place[g]);
    std::fill(out, out + queries.n * n_groups * n_out, 0.0);
    const auto product = SEPAL_BEST(dot);
    return for_each_strip(cols, places, queries, spec, threads, poll,
                          [&](std::int64_t q, std::int64_t first, std::int64_t last, const double* values) {
                              for (std::int64_t g = 0; g < n_groups; ++g) {
                                  const std::int64_t from = std::max(first, place[g]), to = std::min(last, place[g + 1]);
                                  if (from >= to) continue;
                                  double* sums = out + (q * n_groups + g) * n_out;
                                  for (int m = 0; m < n_out; ++m)
                                      sums[m] += product(values + (from - first), weight.data() + m * places + from, to - from);
                              }
                          });
}

} // namespace sepal
