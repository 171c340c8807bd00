#include "bindings.hpp"

#include <mutex>
#include <shared_mutex>

#include "search_sparse.hpp"

namespace sepal {
namespace {

using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Arrays may stem from a file that somebody made up: sizes and order are checked before they are believed.
SparseView view_of(const Starts& start, const Codes& terms, const Row& values, const Row& lengths, const Row& beyond) {
    if (start.shape(0) < 1) throw std::invalid_argument("start must hold a number more than there are rows");
    const std::size_t n = start.shape(0) - 1;
    if (terms.shape(0) != values.shape(0)) throw std::invalid_argument("one value per term is needed");
    if (lengths.shape(0) != n || beyond.shape(0) != n) throw std::invalid_argument("one length per row is needed");
    if (n > INT32_MAX) throw std::invalid_argument("too many rows");
    if (start.data()[0] != 0 || start.data()[n] != static_cast<std::int64_t>(terms.shape(0)) || !std::is_sorted(start.data(), start.data() + n + 1))
        throw std::invalid_argument("start must ascend from 0 to the number of cells");
    for (std::size_t i = 0; i < n; ++i)
        for (std::int64_t j = start.data()[i]; j < start.data()[i + 1]; ++j)
            if (terms.data()[j] < 0 || terms.data()[j] == INT32_MAX || (j > start.data()[i] && terms.data()[j] <= terms.data()[j - 1]))
                throw std::invalid_argument("the terms of a row must ascend from 0");
    const auto is_number = [](double x) { return std::isfinite(x); };
    const auto is_length = [](double x) { return x >= 0; };
    if (!std::all_of(values.data(), values.data() + values.shape(0), is_number)) throw std::invalid_argument("a value is not finite");
    if (!std::all_of(lengths.data(), lengths.data() + n, is_length) || !std::all_of(beyond.data(), beyond.data() + n, is_length))
        throw std::invalid_argument("a length is below 0");
    return {start.data(), terms.data(), values.data(), lengths.data(), beyond.data(), static_cast<std::int64_t>(n)};
}

SparseKind kind_named(const std::string& name) {
    if (name == "cosine") return SparseKind::cosine;
    if (name == "euclidean") return SparseKind::euclidean;
    if (name == "tanimoto") return SparseKind::tanimoto;
    throw std::invalid_argument("no sparse distance is called " + name);
}

// The index, which many may search at once but only one may change.
class SharedIndex {
  public:
    explicit SharedIndex(const std::string& distance) : index_(kind_named(distance)) {}

    void add(const Starts& start, const Codes& terms, const Row& values, const Row& lengths, const Row& beyond, const Codes& ids, const Codes& codes) {
        const SparseView rows = view_of(start, terms, values, lengths, beyond);
        if (static_cast<std::int64_t>(ids.shape(0)) != rows.n || static_cast<std::int64_t>(codes.shape(0)) != rows.n)
            throw std::invalid_argument("one id and one code per row are needed");
        const auto below_0 = [](std::int32_t x) { return x < 0; };
        if (std::any_of(ids.data(), ids.data() + rows.n, below_0) || std::any_of(codes.data(), codes.data() + rows.n, below_0))
            throw std::invalid_argument("an id or a code is below 0");
        const nb::gil_scoped_release free;
        const std::unique_lock guard(lock_);
        std::vector<std::int32_t> known(ids.data(), ids.data() + rows.n);
        std::sort(known.begin(), known.end());
        if (std::adjacent_find(known.begin(), known.end()) != known.end() ||
            std::any_of(known.begin(), known.end(), [this](std::int32_t id) { return index_.holds(id); }))
            throw std::invalid_argument("an id is taken");
        if (rows.n > 0) index_.add(rows, ids.data(), codes.data());
    }
    bool remove(const Codes& ids) {
        const nb::gil_scoped_release free;
        const std::unique_lock guard(lock_);
        return index_.remove(ids.data(), static_cast<std::int64_t>(ids.shape(0)));
    }
    nb::tuple search(const Starts& start, const Codes& terms, const Row& values, const Row& lengths, const Row& beyond, int n_classes, int k,
                     nb::object limits, double tie, double zero, int threads, nb::object progress) const {
        const SparseView queries = view_of(start, terms, values, lengths, beyond);
        if (n_classes < 1) throw std::invalid_argument("at least one class is needed");
        return ranked(static_cast<std::size_t>(queries.n), k, false, limits, tie, zero, threads, std::move(progress), [&](const Plan& plan) {
            if (n_classes > 1 && index_.most_code() >= n_classes) throw std::invalid_argument("a row's code is not among the classes");
            return search_sparse(index_, queries, n_classes, plan);
        });
    }
    nb::tuple pairs(int k, nb::object limits, double tie, double zero, int threads, nb::object progress) const {
        return ranked(static_cast<std::size_t>(index_.n_rows()), k, true, limits, tie, zero, threads, std::move(progress), [&](const Plan& plan) {
            if (index_.most_id() >= index_.n_rows()) throw std::invalid_argument("ids must be 0, 1, ... for pairs");
            return search_sparse_pairs(index_, plan);
        });
    }
    std::int64_t n_rows() const { return index_.n_rows(); }
    std::size_t bytes() const {
        const std::shared_lock guard(lock_);
        return index_.bytes();
    }

  private:
    template <class F>
    nb::tuple ranked(std::size_t n_queries, int k, bool self_join, const nb::object& limits, double tie, double zero, int threads,
                     nb::object progress, const F& find) const {
        if (k < 1) throw std::invalid_argument("k must be at least 1");
        PythonPoll poll(std::move(progress));
        Row kept;
        const double* reach = limits_of(limits, n_queries, kept);
        const Plan plan{reach == nullptr ? k : kEverybody, self_join, tie, zero, team_of(threads), &poll, reach};
        Ranking ranking;
        {
            const nb::gil_scoped_release free;
            const std::shared_lock guard(lock_);
            ranking = find(plan);
        }
        return finish(std::move(ranking), poll);
    }

    SparseIndex index_;
    mutable std::shared_mutex lock_;
};

} // namespace

void bind_sparse(nb::module_& m) {
    nb::class_<SharedIndex>(m, "SparseIndex")
        .def(nb::init<const std::string&>(), nb::kw_only(), nb::arg("distance"))
        .def("add", &SharedIndex::add, nb::kw_only(), nb::arg("start"), nb::arg("terms"), nb::arg("values"), nb::arg("lengths"),
             nb::arg("beyond"), nb::arg("ids"), nb::arg("codes"))
        .def("remove", &SharedIndex::remove, nb::kw_only(), nb::arg("ids"))
        .def("search", &SharedIndex::search, nb::kw_only(), nb::arg("start"), nb::arg("terms"), nb::arg("values"), nb::arg("lengths"),
             nb::arg("beyond"), nb::arg("n_classes"), nb::arg("k"), nb::arg("limits").none(), nb::arg("tie"), nb::arg("zero"),
             nb::arg("threads"), nb::arg("progress").none())
        .def("pairs", &SharedIndex::pairs, nb::kw_only(), nb::arg("k"), nb::arg("limits").none(), nb::arg("tie"), nb::arg("zero"),
             nb::arg("threads"), nb::arg("progress").none())
        .def_prop_ro("n_rows", &SharedIndex::n_rows)
        .def_prop_ro("bytes", &SharedIndex::bytes);
}

} // namespace sepal
