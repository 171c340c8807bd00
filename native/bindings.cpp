// The only file that knows Python. Arrays in, arrays out; the interpreter is free while native code runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "condense.hpp"
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
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::int32_t> positions_of(const Codes& c, std::int64_t n) {
    std::vector<std::int32_t> pos(c.data(), c.data() + c.shape(0));
    for (const std::int32_t p : pos)
        if (p < 0 || p >= n) throw std::invalid_argument("a position is outside the cases");
    return pos;
}

// Labelled cases under one metric; holds the arrays while native code reads them.
class CondensingCall {
  public:
    CondensingCall(const Matrix& points, const Codes& codes, const std::string& metric, double p, int n_numeric,
                   const Row& weights, double tie, double zero, int threads)
        : points_(points), codes_(codes), weights_(weights), metric_{metric_named(metric), p, n_numeric, weights.data()},
          tie_(tie), zero_(zero), threads_(threads) {
        if (codes.shape(0) != points.shape(0)) throw std::invalid_argument("one code per case is needed");
        if (weights.shape(0) != points.shape(1)) throw std::invalid_argument("one weight per column is needed");
    }
    // Runs f(condensing) with the interpreter free; raises what the poll has met.
    template <class F> auto run(nb::object progress, F&& f) const {
        PythonPoll poll(std::move(progress));
        const Condensing c{points_of(points_), codes_.data(), metric_, tie_, zero_, threads_, &poll};
        auto answer = [&] {
            const nb::gil_scoped_release free;
            return f(c);
        }();
        if (poll.raised()) throw nb::python_error();
        return answer;
    }
    nb::tuple condensed(nb::object progress, const std::function<Condensed(const Condensing&)>& f) const {
        Condensed found = run(std::move(progress), f);
        return nb::make_tuple(to_numpy(std::move(found.kept_pos)), to_numpy(std::move(found.round)),
                              to_numpy(std::move(found.right)));
    }
    const double* one_per_case(const Row& values) const {
        if (values.shape(0) != points_.shape(0)) throw std::invalid_argument("one value per case is needed");
        return values.data();
    }
    const std::uint8_t* one_per_case(const Flags& values) const {
        if (values.shape(0) != points_.shape(0)) throw std::invalid_argument("one flag per case is needed");
        return values.data();
    }
    std::vector<std::int32_t> positions(const Codes& pos) const {
        return positions_of(pos, static_cast<std::int64_t>(points_.shape(0)));
    }

