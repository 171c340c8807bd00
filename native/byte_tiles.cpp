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

SEPAL_BYTES int byte_panel(const std::int8_t* rows, const std::int32_t* row_add, const float* row_limit, int n_row_panels,
                           const std::uint8_t* cols, const std::int32_t* col_add, const float* col_limit, int quads, Hit<float>* hits) {
    static_assert(kPanelCols == 16 && kPanelRows == 6);
    const __m512i own = _mm512_loadu_si512(col_add);
    const __m512 limits = _mm512_loadu_ps(col_limit);
    int n_hits = 0;
    for (int panel = 0; panel < n_row_panels; ++panel, row_add += kPanelRows, row_limit += kPanelRows) {
        const std::int8_t* a = rows + static_cast<std::int64_t>(panel) * kPanelRows * kQuad * quads;
        const std::uint8_t* b = cols;
        __m512i sum[kPanelRows];
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
        for (int r = 0; r < kPanelRows; ++r) {
            const __m512 h = _mm512_cvtepi32_ps(sum[r]);
            unsigned which = _mm512_cmp_ps_mask(h, _mm512_min_ps(limits, _mm512_set1_ps(row_limit[r])), _CMP_GE_OQ);
            if (which == 0) continue;
            float each[kPanelCols];
            _mm512_storeu_ps(each, h);
            for (; which != 0; which &= which - 1) {
                const int j = std::countr_zero(which);
                hits[n_hits++] = {panel * kPanelRows + r, j, each[j]};
            }
        }
    }
    return n_hits;
}

} // namespace

BytePanelFunction byte_panel_function() { return has_byte_products() ? byte_panel : nullptr; }

} // namespace sepal

#else

namespace sepal {
BytePanelFunction byte_panel_function() { return nullptr; }
} // namespace sepal

#endif
