#include "byte_tiles.hpp"

#include <algorithm>
#include <bit>

#include "isa.hpp"
#include "prefetch.hpp"

#ifdef SEPAL_HAS_V3
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized" // in the compiler's own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace sepal {
namespace {

#define SEPAL_BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,bmi,bmi2")))

constexpr int kSome = 64;

// From names of pairs, 16 i + j.
int write_hits(const std::int32_t* names, int n, Hit<float>* hits, int at) {
    for (int t = 0; t < n; ++t) hits[at + t] = {names[t] / kPanelCols, names[t] % kPanelCols, 0.0f};
    return at + n;
}

// Sums of 6 rows and 16 columns, from what they begin with.
struct Sums {
    __m512i of[kPanelRows];
};

SEPAL_BYTES inline __attribute__((always_inline)) void begin(Sums& sums, __m512i own, const std::int32_t* row_add) {
#pragma GCC unroll 6
    for (int r = 0; r < kPanelRows; ++r) sums.of[r] = _mm512_add_epi32(own, _mm512_set1_epi32(row_add[r]));
}

// The instruction by name: from its intrinsic GCC 12 makes two copies of every sum.
SEPAL_BYTES inline __attribute__((always_inline)) void add_quad(Sums& sums, __m512i column, const std::int8_t* rows) {
    struct Quad {
        std::int8_t of[kQuad];
    };
#pragma GCC unroll 6
    for (int r = 0; r < kPanelRows; ++r)
        asm("vpdpbusd %[four]%{1to16%}, %[column], %[sum]"
            : [sum] "+v"(sums.of[r])
            : [column] "v"(column), [four] "m"(*reinterpret_cast<const Quad*>(rows + r * kQuad)));
}

// Nearly always none of them is near enough, which the largest of each column says.
SEPAL_BYTES inline __attribute__((always_inline)) bool any_near(const Sums& sums, __m512 limits, const float* row_limit) {
    __m512i largest = sums.of[0];
    float lowest = row_limit[0];
#pragma GCC unroll 5
    for (int r = 1; r < kPanelRows; ++r) {
        largest = _mm512_max_epi32(largest, sums.of[r]);
        lowest = row_limit[r] < lowest ? row_limit[r] : lowest;
    }
    return _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(largest), _mm512_min_ps(limits, _mm512_set1_ps(lowest)), _CMP_GE_OQ) != 0;
}

// Which they are, without a branch: their names, 16 i + j.
SEPAL_BYTES inline __attribute__((always_inline)) int name_near(const Sums& sums, __m512 limits, const float* row_limit, int panel, std::int32_t* names) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i name = _mm512_add_epi32(lanes, _mm512_set1_epi32(panel * kPanelRows * kPanelCols));
    int n = 0;
#pragma GCC unroll 6
    for (int r = 0; r < kPanelRows; ++r) {
        const __mmask16 which = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(sums.of[r]), _mm512_min_ps(limits, _mm512_set1_ps(row_limit[r])), _CMP_GE_OQ);
        _mm512_storeu_si512(names + n, _mm512_maskz_compress_epi32(which, name));
        n += std::popcount(static_cast<unsigned>(which));
        name = _mm512_add_epi32(name, _mm512_set1_epi32(kPanelCols));
    }
    return n;
}

