/// @brief The inner loops of the sweep, d += (x - x_i)^2 with minima, counts and sums of exp(-g d), for sweep_kernels.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

template <class T> using LanesOf = std::conditional_t<std::is_same_v<T, float>, Floats, Doubles>;

template <class D, Term K, class T>
SEPAL_ATTR SEPAL_INLINE typename D::V term(typename D::V x, typename D::V xi, typename D::V cost) {
    const auto t = x - xi;
    if constexpr (K == Term::number) return t * t;
    if constexpr (K == Term::number_or_missing) return D::pick(D::equal(t, t), t * t, cost);
    return D::pick(D::equal(x, xi), D::fill(0), cost);
}

template <class D> constexpr int kUnroll = kSweepAlign / D::width;

template <class D, class T, Term K, bool Keep>
SEPAL_ATTR SEPAL_INLINE void add_span(const T* prev, const T* x, T xi, T cost, T* next, Span span, typename D::V* low) {
    constexpr int W = D::width;
    const auto vi = D::fill(xi), vc = D::fill(cost);
    for (std::int64_t j = span.begin; j < span.end; j += kSweepAlign)
        for (int u = 0; u < kUnroll<D>; ++u) {
            const auto v = D::load(prev + j + u * W) + term<D, K, T>(D::load(x + j + u * W), vi, vc);
            if constexpr (Keep) D::store(next + j + u * W, v);
            low[u] = D::min(v, low[u]);
        }
}

template <class D, class T> SEPAL_ATTR SEPAL_INLINE T least_of(typename D::V* low) {
    for (int half = kUnroll<D> / 2; half > 0; half /= 2)
        for (int u = 0; u < half; ++u) low[u] = D::min(low[u], low[u + half]);
    T each[D::width];
    D::store(each, low[0]);
    for (int half = D::width / 2; half > 0; half /= 2)
        for (int w = 0; w < half; ++w) each[w] = each[w] < each[w + half] ? each[w] : each[w + half];
    return each[0];
}

template <class T, Term K, bool Keep>
SEPAL_ATTR Minima<T> add_column(const T* prev, const T* x, T xi, T cost, T* next, const Spans& s) {
    using D = LanesOf<T>;
    typename D::V own[kUnroll<D>], other[kUnroll<D>];
    for (int u = 0; u < kUnroll<D>; ++u) own[u] = other[u] = D::fill(std::numeric_limits<T>::infinity());
    add_span<D, T, K, Keep>(prev, x, xi, cost, next, s.before, other);
    add_span<D, T, K, Keep>(prev, x, xi, cost, next, s.own, own);
    add_span<D, T, K, Keep>(prev, x, xi, cost, next, s.after, other);
    return {least_of<D, T>(own), least_of<D, T>(other)};
}

template <class D, class T, bool Chain>
SEPAL_ATTR SEPAL_INLINE void add_two_span(const T* prev, Column<T> a, Column<T> b, T* next, Span span, typename D::V* low_a, typename D::V* low_b) {
    constexpr int W = D::width;
    const auto va = D::fill(a.xi), vb = D::fill(b.xi);
    for (std::int64_t j = span.begin; j < span.end; j += kSweepAlign)
        for (int u = 0; u < kUnroll<D>; ++u) {
            const auto before = D::load(prev + j + u * W), ta = D::load(a.x + j + u * W) - va, tb = D::load(b.x + j + u * W) - vb;
            const auto first = before + ta * ta;
            if constexpr (Chain) D::store(next + j + u * W, first);
            const auto second = (Chain ? first : before) + tb * tb;
            low_a[u] = D::min(first, low_a[u]);
            low_b[u] = D::min(second, low_b[u]);
        }
}

