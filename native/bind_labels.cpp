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

} // namespace

void bind_labels(nb::module_& m) {
    m.def("text_codes", &text_codes, nb::kw_only(), nb::arg("labels"));
}

} // namespace sepal
