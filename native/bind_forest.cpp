#include "bindings.hpp"

#include <optional>

#include <nanobind/stl/optional.h>

#include "forest.hpp"

namespace sepal {
namespace {

using Bins = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct ForestArrays {
    nb::object tree_start, column, cut, child, leaf_start, leaf_output, leaf_value, left_out_sums, left_out_counts;
};

ForestArrays grow(const Bins& bins, const Codes& classes, const Row& numbers, int n_outputs, int n_trees,
               std::int64_t sample, int tries, int least, std::uint64_t seed, int threads, nb::object progress,
               std::optional<Row> drawn) {
    const std::size_t n = bins.shape(1);
    if (n == 0 || bins.shape(0) == 0 || n_trees < 1 || sample < 1 || tries < 1 || least < 1)
        throw std::invalid_argument("a forest needs rows, columns, trees, draws, tries and leaves");
    const bool labelled = classes.shape(0) == n;
    if (!labelled && numbers.shape(0) != n) throw std::invalid_argument("one class or one number per row is needed");
    for (std::size_t i = 0; labelled && i < n; ++i)
        if (classes.data()[i] < 0 || classes.data()[i] >= n_outputs) throw std::invalid_argument("a class is out of range");
    if (drawn && drawn->shape(0) != n) throw std::invalid_argument("one chance to be drawn per row is needed");
    const ForestInput in{bins.data(),
                         static_cast<std::int64_t>(n),
                         static_cast<int>(bins.shape(0)),
                         labelled ? classes.data() : nullptr,
                         labelled ? nullptr : numbers.data(),
                         labelled ? n_outputs : 1,
                         drawn ? drawn->data() : nullptr};
    PythonPoll poll(std::move(progress));
    ForestVotes left_out;
    Forest forest;
    {
        const nb::gil_scoped_release free;
        forest = grow_forest(in, {n_trees, sample, tries, least, seed}, left_out, threads, &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return {as_object(forest.tree_start), as_object(forest.column),      as_object(forest.cut),
            as_object(forest.child),      as_object(forest.leaf_start),  as_object(forest.leaf_output),
            as_object(forest.leaf_value), as_object(left_out.sums),      as_object(left_out.counts)};
}

// Model files come from anywhere: every index is checked before the trees are walked.
void check(const Places& tree_start, const Codes& column, const Codes& cut, const Places& child,
           const Places& leaf_start, const Codes& leaf_output, const Row& leaf_value, std::size_t n_columns,
           int n_outputs) {
    const auto nodes = static_cast<std::int64_t>(column.shape(0));
    const auto leaves = static_cast<std::int64_t>(leaf_start.shape(0)) - 1;
    const auto entries = static_cast<std::int64_t>(leaf_output.shape(0));
    bool fits = cut.shape(0) == column.shape(0) && child.shape(0) == column.shape(0) && tree_start.shape(0) > 1 &&
                leaves >= 0 && leaf_value.shape(0) == leaf_output.shape(0);
    for (std::size_t t = 0; fits && t + 1 < tree_start.shape(0); ++t)
        fits = tree_start.data()[t] >= 0 && tree_start.data()[t] < nodes;
    for (std::int64_t i = 0; fits && i < nodes; ++i) {
        const std::int64_t to = child.data()[i];
        // Children stand after their parent, so every walk ends.
        fits = column.data()[i] < 0 ? to >= 0 && to < leaves
                                    : column.data()[i] < static_cast<std::int64_t>(n_columns) && to > i && to + 1 < nodes;
    }
    for (std::int64_t i = 0; fits && i < leaves; ++i)
        fits = leaf_start.data()[i] >= 0 && leaf_start.data()[i] <= leaf_start.data()[i + 1] &&
               leaf_start.data()[i + 1] <= entries;
    for (std::int64_t i = 0; fits && i < entries; ++i)
        fits = leaf_output.data()[i] >= 0 && leaf_output.data()[i] < n_outputs;
    if (!fits) throw std::invalid_argument("the arrays are not those of a forest");
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> means(const Bins& bins, const Places& tree_start, const Codes& column,
                                                  const Codes& cut, const Places& child, const Places& leaf_start,
                                                  const Codes& leaf_output, const Row& leaf_value, int n_outputs,
                                                  int threads) {
    check(tree_start, column, cut, child, leaf_start, leaf_output, leaf_value, bins.shape(0), n_outputs);
    const ForestView forest{tree_start.data(),  static_cast<std::int64_t>(tree_start.shape(0)) - 1,
                            column.data(),      cut.data(),
                            child.data(),       leaf_start.data(),
                            leaf_output.data(), leaf_value.data()};
    std::vector<double> out;
    {
        const nb::gil_scoped_release free;
        out = forest_means(forest, bins.data(), static_cast<std::int64_t>(bins.shape(1)), n_outputs, threads);
    }
    return to_numpy(std::move(out));
}

} // namespace

void bind_forest(nb::module_& m) {
    nb::class_<ForestArrays>(m, "ForestArrays")
        .def_ro("tree_start", &ForestArrays::tree_start)
        .def_ro("column", &ForestArrays::column)
        .def_ro("cut", &ForestArrays::cut)
        .def_ro("child", &ForestArrays::child)
        .def_ro("leaf_start", &ForestArrays::leaf_start)
        .def_ro("leaf_output", &ForestArrays::leaf_output)
        .def_ro("leaf_value", &ForestArrays::leaf_value)
        .def_ro("left_out_sums", &ForestArrays::left_out_sums)
        .def_ro("left_out_counts", &ForestArrays::left_out_counts);
    m.def("grow_forest", &grow, nb::kw_only(), nb::arg("bins"), nb::arg("classes"), nb::arg("numbers"), nb::arg("n_outputs"),
          nb::arg("n_trees"), nb::arg("sample"), nb::arg("tries"), nb::arg("least"), nb::arg("seed"),
          nb::arg("threads"), nb::arg("progress").none(), nb::arg("drawn") = nb::none());
    m.def("forest_means", &means, nb::kw_only(), nb::arg("bins"), nb::arg("tree_start"), nb::arg("column"), nb::arg("cut"),
          nb::arg("child"), nb::arg("leaf_start"), nb::arg("leaf_output"), nb::arg("leaf_value"),
          nb::arg("n_outputs"), nb::arg("threads"));
}

} // namespace sepal
