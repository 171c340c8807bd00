/* A plain streaming kernel, as a reference for the rate of the sweep: each step of a tree of subsets adds one column to
   the sums one level up and keeps the smallest, in one loop over all rows. Nothing is shared with native/. */
#include <math.h>

#define STREAM(NAME, REAL)                                                                                             \
    void NAME(const REAL *x, const REAL *start, long n, const int *depth, const int *column, long n_steps,             \
              const long *queries, long first, long last, REAL *sums, double *nearest) {                               \
        for (long q = first; q < last; q++) {                                                                          \
            const long i = queries[q];                                                                                 \
            for (long j = 0; j < n; j++) sums[j] = start[j];                                                           \
            sums[i] = INFINITY;                                                                                        \
            for (long t = 0; t < n_steps; t++) {                                                                       \
                const REAL *restrict before = sums + (depth[t] - 1) * n, *restrict c = x + column[t] * n;              \
                REAL *restrict after = sums + depth[t] * n;                                                            \
                const REAL own = c[i];                                                                                 \
                REAL least = INFINITY;                                                                                 \
                _Pragma("omp simd reduction(min : least)") for (long j = 0; j < n; j++) {                              \
                    const REAL d = c[j] - own, v = before[j] + d * d;                                                  \
                    after[j] = v;                                                                                      \
                    least = v < least ? v : least;                                                                     \
                }                                                                                                      \
                nearest[t] += least;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

STREAM(stream_float, float)
STREAM(stream_double, double)
