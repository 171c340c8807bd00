#include "bindings.hpp"

#include <limits>

#include <nanobind/stl/vector.h>

#include "dual_removal.hpp"
#include "dual_solver.hpp"

namespace sepal {
namespace {

KernelSpec kernel_named(const std::string& name, double gamma, double coef0, int degree) {
    static const std::pair<const char*, KernelKind> names[] = {{"linear", KernelKind::linear},
                                                               {"poly", KernelKind::poly},
                                                               {"rbf", KernelKind::rbf},
                                                               {"sigmoid", KernelKind::sigmoid}};
    for (const auto& [known, kind] : names)
        if (name == known) return {kind, gamma, coef0, degree};
    throw std::invalid_argument("no native kernel is called " + name);
}

// "precomputed": x is the matrix of kernel values.
KernelSource kernel_source(const Matrix& x, const std::string& kernel, double gamma, double coef0, int degree) {
    const auto n = static_cast<std::int64_t>(x.shape(0));
    if (kernel != "precomputed") return {points_of(x), kernel_named(kernel, gamma, coef0, degree), nullptr, n};
    if (x.shape(0) != x.shape(1)) throw std::invalid_argument("a kernel matrix must be square");
    return {{nullptr, 0, 0}, {KernelKind::linear, 0, 0, 0}, x.data(), n};
}

void check_length(const Row& row, std::int64_t n, const char* name) {
    if (static_cast<std::int64_t>(row.shape(0)) != n) throw std::invalid_argument(std::string("wrong length of ") + name);
}

// The answers for all pairs of classes, one after another: of each pair's rows, and of each pair.
struct PairArrays {
    nb::object beta, product, bias, violation, iterations, status;
};

PairArrays solve_pairs(const Matrix& x, const std::string& kernel, double gamma, double coef0, int degree,
                           const std::vector<std::int64_t>& start, const Row& box, const Row& start_beta, double tol,
                           bool narrow, double cache_bytes, double deadline, std::int64_t most_steps, int threads, nb::object progress) {
    const KernelSource source = kernel_source(x, kernel, gamma, coef0, degree);
    check_length(box, source.n, "box");
    check_start(start, x.shape(0));
    std::vector<std::vector<double>> starts;
    if (start_beta.shape(0) > 0) {
        const double* from = start_beta.data();
        for (std::size_t a = 0; a + 1 < start.size(); ++a)
            for (std::size_t b = a + 1; b + 1 < start.size(); ++b) {
                const std::int64_t count = start[a + 1] - start[a] + start[b + 1] - start[b];
                if (from + count > start_beta.data() + start_beta.shape(0))
                    throw std::invalid_argument("wrong length of start_beta");
                starts.emplace_back(from, from + count);
                from += count;
            }
    }
    PythonPoll poll(std::move(progress));
    const DualPlan plan{tol, narrow, cache_bytes, deadline, most_steps, team_of(threads), &poll};
    std::vector<DualAnswer> answers;
    {
        const nb::gil_scoped_release free;
        answers = sepal::dual_solve_pairs(source, start, box.data(), starts, plan);
    }
    if (poll.raised()) throw nb::python_error();
    std::vector<double> beta, product, bias, violation;
    std::vector<std::int64_t> iterations;
    std::vector<std::int32_t> status;
    for (const DualAnswer& each : answers) {
        beta.insert(beta.end(), each.beta.begin(), each.beta.end());
        product.insert(product.end(), each.product.begin(), each.product.end());
        bias.push_back(each.bias);
        violation.push_back(each.violation);
        iterations.push_back(each.iterations);
        status.push_back(static_cast<std::int32_t>(each.status));
    }
    return {as_object(beta), as_object(product), as_object(bias), as_object(violation), as_object(iterations), as_object(status)};
}

nb::tuple leave_one_out(const Matrix& x, const std::string& kernel, double gamma, double coef0, int degree,
                        const std::vector<std::int32_t>& members, const Row& t, const Row& low, const Row& high,
                        const Row& left, const Row& beta, const Row& product, const std::vector<std::int64_t>& which,
                        std::int64_t most, double tol, bool narrow, double cache_bytes, int threads, nb::object progress) {
    const KernelSource source = kernel_source(x, kernel, gamma, coef0, degree);
    const auto n = static_cast<std::int64_t>(members.size());
    for (const Row* row : {&t, &low, &high, &left, &beta, &product}) check_length(*row, n, "an argument");
    for (std::int32_t i : members)
        if (i < 0 || i >= source.n) throw std::invalid_argument("members: no such row");
    for (std::int64_t k : which)
        if (k < 0 || k >= n) throw std::invalid_argument("which: no such member");
    PythonPoll poll(std::move(progress));
    const DualPlan plan{tol, narrow, cache_bytes, std::numeric_limits<double>::infinity(),
                        std::numeric_limits<std::int64_t>::max(), team_of(threads), &poll};
    const DualWhole whole{t.data(), low.data(), high.data(), left.data(), beta.data(), product.data()};
    std::vector<double> decision(which.size());
    std::vector<std::int32_t> solved(which.size());
    {
        const nb::gil_scoped_release free;
        dual_leave_one_out(source, members, whole, which, most, plan, decision.data(), solved.data());
    }
    if (poll.raised()) throw nb::python_error();
    return nb::make_tuple(to_numpy(std::move(decision)), to_numpy(std::move(solved)));
}

// Of each row that went: change of the bias, what was taken of its weight, change of the weights, and how it ended.
struct RemovalArrays {
    nb::object shift, gone, change, status;
};

RemovalArrays removals(const Matrix& residual, const Row& beta, const Row& low, const Row& high, const Row& slack, const Codes& free,
                   const Matrix& inverse, const Matrix& solved, const Matrix& solved_across, double ridge,
                   const Matrix& residual_going, const Matrix& solved_going, const Row& own, const Codes& place,
                   const Row& taken, const Row& decision, const Row& sign, bool until_sign_change, int threads) {
    const std::size_t n = residual.shape(0), going = residual_going.shape(0), size = free.shape(0) + 1;
    const auto is = [](const Matrix& m, std::size_t rows, std::size_t columns) { return m.shape(0) == rows && m.shape(1) == columns; };
    if (!is(residual, n, n) || !is(residual_going, going, n) || !is(inverse, size, size) || !is(solved, n, size) ||
        !is(solved_across, size, n) || !is(solved_going, going, size) || place.shape(0) != going)
        throw std::invalid_argument("the rows near the margin and those that go do not fit together");
    for (const Row* row : {&beta, &low, &high, &slack}) check_length(*row, static_cast<std::int64_t>(n), "an argument");
    for (const Row* row : {&own, &taken, &decision, &sign}) check_length(*row, static_cast<std::int64_t>(going), "an argument");
    const auto last = static_cast<std::int32_t>(n) - 1;
    if (std::any_of(place.data(), place.data() + going, [last](std::int32_t i) { return i < -1 || i > last; }) ||
        std::any_of(free.data(), free.data() + free.shape(0), [last](std::int32_t i) { return i < 0 || i > last; }))
        throw std::invalid_argument("no such place");
    PythonPoll poll{nb::none()};
    const RemovalBase base{static_cast<std::int64_t>(n), residual.data(), beta.data(), low.data(), high.data(), slack.data(),
                           static_cast<std::int64_t>(free.shape(0)), free.data(), inverse.data(), solved.data(),
                           solved_across.data(), ridge};
    const RemovalRows rows{static_cast<std::int64_t>(going), residual_going.data(), solved_going.data(), own.data(), place.data(),
                           taken.data(), decision.data(), sign.data()};
    std::vector<double> shift(going), gone(going), change(going * n);
    std::vector<std::int32_t> status(going);
    {
        const nb::gil_scoped_release free_lock;
        dual_removals(base, rows, until_sign_change, team_of(threads), &poll,
                      {shift.data(), gone.data(), change.data(), status.data()});
    }
    if (poll.raised()) throw nb::python_error();
    return {as_object(shift), as_object(gone), as_object(change), as_object(status)};
}

struct AdatronArrays {
    nb::object alpha, product;
    double bias, violation;
    std::int64_t sweeps;
    SolverStatus status;
};

AdatronArrays adatron(const Matrix& gram, const Row& t, const Row& box, double omega, double tol, std::int64_t max_sweeps,
                  bool with_bias, double offset, double balance) {
    const auto n = static_cast<std::int64_t>(gram.shape(0));
    check_length(t, static_cast<std::int64_t>(gram.shape(1)), "gram");
    for (const Row* row : {&t, &box}) check_length(*row, n, "an argument");
    PythonPoll poll{nb::none()};
    AdatronAnswer found;
    {
        const nb::gil_scoped_release free;
        found = adatron_solve(gram.data(), n, t.data(), box.data(),
                              {omega, tol, max_sweeps, with_bias, offset, balance, &poll});
    }
    if (poll.raised()) throw nb::python_error();
    return {as_object(found.alpha), as_object(found.product), found.bias, found.violation, found.sweeps, found.status};
}

nb::object matrix_of(const Matrix& a, const Matrix& b, const std::string& kernel, double gamma, double coef0, int degree,
                         int threads, nb::object progress) {
    if (a.shape(1) != b.shape(1)) throw std::invalid_argument("both sides need the same columns");
    PythonPoll poll(std::move(progress));
    std::vector<double> out(a.shape(0) * b.shape(0));
    {
        const nb::gil_scoped_release free;
        sepal::kernel_matrix(points_of(a), points_of(b), kernel_named(kernel, gamma, coef0, degree), team_of(threads), &poll, out.data());
    }
    if (poll.raised()) throw nb::python_error();
    return nb::cast(to_numpy(std::move(out)));
}

nb::object expansion_of(const Matrix& support, const std::vector<std::int64_t>& start, const Matrix& coef,
                            const Matrix& queries, const std::string& kernel, double gamma, double coef0, int degree,
                            int threads, nb::object progress) {
    if (support.shape(1) != queries.shape(1) || coef.shape(1) != support.shape(0))
        throw std::invalid_argument("support, coef and queries do not fit together");
    check_start(start, support.shape(0));
    PythonPoll poll(std::move(progress));
    std::vector<double> out(queries.shape(0) * (start.size() - 1) * coef.shape(0));
    {
        const nb::gil_scoped_release free;
        sepal::kernel_expansion(points_of(support), start, coef.data(), static_cast<int>(coef.shape(0)), points_of(queries),
                                kernel_named(kernel, gamma, coef0, degree), team_of(threads), &poll, out.data());
    }
    if (poll.raised()) throw nb::python_error();
    return nb::cast(to_numpy(std::move(out)));
}

} // namespace

void bind_dual(nb::module_& m) {
    nb::enum_<SolverStatus>(m, "SolverStatus", nb::is_arithmetic())
        .value("SOLVED", SolverStatus::solved)
        .value("OUT_OF_TIME", SolverStatus::out_of_time)
        .value("STOPPED", SolverStatus::stopped)
        .value("STALLED", SolverStatus::stalled)
        .value("OUT_OF_STEPS", SolverStatus::out_of_steps)
        .value("DIVERGED", SolverStatus::diverged);
    nb::enum_<RemovalStatus>(m, "RemovalStatus", nb::is_arithmetic())
        .value("ENDED", RemovalStatus::ended)
        .value("TURNED", RemovalStatus::turned)
        .value("ALONE", RemovalStatus::alone)
        .value("FAILED", RemovalStatus::failed);
    nb::class_<PairArrays>(m, "PairArrays")
        .def_ro("beta", &PairArrays::beta)
        .def_ro("product", &PairArrays::product)
        .def_ro("bias", &PairArrays::bias)
        .def_ro("violation", &PairArrays::violation)
        .def_ro("iterations", &PairArrays::iterations)
        .def_ro("status", &PairArrays::status);
    nb::class_<RemovalArrays>(m, "RemovalArrays")
        .def_ro("shift", &RemovalArrays::shift)
        .def_ro("gone", &RemovalArrays::gone)
        .def_ro("change", &RemovalArrays::change)
        .def_ro("status", &RemovalArrays::status);
    nb::class_<AdatronArrays>(m, "AdatronArrays")
        .def_ro("alpha", &AdatronArrays::alpha)
        .def_ro("product", &AdatronArrays::product)
        .def_ro("bias", &AdatronArrays::bias)
        .def_ro("violation", &AdatronArrays::violation)
        .def_ro("sweeps", &AdatronArrays::sweeps)
        .def_ro("status", &AdatronArrays::status);
    m.def("dual_solve_pairs", &solve_pairs, nb::kw_only(), nb::arg("x"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"),
          nb::arg("degree"), nb::arg("start"), nb::arg("box"), nb::arg("start_beta"), nb::arg("tol"), nb::arg("narrow"),
          nb::arg("cache_bytes"), nb::arg("deadline"), nb::arg("most_steps"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("dual_leave_one_out", &leave_one_out, nb::kw_only(), nb::arg("x"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"),
          nb::arg("degree"), nb::arg("members"), nb::arg("t"), nb::arg("low"), nb::arg("high"), nb::arg("left"),
          nb::arg("beta"), nb::arg("product"), nb::arg("which"), nb::arg("most"), nb::arg("tol"), nb::arg("narrow"),
          nb::arg("cache_bytes"), nb::arg("threads"), nb::arg("progress").none());
    m.def("dual_removals", &removals, nb::kw_only(), nb::arg("residual"), nb::arg("beta"), nb::arg("low"), nb::arg("high"), nb::arg("slack"),
          nb::arg("free"), nb::arg("inverse"), nb::arg("solved"), nb::arg("solved_across"), nb::arg("ridge"),
          nb::arg("residual_going"), nb::arg("solved_going"), nb::arg("own"), nb::arg("place"), nb::arg("taken"),
          nb::arg("decision"), nb::arg("sign"), nb::arg("until_sign_change"), nb::arg("threads"));
    m.def("adatron", &adatron, nb::kw_only(), nb::arg("gram"), nb::arg("t"), nb::arg("box"), nb::arg("omega"), nb::arg("tol"),
          nb::arg("max_sweeps"), nb::arg("with_bias"), nb::arg("offset"), nb::arg("balance"));
    m.def("kernel_matrix", &matrix_of, nb::kw_only(), nb::arg("a"), nb::arg("b"), nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"),
          nb::arg("degree"), nb::arg("threads"), nb::arg("progress").none());
    m.def("kernel_expansion", &expansion_of, nb::kw_only(), nb::arg("support"), nb::arg("start"), nb::arg("coef"), nb::arg("queries"),
          nb::arg("kernel"), nb::arg("gamma"), nb::arg("coef0"), nb::arg("degree"), nb::arg("threads"),
          nb::arg("progress").none());
}

} // namespace sepal
