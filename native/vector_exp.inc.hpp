/// @brief 2^x on whole vectors for x <= 0, for exp(-g d) = 2^(-g d log2 e); for hot files, once per instruction set.
//
// Within a unit in the last place of 2^x (measured: 1.8e-16 and 1.0e-7 of it). Included by hot files, for each instruction set.

namespace sepal::SEPAL_ISA {
namespace {

#ifdef SEPAL_VECTOR_EXTENSIONS
template <class T> struct Exp2Parts;
template <> struct Exp2Parts<float> {
    using Bits = int;
    static constexpr float magic = 12582912.0f; // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
    static constexpr int mantissa = 23, bias = 127;
    // (2^f - 1) / f for |f| <= 1/2, interpolated at the Chebyshev nodes: 2^f is off by at most 5e-9 of itself.
    static constexpr float terms[6] = {0.69314718802622878f, 0.24022650760568127f,  0.055503571142190778f,
                                       0.0096180825572778515f, 0.0013390863364671234f, 0.00015453162945120690f};
};
template <> struct Exp2Parts<double> {
    using Bits = long long;
    static constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr double terms[11] = {0.69314718055994530942,     0.2402265069591009822,      0.055504108664821594339, // 8e-18
                                         0.0096181291076068885273,   0.001333355814641693531,    0.00015403530441736050155,
                                         0.000015252733829836118394, 1.3215442587921689653e-6,   1.0178062445845773521e-7,
                                         7.0725859492692236999e-9,   4.4549605981865183938e-10};
};

// x = n + f with |f| <= 1/2, and (2^f - 1) / f.
template <class F> struct Power {
    typename F::V f, terms;
    typename F::Mask n; // in the place of the exponent
};
template <class F, class T> SEPAL_ATTR SEPAL_INLINE Power<F> power_of_two(typename F::V x, T lowest) {
    using V = typename F::V;
    using Parts = Exp2Parts<T>;
    constexpr int last = static_cast<int>(sizeof(Parts::terms) / sizeof(T)) - 1;
    const V kept = F::max(x, F::fill(lowest));
    const V shifted = kept + F::fill(Parts::magic);
    const V f = kept - (shifted - F::fill(Parts::magic));
    V terms = F::fill(Parts::terms[last]);
    for (int k = last - 1; k >= 0; --k) terms = terms * f + F::fill(Parts::terms[k]);
    return {f, terms, (typename F::Mask)shifted << Parts::mantissa};
}

template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V scale_of(const Power<F>& p) {
    using Parts = Exp2Parts<T>;
    return (typename F::V)(p.n + (static_cast<typename Parts::Bits>(Parts::bias) << Parts::mantissa));
}

// 2^x; 0 where that is below the smallest normal number.
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_nonpositive(typename F::V x) {
    const Power<F> p = power_of_two<F, T>(x, T(-Exp2Parts<T>::bias));
    return (p.terms * p.f + F::fill(T(1))) * scale_of<F, T>(p);
}
// 2^x, but never less than about the smallest normal number: cheaper, for sums that cannot feel it.
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_above_zero(typename F::V x) {
    const Power<F> p = power_of_two<F, T>(x, T(2 - Exp2Parts<T>::bias));
    const typename F::V near_one = p.terms * p.f + F::fill(T(1));
    return (typename F::V)((typename F::Mask)near_one + p.n);
}
// 2^x - 1, without loss near 0.
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_less_one(typename F::V x) {
    const Power<F> p = power_of_two<F, T>(x, T(-Exp2Parts<T>::bias));
    const typename F::V scale = scale_of<F, T>(p);
    return scale * (p.terms * p.f) + (scale - F::fill(T(1)));
}
#else
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_nonpositive(typename F::V x) {
    for (int i = 0; i < F::width; ++i) x.x[i] = std::exp2(x.x[i]);
    return x;
}
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_above_zero(typename F::V x) {
    return exp2_nonpositive<F, T>(x);
}
template <class F, class T> SEPAL_ATTR SEPAL_INLINE typename F::V exp2_less_one(typename F::V x) {
    for (int i = 0; i < F::width; ++i) x.x[i] = std::expm1(x.x[i] * T(0.69314718055994530942));
    return x;
}
#endif

} // namespace
} // namespace sepal::SEPAL_ISA
