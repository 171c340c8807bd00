#include "bindings.hpp"
#include "sweep.hpp"

namespace sepal {
namespace {

template <class T> using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Rows of a sweep: (x, row_of, class_of, class_start, term, cost, group_of), held while native code runs; group_of may be
// empty.
template <class T> struct SweepRows {
    explicit SweepRows(const nb::tuple& t)
        : x(nb::cast<Grid<T>>(t[0])), row_of(nb::cast<Array<std::int64_t>>(t[1])),
          class_of(nb::cast<Array<std::int32_t>>(t[2])), class_start(nb::cast<Array<std::int64_t>>(t[3])),
          term(nb::cast<Array<std::uint8_t>>(t[4])), cost(nb::cast<Array<T>>(t[5])),
          group_of(nb::cast<Array<std::int64_t>>(t[6])) {
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

// Questions of a sweep, tuples that begin with a word; the arrays in them are held while native code runs.
struct SweepQuestions {
    explicit SweepQuestions(const nb::list& given, std::int64_t n_out) {
        for (const nb::handle each : given) {
            const auto t = nb::cast<nb::tuple>(each);
            const auto word = nb::cast<std::string>(t[0]);
            if (word == "agreement") {
                questions.push_back(AgreementQuestion{ties_named(nb::cast<std::string>(t[1])), nb::cast<bool>(t[2])});
            } else if (word == "neighbors") {
                const auto& survival = rows.emplace_back(nb::cast<Row>(t[5]));
                questions.push_back(NeighborsQuestion{ties_named(nb::cast<std::string>(t[1])), nb::cast<bool>(t[2]), nb::cast<int>(t[3]),
                                                      nb::cast<std::int64_t>(t[4]), survival.shape(0) == 0 ? nullptr : survival.data()});
            } else if (word == "kernels") {
                const auto& gamma = grids.emplace_back(nb::cast<Matrix>(t[1]));
                if (static_cast<std::int64_t>(gamma.shape(0)) != n_out) throw std::invalid_argument("gamma needs a row for each subset");
                questions.push_back(KernelsQuestion{gamma.data(), static_cast<int>(gamma.shape(1)), nb::cast<int>(t[2]), nb::cast<bool>(t[3])});
            } else {
                questions.push_back(HistogramQuestion{nb::cast<int>(t[1])});
            }
        }
    }
    std::vector<Question> questions;
    std::vector<Row> rows;
    std::vector<Matrix> grids;
};

// Runs f(data, program, plan) for float32 or float64 rows without the interpreter; raises what Python raised.
template <class F>
void run_sweep(const nb::tuple& rows, const SweepSteps& steps, double tie, int threads, nb::object progress, F&& f) {
    PythonPoll poll(std::move(progress));
    const SweepPlan plan{tie, team_of(threads), &poll};
    const auto run = [&]<class T>(const SweepRows<T>& kept) {
        const SweepData<T> data = kept.data();
        const nb::gil_scoped_release free;
        f(data, steps.program, plan);
    };
    if (nb::isinstance<Grid<float>>(rows[0])) run(SweepRows<float>(rows));
    else run(SweepRows<double>(rows));
    if (poll.raised()) throw nb::python_error();
}

nb::list sweep_bound(const nb::tuple& rows, const nb::tuple& steps, const nb::list& questions, double tie, int threads,
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

auto sweep_labelings_bound(const nb::tuple& rows, const nb::tuple& steps, const Grid<std::uint16_t>& labels, double tie,
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
