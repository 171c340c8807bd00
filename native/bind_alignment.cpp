#include "bindings.hpp"

#include "alignment.hpp"

namespace sepal {
namespace {

// AlignmentSums as arrays of Python.
struct AlignmentArrays {
    nb::object rows, within, squares, d_rows, d_within, d_squares;
};

AlignmentArrays align(const Matrix& points, const Row& weights, const Codes& classes, int n_classes, const Row& gammas,
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
    return {as_object(sums.rows),   as_object(sums.within),   as_object(sums.squares),
            as_object(sums.d_rows), as_object(sums.d_within), as_object(sums.d_squares)};
}

} // namespace

void bind_alignment(nb::module_& m) {
    nb::class_<AlignmentArrays>(m, "AlignmentArrays")
        .def_ro("rows", &AlignmentArrays::rows)
        .def_ro("within", &AlignmentArrays::within)
        .def_ro("squares", &AlignmentArrays::squares)
        .def_ro("d_rows", &AlignmentArrays::d_rows)
        .def_ro("d_within", &AlignmentArrays::d_within)
        .def_ro("d_squares", &AlignmentArrays::d_squares);
    m.def("alignment_sums", &align, nb::kw_only(), nb::arg("points"), nb::arg("weights"), nb::arg("classes"),
          nb::arg("n_classes"), nb::arg("gammas"), nb::arg("doubles"), nb::arg("shifted"), nb::arg("absolute"),
          nb::arg("derivative"), nb::arg("threads"), nb::arg("progress").none());
}

} // namespace sepal
