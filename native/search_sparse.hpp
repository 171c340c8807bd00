/// @brief Exact nearest sparse rows from an inverted index: 16-bit bounds on x.z leave few candidates, float64 decides.
#pragma once

#include "sparse_index.hpp"

namespace sepal {

/// The k nearest rows of each query, or those within plan.limits, named by their ids; with more than one class those of
/// each class, in one pass: query i and class c have list i * n_classes + c.
Ranking search_sparse(const SparseIndex& index, const SparseView& queries, int n_classes, const Plan& plan);
/// The nearest rows of every row of the index among the others, each pair looked at once; ids must be 0 .. n - 1.
Ranking search_sparse_pairs(const SparseIndex& index, const Plan& plan);

} // namespace sepal
