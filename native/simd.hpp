// Short vectors and the choice of instruction set.
//
// A hot function is written once as a template over `Lanes`, and compiled twice on x86-64: for any
// processor (128-bit vectors) and for x86-64-v3 (256-bit, FMA). `has_v3()` is asked once, at load.
// Compilers without vector extensions or target attributes get the plain version.
#pragma once

#include <cstdint>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(SEPAL_PLAIN_VECTORS)
#define SEPAL_VECTOR_EXTENSIONS 1
#define SEPAL_INLINE inline __attribute__((always_inline))
#elif defined(__GNUC__)
#define SEPAL_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define SEPAL_INLINE __forceinline
#else
#define SEPAL_INLINE inline
#endif

#if defined(SEPAL_VECTOR_EXTENSIONS) && defined(__x86_64__) && !defined(__APPLE__)
#define SEPAL_V3 __attribute__((target("arch=x86-64-v3")))
#define SEPAL_HAS_V3_CLONES 1
#endif

namespace sepal {

inline bool has_v3() {
#ifdef SEPAL_HAS_V3_CLONES
    static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    return yes;
#else
    return false;
#endif
}

#ifdef SEPAL_VECTOR_EXTENSIONS
template <class T, int N> struct VectorOf {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N> struct Vector {
    using V = typename VectorOf<T, N>::type;
    using Mask = typename VectorOf<std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>, N>::type;
    static constexpr int width = N;
    static SEPAL_INLINE V load(const T* p) {
        V v;
        __builtin_memcpy(&v, p, sizeof(V));
        return v;
    }
    static SEPAL_INLINE void store(T* p, V v) { __builtin_memcpy(p, &v, sizeof(V)); }
    static SEPAL_INLINE V fill(T x) { return V{} + x; }
    static SEPAL_INLINE V min(V a, V b) { return a < b ? a : b; }
    static SEPAL_INLINE V max(V a, V b) { return a > b ? a : b; }
    static SEPAL_INLINE V abs(V a) { return a < -a ? -a : a; }
    static SEPAL_INLINE Mask none() { return Mask{}; }
    static SEPAL_INLINE Mask at_least(V a, V b) { return a >= b; }
    static SEPAL_INLINE Mask at_most(V a, V b) { return a <= b; }
    static SEPAL_INLINE Mask equal(V a, V b) { return a == b; }
    static SEPAL_INLINE Mask either(Mask a, Mask b) { return a | b; }
    static SEPAL_INLINE V pick(Mask m, V yes, V no) { return m ? yes : no; }
    static SEPAL_INLINE bool any(Mask m) {
        std::int64_t words[sizeof(Mask) / 8];
        __builtin_memcpy(words, &m, sizeof(Mask));
        std::int64_t all = 0;
        for (std::int64_t w : words) all |= w;
        return all != 0;
    }
};
#else
// The same face in plain loops, which the compiler may or may not vectorise.
template <class T, int N> struct Vector {
    struct V {
        T x[N];
        SEPAL_INLINE V operator+(V o) const { for (int i = 0; i < N; ++i) o.x[i] = x[i] + o.x[i]; return o; }
        SEPAL_INLINE V operator-(V o) const { for (int i = 0; i < N; ++i) o.x[i] = x[i] - o.x[i]; return o; }
        SEPAL_INLINE V operator*(V o) const { for (int i = 0; i < N; ++i) o.x[i] = x[i] * o.x[i]; return o; }
        SEPAL_INLINE V operator/(V o) const { for (int i = 0; i < N; ++i) o.x[i] = x[i] / o.x[i]; return o; }
        SEPAL_INLINE V& operator+=(V o) { return *this = *this + o; }
    };
    struct Mask { bool x[N]; };
    static constexpr int width = N;
    template <class F> static SEPAL_INLINE V each(F f) { V v; for (int i = 0; i < N; ++i) v.x[i] = f(i); return v; }
    template <class F> static SEPAL_INLINE Mask test(F f) { Mask m; for (int i = 0; i < N; ++i) m.x[i] = f(i); return m; }
    static SEPAL_INLINE V load(const T* p) { return each([&](int i) { return p[i]; }); }
    static SEPAL_INLINE void store(T* p, V v) { for (int i = 0; i < N; ++i) p[i] = v.x[i]; }
    static SEPAL_INLINE V fill(T x) { return each([&](int) { return x; }); }
    static SEPAL_INLINE V min(V a, V b) { return each([&](int i) { return a.x[i] < b.x[i] ? a.x[i] : b.x[i]; }); }
    static SEPAL_INLINE V max(V a, V b) { return each([&](int i) { return a.x[i] > b.x[i] ? a.x[i] : b.x[i]; }); }
    static SEPAL_INLINE V abs(V a) { return each([&](int i) { return a.x[i] < -a.x[i] ? -a.x[i] : a.x[i]; }); }
    static SEPAL_INLINE Mask none() { return test([](int) { return false; }); }
    static SEPAL_INLINE Mask at_least(V a, V b) { return test([&](int i) { return a.x[i] >= b.x[i]; }); }
    static SEPAL_INLINE Mask at_most(V a, V b) { return test([&](int i) { return a.x[i] <= b.x[i]; }); }
    static SEPAL_INLINE Mask equal(V a, V b) { return test([&](int i) { return a.x[i] == b.x[i]; }); }
    static SEPAL_INLINE Mask either(Mask a, Mask b) { return test([&](int i) { return a.x[i] || b.x[i]; }); }
    static SEPAL_INLINE V pick(Mask m, V yes, V no) { return each([&](int i) { return m.x[i] ? yes.x[i] : no.x[i]; }); }
    static SEPAL_INLINE bool any(Mask m) { bool all = false; for (bool b : m.x) all |= b; return all; }
};
#endif

struct Narrow { // any processor
    using Float = Vector<float, 4>;
    using Double = Vector<double, 2>;
};
struct Wide { // AVX2
    using Float = Vector<float, 8>;
    using Double = Vector<double, 4>;
};

} // namespace sepal
