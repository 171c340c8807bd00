/// @brief Bounds on d(x, z) from below, prototypes z against the boxes of eight children, for condense_nodes.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

// How many coordinates there are: P where the compiler is told.
template <int P> SEPAL_ATTR SEPAL_INLINE int columns(const FreshRows& fresh) { return P > 0 ? P : fresh.p; }

// Whoever is nearer to a center than the leader of its class leads.
template <int P>
SEPAL_ATTR inline void lead(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const double* center, const Leaders& leaders) {
    using D = Doubles;
    constexpr int W = D::width;
    const int p = columns<P>(fresh);
    for (int lane = 0; lane < kChildren; lane += W)
        for (std::int64_t i = 0; i < n; ++i) {
            const double* z = fresh.rows + std::int64_t{given[i]} * p;
            const std::int64_t code = fresh.codes[given[i]];
            double* const best = leaders.squares + code * kChildren + lane;
            D::V sum = D::fill(0);
            for (int f = 0; f < p; ++f) {
                const D::V d = D::fill(z[f]) - D::load(center + f * kChildren + lane);
                sum += d * d;
            }
            const unsigned nearer = D::bits(D::below(sum, D::load(best)));
            if (nearer == 0) continue;
            double sums[W];
            D::store(sums, sum);
            for (int j = 0; j < W; ++j)
                if (nearer >> j & 1) {
                    best[j] = sums[j];
                    for (int f = 0; f < p; ++f) leaders.rows[(code * p + f) * kChildren + lane + j] = z[f];
                }
        }
}

// Bit k of masks[i] is set where prototype i may matter to child k, for n of `given`.
template <Metric M, int P, bool Led>
SEPAL_ATTR inline void children_in_reach(const FreshRows& fresh, const std::int32_t* given, int n, const ChildBoxes& boxes, const Leaders& leaders,
                                  std::uint16_t* masks) {
    using D = Doubles;
    constexpr int W = D::width;
    const int p = columns<P>(fresh);
    const D::V none = D::fill(0), rounded = D::fill(1 - 1e-12); // the values themselves may be rounded otherwise
    const D::V apart = D::fill(2 * (64 * fresh.tie + 1e-11));   // a share of a bound on all squared distances at hand
    const D::V vanishing = D::fill(1e-300);                     // of what is smaller less than these shares may be left
    std::fill(masks, masks + n, std::uint16_t{0});
    for (int lane = 0; lane < kChildren; lane += W)
        for (int i = 0; i < n; ++i) {
            const double* z = fresh.rows + std::int64_t{given[i]} * p;
            const std::int64_t code = fresh.codes[given[i]];
            D::V beyond = none, square = none, swing = none;
            for (int f = 0; f < p; ++f) {
                const D::V at = D::fill(z[f]), half = D::load(boxes.half + f * kChildren + lane);
                const D::V d = D::abs(at - D::load(boxes.center + f * kChildren + lane)), gap = D::max(d - half, none);
                if constexpr (M == Metric::l2) beyond += gap * gap;
                else if constexpr (M == Metric::l1) beyond += gap;
                else beyond = D::max(beyond, gap);
                if constexpr (Led) {
                    square += d * d;
                    swing += half * D::abs(at - D::load(leaders.rows + (code * p + f) * kChildren + lane));
                }
            }
            unsigned within = D::bits(D::at_most(beyond * rounded, D::load(boxes.reach + lane) + vanishing));
            if constexpr (Led) {
                // |x - z|^2 - |x - leader|^2 is least at a corner, where it is this.
                const D::V least = square - D::load(leaders.squares + code * kChildren + lane) - swing - swing;
                within &= D::bits(D::at_most(least, apart * (square + D::load(boxes.square + lane)) + vanishing));
            }
            masks[i] = static_cast<std::uint16_t>(masks[i] | within << lane);
        }
}

// Those of n numbers whose mask has bit `child`, in their order; where they end. Up to kSpare of what follows is written over.
SEPAL_ATTR inline std::int32_t* pick_child(const std::int32_t* given, const std::uint16_t* masks, int n, int child, std::int32_t* end) {
#if SEPAL_LANE_BYTES == 64
    typedef int Sixteen __attribute__((vector_size(64)));
    typedef short Words __attribute__((vector_size(32)));
    for (int i = 0; i < n; i += 16) {
        Words mask;
        Sixteen numbers;
        __builtin_memcpy(&mask, masks + i, sizeof mask);
        __builtin_memcpy(&numbers, given + i, sizeof numbers);
        const std::uint16_t picked = static_cast<std::uint16_t>(__builtin_ia32_cvtw2mask256(mask << (15 - child))); // the signs
        const Sixteen packed = __builtin_ia32_compresssi512_mask(numbers, Sixteen{}, picked);
        __builtin_memcpy(end, &packed, sizeof packed);
        end += std::popcount(picked);
    }
#else
    for (int i = 0; i < n; ++i) { // how many there are cannot be foretold: nothing branches on it
        *end = given[i];
        end += masks[i] >> child & 1;
    }
#endif
    return end;
}

template <Metric M, int P, bool Led>
SEPAL_ATTR inline void near_in_batches(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const ChildBoxes& boxes,
                                const Leaders& leaders, std::int32_t* const* near, std::int32_t** ends) {
    constexpr int kBatch = 64;
    std::uint16_t masks[kBatch];
    std::int32_t numbers[kBatch];
    std::copy_n(near, kChildren, ends);
    for (std::int64_t begin = 0; begin < n; begin += kBatch) {
        const int m = static_cast<int>(std::min<std::int64_t>(kBatch, n - begin));
        children_in_reach<M, P, Led>(fresh, given + begin, m, boxes, leaders, masks);
        std::fill(masks + m, masks + kBatch, std::uint16_t{0}); // they are read in whole vectors
        std::copy_n(given + begin, m, numbers);
        for (int k = 0; k < kChildren; ++k) ends[k] = pick_child(numbers, masks, m, k, ends[k]);
    }
}

template <Metric M, int P = 0>
SEPAL_ATTR void near_children(const FreshRows& fresh, const std::int32_t* given, std::int64_t n, const ChildBoxes& boxes,
                              const Leaders& leaders, std::int32_t* const* near, std::int32_t** ends) {
    if constexpr (M == Metric::l2)
        if (leaders.rows != nullptr) {
            lead<P>(fresh, given, n, boxes.center, leaders);
            return near_in_batches<M, P, true>(fresh, given, n, boxes, leaders, near, ends);
        }
    near_in_batches<M, P, false>(fresh, given, n, boxes, leaders, near, ends);
}

} // namespace sepal::SEPAL_ISA
