// Neighbours of few queries: every point is looked at where it stands, in float64, and nothing is built.
#include <cmath>

#include "metrics.hpp"
#include "threads.hpp"

#define SEPAL_HOT_FILE "scan.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

using ScanFunction = void (*)(Points, const double*, const MetricSpec&, const Plan&, Nearest&);

ScanFunction scan_function(Metric metric) {
    return with_metric(metric, []<Metric M>() -> ScanFunction { return SEPAL_BEST(scan<M>); });
}

} // namespace

Ranking search_scan(Points points, Points queries, const MetricSpec& spec, const Plan& plan) {
    const ScanFunction function = scan_function(spec.metric);
    RankingBuilder builder(queries.n, plan.threads);
    Watch watch(plan.poll, queries.n);
    parallel_for(Loop{.n = queries.n, .threads = plan.threads}, [] { return Nearest(); }, [&](Nearest& found, std::int64_t i) {
        if (!watch.go_on()) return;
        found.begin(plan, i);
        function(points, queries.row(i), spec, plan, found);
        builder.set(i, found.items(), plan, this_thread());
    });
    return watch.stopped() ? Ranking{} : builder.finish();
}

} // namespace sepal
