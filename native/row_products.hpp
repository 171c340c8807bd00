/// @brief Products of rows in float64, y_ij = sum_f (x_if - m_f) v_jf: every row of one matrix with every row of another.
#pragma once

#include "ranking.hpp"

namespace sepal {

// `shift` (m) may be null. out is (rows.n, axes.n), row-major. squares, if not null, gets sum_f (x_if - m_f)^2.
// Sums are taken in the order of f and may be fused: each is off by at most (p + 2) 2^-53 |x_i - m| |v_j|.
void row_products(Points rows, const double* shift, Points axes, double* out, double* squares, int threads);

} // namespace sepal
