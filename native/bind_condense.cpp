#include "bindings.hpp"

#include <algorithm>
#include <nanobind/stl/optional.h>
#include <functional>
#include <optional>

#include "condense.hpp"
#include "window.hpp"

namespace sepal {
namespace {

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
                   const Row& weights, double tie, double zero, int threads, std::optional<Codes> groups)
        : points_(points), codes_(codes), groups_(std::move(groups)), weights_(weights), metric_(spec_of(points.shape(1), metric, p, n_numeric, weights)),
          tie_(tie), zero_(zero), threads_(team_of(threads)) {
        check_rows(points, true);
        if (codes.shape(0) != points.shape(0)) throw std::invalid_argument("one code per case is needed");
        if (std::any_of(codes.data(), codes.data() + codes.shape(0), [](std::int32_t code) { return code < 0; }))
            throw std::invalid_argument("a code is below 0");
        if (!groups_) return;
        if (groups_->shape(0) != points.shape(0)) throw std::invalid_argument("one group per case is needed");
        if (std::any_of(groups_->data(), groups_->data() + groups_->shape(0), [](std::int32_t group) { return group < 0; }))
            throw std::invalid_argument("a group is below 0");
    }
    // Runs f(condensing) with the interpreter free; raises what the poll has met.
    template <class F> auto run(nb::object progress, F&& f) const {
        PythonPoll poll(std::move(progress));
        const Condensing c{points_of(points_), codes_.data(), groups_ ? groups_->data() : nullptr, metric_, tie_, zero_, threads_, &poll};
        auto answer = [&] {
            const nb::gil_scoped_release free;
            return f(c);
        }();
        if (poll.raised()) throw nb::python_error();
        return answer;
    }
    nb::tuple condensed(nb::object progress, const std::function<Condensed(const Condensing&)>& f) const {
        Condensed found = run(std::move(progress), f);
        compared_ = found.compared;
        return nb::make_tuple(to_numpy(std::move(found.kept_pos)), to_numpy(std::move(found.round)),
                              to_numpy(std::move(found.right)));
    }
    // By the last call, of those that count it.
    std::int64_t compared() const { return compared_; }
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
        if (k < 1) throw std::invalid_argument("k must be at least 1");
        return condensed(std::move(progress), [&](const Condensing& c) { return drop_cases(c, k, order); });
    }
    nb::tuple ib3(const Codes& visit, const Row& chance, double accept_z, double drop_z, nb::object progress) const {
        const auto order = positions(visit);
        if (chance.shape(0) != visit.shape(0)) throw std::invalid_argument("one number per visited case is needed");
        const Ib3Plan plan{accept_z, drop_z, chance.data()};
        return condensed(std::move(progress), [&](const Condensing& c) { return condense_ib3(c, order, plan); });
    }
    auto enemies(nb::object progress) const { return to_numpy(run(std::move(progress), enemy_values)); }
    auto values_to_point(const Codes& pos, const Row& point) const {
        if (point.shape(0) != points_.shape(1)) throw std::invalid_argument("the point differs in columns");
        const auto cases = positions(pos);
        return to_numpy(run(nb::none(), [&](const Condensing& c) { return values_to(c, cases, point.data()); }));
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
    std::optional<Codes> groups_;
    Row weights_;
    MetricSpec metric_;
    double tie_, zero_;
    int threads_;
    mutable std::int64_t compared_ = 0;
};

