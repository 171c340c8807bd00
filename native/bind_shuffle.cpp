#include "bindings.hpp"

#include "label_shuffle.hpp"

namespace sepal {
namespace {

using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, double, nb::ndim<1>> shuffled(const Places& start, const Places& edge_start, const Codes& from,
                                                     const Row& weight, const Codes& classes, int n_classes,
                                                     std::uint64_t seed, std::int64_t first, std::int64_t count,
                                                     int threads, nb::object progress) {
    const auto n = static_cast<std::int64_t>(classes.shape(0));
    const auto inside = [](const Codes& v, std::int64_t below) {
        return std::all_of(v.data(), v.data() + v.size(), [below](std::int32_t x) { return x >= 0 && x < below; });
    };
    check_start({start.data(), start.data() + start.size()}, classes.shape(0));
    check_start({edge_start.data(), edge_start.data() + edge_start.size()}, from.shape(0));
    if (start.shape(0) != edge_start.shape(0) || from.shape(0) != weight.shape(0) || !inside(from, n) ||
        !inside(classes, n_classes) || count < 0 || n > INT32_MAX)
        throw std::invalid_argument("the arrays are not those of a graph with classes");
    const LabelGraph graph{start.data(), static_cast<std::int64_t>(start.shape(0)) - 1, edge_start.data(), from.data(),
                           weight.data()};
    PythonPoll poll(std::move(progress));
    std::vector<double> out;
    {
        const nb::gil_scoped_release free;
        out = shuffled_agreement(graph, classes.data(), n, n_classes, seed, first, count, team_of(threads), &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return to_numpy(std::move(out));
}

} // namespace

void bind_shuffle(nb::module_& m) {
    m.def("shuffled_agreement", &shuffled, nb::kw_only(), nb::arg("start"), nb::arg("edge_start"), nb::arg("from_row"),
          nb::arg("weight"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("seed"), nb::arg("first"),
          nb::arg("count"), nb::arg("threads"), nb::arg("progress").none());
}

} // namespace sepal
