// Neighbours from distances that were computed elsewhere.
#include "threads.hpp"

namespace sepal {

Ranking search_matrix(Points distances, const Plan& plan) {
    RankingBuilder builder(distances.n, plan.threads);
    Watch watch(plan.poll, distances.n);
#pragma omp parallel num_threads(plan.threads)
    {
        Nearest found;
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t i = 0; i < distances.n; ++i) {
            if (!watch.go_on()) continue;
            found.begin(plan, i);
            const double* row = distances.row(i);
            for (int j = 0; j < distances.p; ++j)
                if (!(plan.self_join && i == j)) found.push({row[j], j}, 1 + plan.tie, plan.zero);
            builder.set(i, found.items(), plan, this_thread());
        }
    }
    return watch.stopped() ? Ranking{} : builder.finish();
}

Ranking search_graph(const std::vector<std::int64_t>& start, const std::int32_t* columns, const double* distances, const Plan& plan) {
    const auto n = static_cast<std::int64_t>(start.size()) - 1;
    RankingBuilder builder(n, plan.threads);
    Watch watch(plan.poll, n);
#pragma omp parallel num_threads(plan.threads)
    {
        Nearest found;
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t i = 0; i < n; ++i) {
            if (!watch.go_on()) continue;
            found.begin(plan, i);
            for (std::int64_t e = start[i]; e < start[i + 1]; ++e)
                if (!(plan.self_join && columns[e] == i)) found.push({distances[e], columns[e]}, 1 + plan.tie, plan.zero);
            builder.set(i, found.items(), plan, this_thread());
        }
    }
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
