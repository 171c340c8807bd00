// The only file that knows Python. Arrays in, arrays out; the interpreter is free while native code runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "alignment.hpp"
#include "ranking.hpp"
#include "simd.hpp"

namespace nb = nanobind;
using namespace sepal;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Points points_of(const Matrix& m) {
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

Metric metric_named(const std::string& name) {
    static const std::pair<const char*, Metric> names[] = {{"l2", Metric::l2},         {"l1", Metric::l1},
                                                           {"linf", Metric::linf},     {"lp", Metric::lp},
                                                           {"nan_l2", Metric::nan_l2}, {"unit_l2", Metric::unit_l2},
                                                           {"mixed", Metric::mixed}};
    for (const auto& [known, metric] : names)
        if (name == known) return metric;
    throw std::invalid_argument("no native metric is called " + name);
}

nb::tuple as_tuple(Ranking&& r) {
    return nb::make_tuple(to_numpy(std::move(r.start)), to_numpy(std::move(r.rows)), to_numpy(std::move(r.values)));
}

nb::tuple finish(Ranking&& r, const PythonPoll& poll) {
    if (poll.raised()) throw nb::python_error();
    return as_tuple(std::move(r));
}

nb::tuple search(const Matrix& points, nb::object queries, int k, const std::string& method, const std::string& metric,
                 double p, int n_numeric, const Row& weights, double tie, double zero, int threads, nb::object progress) {
    const bool self_join = queries.is_none();
    const Matrix asked = self_join ? points : nb::cast<Matrix>(queries);
    if (asked.shape(1) != points.shape(1)) throw std::invalid_argument("queries and points differ in columns");
    if (static_cast<int>(weights.shape(0)) != static_cast<int>(points.shape(1)))
        throw std::invalid_argument("one weight per column is needed");
    PythonPoll poll(std::move(progress));
    const Plan plan{k, self_join, tie, zero, threads, &poll};
    const MetricSpec spec{metric_named(metric), p, n_numeric, weights.data()};
    const Points data = points_of(points), wanted = points_of(asked);
    Ranking ranking;
    {
        const nb::gil_scoped_release free;
        if (method == "tiles") ranking = search_tiles(data, wanted, plan);
        else if (method == "tree") ranking = search_tree(data, wanted, spec, plan);
        else ranking = search_direct(data, wanted, spec, plan);
    }
    return finish(std::move(ranking), poll);
}

nb::tuple search_distances(const Matrix& distances, bool self_join, int k, double tie, int threads, nb::object progress) {
    PythonPoll poll(std::move(progress));
    const Plan plan{k, self_join, tie, 0.0, threads, &poll};
    Ranking ranking;
    {
        const nb::gil_scoped_release free;
        ranking = search_matrix(points_of(distances), plan);
    }
    return finish(std::move(ranking), poll);
}

nb::tuple distinct(const Matrix& points) {
    std::vector<std::int32_t> group_of, first;
    {
        const nb::gil_scoped_release free;
        distinct_rows(points_of(points), group_of, first);
    }
    return nb::make_tuple(to_numpy(std::move(group_of)), to_numpy(std::move(first)));
}

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple align(const Matrix& points, const Row& weights, const Codes& classes, int n_classes, const Row& gammas,
                         const Codes& doubles, const Codes& shifted, bool absolute, bool derivative, int threads,
                         nb::object progress) {
    const std::size_t n = points.shape(0), n_steps = gammas.shape(0);
    if (weights.shape(0) != n || classes.shape(0) != n) throw std::invalid_argument("one weight and class per row are needed");
    if (doubles.shape(0) != n_steps || shifted.shape(0) != n_steps) throw std::invalid_argument("steps differ in length");
    std::vector<KernelStep> steps;
    for (std::size_t s = 0; s < n_steps; ++s) {
        if (s == 0 && doubles.data()[s]) throw std::invalid_argument("the first step has none before it to double");
        steps.push_back({gammas.data()[s], doubles.data()[s] != 0, shifted.data()[s] != 0});
    }
    for (std::size_t i = 0; i < n; ++i)
        if (classes.data()[i] < (i ? classes.data()[i - 1] : 0) || classes.data()[i] >= n_classes)
            throw std::invalid_argument("classes must ascend");
    PythonPoll poll(std::move(progress));
    const AlignmentInput in{points_of(points), weights.data(), classes.data(), n_classes, absolute, derivative};
    AlignmentSums sums;
    {
        const nb::gil_scoped_release free;
        sums = alignment_sums(in, steps, threads, &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(sums.rows)), to_numpy(std::move(sums.within)),
                          to_numpy(std::move(sums.squares)), to_numpy(std::move(sums.d_rows)),
                          to_numpy(std::move(sums.d_within)), to_numpy(std::move(sums.d_squares)));
}

} // namespace

NB_MODULE(_native, m) {
    m.doc() = "Compiled neighbour search. Use sepal.neighbors.";
    m.def("search", &search, nb::arg("points"), nb::arg("queries").none(), nb::arg("k"), nb::arg("method"),
          nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"), nb::arg("tie"), nb::arg("zero"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("search_distances", &search_distances, nb::arg("distances"), nb::arg("self_join"), nb::arg("k"), nb::arg("tie"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("distinct", &distinct, nb::arg("points"));
    m.def("alignment_sums", &align, nb::arg("points"), nb::arg("weights"), nb::arg("classes"),
          nb::arg("n_classes"), nb::arg("gammas"), nb::arg("doubles"), nb::arg("shifted"), nb::arg("absolute"),
          nb::arg("derivative"), nb::arg("threads"), nb::arg("progress").none());
    m.def("instruction_set", [] { return has_v3() ? "x86-64-v3" : "baseline"; });
}
