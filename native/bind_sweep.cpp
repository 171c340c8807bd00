#include "bindings.hpp"
#include "sweep.hpp"

namespace sepal {
namespace {

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

void bind_sweep(nb::module_& m) {
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
}

} // namespace sepal
