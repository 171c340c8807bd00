// The compiled module. Only this file and the bind_*.cpp know Python: arrays in, arrays out, and the interpreter is free
// while native code runs.
#include "bindings.hpp"

namespace {

// Memory that could not be had, or a length that no memory has, is sepal.exceptions.OutOfMemoryError, a MemoryError.
void tell_of_memory(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    PyObject* const module = PyImport_ImportModule("sepal.exceptions");
    PyObject* const raised = module == nullptr ? nullptr : PyObject_CallMethod(module, "out_of_memory", nullptr);
    if (raised != nullptr) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised)), raised);
    else PyErr_NoMemory();
    Py_XDECREF(raised);
    Py_XDECREF(module);
}

} // namespace

NB_MODULE(_native, m) {
    nb::register_exception_translator(tell_of_memory);
    nb::set_leak_warnings(false); // a model that lives until the program ends is no leak
    m.doc() = "Compiled parts of Sepal. Use the Python rooms instead.";
    sepal::bind_rows(m);
    sepal::bind_labels(m);
    sepal::bind_search(m);
    sepal::bind_sparse(m);
    sepal::bind_pairs(m);
    sepal::bind_dual(m);
    sepal::bind_alignment(m);
    sepal::bind_condense(m);
    sepal::bind_sweep(m);
    sepal::bind_forest(m);
    sepal::bind_shuffle(m);
    sepal::bind_cases(m);
}