template <class T, int N = 1> using Slots = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// What a window of rows is to do; the rows themselves live in arrays of the caller, which are changed in place.
class WindowCall {
  public:
    WindowCall(int k, bool by_distance, const std::string& distances, const std::string& metric, double p, int n_numeric,
               const Row& weights, double tie, double zero, const Row& factors, const Flags& is_scaled, std::int64_t most,
               double max_age, std::int64_t class_quota, int edit_k, std::int64_t edit_every, int threads)
        : weights_(weights), factors_(factors), is_scaled_(is_scaled),
          plan_{k,    by_distance, distances_named(distances), spec_of(weights.shape(0), metric, p, n_numeric, weights), tie, zero,
                factors.data(), is_scaled.data(), most, max_age, class_quota, edit_k, edit_every, 0, team_of(threads), nullptr} {
        if (k < 1 || edit_k < 0 || edit_every < 1) throw std::invalid_argument("neighbours must be counted from 1");
        if (weights.shape(0) != factors.shape(0) || weights.shape(0) != is_scaled.shape(0))
            throw std::invalid_argument("weights, factors and is_scaled must have one entry per column");
    }
    nb::tuple predict(const Slots<const double, 3>& cells, const Slots<const std::int32_t>& codes,
                      const Slots<const std::int64_t>& arrival, const Slots<const double>& time,
                      const Slots<const double, 2>& ranges, std::int64_t n, const Matrix& queries, const Row& seen) const {
        const WindowRows rows = rows_of(cells, codes, arrival, time, ranges, n, queries, seen.shape(0)); // read only
        const std::size_t n_classes = seen.shape(0);
        PythonPoll poll{nb::object(nb::none())};
        const WindowPlan plan = plan_for(n_classes, poll);
        WindowAnswer answer;
        {
            const nb::gil_scoped_release free;
            answer = window_predict(rows, plan, points_of(queries), seen.data());
        }
        if (poll.raised()) throw nb::python_error();
        return nb::make_tuple(to_numpy(std::move(answer.votes)), to_numpy(std::move(answer.codes)));
    }
    nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> learn(const Slots<double, 3>& cells, const Slots<std::int32_t>& codes, const Slots<std::int64_t>& arrival,
                    const Slots<double>& time, const Slots<double, 2>& ranges, const Slots<std::int64_t>& counters, const Matrix& given,
                    const Codes& given_codes, const Row& given_times, const Slots<double>& seen, bool test) const {
        if (counters.shape(0) != 2) throw std::invalid_argument("counters must hold rows in the window and rows learnt");
        std::int64_t &n = counters.data()[0], &n_learnt = counters.data()[1];
        WindowRows rows = rows_of(cells, codes, arrival, time, ranges, n, given, seen.shape(0));
        if (given_codes.shape(0) != given.shape(0) || given_times.shape(0) != given.shape(0))
            throw std::invalid_argument("one code and one time per row are needed");
        const auto n_classes = static_cast<std::int64_t>(seen.shape(0));
        for (std::size_t i = 0; i < given_codes.shape(0); ++i)
            if (given_codes.data()[i] < 0 || given_codes.data()[i] >= n_classes)
                throw std::invalid_argument("a code is outside the classes");
        const std::int64_t all = n + static_cast<std::int64_t>(given.shape(0));
        const std::int64_t room = plan_.most > 0 ? std::min<std::int64_t>(plan_.most, all) : all;
        if (rows.capacity < room) throw std::invalid_argument("the window has no room for these rows");
        PythonPoll poll{nb::object(nb::none())};
        const WindowPlan plan = plan_for(seen.shape(0), poll);
        WindowAnswer answer;
        {
            const nb::gil_scoped_release free;
            answer = window_learn(rows, plan, points_of(given), given_codes.data(), given_times.data(), test, seen.data(), n_learnt);
        }
        n = rows.n; // also when interrupted: what was learnt until then stays learnt
        if (poll.raised()) throw nb::python_error();
        return to_numpy(std::move(answer.codes));
    }

  private:
    static Distances distances_named(const std::string& name) {
        if (name == "square") return Distances::root;
        if (name == "power") return Distances::power;
        if (name == "double") return Distances::half;
        return Distances::plain;
    }
    WindowPlan plan_for(std::size_t n_classes, PythonPoll& poll) const {
        WindowPlan plan = plan_;
        plan.n_classes = static_cast<int>(n_classes);
        plan.poll = &poll;
        return plan;
    }
    template <class C, class I, class A, class T, class R>
    WindowRows rows_of(const C& cells, const I& codes, const A& arrival, const T& time, const R& ranges, std::int64_t n,
                       const Matrix& given, std::size_t n_classes) const {
        const auto capacity = static_cast<std::int64_t>(codes.shape(0));
        const auto p = static_cast<std::int64_t>(weights_.shape(0));
        if (static_cast<std::int64_t>(cells.shape(0)) * 8 < capacity || static_cast<std::int64_t>(cells.shape(1)) != p ||
            cells.shape(2) != 8 || static_cast<std::int64_t>(arrival.shape(0)) != capacity ||
            static_cast<std::int64_t>(time.shape(0)) != capacity || n > capacity || n < 0 || ranges.shape(0) != 2 ||
            static_cast<std::int64_t>(ranges.shape(1)) != p)
            throw std::invalid_argument("the arrays of the window do not fit together");
        if (static_cast<std::int64_t>(given.shape(1)) != p) throw std::invalid_argument("rows and window differ in columns");
        if (std::any_of(codes.data(), codes.data() + n,
                        [&](std::int32_t code) { return code < 0 || code >= static_cast<std::int64_t>(n_classes); }))
            throw std::invalid_argument("a code of the window is outside the classes");
        return {const_cast<double*>(cells.data()),         const_cast<std::int32_t*>(codes.data()),
                const_cast<std::int64_t*>(arrival.data()), const_cast<double*>(time.data()),
                const_cast<double*>(ranges.data()),        const_cast<double*>(ranges.data()) + p,
                n,                                         capacity,
                static_cast<int>(p)};
    }
    Row weights_, factors_;
    Flags is_scaled_;
    WindowPlan plan_;
};

} // namespace

