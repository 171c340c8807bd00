/// @brief The inner loops of the sweep, d += (x - x_i)^2 with minima, counts and sums of exp(-g d); chosen once for the processor.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "sweep.hpp"

namespace sepal {

struct Span {
    std::int64_t begin, end;
};
// A row's positions in one tile: its own class in the middle, the others around it.
struct Spans {
    Span before, own, after;
};
template <class T> struct Minima {
    T own, other;
};

template <class T>
using AddFunction = Minima<T> (*)(const T* prev, const T* x, T xi, T cost, T* next, const Spans& spans);
template <class T> struct Column {
    const T* x;
    T xi;
};
template <class T> struct TwoMinima {
    Minima<T> first, second;
};
// Two columns of plain numbers in one pass: both added to the same sums, or (chain) the second on top of the first.
template <class T>
using AddTwoFunction = TwoMinima<T> (*)(const T* prev, Column<T> first, Column<T> second, T* next, const Spans& spans);
template <class T> using CountFunction = std::int64_t (*)(const T* d, Span span, T limit);
template <class T> using CollectFunction = std::int64_t (*)(const T* d, std::int64_t n, T limit, std::int32_t* into);
template <class T> using ExponentialsFunction = void (*)(const T* d, Span span, double gamma, double* k);
using SumFunction = double (*)(double* k, Span span);
template <class T> struct SweepKernels {
    AddFunction<T> add[3][2]; // by term, and whether the sums are kept
    AddTwoFunction<T> add_two[2]; // by whether they are a chain; then the sums of the first are kept
    CountFunction<T> count;   // how many are at most the limit
    CollectFunction<T> collect; // positions of those that are at most the limit; returns how many
    ExponentialsFunction<T> exponentials; // k = exp(-gamma d)
    SumFunction sum_and_square;           // adds up k, and leaves its square there
};
template <class T> const SweepKernels<T>& sweep_kernels_table();

} // namespace sepal
