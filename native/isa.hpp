/// @brief Instruction sets that inner loops are compiled for, and detection of those that this processor can run.
//
// A hot file is written once, as a .inc.hpp, and included once per instruction set by each_isa.hpp: in namespace
// `baseline` for any processor, and in namespace `v3` (x86-64-v3: AVX2, FMA) where the compiler can target it function
// by function; where SEPAL_HOT_WIDE is defined also in `v4` (x86-64-v4: AVX-512), which SEPAL_BEST_WIDE picks. Every
// function in it carries SEPAL_ATTR, so nothing shared with the rest is compiled for these.
// The choice is made once, at load. Compilers without target attributes get the baseline only.
#pragma once

#include <cstdlib>
#include <cstring>
#include <limits>

#if defined(__GNUC__)
#define SEPAL_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define SEPAL_INLINE __forceinline
#else
#define SEPAL_INLINE inline
#endif

#if defined(__GNUC__) && !defined(SEPAL_PLAIN_VECTORS)
#define SEPAL_VECTOR_EXTENSIONS 1
#endif

#if defined(SEPAL_VECTOR_EXTENSIONS) && defined(__x86_64__) && !defined(__APPLE__)
#define SEPAL_HAS_V3 1
#endif

namespace sepal {

// SEPAL_INSTRUCTION_SET=baseline or x86-64-v3 in the environment keeps to these, so that tests can compare them.
inline bool keeps_to(const char* name) {
    const char* wanted = std::getenv("SEPAL_INSTRUCTION_SET");
    return wanted != nullptr && std::strcmp(wanted, name) == 0;
}

inline bool has_v3() {
#ifdef SEPAL_HAS_V3
    static const bool yes = !keeps_to("baseline") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                            __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    return yes;
#else
    return false;
#endif
}

inline bool has_v4() {
#ifdef SEPAL_HAS_V3
    static const bool yes = has_v3() && !keeps_to("x86-64-v3") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    return yes;
#else
    return false;
#endif
}

// Sums of products of 8-bit and 16-bit integers in one instruction (AVX-512 VNNI), for byte_tiles.cpp and search_tree.cpp.
inline bool has_byte_products() {
#ifdef SEPAL_HAS_V3
    static const bool yes = has_v4() && __builtin_cpu_supports("avx512vnni");
    return yes;
#else
    return false;
#endif
}

} // namespace sepal

// The function of this name in the best namespace this processor can run (commas in template arguments are fine).
#ifdef SEPAL_HAS_V3
#define SEPAL_BEST(...) (::sepal::has_v3() ? ::sepal::v3::__VA_ARGS__ : ::sepal::baseline::__VA_ARGS__)
#define SEPAL_BEST_WIDE(...) (::sepal::has_v4() ? ::sepal::v4::__VA_ARGS__ : SEPAL_BEST(__VA_ARGS__))
#else
#define SEPAL_BEST(...) ::sepal::baseline::__VA_ARGS__
#define SEPAL_BEST_WIDE(...) SEPAL_BEST(__VA_ARGS__)
#endif
