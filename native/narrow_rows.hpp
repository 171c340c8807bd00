/// @brief Rows in float32, y = (x - m) s with |y| < 1, and what |y_i - y_j|^2 in float32 says of |x_i - x_j|^2.
//
// Each row is off by 2^-24 of its length at most, and a sum by p + 4 units of rounding of its terms. So from the true
// squared length T of a difference and the value v found in float32, T (1 - theta) - d / theta <= v <= T (1 + theta) + d / theta
// for every theta > 0, where d is the square of what two rows are off.
#pragma once

#include <cmath>

#include "prefetch.hpp"
#include "ranking.hpp"
#include "spare_memory.hpp"

namespace sepal {

constexpr double kTheta = 1e-5;

struct NarrowRows {
    // In the given order, or as they stand; each row is filled up with zeros to whole lanes.
    NarrowRows(Points rows, const std::int32_t* order, const std::vector<double>& shift, double scale, int threads)
        : n(rows.n), p(rows.p), width((rows.p + 7) / 8 * 8), values(static_cast<std::size_t>(rows.n) * width) {
        parallel_for(Loop{.n = n, .threads = threads, .grain = 128}, [&](std::int64_t i) {
            const double* from = rows.row(order == nullptr ? i : order[i]);
            float* to = values.data() + i * width;
            for (int f = 0; f < p; ++f) to[f] = static_cast<float>((from[f] - shift[f]) * scale);
        });
    }
    const float* row(std::int64_t i) const { return values.data() + i * width; }
    void prefetch_row(std::int64_t i) const { // which may be in the padding of the last block
        for (int f = 0; f < std::min(width, 128); f += 16) prefetch(values.data() + i * width + f);
    }
    std::int64_t n;
    int p, width;
    SpareVector<float> values;
};

// v (1 - share) - slack <= value <= v (1 + share) + slack, in units of the scale.
struct Sureness {
    explicit Sureness(int p) : share((p + 4) * 0x1.1p-24 + 1.1 * kTheta) {}
    double share, slack = 0x1.1p-46 * (1 + 1 / kTheta);
};

// The power of two that brings the longest row to between 1/4 and 1/2.
inline double narrow_scale(double longest) { return std::exp2(-1 - std::ceil(std::log2(longest))); }

using FloatSum = float (*)(const float*, const float*, int);

} // namespace sepal
