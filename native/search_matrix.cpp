// Neighbours from distances that were computed elsewhere.
#include "threads.hpp"

namespace sepal {

Ranking search_matrix(Points distances, const Plan& plan) {
    RankingBuilder builder(distances.n, plan.threads);
    Watch watch(plan.poll, distances.n);
#pragma omp parallel num_threads(plan.threads)
    {
        Candidates<double> candidates;
        std::vector<Neighbor> found;
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t i = 0; i < distances.n; ++i) {
            if (!watch.go_on()) continue;
            candidates.reset();
            const double* row = distances.row(i);
            for (int j = 0; j < distances.p; ++j)
                if (!(plan.self_join && i == j) && row[j] <= candidates.bound)
                    candidates.push(row[j], row[j], j, plan.k, 1 + plan.tie, plan.zero);
            found.clear();
            for (const auto& c : candidates.items()) found.push_back({c.lower, c.row});
            builder.set(i, found, plan, this_thread());
        }
    }
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
