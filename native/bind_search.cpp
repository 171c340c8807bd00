#include "bindings.hpp"
#include "isa.hpp"
#include "row_facts.hpp"
#include "search_axes.hpp"
#include "search_tiles.hpp"
#include "search_tree.hpp"
#include "spread.hpp"

namespace sepal {
namespace {

// Nothing if the tree gave up because it would cost more than `budget`.
Ranking searched(const Matrix& points, const Matrix& asked, const std::string& method, const MetricSpec& spec, const Plan& plan) {
    const bool may_be_nan = method != "tiles" && method != "axes" && method != "tree";
    check_rows(points, may_be_nan);
    if (!plan.self_join) check_rows(asked, may_be_nan);
    const Points data = points_of(points), wanted = points_of(asked);
    const nb::gil_scoped_release free;
    if (method == "tiles") return search_tiles(data, wanted, plan);
    if (method == "axes") return search_axes(data, wanted, plan);
    if (method == "tree") return search_tree(data, wanted, spec, plan);
    if (method == "scan") return search_scan(data, wanted, spec, plan);
    return search_direct(data, wanted, spec, plan);
}

// None if the tree gave up.
nb::object search(const Matrix& points, nb::object queries, int k, nb::object limits, const std::string& method, const std::string& metric,
                 double p, int n_numeric, const Row& weights, double tie, double zero, double budget, int threads, nb::object progress, bool raw) {
    const bool self_join = queries.is_none();
    const Matrix asked = self_join ? points : nb::cast<Matrix>(queries);
    if (asked.shape(1) != points.shape(1)) throw std::invalid_argument("queries and points differ in columns");
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    if (self_join && method == "scan") throw std::invalid_argument("a scan needs queries");
    const MetricSpec spec = spec_of(points.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    Row kept;
    const double* reach = limits_of(limits, asked.shape(0), kept);
    const Plan plan{reach == nullptr ? k : kEverybody, self_join, tie, zero, team_of(threads), &poll, reach, budget, raw};
    Ranking ranking = searched(points, asked, method, spec, plan);
    if (ranking.start.empty() && !poll.raised()) return nb::none();
    return finish(std::move(ranking), poll);
}

// A kept tree, and the array that its points stand in.
struct TreeOfRows {
    Matrix points;
    std::unique_ptr<const KeptTree> tree;
};

void begin_tree(TreeOfRows* self, const Matrix& points, int threads) {
    check_rows(points, false);
    const auto built = [&] {
        const nb::gil_scoped_release free;
        return std::make_unique<const KeptTree>(points_of(points), team_of(threads));
    };
    new (self) TreeOfRows{points, built()};
}

// As `search`, of other rows than the points.
nb::object search_kept(const TreeOfRows& self, const Matrix& queries, int k, nb::object limits, const std::string& metric, double p, int n_numeric,
                       const Row& weights, double tie, double zero, double budget, int threads, nb::object progress) {
    if (queries.shape(1) != self.points.shape(1)) throw std::invalid_argument("queries and points differ in columns");
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    check_rows(queries, false);
    const MetricSpec spec = spec_of(queries.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    Row kept;
    const double* reach = limits_of(limits, queries.shape(0), kept);
    const Plan plan{reach == nullptr ? k : kEverybody, false, tie, zero, team_of(threads), &poll, reach, budget};
    Ranking ranking;
    {
        const nb::gil_scoped_release free;
        ranking = self.tree->search(points_of(queries), spec, plan);
    }
    if (ranking.start.empty() && !poll.raised()) return nb::none();
    return finish(std::move(ranking), poll);
}

// One share of a raw self join, and the checksum of the arrangement it is a share of; None if the tree gave up.
nb::object search_turn(const Matrix& points, int k, const std::string& method, const std::string& metric, double p, int n_numeric,
                       const Row& weights, double tie, double zero, double budget, int threads, nb::object progress, std::int64_t turn, std::int64_t turns) {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    if (turns < 1 || turn < 0 || turn >= turns) throw std::invalid_argument("there is no such turn");
    if (method == "scan") throw std::invalid_argument("a scan needs queries");
    const MetricSpec spec = spec_of(points.shape(1), metric, p, n_numeric, weights);
    PythonPoll poll(std::move(progress));
    std::uint64_t arrangement = 0;
    const Plan plan{k, true, tie, zero, team_of(threads), &poll, nullptr, budget, true, {turn, turns, &arrangement}};
    Ranking ranking = searched(points, points, method, spec, plan);
    if (ranking.start.empty() && !poll.raised()) return nb::none();
    return nb::make_tuple(finish(std::move(ranking), poll), arrangement);
}

nb::tuple search_distances(const Matrix& distances, bool self_join, int k, nb::object limits, double tie, int threads, nb::object progress) {
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    check_rows(distances, true);
    PythonPoll poll(std::move(progress));
    Row kept;
    const double* reach = limits_of(limits, distances.shape(0), kept);
    const Plan plan{reach == nullptr ? k : kEverybody, self_join, tie, 0.0, team_of(threads), &poll, reach};
    Ranking ranking;
    {
        const nb::gil_scoped_release free;
        ranking = search_matrix(points_of(distances), plan);
    }
    return finish(std::move(ranking), poll);
}

// The multiply-adds of a search by principal axes; all but `all`, those of all columns of all pairs, are 0 where the search
// fell back on tiles.
AxisWork axis_work(const Matrix& points, int k, int threads) {
    check_rows(points, false);
    AxisWork work;
    work.all = 0.5 * static_cast<double>(points.shape(0)) * static_cast<double>(points.shape(0) - 1) * static_cast<double>(points.shape(1));
    {
        const nb::gil_scoped_release free;
        const Points data = points_of(points);
        search_axes(data, data, {.k = k, .self_join = true, .tie = 0, .zero = 0, .threads = team_of(threads), .poll = nullptr}, &work);
    }
    return work;
}

// The multiply-adds of a search by tiles; nothing where float32 was taken.
TileWork tile_work(const Matrix& points, int k, int threads) {
    check_rows(points, false);
    TileWork work;
    {
        const nb::gil_scoped_release free;
        const Points data = points_of(points);
        search_tiles(data, data, {.k = k, .self_join = true, .tie = 0, .zero = 0, .threads = team_of(threads), .poll = nullptr}, &work);
    }
    return work;
}

// The multiply-adds of a Euclidean search by tree; of one of several turns, in which every so-many-th leaf asks.
double tree_work(const Matrix& points, int k, int threads, std::int64_t turns) {
    check_rows(points, false);
    if (turns < 1) throw std::invalid_argument("there is no such turn");
    double work = 0;
    const nb::gil_scoped_release free;
    const Points data = points_of(points);
    const std::vector<double> weights(data.p, 1.0);
    search_tree(data, data, {Metric::l2, 2.0, 0, weights.data()},
                {.k = k, .self_join = true, .tie = 0, .zero = 0, .threads = team_of(threads), .poll = nullptr, .raw = turns > 1, .turn = {0, turns}}, &work);
    return work;
}

template <auto look> auto looked(const Matrix& points) {
    const nb::gil_scoped_release free;
    return look(points_of(points));
}

using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

bool all_within(const auto& numbers, std::int64_t low, std::int64_t high) {
    return std::all_of(numbers.data(), numbers.data() + numbers.shape(0), [=](std::int64_t x) { return x >= low && x < high; });
}

bool ascends(const Places& start, std::size_t end) {
    const std::int64_t* at = start.data();
    return start.shape(0) > 0 && at[0] == 0 && std::is_sorted(at, at + start.shape(0)) && at[start.shape(0) - 1] == static_cast<std::int64_t>(end);
}

nb::tuple spread_lists(const Places& start, const Codes& entries, const Row& values, const Places& group_start, const Codes& members,
                       const Places& list, const Places& row, const Codes& distinct, std::int64_t k, bool whole_ties) {
    const auto n_lists = static_cast<std::int64_t>(start.shape(0)) - 1, n_groups = static_cast<std::int64_t>(group_start.shape(0)) - 1;
    if (!ascends(start, entries.shape(0)) || entries.shape(0) != values.shape(0)) throw std::invalid_argument("lists do not fit their entries");
    if (!ascends(group_start, members.shape(0)) || !all_within(entries, 0, n_groups)) throw std::invalid_argument("groups do not fit their members");
    if (list.shape(0) != row.shape(0) || list.shape(0) != distinct.shape(0) || !all_within(list, 0, n_lists)) throw std::invalid_argument("who asks has no list");
    if (k < 1) throw std::invalid_argument("k must be at least 1");
    RowLists found;
    {
        const nb::gil_scoped_release free;
        found = spread({start.data(), entries.data(), values.data()}, {group_start.data(), members.data()},
                       {list.data(), row.data(), distinct.data(), static_cast<std::int64_t>(list.shape(0))}, k, whole_ties);
    }
    return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.rows)), to_numpy(std::move(found.values)));
}

} // namespace

