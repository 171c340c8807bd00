/// @brief What the binding files share: numpy array types, names of metrics, and the poll by which Ctrl-C and progress reach native code.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
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
template <class T, class Memory> nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Memory>&& v) {
    auto* kept = new std::vector<T, Memory>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T, Memory>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

template <class T, class Memory> nb::object as_object(std::vector<T, Memory>& v) { return nb::cast(to_numpy(std::move(v))); }

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
        if (progress_.is_none()) {
            // A call of Python, in which an exception that another thread has sent to this one is raised.
            raised_ = PyErr_Occurred() != nullptr || !breathe();
            return raised_;
        }
        PyObject* answer = PyObject_CallFunction(progress_.ptr(), "d", fraction_done);
        raised_ = answer == nullptr;
        Py_XDECREF(answer);
        return raised_;
    }
    bool raised() const { return raised_; }

  private:
    static bool breathe() {
        static PyObject* nothing = [] {
            nb::dict names;
            PyObject* code = Py_CompileString("lambda: None", "<sepal>", Py_eval_input);
            PyObject* made = code == nullptr ? nullptr : PyEval_EvalCode(code, names.ptr(), names.ptr());
            Py_XDECREF(code);
            return made;
        }();
        PyObject* answer = nothing == nullptr ? nullptr : PyObject_CallNoArgs(nothing);
        Py_XDECREF(answer);
        return answer != nullptr;
    }
    nb::object progress_;
    bool raised_ = false; // a Python error is set, to be raised once native code has returned
};

inline nb::tuple as_tuple(Ranking&& r) {
    return nb::make_tuple(to_numpy(std::move(r.start)), to_numpy(std::move(r.rows)), to_numpy(std::move(r.values)));
}

// A ranking as start, rows, values; raises what the poll has met.
inline nb::tuple finish(Ranking&& r, const PythonPoll& poll) {
    if (poll.raised()) throw nb::python_error();
    return as_tuple(std::move(r));
}

// Limits of a search by radius, one per query, or none.
inline const double* limits_of(const nb::object& limits, std::size_t n_queries, Row& kept) {
    if (limits.is_none()) return nullptr;
    kept = nb::cast<Row>(limits);
    if (kept.shape(0) != n_queries) throw std::invalid_argument("one limit per query is needed");
    if (std::any_of(kept.data(), kept.data() + n_queries, [](double x) { return !(x >= 0); }))
        throw std::invalid_argument("a limit must be at least 0");
    return kept.data();
}

inline Metric metric_named(const std::string& name) {
    static const std::pair<const char*, Metric> names[] = {{"l2", Metric::l2},         {"l1", Metric::l1},
                                                           {"linf", Metric::linf},     {"lp", Metric::lp},
                                                           {"nan_l2", Metric::nan_l2}, {"unit_l2", Metric::unit_l2},
                                                           {"mixed", Metric::mixed},   {"gower", Metric::gower},
                                                           {"tanimoto", Metric::tanimoto}, {"canberra", Metric::canberra},
                                                           {"bray_curtis", Metric::bray_curtis}, {"haversine", Metric::haversine}};
    for (const auto& [known, metric] : names)
        if (name == known) return metric;
    throw std::invalid_argument("no native metric is called " + name);
}

// What Python hands over may stem from a file that somebody made up, so that sizes are checked before they are believed.
inline MetricSpec spec_of(std::size_t n_columns, const std::string& metric, double p, int n_numeric, const Row& weights) {
    if (weights.shape(0) != n_columns) throw std::invalid_argument("one weight per column is needed");
    if (n_numeric < 0 || static_cast<std::size_t>(n_numeric) > n_columns)
        throw std::invalid_argument("n_numeric must lie between 0 and the number of columns");
    return {metric_named(metric), p, n_numeric, weights.data()};
}

// Threads to start; answers do not depend on how many there are.
inline int team_of(int threads) {
    if (threads < 1) throw std::invalid_argument("at least one thread is needed");
    static const int most = std::max(16, 2 * static_cast<int>(std::thread::hardware_concurrency())); // asked once: it reads a file
    return std::min(threads, most);
}

inline void check_rows(const Matrix& m, bool may_be_nan) {
    if (m.shape(0) == 0 || m.shape(1) == 0) throw std::invalid_argument("at least one row and one column are needed");
    if (m.shape(0) > INT32_MAX || m.shape(1) > INT32_MAX) throw std::invalid_argument("too many rows or columns");
    if (may_be_nan) return;
    // Sorting needs an order, and NaN has no place in one.
    if (std::any_of(m.data(), m.data() + m.size(), [](double x) { return std::isnan(x); }))
        throw std::invalid_argument("a coordinate is not a number");
}

// 0 = start[0] <= start[1] <= ... <= n
inline void check_start(const std::vector<std::int64_t>& start, std::size_t n) {
    if (start.size() < 2 || start.front() != 0 || start.back() != static_cast<std::int64_t>(n) ||
        !std::is_sorted(start.begin(), start.end()))
        throw std::invalid_argument("start must ascend from 0 to the number of rows");
}

// One per family, each in its own bind_<family>.cpp.
void bind_rows(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_search(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_alignment(nb::module_& m);
void bind_sweep(nb::module_& m);
void bind_condense(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_shuffle(nb::module_& m);
void bind_cases(nb::module_& m);

} // namespace sepal
