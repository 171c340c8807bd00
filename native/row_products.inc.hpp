/// @brief Register tile of y_ij, six rows times eight axes, for row_products.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

// rows: [f][6], axes: [f][8]; out: six rows of eight.
SEPAL_ATTR void products(const double* rows, const double* axes, int p, double* out) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    for (int c = 0; c < kAxisPanel; c += 2 * W) {
        V acc[kRowPanel][2] = {};
        const double *a = rows, *b = axes + c;
        for (int f = 0; f < p; ++f, a += kRowPanel, b += kAxisPanel) {
            const V b0 = D::load(b), b1 = D::load(b + W);
            for (int r = 0; r < kRowPanel; ++r) {
                const V x = D::fill(a[r]);
                acc[r][0] += x * b0;
                acc[r][1] += x * b1;
            }
        }
        for (int r = 0; r < kRowPanel; ++r) {
            D::store(out + r * kAxisPanel + c, acc[r][0]);
            D::store(out + r * kAxisPanel + c + W, acc[r][1]);
        }
    }
}

} // namespace sepal::SEPAL_ISA
