// The compiled module. Only this file and the bind_*.cpp know Python: arrays in, arrays out, and the interpreter is free
// while native code runs.
#include "bindings.hpp"

NB_MODULE(_native, m) {
    m.doc() = "Compiled parts of Sepal. Use the Python rooms instead.";
    sepal::bind_search(m);
    sepal::bind_pairs(m);
    sepal::bind_dual(m);
    sepal::bind_alignment(m);
    sepal::bind_condense(m);
    sepal::bind_sweep(m);
    sepal::bind_forest(m);
    sepal::bind_shuffle(m);
}