template <class T, bool Chain>
SEPAL_ATTR TwoMinima<T> add_two_columns(const T* prev, Column<T> a, Column<T> b, T* next, const Spans& s) {
    using D = LanesOf<T>;
    typename D::V own[2][kUnroll<D>], other[2][kUnroll<D>];
    for (int i = 0; i < 2; ++i)
        for (int u = 0; u < kUnroll<D>; ++u) own[i][u] = other[i][u] = D::fill(std::numeric_limits<T>::infinity());
    add_two_span<D, T, Chain>(prev, a, b, next, s.before, other[0], other[1]);
    add_two_span<D, T, Chain>(prev, a, b, next, s.own, own[0], own[1]);
    add_two_span<D, T, Chain>(prev, a, b, next, s.after, other[0], other[1]);
    return {{least_of<D, T>(own[0]), least_of<D, T>(other[0])}, {least_of<D, T>(own[1]), least_of<D, T>(other[1])}};
}

template <class T> SEPAL_ATTR std::int64_t count_at_most(const T* d, Span span, T limit) {
    std::int64_t n = 0;
    for (std::int64_t j = span.begin; j < span.end; ++j) n += d[j] <= limit;
    return n;
}

template <class T> SEPAL_ATTR std::int64_t collect_at_most(const T* d, std::int64_t n, T limit, std::int32_t* into) {
    using D = LanesOf<T>;
    const auto most = D::fill(limit);
    std::int64_t found = 0;
    for (std::int64_t j = 0; j < n; j += D::width)
        for (unsigned bits = D::bits(D::at_most(D::load(d + j), most)); bits != 0; bits &= bits - 1)
            into[found++] = static_cast<std::int32_t>(j + std::countr_zero(bits));
    return found;
}

// exp(x) for -700 <= x <= 0, the same on every processor: 2^k times a polynomial on [-ln2/2, ln2/2].
SEPAL_ATTR SEPAL_INLINE double exponential_of(double x) {
    const double magic = 0x1.8p52;
    const double shifted = x * 1.4426950408889634 + magic;
    const double k = shifted - magic;
    const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double p = 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(p) + (std::bit_cast<std::int64_t>(shifted) << 52));
}

// k = exp(-gamma d); an infinite distance gives next to nothing. Shorter than vector_exp.inc.hpp and right to 1e-14.
// Three loops, since a comparison inside would keep the compiler from making the last one wide.
template <class T>
SEPAL_ATTR void exponentials(const T* __restrict d, Span span, double gamma, double* __restrict k) {
    using D = Doubles;
    for (std::int64_t j = span.begin; j < span.end; ++j) k[j] = -gamma * static_cast<double>(d[j]);
    for (std::int64_t j = span.begin; j < span.end; j += D::width) D::store(k + j, D::max(D::load(k + j), D::fill(-700.0)));
    for (std::int64_t j = span.begin; j < span.end; ++j) k[j] = exponential_of(k[j]);
}

// Adds up k and leaves its square there. kSweepAlign running sums, so that the loop is wide and its order the same for
// every instruction set.
SEPAL_ATTR inline double sum_and_square(double* k, Span span) {
    using D = Doubles;
    constexpr int W = D::width;
    typename D::V sum[kUnroll<D>];
    for (int u = 0; u < kUnroll<D>; ++u) sum[u] = D::fill(0);
    for (std::int64_t j = span.begin; j < span.end; j += kSweepAlign)
        for (int u = 0; u < kUnroll<D>; ++u) {
            const auto v = D::load(k + j + u * W);
            sum[u] += v;
            D::store(k + j + u * W, v * v);
        }
    double each[kSweepAlign];
    for (int u = 0; u < kUnroll<D>; ++u) D::store(each + u * W, sum[u]);
    for (int half = kSweepAlign / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) each[i] += each[i + half];
    return each[0];
}

template <class T> SweepKernels<T> sweep_table() {
    return {{{add_column<T, Term::number, false>, add_column<T, Term::number, true>},
             {add_column<T, Term::number_or_missing, false>, add_column<T, Term::number_or_missing, true>},
             {add_column<T, Term::level, false>, add_column<T, Term::level, true>}},
            {add_two_columns<T, false>, add_two_columns<T, true>},
            count_at_most<T>,
            collect_at_most<T>,
            exponentials<T>,
            sum_and_square};
}

} // namespace sepal::SEPAL_ISA
