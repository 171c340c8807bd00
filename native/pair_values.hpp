/// @brief Distances d(x_i, z_j) of many packed rows to a few points: the inner loop of prototype selection and of the window.
//
// Rows are packed in panels of 8 ([panel][feature][8]); the sum runs over the features in their order, so values
// equal those of every other path.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"
#include "spare_memory.hpp"

namespace sepal {

constexpr int kPanel = 8;

inline std::int64_t panels_of(std::int64_t n) { return (n + kPanel - 1) / kPanel; }

// Rows that can be appended, overwritten and read by panel. Cells past the last row are 0 and mean nothing.
class PackedRows {
  public:
    explicit PackedRows(int p) : p_(p) {}
    void reserve(std::int64_t n) { cells_.reserve(static_cast<std::size_t>(panels_of(n)) * kPanel * p_); }
    void append(const double* row) {
        if (n_ % kPanel == 0) cells_.resize(cells_.size() + static_cast<std::size_t>(kPanel) * p_, 0.0);
        put(n_++, row);
    }
    void put(std::int64_t i, const double* row) {
        double* to = cells_.data() + i / kPanel * kPanel * p_ + i % kPanel;
        for (int f = 0; f < p_; ++f) to[static_cast<std::int64_t>(f) * kPanel] = row[f];
    }
    void clear() {
        cells_.clear();
        n_ = 0;
    }
    std::int64_t size() const { return n_; }
    const double* panel(std::int64_t i) const { return cells_.data() + i * kPanel * p_; }

  private:
    int p_;
    std::int64_t n_ = 0;
    SpareVector<double> cells_;
};

// out[m][8 * n_panels]: the value of each of m points to each packed row. `scale` multiplies every coordinate of
// the packed rows (the points come scaled); null means 1. Values up to `zero` come out as 0.
using ValuesFunction = void (*)(const double* panels, std::int64_t n_panels, const double* const* points, int m,
                                const double* scale, const MetricSpec& spec, int p, double zero, double* out);

ValuesFunction values_function(Metric metric);

// Bit j is set where value j is at most its bound: own[j] where codes[j] is `code`, other[j] elsewhere. n is a multiple
// of 8 and at most 64; all arrays are that long.
using WithinFunction = std::uint64_t (*)(const double* values, const double* codes, double code, const double* own,
                                const double* other, int n);

WithinFunction within_function();

} // namespace sepal
