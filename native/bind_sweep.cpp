#include "bindings.hpp"
#include "sweep.hpp"

namespace sepal {
namespace {

template <class T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Rows of a sweep, held while native code runs; group_of may be empty.
template <class T> struct SweepRows {
    explicit SweepRows(const nb::dict& t)
        : x(nb::cast<Grid<T>>(t["x"])), row_of(nb::cast<Array<std::int64_t>>(t["row_of"])),
          class_of(nb::cast<Array<std::int32_t>>(t["class_of"])), class_start(nb::cast<Array<std::int64_t>>(t["class_start"])),
          term(nb::cast<Array<std::uint8_t>>(t["term"])), cost(nb::cast<Array<T>>(t["cost"])),
          group_of(nb::cast<Array<std::int64_t>>(t["group_of"])) {
        const auto width = x.shape(1), columns = x.shape(0);
        if (width % kSweepAlign != 0 || row_of.shape(0) != width || class_of.shape(0) != width ||
            term.shape(0) != columns || cost.shape(0) != columns || (group_of.shape(0) != 0 && group_of.shape(0) != width))
            throw std::invalid_argument("the arrays of a sweep do not fit together");
    }
    SweepData<T> data() const {
        return {x.data(),           static_cast<std::int64_t>(x.shape(1)),        row_of.data(), class_of.data(),
                class_start.data(), static_cast<int>(class_start.shape(0)) - 1, term.data(),   cost.data(),
                group_of.shape(0) == 0 ? nullptr : group_of.data()};
    }
    Grid<T> x;
    Array<std::int64_t> row_of;
    Array<std::int32_t> class_of;
    Array<std::int64_t> class_start;
    Array<std::uint8_t> term;
    Array<T> cost;
    Array<std::int64_t> group_of;
};

// Steps of a sweep.
struct SweepSteps {
    explicit SweepSteps(const nb::dict& t)
        : depth(nb::cast<Array<std::int32_t>>(t["depth"])), column(nb::cast<Array<std::int32_t>>(t["column"])),
          out(nb::cast<Array<std::int64_t>>(t["out"])) {
        const auto base = nb::cast<Array<std::int32_t>>(t["base"]);
        program = {depth.data(), column.data(), out.data(), static_cast<std::int64_t>(depth.shape(0)), nb::cast<std::int64_t>(t["n_out"]),
                   {base.data(), base.data() + base.shape(0)}, 0, nb::cast<bool>(t["scores_base"])};
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

// Questions of a sweep; the arrays in them are held while native code runs.
struct SweepQuestions {
    explicit SweepQuestions(const nb::list& given, std::int64_t n_out) {
        for (const nb::handle each : given) {
            const auto t = nb::cast<nb::dict>(each);
            const auto word = nb::cast<std::string>(t["asked"]);
            if (word == "agreement") {
                questions.push_back(AgreementQuestion{ties_named(nb::cast<std::string>(t["ties"])), nb::cast<bool>(t["samples"])});
            } else if (word == "neighbors") {
                const auto& survival = rows.emplace_back(nb::cast<Row>(t["survival"]));
                questions.push_back(NeighborsQuestion{ties_named(nb::cast<std::string>(t["ties"])), nb::cast<bool>(t["samples"]), nb::cast<int>(t["k_max"]),
                                                      nb::cast<std::int64_t>(t["ranks"]), survival.shape(0) == 0 ? nullptr : survival.data()});
            } else if (word == "kernels") {
                const auto& gamma = grids.emplace_back(nb::cast<Matrix>(t["gamma"]));
                if (static_cast<std::int64_t>(gamma.shape(0)) != n_out) throw std::invalid_argument("gamma needs a row for each subset");
                questions.push_back(KernelsQuestion{gamma.data(), static_cast<int>(gamma.shape(1)), nb::cast<int>(t["n_doublings"]), nb::cast<bool>(t["row_sums"])});
            } else {
                questions.push_back(HistogramQuestion{nb::cast<int>(t["first_bin"])});
            }
        }
    }
    std::vector<Question> questions;
    std::vector<Row> rows;
    std::vector<Matrix> grids;
};

// Runs f(data, program, plan) for float32 or float64 rows without the interpreter; raises what Python raised.
template <class F>
void run_sweep(const nb::dict& rows, const SweepSteps& steps, double tie, int threads, nb::object progress, F&& f) {
    PythonPoll poll(std::move(progress));
    const SweepPlan plan{tie, team_of(threads), &poll};
    const auto run = [&]<class T>(const SweepRows<T>& kept) {
        const SweepData<T> data = kept.data();
        const nb::gil_scoped_release free;
        f(data, steps.program, plan);
    };
    if (nb::isinstance<Grid<float>>(rows["x"])) run(SweepRows<float>(rows));
    else run(SweepRows<double>(rows));
    if (poll.raised()) throw nb::python_error();
}

nb::list sweep_bound(const nb::dict& rows, const nb::dict& steps, const nb::list& questions, double tie, int threads,
                     nb::object progress) {
    const SweepSteps held(steps);
    const SweepQuestions asked(questions, held.program.n_out);
    std::vector<std::vector<double>> answers;
    run_sweep(rows, held, tie, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        sweep(data, program, plan, asked.questions, answers);
    });
    nb::list found;
    for (auto& answer : answers) found.append(to_numpy(std::move(answer)));
    return found;
}

auto sweep_labelings_bound(const nb::dict& rows, const nb::dict& steps, const Grid<std::uint16_t>& labels, double tie,
                           int threads, nb::object progress) {
    std::vector<double> answer;
    const auto n = static_cast<std::int64_t>(labels.shape(1));
    run_sweep(rows, SweepSteps(steps), tie, threads, std::move(progress), [&](const auto& data, const auto& program, const auto& plan) {
        answer.resize(program.n_out * n);
        sweep_labelings(data, program, plan, labels.data(), n, answer.data());
    });
    return to_numpy(std::move(answer));
}

} // namespace

void bind_sweep(nb::module_& m) {
    m.def("sweep", &sweep_bound, nb::kw_only(), nb::arg("rows"), nb::arg("steps"), nb::arg("questions"), nb::arg("tie"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("sweep_labelings", &sweep_labelings_bound, nb::kw_only(), nb::arg("rows"), nb::arg("steps"), nb::arg("labels"), nb::arg("tie"),
          nb::arg("threads"), nb::arg("progress").none());
}

} // namespace sepal
