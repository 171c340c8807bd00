// Neighbours from distances that were computed elsewhere.
#include "threads.hpp"

namespace sepal {

Ranking search_matrix(Points distances, const Plan& plan) {
    RankingBuilder builder(distances.n, plan.threads);
    Watch watch(plan.poll, distances.n);
    const Loop rows{.n = distances.n, .threads = plan.threads, .grain = 16};
    parallel_for(rows, [] { return Nearest(); }, [&](Nearest& found, std::int64_t i) {
        if (!watch.go_on()) return;
        found.begin(plan, i);
        const double* row = distances.row(i);
        for (int j = 0; j < distances.p; ++j)
            if (!(plan.self_join && i == j)) found.push({row[j], j}, 1 + plan.tie, plan.zero);
        builder.set(i, found.items(), plan, this_thread());
    });
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
