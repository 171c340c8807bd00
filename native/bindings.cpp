// The only file that knows Python. Arrays in, arrays out; the interpreter is free while native code runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "ranking.hpp"
#include "simd.hpp"
#include "sweep.hpp"

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

template <class T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Rows of a sweep: (x, row_of, class_of, class_start, term, cost), held while native code runs.
template <class T> struct SweepRows {
    explicit SweepRows(const nb::tuple& t)
        : x(nb::cast<Grid<T>>(t[0])), row_of(nb::cast<Array<std::int64_t>>(t[1])),
          class_of(nb::cast<Array<std::int32_t>>(t[2])), class_start(nb::cast<Array<std::int64_t>>(t[3])),
          term(nb::cast<Array<std::uint8_t>>(t[4])), cost(nb::cast<Array<T>>(t[5])) {
        const auto width = x.shape(1), columns = x.shape(0);
        if (width % kSweepAlign != 0 || row_of.shape(0) != width || class_of.shape(0) != width ||
            term.shape(0) != columns || cost.shape(0) != columns)
            throw std::invalid_argument("the arrays of a sweep do not fit together");
    }
    SweepData<T> data() const {
        return {x.data(),           static_cast<std::int64_t>(x.shape(1)),        row_of.data(), class_of.data(),
                class_start.data(), static_cast<int>(class_start.shape(0)) - 1, term.data(),   cost.data()};
    }
    Grid<T> x;
    Array<std::int64_t> row_of;
    Array<std::int32_t> class_of;
    Array<std::int64_t> class_start;
    Array<std::uint8_t> term;
    Array<T> cost;
};

// Steps of a sweep: (depth, column, out, n_out, base, score_base).
struct SweepSteps {
    explicit SweepSteps(const nb::tuple& t)
        : depth(nb::cast<Array<std::int32_t>>(t[0])), column(nb::cast<Array<std::int32_t>>(t[1])),
          out(nb::cast<Array<std::int64_t>>(t[2])) {
        const auto base = nb::cast<Array<std::int32_t>>(t[4]);
        program = {depth.data(), column.data(), out.data(), static_cast<std::int64_t>(depth.shape(0)), nb::cast<std::int64_t>(t[3]),
                   {base.data(), base.data() + base.shape(0)}, 0, nb::cast<bool>(t[5])};
        if (column.shape(0) != depth.shape(0) || out.shape(0) != depth.shape(0))
            throw std::invalid_argument("the steps of a sweep do not fit together");
        for (std::int64_t i = 0; i < program.n_steps; ++i) program.deepest = std::max(program.deepest, program.depth[i]);
    }
    Array<std::int32_t> depth, column;
    Array<std::int64_t> out;
    SweepProgram program;
};

SweepTies ties_named(const std::string& name) {
    if (name == "index") return SweepTies::index;
    if (name == "pessimistic") return SweepTies::pessimistic;
    return name == "optimistic" ? SweepTies::optimistic : SweepTies::expected;
}

// Runs f(data, program, plan) for float32 or float64 rows without the interpreter; raises what Python raised.
template <class F>
void run_sweep(const nb::tuple& rows, const nb::tuple& steps, const std::string& ties, double tie, int threads,
               nb::object progress, F&& f) {
    PythonPoll poll(std::move(progress));
    const SweepPlan plan{ties_named(ties), tie, threads, &poll};
    const SweepSteps held(steps);
    const auto run = [&]<class T>(const SweepRows<T>& kept) {
        const SweepData<T> data = kept.data();
        const nb::gil_scoped_release free;
        f(data, held.program, plan);
    };
    if (nb::isinstance<Grid<float>>(rows[0])) run(SweepRows<float>(rows));
    else run(SweepRows<double>(rows));
    if (poll.raised()) throw nb::python_error();
}

auto sweep_thornton_bound(const nb::tuple& rows, const nb::tuple& steps, const std::string& ties, double tie,
                          std::int64_t n_samples, int threads, nb::object progress) {
    std::vector<double> answer;
    run_sweep(rows, steps, ties, tie, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * std::max<std::int64_t>(1, n_samples));
        sweep_thornton(data, program, plan, n_samples > 0 ? nullptr : answer.data(), n_samples > 0 ? answer.data() : nullptr);
    });
    return to_numpy(std::move(answer));
}

auto sweep_labelings_bound(const nb::tuple& rows, const nb::tuple& steps, const Grid<std::uint16_t>& labels, double tie,
                           int threads, nb::object progress) {
    std::vector<double> answer;
    const auto n = static_cast<std::int64_t>(labels.shape(1));
    run_sweep(rows, steps, "expected", tie, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * n);
        sweep_labelings(data, program, plan, labels.data(), n, answer.data());
    });
    return to_numpy(std::move(answer));
}

auto sweep_neighbors_bound(const nb::tuple& rows, const nb::tuple& steps, int k_max, std::int64_t ranks, const Row& survival,
                           const std::string& ties, double tie, std::int64_t n_samples, int threads, nb::object progress) {
    std::vector<double> answer;
    const KnnQuestion ask{k_max, survival.shape(0) == 0 ? nullptr : survival.data(), ranks};
    run_sweep(rows, steps, ties, tie, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * (n_samples > 0 ? n_samples : k_max));
        sweep_neighbors(data, program, plan, ask, n_samples > 0 ? nullptr : answer.data(), n_samples > 0 ? answer.data() : nullptr);
    });
    return to_numpy(std::move(answer));
}

auto sweep_kernels_bound(const nb::tuple& rows, const nb::tuple& steps, const Matrix& gamma, int n_doublings, int threads,
                         nb::object progress) {
    std::vector<double> answer;
    const KernelQuestion ask{gamma.data(), static_cast<int>(gamma.shape(1)), n_doublings};
    run_sweep(rows, steps, "expected", 0.0, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * ask.n_gammas * (n_doublings + 1) * 5);
        sweep_kernels(data, program, plan, ask, answer.data());
    });
    return to_numpy(std::move(answer));
}

auto sweep_histogram_bound(const nb::tuple& rows, const nb::tuple& steps, int threads, nb::object progress) {
    std::vector<std::int64_t> answer;
    run_sweep(rows, steps, "expected", 0.0, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * kSweepBins);
        sweep_histogram(data, program, plan, answer.data());
    });
    return to_numpy(std::move(answer));
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
    m.def("sweep_thornton", &sweep_thornton_bound, nb::arg("rows"), nb::arg("steps"), nb::arg("ties"), nb::arg("tie"),
          nb::arg("n_samples"), nb::arg("threads"), nb::arg("progress").none());
    m.def("sweep_labelings", &sweep_labelings_bound, nb::arg("rows"), nb::arg("steps"), nb::arg("labels"), nb::arg("tie"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("sweep_neighbors", &sweep_neighbors_bound, nb::arg("rows"), nb::arg("steps"), nb::arg("k_max"), nb::arg("ranks"),
          nb::arg("survival"), nb::arg("ties"), nb::arg("tie"), nb::arg("n_samples"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("sweep_kernels", &sweep_kernels_bound, nb::arg("rows"), nb::arg("steps"), nb::arg("gamma"), nb::arg("n_doublings"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("sweep_histogram", &sweep_histogram_bound, nb::arg("rows"), nb::arg("steps"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("instruction_set", [] { return has_v3() ? "x86-64-v3" : "baseline"; });
}