void bind_condense(nb::module_& m) {
    nb::class_<CondensingCall>(m, "Condensing")
        .def(nb::init<const Matrix&, const Codes&, const std::string&, double, int, const Row&, double, double, int,
                      std::optional<Codes>>(),
             nb::kw_only(), nb::arg("points"), nb::arg("codes"), nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"),
             nb::arg("tie"), nb::arg("zero"), nb::arg("threads"), nb::arg("groups").none() = nb::none())
        .def("hart", &CondensingCall::hart, nb::kw_only(), nb::arg("visit"), nb::arg("rule"), nb::arg("enemy").none(),
             nb::arg("progress").none())
        .def("fcnn", &CondensingCall::fcnn, nb::kw_only(), nb::arg("seeds"), nb::arg("may_keep"), nb::arg("progress").none())
        .def_prop_ro("compared", &CondensingCall::compared)
        .def("reduce", &CondensingCall::reduce, nb::kw_only(), nb::arg("kept_pos"), nb::arg("wanted"), nb::arg("progress").none())
        .def("selective", &CondensingCall::selective, nb::kw_only(), nb::arg("visit"), nb::arg("enemy"), nb::arg("progress").none())
        .def("judge", &CondensingCall::judge, nb::kw_only(), nb::arg("kept_pos"), nb::arg("progress").none())
        .def("drop", &CondensingCall::drop, nb::kw_only(), nb::arg("k"), nb::arg("visit"), nb::arg("progress").none())
        .def("ib3", &CondensingCall::ib3, nb::kw_only(), nb::arg("visit"), nb::arg("chance"), nb::arg("accept_z"), nb::arg("drop_z"),
             nb::arg("progress").none())
        .def("enemies", &CondensingCall::enemies, nb::kw_only(), nb::arg("progress").none())
        .def("values_to", &CondensingCall::values_to_point, nb::kw_only(), nb::arg("pos"), nb::arg("point"))
        .def("local_sets", &CondensingCall::local_sets, nb::kw_only(), nb::arg("enemy"), nb::arg("progress").none());
    nb::class_<WindowCall>(m, "Window")
        .def(nb::init<int, bool, const std::string&, const std::string&, double, int, const Row&, double, double, const Row&,
                      const Flags&, std::int64_t, double, std::int64_t, int, std::int64_t, int>(),
             nb::kw_only(), nb::arg("k"), nb::arg("by_distance"), nb::arg("distances"), nb::arg("metric"), nb::arg("p"),
             nb::arg("n_numeric"), nb::arg("weights"), nb::arg("tie"), nb::arg("zero"), nb::arg("factors"),
             nb::arg("is_scaled"), nb::arg("most"), nb::arg("max_age"), nb::arg("class_quota"), nb::arg("edit_k"),
             nb::arg("edit_every"), nb::arg("threads"))
        .def("predict", &WindowCall::predict, nb::kw_only(), nb::arg("cells"), nb::arg("codes"), nb::arg("arrival"), nb::arg("time"),
             nb::arg("ranges"), nb::arg("n"), nb::arg("queries"), nb::arg("seen"))
        .def("learn", &WindowCall::learn, nb::kw_only(), nb::arg("cells"), nb::arg("codes"), nb::arg("arrival"), nb::arg("time"),
             nb::arg("ranges"), nb::arg("counters"), nb::arg("given"), nb::arg("given_codes"), nb::arg("given_times"), nb::arg("seen"),
             nb::arg("test"));
}

} // namespace sepal
