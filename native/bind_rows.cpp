#include "bindings.hpp"

#include "cell_copy.hpp"
#include "equal_rows.hpp"
#include "splitmix.hpp"

namespace sepal {
namespace {

using Numbers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class F> nb::tuple groups_of(F&& find) {
    RowGroups found;
    {
        const nb::gil_scoped_release free;
        found = find();
    }
    return nb::make_tuple(to_numpy(std::move(found.group_of)), to_numpy(std::move(found.first)));
}

nb::tuple distinct(const Matrix& points, int threads) {
    const int team = team_of(threads);
    return groups_of([&] { return distinct_rows(points_of(points), team); });
}

nb::tuple distinct_bits(const Cells& keys) {
    const auto n = static_cast<std::int64_t>(keys.shape(0));
    return groups_of([&] { return distinct_keys(keys.data(), n, static_cast<int>(keys.shape(1)), 1); });
}

auto hashes(const Cells& cells) {
    std::vector<std::uint64_t> found(cells.shape(0));
    {
        const nb::gil_scoped_release free;
        const std::vector<std::uint64_t> marks = column_marks(static_cast<int>(cells.shape(1)));
        for (std::size_t i = 0; i < found.size(); ++i) found[i] = row_hash(cells.data() + i * marks.size(), marks);
    }
    return to_numpy(std::move(found));
}

auto mixed(const Numbers& numbers) {
    std::vector<std::uint64_t> found(numbers.shape(0));
    {
        const nb::gil_scoped_release free;
        std::transform(numbers.data(), numbers.data() + found.size(), found.begin(), mixed_bits);
    }
    return to_numpy(std::move(found));
}

template <class T> using Grid2 = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using Target = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class F> nb::tuple facts_of(F&& copy) {
    CellFacts facts;
    {
        const nb::gil_scoped_release free;
        facts = copy();
    }
    return nb::make_tuple(facts.finite, facts.exact);
}

template <class T> nb::tuple copied(const Grid2<T>& cells, Target to, int threads) {
    if (cells.shape(0) != to.shape(0) || cells.shape(1) != to.shape(1)) throw std::invalid_argument("a copy has the shape of what is copied");
    const Grid<T> from{cells.data(), static_cast<std::int64_t>(cells.shape(0)), static_cast<std::int64_t>(cells.shape(1)), cells.stride(0), cells.stride(1)};
    const int team = team_of(threads);
    return facts_of([&] { return copy_cells(from, to.data(), team); });
}

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

template <class... T> CellColumn column_of(const AnyColumn& column) {
    CellColumn found{};
    ((column.dtype() == nb::dtype<T>() ? void(found = cell_column(static_cast<const T*>(column.data()), column.stride(0))) : void()), ...);
    if (found.read == nullptr) throw std::invalid_argument("a column of a type that is not copied");
    return found;
}

template <class... T> nb::tuple columns_copied(const nb::list& columns, Target to, int threads) {
    if (columns.size() != to.shape(1)) throw std::invalid_argument("a copy has the columns that are copied");
    std::vector<AnyColumn> held; // no column goes away while it is read
    std::vector<CellColumn> from;
    for (const nb::handle each : columns) {
        held.push_back(nb::cast<AnyColumn>(each));
        if (held.back().shape(0) != to.shape(0)) throw std::invalid_argument("all columns have the rows of the copy");
        from.push_back(column_of<T...>(held.back()));
    }
    const int team = team_of(threads);
    return facts_of([&] { return copy_columns(from, static_cast<std::int64_t>(to.shape(0)), to.data(), team); });
}

template <class... T> void bind_copies(nb::module_& m) {
    (m.def("copy_cells", &copied<T>, nb::kw_only(), nb::arg("cells").noconvert(), nb::arg("to").noconvert(), nb::arg("threads")), ...);
    m.def("copy_columns", &columns_copied<T...>, nb::kw_only(), nb::arg("columns"), nb::arg("to").noconvert(), nb::arg("threads"));
}

} // namespace

void bind_rows(nb::module_& m) {
    m.def("distinct", &distinct, nb::kw_only(), nb::arg("points"), nb::arg("threads"));
    m.def("distinct_keys", &distinct_bits, nb::kw_only(), nb::arg("keys"));
    m.def("row_hash", &hashes, nb::kw_only(), nb::arg("cells"));
    m.def("mixed_bits", &mixed, nb::kw_only(), nb::arg("numbers"));
    bind_copies<double, float, std::int64_t, std::uint64_t, std::int32_t, std::uint32_t, std::int16_t, std::uint16_t, std::int8_t, std::uint8_t>(m);
}

} // namespace sepal
