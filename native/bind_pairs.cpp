#include "bindings.hpp"

#include "class_pass.hpp"
#include "pairs.hpp"

namespace sepal {
namespace {

nb::ndarray<nb::numpy, double, nb::ndim<2>> pair_block(const Matrix& points, const Matrix& queries, const std::string& metric,
                                                       double p, int n_numeric, const Row& weights, int threads) {
    if (queries.shape(1) != points.shape(1)) throw std::invalid_argument("queries and points differ in columns");
    const MetricSpec spec = spec_of(points.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll{nb::none()};
    auto* kept = new std::vector<double>(queries.shape(0) * points.shape(0));
    nb::capsule owner(kept, [](void* q) noexcept { delete static_cast<std::vector<double>*>(q); });
    {
        const nb::gil_scoped_release free;
        pair_values(points_of(points), points_of(queries), spec, team_of(threads), &poll, kept->data());
    }
    if (poll.raised()) throw nb::python_error();
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(kept->data(), {queries.shape(0), points.shape(0)}, owner);
}

// ClassAnswer as arrays of Python.
struct ClassPassArrays {
    nb::object enemy_start, enemy, enemy_value, own, n_own, nearer, near, further_tied, further_same, tree_from, tree_to;
};

ClassPassArrays class_pass_of(const Matrix& points, const Codes& classes, const Row& copies, const Codes& rows,
                        const Matrix& further, const Codes& further_classes, const std::string& metric, double p, int n_numeric, const Row& weights,
                        double tie, double further_tie, double zero, double slack, bool compare_roots, double reach,
                        bool tree, int threads, nb::object progress) {
    if (points.shape(1) != further.shape(1)) throw std::invalid_argument("further rows and points differ in columns");
    if (classes.shape(0) != points.shape(0) || copies.shape(0) != points.shape(0) || rows.shape(0) != points.shape(0) ||
        further_classes.shape(0) != further.shape(0))
        throw std::invalid_argument("every row needs its class, its number of copies and its lowest row");
    if (!std::is_sorted(classes.data(), classes.data() + classes.shape(0)))
        throw std::invalid_argument("points must come class after class");
    const MetricSpec spec = spec_of(points.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    ClassAnswer found;
    {
        const nb::gil_scoped_release free;
        found = class_pass({points_of(points), classes.data(), copies.data(), rows.data(), points_of(further), further_classes.data(), tie,
                            further_tie, zero, slack, compare_roots, reach, tree},
                           spec, team_of(threads), &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return {as_object(found.enemies.start), as_object(found.enemies.rows), as_object(found.enemies.values),
            as_object(found.own),           as_object(found.n_own),        as_object(found.nearer),
            as_object(found.near),          as_object(found.further_tied), as_object(found.further_same),
            as_object(found.tree_from),     as_object(found.tree_to)};
}

nb::tuple near_graph_of(const Matrix& points, const Row& limits, const std::string& metric, double p, int n_numeric,
                        const Row& weights, int threads) {
    if (limits.shape(0) != points.shape(0)) throw std::invalid_argument("one limit per point is needed");
    const MetricSpec spec = spec_of(points.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll{nb::none()};
    NearGraph graph;
    {
        const nb::gil_scoped_release free;
        graph = near_graph(points_of(points), limits.data(), spec, team_of(threads), &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(graph.start)), to_numpy(std::move(graph.neighbors)),
                          to_numpy(std::move(graph.shared)));
}

} // namespace

void bind_pairs(nb::module_& m) {
    nb::class_<ClassPassArrays>(m, "ClassPassArrays")
        .def_ro("enemy_start", &ClassPassArrays::enemy_start)
        .def_ro("enemy", &ClassPassArrays::enemy)
        .def_ro("enemy_value", &ClassPassArrays::enemy_value)
        .def_ro("own", &ClassPassArrays::own)
        .def_ro("n_own", &ClassPassArrays::n_own)
        .def_ro("nearer", &ClassPassArrays::nearer)
        .def_ro("near", &ClassPassArrays::near)
        .def_ro("further_tied", &ClassPassArrays::further_tied)
        .def_ro("further_same", &ClassPassArrays::further_same)
        .def_ro("tree_from", &ClassPassArrays::tree_from)
        .def_ro("tree_to", &ClassPassArrays::tree_to);
    m.def("pair_block", &pair_block, nb::kw_only(), nb::arg("points"), nb::arg("queries"), nb::arg("metric"), nb::arg("p"),
          nb::arg("n_numeric"), nb::arg("weights"), nb::arg("threads"));
    m.def("class_pass", &class_pass_of, nb::kw_only(), nb::arg("points"), nb::arg("classes"), nb::arg("copies"), nb::arg("rows"),
          nb::arg("further"), nb::arg("further_classes"), nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"),
          nb::arg("tie"), nb::arg("further_tie"), nb::arg("zero"), nb::arg("slack"), nb::arg("compare_roots"),
          nb::arg("reach"), nb::arg("tree"), nb::arg("threads"), nb::arg("progress").none());
    m.def("near_graph", &near_graph_of, nb::kw_only(), nb::arg("points"), nb::arg("limits"), nb::arg("metric"), nb::arg("p"),
          nb::arg("n_numeric"), nb::arg("weights"), nb::arg("threads"));
}

} // namespace sepal
