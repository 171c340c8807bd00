#include "bindings.hpp"

#include "alignment.hpp"

namespace sepal {
namespace {

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
        sums = alignment_sums(in, steps, team_of(threads), &poll);
    }
    if (poll.raised()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(sums.rows)), to_numpy(std::move(sums.within)),
                          to_numpy(std::move(sums.squares)), to_numpy(std::move(sums.d_rows)),
                          to_numpy(std::move(sums.d_within)), to_numpy(std::move(sums.d_squares)));
}

} // namespace

void bind_alignment(nb::module_& m) {
    m.def("alignment_sums", &align, nb::kw_only(), nb::arg("points"), nb::arg("weights"), nb::arg("classes"),
          nb::arg("n_classes"), nb::arg("gammas"), nb::arg("doubles"), nb::arg("shifted"), nb::arg("absolute"),
          nb::arg("derivative"), nb::arg("threads"), nb::arg("progress").none());
}

} // namespace sepal
