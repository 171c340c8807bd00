// The only file that knows Python. Arrays in, arrays out; the interpreter is free while native code runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "ranking.hpp"
#include "isa.hpp"
#include "pairs.hpp"

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

MetricSpec spec_of(const Matrix& points, const std::string& metric, double p, int n_numeric, const Row& weights) {
    if (static_cast<int>(weights.shape(0)) != static_cast<int>(points.shape(1)))
        throw std::invalid_argument("one weight per column is needed");
    return {metric_named(metric), p, n_numeric, weights.data()};
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> pair_block(const Matrix& points, const Matrix& queries, const std::string& metric,
                                                       double p, int n_numeric, const Row& weights, int threads) {
    if (queries.shape(1) != points.shape(1)) throw std::invalid_argument("queries and points differ in columns");
    const MetricSpec spec = spec_of(points, metric, p, n_numeric, weights);
    auto* kept = new std::vector<double>(queries.shape(0) * points.shape(0));
    nb::capsule owner(kept, [](void* q) noexcept { delete static_cast<std::vector<double>*>(q); });
    {
        const nb::gil_scoped_release free;
        pair_values(points_of(points), points_of(queries), spec, threads, kept->data());
    }
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(kept->data(), {queries.shape(0), points.shape(0)}, owner);
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> count_within(const Matrix& points, const Row& copies, const Matrix& queries,
                                                         const Row& limits, const std::string& metric, double p,
                                                         int n_numeric, const Row& weights, int threads,
                                                         nb::object progress) {
    if (queries.shape(1) != points.shape(1) || limits.shape(0) != queries.shape(0) || copies.shape(0) != points.shape(0))
        throw std::invalid_argument("points, queries, copies and limits do not fit together");
    const MetricSpec spec = spec_of(points, metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    std::vector<double> counts;
    {
        const nb::gil_scoped_release free;
        counts = count_below(points_of(points), copies.data(), points_of(queries), limits.data(), spec, threads, &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return to_numpy(std::move(counts));
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> shared_neighbors_of(
    const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& start, const Codes& neighbors,
    int threads) {
    const std::int64_t n = static_cast<std::int64_t>(start.shape(0)) - 1;
    if (n < 0 || start.data()[n] != static_cast<std::int64_t>(neighbors.shape(0)))
        throw std::invalid_argument("start and neighbors do not fit together");
    for (std::size_t e = 0; e < neighbors.shape(0); ++e)
        if (neighbors.data()[e] < 0 || neighbors.data()[e] >= n) throw std::invalid_argument("a neighbor is no row");
    std::vector<double> shared;
    {
        const nb::gil_scoped_release free;
        shared = shared_neighbors(start.data(), neighbors.data(), n, threads);
    }
    return to_numpy(std::move(shared));
}

nb::tuple spanning_tree_of(const Matrix& points, const Codes& classes, const std::string& metric, double p, int n_numeric,
                           const Row& weights, nb::object progress) {
    if (classes.shape(0) != points.shape(0)) throw std::invalid_argument("one class per point is needed");
    const MetricSpec spec = spec_of(points, metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    Tree tree;
    {
        const nb::gil_scoped_release free;
        tree = spanning_tree(points_of(points), classes.data(), spec, &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(tree.from)), to_numpy(std::move(tree.to)), to_numpy(std::move(tree.values)));
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
    m.def("pair_block", &pair_block, nb::arg("points"), nb::arg("queries"), nb::arg("metric"), nb::arg("p"),
          nb::arg("n_numeric"), nb::arg("weights"), nb::arg("threads"));
    m.def("count_within", &count_within, nb::arg("points"), nb::arg("copies"), nb::arg("queries"), nb::arg("limits"),
          nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("shared_neighbors", &shared_neighbors_of, nb::arg("start"), nb::arg("neighbors"), nb::arg("threads"));
    m.def("spanning_tree", &spanning_tree_of, nb::arg("points"), nb::arg("classes"), nb::arg("metric"), nb::arg("p"),
          nb::arg("n_numeric"), nb::arg("weights"), nb::arg("progress").none());
    m.def("instruction_set", [] { return has_v3() ? "x86-64-v3" : "baseline"; });
}
