// What the binding files share: array types, and the door through which Ctrl-C and progress reach native code.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "ranking.hpp"

namespace nb = nanobind;

namespace sepal {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline Points points_of(const Matrix& m) {
    return {m.data(), static_cast<std::int64_t>(m.shape(0)), static_cast<int>(m.shape(1))};
}

// Hands a vector to numpy without copying.
template <class T> nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& v) {
    auto* kept = new std::vector<T>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// Lets Ctrl-C through and reports progress to a Python callable, from the calling thread.
class PythonPoll : public Poll {
  public:
    explicit PythonPoll(nb::object progress) : progress_(std::move(progress)) {}
    bool stop(double fraction_done) override {
        const nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            raised_ = true;
            return true;
        }
        if (progress_.is_none()) return false;
        PyObject* answer = PyObject_CallFunction(progress_.ptr(), "d", fraction_done);
        raised_ = answer == nullptr;
        Py_XDECREF(answer);
        return raised_;
    }
    bool raised() const { return raised_; }

  private:
    nb::object progress_;
    bool raised_ = false; // a Python error is set, to be raised once native code has returned
};

inline Metric metric_named(const std::string& name) {
    static const std::pair<const char*, Metric> names[] = {{"l2", Metric::l2},         {"l1", Metric::l1},
                                                           {"linf", Metric::linf},     {"lp", Metric::lp},
                                                           {"nan_l2", Metric::nan_l2}, {"unit_l2", Metric::unit_l2},
                                                           {"mixed", Metric::mixed},   {"gower", Metric::gower},
                                                           {"tanimoto", Metric::tanimoto}};
    for (const auto& [known, metric] : names)
        if (name == known) return metric;
    throw std::invalid_argument("no native metric is called " + name);
}

// One per family, each in its own bind_<family>.cpp.
void bind_search(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_sweep(nb::module_& m);
void bind_condense(nb::module_& m);
void bind_forest(nb::module_& m);

} // namespace sepal