    nb::tuple hart(const Codes& visit, const std::string& rule, std::optional<Row> enemy, nb::object progress) const {
        const auto order = positions(visit);
        const double* against = enemy ? one_per_case(*enemy) : nullptr;
        const TieRule tie_rule = rule == "first" ? TieRule::first : TieRule::strict;
        return condensed(std::move(progress), [&](const Condensing& c) { return condense_hart(c, order, tie_rule, against); });
    }
    nb::tuple fcnn(const Codes& seeds, const Flags& may_keep, nb::object progress) const {
        const auto first = positions(seeds);
        const std::uint8_t* allowed = one_per_case(may_keep);
        return condensed(std::move(progress), [&](const Condensing& c) { return condense_fcnn(c, first, allowed); });
    }
    nb::tuple reduce(const Codes& kept_pos, const Flags& wanted, nb::object progress) const {
        const auto kept = positions(kept_pos);
        const std::uint8_t* needed = one_per_case(wanted);
        return condensed(std::move(progress), [&](const Condensing& c) { return reduce_kept(c, kept, needed); });
    }
    nb::tuple selective(const Codes& visit, const Row& enemy, nb::object progress) const {
        const auto order = positions(visit);
        const double* against = one_per_case(enemy);
        return condensed(std::move(progress), [&](const Condensing& c) { return condense_selective(c, order, against); });
    }
    nb::tuple judge(const Codes& kept_pos, nb::object progress) const {
        const auto kept = positions(kept_pos);
        return condensed(std::move(progress), [&](const Condensing& c) { return judge_kept(c, kept); });
    }
    nb::tuple drop(int k, const Codes& visit, nb::object progress) const {
        const auto order = positions(visit);
        return condensed(std::move(progress), [&](const Condensing& c) { return drop_cases(c, k, order); });
    }
    nb::tuple ib3(const Codes& visit, const Row& chance, double accept_z, double drop_z, nb::object progress) const {
        const auto order = positions(visit);
        if (chance.shape(0) != visit.shape(0)) throw std::invalid_argument("one number per visited case is needed");
        const Ib3Plan plan{accept_z, drop_z, chance.data()};
        return condensed(std::move(progress), [&](const Condensing& c) { return condense_ib3(c, order, plan); });
    }
    auto enemies(nb::object progress) const { return to_numpy(run(std::move(progress), enemy_values)); }
    auto values_to_point(const Row& point) const {
        if (point.shape(0) != points_.shape(1)) throw std::invalid_argument("the point differs in columns");
        return to_numpy(run(nb::none(), [&](const Condensing& c) { return values_to(c, point.data()); }));
    }
    nb::tuple local_sets(const Row& enemy, nb::object progress) const {
        const double* against = one_per_case(enemy);
        auto counts = run(std::move(progress), [&](const Condensing& c) {
            std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> found;
            local_set_counts(c, against, found.first, found.second);
            return found;
        });
        return nb::make_tuple(to_numpy(std::move(counts.first)), to_numpy(std::move(counts.second)));
    }

  private:
    Matrix points_;
    Codes codes_;
    Row weights_;
    MetricSpec metric_;
    double tie_, zero_;
    int threads_;
};

} // namespace

NB_MODULE(_native, m) {
    m.doc() = "Compiled neighbour search. Use sepal.neighbors.";
    m.def("search", &search, nb::arg("points"), nb::arg("queries").none(), nb::arg("k"), nb::arg("method"),
          nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"), nb::arg("tie"), nb::arg("zero"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("search_distances", &search_distances, nb::arg("distances"), nb::arg("self_join"), nb::arg("k"), nb::arg("tie"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("distinct", &distinct, nb::arg("points"));
    nb::class_<CondensingCall>(m, "Condensing")
        .def(nb::init<const Matrix&, const Codes&, const std::string&, double, int, const Row&, double, double, int>(),
             nb::arg("points"), nb::arg("codes"), nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"),
             nb::arg("tie"), nb::arg("zero"), nb::arg("threads"))
        .def("hart", &CondensingCall::hart, nb::arg("visit"), nb::arg("rule"), nb::arg("enemy").none(),
             nb::arg("progress").none())
        .def("fcnn", &CondensingCall::fcnn, nb::arg("seeds"), nb::arg("may_keep"), nb::arg("progress").none())
        .def("reduce", &CondensingCall::reduce, nb::arg("kept_pos"), nb::arg("wanted"), nb::arg("progress").none())
        .def("selective", &CondensingCall::selective, nb::arg("visit"), nb::arg("enemy"), nb::arg("progress").none())
        .def("judge", &CondensingCall::judge, nb::arg("kept_pos"), nb::arg("progress").none())
        .def("drop", &CondensingCall::drop, nb::arg("k"), nb::arg("visit"), nb::arg("progress").none())
        .def("ib3", &CondensingCall::ib3, nb::arg("visit"), nb::arg("chance"), nb::arg("accept_z"), nb::arg("drop_z"),
             nb::arg("progress").none())
        .def("enemies", &CondensingCall::enemies, nb::arg("progress").none())
        .def("values_to", &CondensingCall::values_to_point, nb::arg("point"))
        .def("local_sets", &CondensingCall::local_sets, nb::arg("enemy"), nb::arg("progress").none());
    m.def("instruction_set", [] { return has_v3() ? "x86-64-v3" : "baseline"; });
}
