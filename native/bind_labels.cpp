#include "bindings.hpp"

#include "text_codes.hpp"

namespace sepal {
namespace {

// The objects of a list, a tuple or an array of objects, one after the other; none of another thing.
class Objects {
  public:
    explicit Objects(nb::handle from) : from_(from.ptr()) {
        if (PyList_CheckExact(from_) || PyTuple_CheckExact(from_)) {
            n_ = PySequence_Size(from_);
            return;
        }
        if (PyObject_GetBuffer(from_, &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            return;
        }
        held_ = true;
        if (buffer_.ndim == 1 && buffer_.format != nullptr && std::string(buffer_.format) == "O") n_ = buffer_.shape[0];
    }
    ~Objects() {
        if (held_) PyBuffer_Release(&buffer_);
    }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;

    Py_ssize_t size() const { return n_; }
    PyObject* operator[](Py_ssize_t i) const {
        if (held_) return *reinterpret_cast<PyObject**>(static_cast<char*>(buffer_.buf) + i * buffer_.strides[0]);
        return PyList_CheckExact(from_) ? PyList_GetItem(from_, i) : PyTuple_GetItem(from_, i);
    }

  private:
    PyObject* from_;
    Py_buffer buffer_{};
    bool held_ = false;
    Py_ssize_t n_ = 0;
};

// Every text of Python's own type, numbered by first appearance, and the distinct ones; None if there is anything else.
nb::object text_codes(const nb::object& labels) {
    const Objects objects(labels);
    if (objects.size() < 1 || objects.size() > INT32_MAX) return nb::none();
    TextCodes known;
    nb::list distinct;
    std::vector<std::int32_t> codes(objects.size());
    for (Py_ssize_t i = 0; i < objects.size(); ++i) {
        PyObject* const label = objects[i];
        if (label == nullptr || !PyUnicode_CheckExact(label)) return nb::none();
        Py_ssize_t length = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(label, &length);
        if (text == nullptr) { // half of a surrogate pair
            PyErr_Clear();
            return nb::none();
        }
        const std::size_t before = known.size();
        codes[i] = known.of(text, static_cast<std::size_t>(length));
        if (known.size() > before) distinct.append(nb::borrow(label));
    }
    return nb::make_tuple(to_numpy(std::move(codes)), distinct);
}

using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Texts that lie one after the other in memory, text i from starts[i] to starts[i + 1]: their numbers, and of each
// distinct one where it stands first.
nb::tuple packed_text_codes(const Starts& starts, const Bytes& packed) {
    const std::size_t n = starts.shape(0) - std::min<std::size_t>(starts.shape(0), 1);
    if (n > INT32_MAX) throw std::invalid_argument("too many texts");
    const std::int64_t* const at = starts.data();
    if (!std::is_sorted(at, at + starts.shape(0)) || (n > 0 && (at[0] < 0 || at[n] > static_cast<std::int64_t>(packed.shape(0)))))
        throw std::invalid_argument("texts must lie one after the other");
    const char* const text = reinterpret_cast<const char*>(packed.data());
    TextCodes known;
    std::vector<std::int32_t> codes(n), first;
    {
        const nb::gil_scoped_release free;
        for (std::size_t i = 0; i < n; ++i) {
            codes[i] = known.of(text + at[i], static_cast<std::size_t>(at[i + 1] - at[i]));
            if (known.size() > first.size()) first.push_back(static_cast<std::int32_t>(i));
        }
    }
    return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(first)));
}

} // namespace

void bind_labels(nb::module_& m) {
    m.def("text_codes", &text_codes, nb::kw_only(), nb::arg("labels"));
    m.def("packed_text_codes", &packed_text_codes, nb::kw_only(), nb::arg("starts"), nb::arg("packed"));
}

} // namespace sepal