SEPAL_BYTES int byte_panel(const std::int8_t* rows, const std::int32_t* row_add, const float* row_limit, int n_row_panels,
                           const std::uint8_t* cols, const std::int32_t* col_add, const float* col_limit, int quads, Hit<float>* hits) {
    static_assert(kPanelCols == 16 && kPanelRows == 6);
    const __m512i own = _mm512_loadu_si512(col_add);
    const __m512 limits = _mm512_loadu_ps(col_limit);
    const std::int64_t bytes = static_cast<std::int64_t>(kPanelRows) * kQuad * quads;
    std::int32_t names[kSome + 2 * kPanelRows * kPanelCols];
    int n_hits = 0, written = 0;
    // Two panels of rows at a time, so that sums need not wait for each other: blocks have an even number of them.
    for (int panel = 0; panel + 2 <= n_row_panels; panel += 2, row_add += 2 * kPanelRows, row_limit += 2 * kPanelRows) {
        const std::int8_t* a = rows + panel * bytes;
        const std::uint8_t* b = cols;
        Sums first, second;
        begin(first, own, row_add);
        begin(second, own, row_add + kPanelRows);
#pragma GCC unroll 1
        for (int q = 0; q < quads; ++q, a += kPanelRows * kQuad, b += kPanelCols * kQuad) {
            const __m512i column = _mm512_loadu_si512(b);
            add_quad(first, column, a);
            add_quad(second, column, a + bytes);
        }
        if (any_near(first, limits, row_limit)) n_hits += name_near(first, limits, row_limit, panel, names + n_hits);
        if (any_near(second, limits, row_limit + kPanelRows)) n_hits += name_near(second, limits, row_limit + kPanelRows, panel + 1, names + n_hits);
        if (n_hits < kSome) continue;
        written = write_hits(names, n_hits, hits, written);
        n_hits = 0;
    }
    return write_hits(names, n_hits, hits, written);
}

SEPAL_BYTES void byte_measure(const float* left, const float* right, int width, Hit<float>* hits, int n) {
    constexpr int kAhead = 8, kLine = 16;
    for (int t = 0; t < n; ++t) {
        if (t + kAhead < n) {
            const float *i = left + static_cast<std::int64_t>(hits[t + kAhead].i) * width, *j = right + static_cast<std::int64_t>(hits[t + kAhead].j) * width;
            for (int f = 0; f < width && f < 8 * kLine; f += kLine) {
                prefetch(i + f);
                prefetch(j + f);
            }
        }
        const float *a = left + static_cast<std::int64_t>(hits[t].i) * width, *b = right + static_cast<std::int64_t>(hits[t].j) * width;
        __m512 sum = _mm512_setzero_ps(), other = _mm512_setzero_ps();
        int f = 0;
        for (; f + 2 * kLine <= width; f += 2 * kLine) {
            const __m512 x = _mm512_sub_ps(_mm512_loadu_ps(a + f), _mm512_loadu_ps(b + f));
            const __m512 y = _mm512_sub_ps(_mm512_loadu_ps(a + f + kLine), _mm512_loadu_ps(b + f + kLine));
            sum = _mm512_fmadd_ps(x, x, sum);
            other = _mm512_fmadd_ps(y, y, other);
        }
        for (; f < width; f += kLine) {
            const auto some = static_cast<__mmask16>(width - f >= kLine ? 0xffff : (1u << (width - f)) - 1);
            const __m512 x = _mm512_sub_ps(_mm512_maskz_loadu_ps(some, a + f), _mm512_maskz_loadu_ps(some, b + f));
            sum = _mm512_fmadd_ps(x, x, sum);
        }
        hits[t].h = -0.5f * _mm512_reduce_add_ps(_mm512_add_ps(sum, other));
    }
}

SEPAL_BYTES void byte_best(const std::int8_t* rows, const std::uint8_t* cols, const std::int32_t* col_add, std::int64_t n, std::int64_t step, int quads,
                           std::int32_t* best, std::int32_t* panel) {
    constexpr int kHalves = kBuckets / kPanelCols;
    __m512i most[kHalves][kPanelRows], at[kHalves][kPanelRows];
    for (int half = 0; half < kHalves; ++half)
        for (int r = 0; r < kPanelRows; ++r) {
            most[half][r] = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
            at[half][r] = _mm512_setzero_si512();
        }
    for (std::int64_t s = 0; s + kHalves <= n; s += kHalves)
#pragma GCC unroll 2
        for (int half = 0; half < kHalves; ++half) {
            const std::int64_t from = (s + half) * step * kPanelCols;
            const __m512i name = _mm512_set1_epi32(static_cast<std::int32_t>(s) + half);
            const std::int8_t* a = rows;
            const std::uint8_t* b = cols + from * quads * kQuad;
            Sums sums;
#pragma GCC unroll 6
            for (int r = 0; r < kPanelRows; ++r) sums.of[r] = _mm512_loadu_si512(col_add + from);
            for (int q = 0; q < quads; ++q, a += kPanelRows * kQuad, b += kPanelCols * kQuad) add_quad(sums, _mm512_loadu_si512(b), a);
#pragma GCC unroll 6
            for (int r = 0; r < kPanelRows; ++r) {
                at[half][r] = _mm512_mask_mov_epi32(at[half][r], _mm512_cmpgt_epi32_mask(sums.of[r], most[half][r]), name);
                most[half][r] = _mm512_max_epi32(most[half][r], sums.of[r]);
            }
        }
    for (int r = 0; r < kPanelRows; ++r)
        for (int half = 0; half < kHalves; ++half) {
            _mm512_storeu_si512(best + r * kBuckets + half * kPanelCols, most[half][r]);
            _mm512_storeu_si512(panel + r * kBuckets + half * kPanelCols, at[half][r]);
        }
}

