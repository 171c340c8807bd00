/// @brief Sums of rows, out += sum_k c_k rows_k, for dual_removal.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

// out += sum over k of coef[k] rows[k], for n places.
SEPAL_ATTR void add_rows(const double* const* rows, const double* coef, std::int64_t count, std::int64_t n, double* out) {
    using D = Doubles;
    constexpr std::int64_t at_once = 4 * D::width;
    std::int64_t i = 0;
    for (; i + at_once <= n; i += at_once) {
        D::V sums[4];
        for (int part = 0; part < 4; ++part) sums[part] = D::load(out + i + part * D::width);
        for (std::int64_t k = 0; k < count; ++k) {
            const D::V c = D::fill(coef[k]);
            for (int part = 0; part < 4; ++part) sums[part] += c * D::load(rows[k] + i + part * D::width);
        }
        for (int part = 0; part < 4; ++part) D::store(out + i + part * D::width, sums[part]);
    }
    for (; i < n; ++i)
        for (std::int64_t k = 0; k < count; ++k) out[i] += coef[k] * rows[k][i];
}

} // namespace sepal::SEPAL_ISA
