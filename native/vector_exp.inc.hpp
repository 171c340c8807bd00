// exp on whole vectors, for arguments of at most 0; within 2 units in the last place.
// Included by hot files, for each instruction set.

namespace sepal::SEPAL_ISA {
namespace {

#ifdef SEPAL_VECTOR_EXTENSIONS
template <class T> struct ExpParts;
template <> struct ExpParts<float> {
    static constexpr float lowest = -87.0f, magic = 12582912.0f, high = 0.693359375f, low = -2.12194440e-4f;
    static constexpr int mantissa = 23, bias = 127, degree = 7;
};
template <> struct ExpParts<double> {
    static constexpr double lowest = -708.0, magic = 6755399441055744.0, high = 6.93145751953125e-1,
                            low = 1.42860682030941723212e-6;
    static constexpr int mantissa = 52, bias = 1023, degree = 13;
};

// x = n ln 2 + r with |r| <= ln 2 / 2; Taylor's series in r, then n goes into the exponent bits.
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp_nonpositive(typename F::V x) {
    using V = typename F::V;
    using Parts = ExpParts<T>;
    constexpr T inverse[14] = {T(1),           T(1),           T(1) / 2,        T(1) / 6,         T(1) / 24,
                               T(1) / 120,     T(1) / 720,     T(1) / 5040,     T(1) / 40320,     T(1) / 362880,
                               T(1) / 3628800, T(1) / 39916800, T(1) / 479001600, T(1) / 6227020800};
    const V kept = F::max(x, F::fill(Parts::lowest));
    const V shifted = kept * F::fill(T(1.4426950408889634)) + F::fill(Parts::magic);
    const V n = shifted - F::fill(Parts::magic);
    const V r = kept - n * F::fill(Parts::high) - n * F::fill(Parts::low);
    V sum = F::fill(inverse[Parts::degree]);
    for (int k = Parts::degree - 1; k >= 0; --k) sum = sum * r + F::fill(inverse[k]);
    using Mask = typename F::Mask;
    const Mask whole = (Mask)shifted - (Mask)F::fill(Parts::magic) + Parts::bias;
    const V value = sum * (V)(whole << Parts::mantissa);
    return F::pick(F::at_least(x, F::fill(Parts::lowest)), value, F::fill(T(0)));
}
#else
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp_nonpositive(typename F::V x) {
    for (int i = 0; i < F::width; ++i) x.x[i] = std::exp(x.x[i]);
    return x;
}
#endif

} // namespace
} // namespace sepal::SEPAL_ISA