void bind_search(nb::module_& m) {
    m.def("search", &search, nb::kw_only(), nb::arg("points"), nb::arg("queries").none(), nb::arg("k"), nb::arg("limits").none(), nb::arg("method"),
          nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"), nb::arg("weights"), nb::arg("tie"), nb::arg("zero"),
          nb::arg("budget") = std::numeric_limits<double>::infinity(), nb::arg("threads"), nb::arg("progress").none(),
          nb::arg("raw") = false);
    nb::class_<TreeOfRows>(m, "KeptTree")
        .def("__init__", &begin_tree, nb::kw_only(), nb::arg("points"), nb::arg("threads"))
        .def("search", &search_kept, nb::kw_only(), nb::arg("queries"), nb::arg("k"), nb::arg("limits").none(), nb::arg("metric"), nb::arg("p"),
             nb::arg("n_numeric"), nb::arg("weights"), nb::arg("tie"), nb::arg("zero"), nb::arg("budget") = std::numeric_limits<double>::infinity(),
             nb::arg("threads"), nb::arg("progress").none());
    m.def("search_turn", &search_turn, nb::kw_only(), nb::arg("points"), nb::arg("k"), nb::arg("method"), nb::arg("metric"), nb::arg("p"), nb::arg("n_numeric"),
          nb::arg("weights"), nb::arg("tie"), nb::arg("zero"), nb::arg("budget") = std::numeric_limits<double>::infinity(), nb::arg("threads"),
          nb::arg("progress").none(), nb::arg("turn"), nb::arg("turns"));
    m.def("search_distances", &search_distances, nb::kw_only(), nb::arg("distances"), nb::arg("self_join"), nb::arg("k"), nb::arg("limits").none(), nb::arg("tie"),
          nb::arg("threads"), nb::arg("progress").none());
    nb::class_<AxisWork>(m, "AxisWork")
        .def_ro("all", &AxisWork::all)
        .def_ro("rotation", &AxisWork::rotation)
        .def_ro("leading", &AxisWork::leading)
        .def_ro("further", &AxisWork::further)
        .def_ro("finished", &AxisWork::finished);
    m.def("axis_work", &axis_work, nb::kw_only(), nb::arg("points"), nb::arg("k"), nb::arg("threads"));
    nb::class_<TileWork>(m, "TileWork").def_ro("all", &TileWork::all).def_ro("bytes", &TileWork::bytes).def_ro("finished", &TileWork::finished);
    m.def("tile_work", &tile_work, nb::kw_only(), nb::arg("points"), nb::arg("k"), nb::arg("threads"));
    m.def("tree_work", &tree_work, nb::kw_only(), nb::arg("points"), nb::arg("k"), nb::arg("threads"), nb::arg("turns") = 1);
    m.def("spread", &spread_lists, nb::kw_only(), nb::arg("start"), nb::arg("entries"), nb::arg("values"), nb::arg("group_start"), nb::arg("members"),
          nb::arg("list_of"), nb::arg("row"), nb::arg("distinct"), nb::arg("k"), nb::arg("whole_ties"));
    nb::class_<Nearness>(m, "Nearness").def_ro("distance", &Nearness::distance).def_ro("relative", &Nearness::relative);
    m.def("nearness", &looked<nearness>, nb::kw_only(), nb::arg("points"));
    m.def("spread_directions", &looked<spread_directions>, nb::kw_only(), nb::arg("points"));
    m.def("instruction_set", [] { return has_byte_products() ? "avx512-vnni" : has_v3() ? "x86-64-v3" : "baseline"; });
}

} // namespace sepal
