/// @brief Rows in blocks of one class, and the register tiles that compute d(x_i, x_j) between a block of rows and a panel of columns.
#pragma once

#include "tiles.hpp"
#include "ranking.hpp"

namespace sepal {

constexpr int kRows = 4, kCols = 8; // register tile
constexpr int kLanes = 4;           // partial sums of a row, one per lane of the widest vectors

// What is counted between a block of rows and a panel of columns.
struct PanelCounts {
    const double *row_weight, *row_limit; // what a row counts in the sums of the columns; below which it finds a column nearer
    const double *col_weight, *col_limit;
    double reach;
    double *row_nearer, *row_near; // kLanes sums per row
    double *col_nearer, *col_near;
};

// Rows packed in fours, their number, a bound for each; a panel of columns, a bound for each; what to count (or nothing).
// Lists the pairs whose value is at most the bound of one of both, and returns their number.
using ClassPanel = int (*)(const double*, int, const double*, const double*, const double*, const MetricSpec&, int,
                           const PanelCounts&, Hit<double>*);
ClassPanel near_panel(Metric metric);
ClassPanel counting_panel(Metric metric);

// Rows in blocks of one class each. A block ends with copies of its last row, so that it is whole panels long.
struct Blocks {
    struct Block {
        std::int64_t begin;
        int n;
        std::int32_t of_class;
    };
    std::vector<std::int32_t> row; // at each place; -1: a copy that fills the block
    std::vector<Block> blocks;

    Blocks(std::int64_t n, const std::int32_t* classes, int block) {
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t begin = static_cast<std::int64_t>(row.size());
            std::int64_t end = i;
            while (end < n && end - i < block && classes[end] == classes[i]) row.push_back(static_cast<std::int32_t>(end++));
            while (row.size() % kCols != 0) row.push_back(-1);
            blocks.push_back({begin, static_cast<int>(static_cast<std::int64_t>(row.size()) - begin), classes[i]});
            i = end;
        }
    }
    std::int64_t size() const { return static_cast<std::int64_t>(row.size()); }

    // [panel][feature][row]
    std::vector<double> pack(Points points, int panel) const {
        std::vector<double> values(row.size() * points.p);
        std::int32_t last = 0;
        for (std::int64_t at = 0; at < size(); ++at) {
            if (row[at] >= 0) last = row[at];
            for (int f = 0; f < points.p; ++f)
                values[(at / panel * points.p + f) * panel + at % panel] = points.row(last)[f];
        }
        return values;
    }
};

} // namespace sepal
