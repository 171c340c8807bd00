/// @brief Kernel matrices k(x_i, z_j) and expansions sum_i c_i k(x_i, z), in register tiles of inner products x.z.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

enum class KernelKind { linear, poly, rbf, sigmoid };

// linear x.z; poly (gamma x.z + coef0)^degree; rbf exp(-gamma |x - z|^2); sigmoid tanh(gamma x.z + coef0).
struct KernelSpec {
    KernelKind kind;
    double gamma;
    double coef0;
    int degree;
};

constexpr int kKernelRows = 6;                                       // rows of a register tile
template <class Real> constexpr int kKernelCols = 64 / sizeof(Real); // its columns: 16 floats or 8 doubles

template <class Real> constexpr std::int64_t padded_cols(std::int64_t n) {
    return (n + kKernelCols<Real> - 1) / kKernelCols<Real> * kKernelCols<Real>;
}

// Rows made ready for tiles, as the left side ([panel of 6][feature][6]) or the right side ([panel][feature][cols]);
// a left panel may also have one row only.
// Places beyond the last row hold zeros.
template <class Real> struct KernelPack {
    KernelPack() = default;
    KernelPack(std::int64_t places, int panel_, int p_)
        : values(static_cast<std::size_t>((places + panel_ - 1) / panel_ * panel_) * p_, Real(0)),
          square(static_cast<std::size_t>((places + panel_ - 1) / panel_ * panel_), Real(0)), panel(panel_), p(p_) {}
    void put(std::int64_t place, const double* row) {
        Real* to = values.data() + place / panel * panel * p + place % panel;
        double sum = 0;
        for (int f = 0; f < p; ++f) {
            to[static_cast<std::int64_t>(f) * panel] = static_cast<Real>(row[f]);
            sum += row[f] * row[f];
        }
        square[place] = static_cast<Real>(sum);
    }
    const Real* panel_at(std::int64_t place) const { return values.data() + place * p; } // place begins a panel
    std::vector<Real> values, square;
    int panel = 1, p = 0;
};

// The rows of a left panel against the columns first .. last (multiples of the panel); out[r][0] is column `first` of
// row r. Panels have kKernelRows rows, or 1.
template <class Real>
using KernelTile = void (*)(const Real* rows, const Real* row_square, const KernelPack<Real>& cols, std::int64_t first,
                            std::int64_t last, const KernelSpec& spec, Real* const* out);
template <class Real> KernelTile<Real> kernel_tile(KernelKind kind, int rows);

// f[c] += sum_k step[k] * rows[k][c] for c in first .. last.
template <class Real>
using AddRows = void (*)(double* f, const Real* const* rows, const double* step, std::int64_t n_rows, std::int64_t first,
                         std::int64_t last);
template <class Real> AddRows<Real> add_rows();

double kernel_value(const double* x, const double* z, int p, const KernelSpec& spec);

// K between all rows of a and all rows of b, row-major.
bool kernel_matrix(Points a, Points b, const KernelSpec& spec, int threads, Poll* poll, double* out);

// sum over the support rows of each group: out[q][g][m] = sum_{i in g} coef[m][i] k(x_i, q). Group g is rows
// start[g] .. start[g + 1]. False when stopped.
bool kernel_expansion(Points support, const std::vector<std::int64_t>& start, const double* coef, int n_out, Points queries,
                      const KernelSpec& spec, int threads, Poll* poll, double* out);

} // namespace sepal
