#include "byte_tiles.hpp"

#include <bit>

#include "isa.hpp"

#ifdef SEPAL_HAS_V3
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // in the compiler's own header
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

SEPAL_BYTES int byte_panel(const std::int8_t* rows, const std::int32_t* row_add, const float* row_limit, int n_row_panels,
                           const std::uint8_t* cols, const std::int32_t* col_add, const float* col_limit, int quads, Hit<float>* hits) {
    static_assert(kPanelCols == 16 && kPanelRows == 6);
    const __m512i own = _mm512_loadu_si512(col_add);
    const __m512 limits = _mm512_loadu_ps(col_limit);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    std::int32_t names[kSome + kPanelRows * kPanelCols];
    int n_hits = 0, written = 0;
    for (int panel = 0; panel < n_row_panels; ++panel, row_add += kPanelRows, row_limit += kPanelRows) {
        const std::int8_t* a = rows + static_cast<std::int64_t>(panel) * kPanelRows * kQuad * quads;
        const std::uint8_t* b = cols;
        __m512i sum[kPanelRows];
#pragma GCC unroll 6
        for (int r = 0; r < kPanelRows; ++r) sum[r] = _mm512_add_epi32(own, _mm512_set1_epi32(row_add[r]));
        for (int q = 0; q < quads; ++q, a += kPanelRows * kQuad, b += kPanelCols * kQuad) {
            const __m512i column = _mm512_loadu_si512(b);
            for (int r = 0; r < kPanelRows; ++r) {
                std::int32_t four;
                __builtin_memcpy(&four, a + r * kQuad, sizeof four);
                sum[r] = _mm512_dpbusd_epi32(sum[r], column, _mm512_set1_epi32(four));
            }
        }
        // Nearly always none of them is near enough, which the largest of each column says.
        __m512i largest = sum[0];
        float lowest = row_limit[0];
        for (int r = 1; r < kPanelRows; ++r) {
            largest = _mm512_max_epi32(largest, sum[r]);
            lowest = row_limit[r] < lowest ? row_limit[r] : lowest;
        }
        const __m512 either = _mm512_min_ps(limits, _mm512_set1_ps(lowest));
        if (_mm512_cmp_ps_mask(_mm512_cvtepi32_ps(largest), either, _CMP_GE_OQ) == 0) continue;
        // Which they are, without a branch.
        __m512i name = _mm512_add_epi32(lanes, _mm512_set1_epi32(panel * kPanelRows * kPanelCols));
#pragma GCC unroll 6
        for (int r = 0; r < kPanelRows; ++r) {
            const __mmask16 which = _mm512_cmp_ps_mask(_mm512_cvtepi32_ps(sum[r]), _mm512_min_ps(limits, _mm512_set1_ps(row_limit[r])), _CMP_GE_OQ);
            _mm512_storeu_si512(names + n_hits, _mm512_maskz_compress_epi32(which, name));
            n_hits += std::popcount(static_cast<unsigned>(which));
            name = _mm512_add_epi32(name, _mm512_set1_epi32(kPanelCols));
        }
        if (n_hits < kSome) continue;
        written = write_hits(names, n_hits, hits, written);
        n_hits = 0;
    }
    return write_hits(names, n_hits, hits, written);
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
            __m512i sum[kPanelRows];
#pragma GCC unroll 6
            for (int r = 0; r < kPanelRows; ++r) sum[r] = _mm512_loadu_si512(col_add + from);
            for (int q = 0; q < quads; ++q, a += kPanelRows * kQuad, b += kPanelCols * kQuad) {
                const __m512i column = _mm512_loadu_si512(b);
#pragma GCC unroll 6
                for (int r = 0; r < kPanelRows; ++r) {
                    std::int32_t four;
                    __builtin_memcpy(&four, a + r * kQuad, sizeof four);
                    sum[r] = _mm512_dpbusd_epi32(sum[r], column, _mm512_set1_epi32(four));
                }
            }
#pragma GCC unroll 6
            for (int r = 0; r < kPanelRows; ++r) {
                at[half][r] = _mm512_mask_mov_epi32(at[half][r], _mm512_cmpgt_epi32_mask(sum[r], most[half][r]), name);
                most[half][r] = _mm512_max_epi32(most[half][r], sum[r]);
            }
        }
    for (int r = 0; r < kPanelRows; ++r)
        for (int half = 0; half < kHalves; ++half) {
            _mm512_storeu_si512(best + r * kBuckets + half * kPanelCols, most[half][r]);
            _mm512_storeu_si512(panel + r * kBuckets + half * kPanelCols, at[half][r]);
        }
}

} // namespace

BytePanelFunction byte_panel_function() { return has_byte_products() ? byte_panel : nullptr; }
ByteBestFunction byte_best_function() { return has_byte_products() ? byte_best : nullptr; }

} // namespace sepal

#else

namespace sepal {
BytePanelFunction byte_panel_function() { return nullptr; }
ByteBestFunction byte_best_function() { return nullptr; }
} // namespace sepal

#endif
