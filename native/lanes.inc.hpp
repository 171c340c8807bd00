/// @brief Short vectors of the current instruction set, Floats and Doubles, with one spelling for all; included by each_isa.hpp only.

namespace sepal::SEPAL_ISA {

#ifdef SEPAL_VECTOR_EXTENSIONS
template <class T, class Bits> struct Lanes {
    static constexpr int width = SEPAL_LANE_BYTES / sizeof(T);
#if SEPAL_LANE_BYTES == 64
    static constexpr int kCurrentRounding = 4;
#endif
    typedef T V __attribute__((vector_size(SEPAL_LANE_BYTES)));
    typedef Bits Mask __attribute__((vector_size(SEPAL_LANE_BYTES)));

    SEPAL_ATTR static SEPAL_INLINE V load(const T* p) {
        V v;
        __builtin_memcpy(&v, p, sizeof(V));
        return v;
    }
    SEPAL_ATTR static SEPAL_INLINE void store(T* p, V v) { __builtin_memcpy(p, &v, sizeof(V)); }
    // The same from values of either width.
    SEPAL_ATTR static SEPAL_INLINE V widen(const T* p) { return load(p); }
    template <class Narrow> SEPAL_ATTR static SEPAL_INLINE V widen(const Narrow* p) {
        typedef Narrow Half __attribute__((vector_size(SEPAL_LANE_BYTES / sizeof(T) * sizeof(Narrow))));
        Half v;
        __builtin_memcpy(&v, p, sizeof(Half));
        return __builtin_convertvector(v, V);
    }
    SEPAL_ATTR static SEPAL_INLINE V fill(T x) { return x - V{}; } // folds to a broadcast; x + V{} does not, for -0
    // a < b ? a : b and a > b ? a : b, which compilers do not always see to be one instruction.
    SEPAL_ATTR static SEPAL_INLINE V min(V a, V b) {
#if SEPAL_LANE_BYTES == 64 && defined(__clang__)
        if constexpr (sizeof(T) == 4) return __builtin_ia32_minps512(a, b, kCurrentRounding);
        else return __builtin_ia32_minpd512(a, b, kCurrentRounding);
#elif SEPAL_LANE_BYTES == 64
        if constexpr (sizeof(T) == 4) return __builtin_ia32_minps512_mask(a, b, a, -1, kCurrentRounding);
        else return __builtin_ia32_minpd512_mask(a, b, a, -1, kCurrentRounding);
#elif defined(__x86_64__) && SEPAL_LANE_BYTES == 32
        if constexpr (sizeof(T) == 4) return __builtin_ia32_minps256(a, b);
        else return __builtin_ia32_minpd256(a, b);
#elif defined(__x86_64__)
        if constexpr (sizeof(T) == 4) return __builtin_ia32_minps(a, b);
        else return __builtin_ia32_minpd(a, b);
#else
        return a < b ? a : b;
#endif
    }
    SEPAL_ATTR static SEPAL_INLINE V max(V a, V b) {
#if SEPAL_LANE_BYTES == 64 && defined(__clang__)
        if constexpr (sizeof(T) == 4) return __builtin_ia32_maxps512(a, b, kCurrentRounding);
        else return __builtin_ia32_maxpd512(a, b, kCurrentRounding);
#elif SEPAL_LANE_BYTES == 64
        if constexpr (sizeof(T) == 4) return __builtin_ia32_maxps512_mask(a, b, a, -1, kCurrentRounding);
        else return __builtin_ia32_maxpd512_mask(a, b, a, -1, kCurrentRounding);
#elif defined(__x86_64__) && SEPAL_LANE_BYTES == 32
        if constexpr (sizeof(T) == 4) return __builtin_ia32_maxps256(a, b);
        else return __builtin_ia32_maxpd256(a, b);
#elif defined(__x86_64__)
        if constexpr (sizeof(T) == 4) return __builtin_ia32_maxps(a, b);
        else return __builtin_ia32_maxpd(a, b);
#else
        return a > b ? a : b;
#endif
    }
    SEPAL_ATTR static SEPAL_INLINE V abs(V a) { // clears the sign, one instruction where a comparison takes two
        constexpr Bits everything_but_the_sign = std::numeric_limits<Bits>::max();
        return reinterpret_cast<V>(reinterpret_cast<Mask>(a) & everything_but_the_sign);
    }
    // One lane up: the last lane of `before`, then `own` without its last.
    SEPAL_ATTR static SEPAL_INLINE V after(V before, V own) {
#ifdef __clang__
        if constexpr (width == 16) return __builtin_shufflevector(before, own, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
        else if constexpr (width == 8) return __builtin_shufflevector(before, own, 7, 8, 9, 10, 11, 12, 13, 14);
        else if constexpr (width == 4) return __builtin_shufflevector(before, own, 3, 4, 5, 6);
        else return __builtin_shufflevector(before, own, 1, 2);
#else
        if constexpr (width == 16) return __builtin_shuffle(before, own, Mask{15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30});
        else if constexpr (width == 8) return __builtin_shuffle(before, own, Mask{7, 8, 9, 10, 11, 12, 13, 14});
        else if constexpr (width == 4) return __builtin_shuffle(before, own, Mask{3, 4, 5, 6});
        else return __builtin_shuffle(before, own, Mask{1, 2});
#endif
    }
    SEPAL_ATTR static SEPAL_INLINE Mask none() { return Mask{}; }
    SEPAL_ATTR static SEPAL_INLINE Mask below(V a, V b) { return a < b; }
    SEPAL_ATTR static SEPAL_INLINE Mask at_least(V a, V b) { return a >= b; }
    SEPAL_ATTR static SEPAL_INLINE Mask at_most(V a, V b) { return a <= b; }
    SEPAL_ATTR static SEPAL_INLINE Mask equal(V a, V b) { return a == b; }
    SEPAL_ATTR static SEPAL_INLINE Mask either(Mask a, Mask b) { return a | b; }
    SEPAL_ATTR static SEPAL_INLINE V pick(Mask m, V yes, V no) { return m ? yes : no; }
    SEPAL_ATTR static SEPAL_INLINE V where(Mask m, V yes) { return reinterpret_cast<V>(m & reinterpret_cast<Mask>(yes)); } // else 0
    // Bit i is set where lane i of the mask is.
    SEPAL_ATTR static SEPAL_INLINE unsigned bits(Mask m) {
#if SEPAL_LANE_BYTES == 64
        if constexpr (sizeof(T) == 4) return static_cast<std::uint16_t>(__builtin_ia32_cvtd2mask512(m));
        else return static_cast<std::uint8_t>(__builtin_ia32_cvtq2mask512(m));
#elif defined(__x86_64__) && SEPAL_LANE_BYTES == 32
        if constexpr (sizeof(T) == 4) return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<V>(m)));
        else return static_cast<unsigned>(__builtin_ia32_movmskpd256(reinterpret_cast<V>(m)));
#elif defined(__x86_64__)
        if constexpr (sizeof(T) == 4) return static_cast<unsigned>(__builtin_ia32_movmskps(reinterpret_cast<V>(m)));
        else return static_cast<unsigned>(__builtin_ia32_movmskpd(reinterpret_cast<V>(m)));
#else
        unsigned all = 0;
        for (int i = 0; i < width; ++i) all |= static_cast<unsigned>(m[i] & 1) << i;
        return all;
#endif
    }
    SEPAL_ATTR static SEPAL_INLINE bool any(Mask m) { return bits(m) != 0; }
};
#else
// The same face in plain loops, which the compiler may or may not vectorise.
template <class T, class Bits> struct Lanes {
    static constexpr int width = SEPAL_LANE_BYTES / sizeof(T);
    struct V {
        T x[width];
        SEPAL_INLINE V operator+(V o) const { for (int i = 0; i < width; ++i) o.x[i] = x[i] + o.x[i]; return o; }
        SEPAL_INLINE V operator-(V o) const { for (int i = 0; i < width; ++i) o.x[i] = x[i] - o.x[i]; return o; }
        SEPAL_INLINE V operator*(V o) const { for (int i = 0; i < width; ++i) o.x[i] = x[i] * o.x[i]; return o; }
        SEPAL_INLINE V operator/(V o) const { for (int i = 0; i < width; ++i) o.x[i] = x[i] / o.x[i]; return o; }
        SEPAL_INLINE V& operator+=(V o) { return *this = *this + o; }
    };
    struct Mask { bool x[width]; };
    template <class F> static SEPAL_INLINE V each(F f) { V v; for (int i = 0; i < width; ++i) v.x[i] = f(i); return v; }
    template <class F> static SEPAL_INLINE Mask test(F f) { Mask m; for (int i = 0; i < width; ++i) m.x[i] = f(i); return m; }
    static SEPAL_INLINE V load(const T* p) { return each([&](int i) { return p[i]; }); }
    template <class Narrow> static SEPAL_INLINE V widen(const Narrow* p) { return each([&](int i) { return static_cast<T>(p[i]); }); }
    static SEPAL_INLINE void store(T* p, V v) { for (int i = 0; i < width; ++i) p[i] = v.x[i]; }
    static SEPAL_INLINE V fill(T x) { return each([&](int) { return x; }); }
    static SEPAL_INLINE V min(V a, V b) { return each([&](int i) { return a.x[i] < b.x[i] ? a.x[i] : b.x[i]; }); }
    static SEPAL_INLINE V max(V a, V b) { return each([&](int i) { return a.x[i] > b.x[i] ? a.x[i] : b.x[i]; }); }
    static SEPAL_INLINE V abs(V a) { return each([&](int i) { return a.x[i] < -a.x[i] ? -a.x[i] : a.x[i]; }); }
    static SEPAL_INLINE V after(V before, V own) { return each([&](int i) { return i == 0 ? before.x[width - 1] : own.x[i - 1]; }); }
    static SEPAL_INLINE Mask none() { return test([](int) { return false; }); }
    static SEPAL_INLINE Mask below(V a, V b) { return test([&](int i) { return a.x[i] < b.x[i]; }); }
    static SEPAL_INLINE Mask at_least(V a, V b) { return test([&](int i) { return a.x[i] >= b.x[i]; }); }
    static SEPAL_INLINE Mask at_most(V a, V b) { return test([&](int i) { return a.x[i] <= b.x[i]; }); }
    static SEPAL_INLINE Mask equal(V a, V b) { return test([&](int i) { return a.x[i] == b.x[i]; }); }
    static SEPAL_INLINE Mask either(Mask a, Mask b) { return test([&](int i) { return a.x[i] || b.x[i]; }); }
    static SEPAL_INLINE V pick(Mask m, V yes, V no) { return each([&](int i) { return m.x[i] ? yes.x[i] : no.x[i]; }); }
    static SEPAL_INLINE V where(Mask m, V yes) { return each([&](int i) { return m.x[i] ? yes.x[i] : T{0}; }); }
    static SEPAL_INLINE unsigned bits(Mask m) {
        unsigned all = 0;
        for (int i = 0; i < width; ++i) all |= static_cast<unsigned>(m.x[i]) << i;
        return all;
    }
    static SEPAL_INLINE bool any(Mask m) { return bits(m) != 0; }
};
#endif

using Floats = Lanes<float, int>;
using Doubles = Lanes<double, long long>;

} // namespace sepal::SEPAL_ISA
