#include "bindings.hpp"

#include "case_index.hpp"

namespace sepal {
namespace {

// The memory of a bytes-like object, for as long as this lives. No numpy: a mail filter starts for every message.
class Held {
  public:
    explicit Held(PyObject* object) {
        if (PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    }
    Held(Held&& other) noexcept : view_(other.view_) { other.view_.obj = nullptr; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        if (view_.obj != nullptr) PyBuffer_Release(&view_);
    }
    const unsigned char* data() const { return static_cast<const unsigned char*>(view_.buf); }
    std::int64_t words() const {
        if (view_.len % 4 != 0) throw std::invalid_argument("four bytes for each number are needed");
        return view_.len / 4;
    }

  private:
    Py_buffer view_{};
};

nb::list as_list(const std::vector<SimilarCase>& found) {
    nb::list out;
    for (const SimilarCase& each : found) out.append(nb::make_tuple(each.similarity, each.number));
    return out;
}

nb::tuple most_similar(nb::list postings, nb::list weights, nb::object cases, std::int64_t k) {
    if (postings.size() != weights.size() || k < 1) throw std::invalid_argument("one weight for each word is needed");
    std::vector<Held> held;
    std::vector<Postings> words;
    held.reserve(postings.size());
    for (std::size_t i = 0; i < postings.size(); ++i) {
        held.emplace_back(nb::object(postings[i]).ptr());
        words.push_back({held.back().data(), held.back().words(), nb::cast<double>(weights[i])});
    }
    const Held all(cases.ptr());
    const SimilarCases found = similar_cases(words, all.data(), all.words(), k);
    return nb::make_tuple(as_list(found.of_class[0]), as_list(found.of_class[1]));
}

} // namespace

void bind_cases(nb::module_& m) {
    m.def("most_similar_cases", &most_similar, nb::kw_only(), nb::arg("postings"), nb::arg("weights"), nb::arg("cases"),
          nb::arg("k"));
}

} // namespace sepal