SEPAL_BYTES RoundedRow byte_round(const float* row, int p, float scale, std::int8_t* to) {
    const __m512 factor = _mm512_set1_ps(scale), most = _mm512_set1_ps(127.0f), least = _mm512_set1_ps(-127.0f);
    __m512 off = _mm512_setzero_ps();
    __m512i square = _mm512_setzero_si512(), sum = _mm512_setzero_si512();
    for (int f = 0; f < p; f += 16) {
        const auto some = static_cast<__mmask16>(p - f >= 16 ? 0xffff : (1u << (p - f)) - 1);
        const __m512 x = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, row + f), factor);
        const __m512i q = _mm512_cvt_roundps_epi32(_mm512_max_ps(_mm512_min_ps(x, most), least), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const __m512 left = _mm512_sub_ps(x, _mm512_cvtepi32_ps(q));
        off = _mm512_fmadd_ps(left, left, off);
        square = _mm512_add_epi32(square, _mm512_mullo_epi32(q, q));
        sum = _mm512_add_epi32(sum, q);
        if (to != nullptr) _mm_mask_storeu_epi8(to + f, some, _mm512_cvtepi32_epi8(q));
    }
    return {_mm512_reduce_add_ps(off), _mm512_reduce_add_epi32(square), _mm512_reduce_add_epi32(sum)};
}

SEPAL_BYTES void byte_pick(const std::int32_t* values, const std::int32_t* names, int n, int count, std::int32_t* to) {
    constexpr int kMost = 16;
    int taken = 0;
    for (int at = 0; at < n && taken < count; at += 16) {
        const __m512i own = _mm512_loadu_si512(values + at);
        __m512i larger = _mm512_setzero_si512(); // how many are
        for (int each = 0; each < n; ++each)
            larger = _mm512_mask_add_epi32(larger, _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(values[each]), own), larger, _mm512_set1_epi32(1));
        const __mmask16 which = _mm512_cmplt_epi32_mask(larger, _mm512_set1_epi32(count));
        std::int32_t some[kMost];
        _mm512_storeu_si512(some, _mm512_maskz_compress_epi32(which, _mm512_loadu_si512(names + at)));
        const int more = std::min(std::popcount(static_cast<unsigned>(which)), count - taken);
        std::copy_n(some, more, to + taken);
        taken += more;
    }
}

} // namespace

BytePanelFunction byte_panel_function() { return has_byte_products() ? byte_panel : nullptr; }
ByteBestFunction byte_best_function() { return has_byte_products() ? byte_best : nullptr; }
ByteMeasureFunction byte_measure_function() { return has_byte_products() ? byte_measure : nullptr; }
ByteRoundFunction byte_round_function() { return has_byte_products() ? byte_round : nullptr; }
BytePickFunction byte_pick_function() { return has_byte_products() ? byte_pick : nullptr; }

} // namespace sepal

#else

namespace sepal {
BytePanelFunction byte_panel_function() { return nullptr; }
ByteBestFunction byte_best_function() { return nullptr; }
ByteMeasureFunction byte_measure_function() { return nullptr; }
ByteRoundFunction byte_round_function() { return nullptr; }
BytePickFunction byte_pick_function() { return nullptr; }
} // namespace sepal

#endif
