#include "bindings.hpp"

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

} // namespace

void bind_rows(nb::module_& m) {
    m.def("distinct", &distinct, nb::kw_only(), nb::arg("points"), nb::arg("threads"));
    m.def("distinct_keys", &distinct_bits, nb::kw_only(), nb::arg("keys"));
    m.def("row_hash", &hashes, nb::kw_only(), nb::arg("cells"));
    m.def("mixed_bits", &mixed, nb::kw_only(), nb::arg("numbers"));
}

} // namespace sepal
