#include "sweep_kernels.hpp"

#include <type_traits>

#define SEPAL_HOT_FILE "sweep_kernels.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

template <class T> const SweepKernels<T>& sweep_kernels_table() {
    static const SweepKernels<T> table = SEPAL_BEST(sweep_table<T>)();
    return table;
}

template const SweepKernels<float>& sweep_kernels_table<float>();
template const SweepKernels<double>& sweep_kernels_table<double>();

} // namespace sepal
