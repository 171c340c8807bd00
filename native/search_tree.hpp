/// @brief Searches by k-d tree: one that counts its work (squares of differences added up, between rows and between rows and boxes), and one in a
/// tree that is kept between questions.
#pragma once

#include <memory>

#include "ranking.hpp"

namespace sepal {

// `work`, if not null, is set to the multiply-adds that were done.
Ranking search_tree(Points points, Points queries, const MetricSpec& metric, const Plan& plan, double* work);

// The points, which must be finite and stay where they are, as a tree that is built once.
class KeptTree {
  public:
    KeptTree(Points points, int threads);
    ~KeptTree();
    // Queries are other rows; the same answer as that of search_tree.
    Ranking search(Points queries, const MetricSpec& metric, const Plan& plan) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace sepal
