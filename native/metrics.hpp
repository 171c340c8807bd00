/// @brief Dispatch: the metric named at run time becomes a template argument.
#pragma once

#include "ranking.hpp"

namespace sepal {

// Calls f.template operator()<M>() for the metric named at run time.
template <class F> auto with_metric(Metric m, F&& f) {
    switch (m) {
    case Metric::l1: return f.template operator()<Metric::l1>();
    case Metric::linf: return f.template operator()<Metric::linf>();
    case Metric::lp: return f.template operator()<Metric::lp>();
    case Metric::nan_l2: return f.template operator()<Metric::nan_l2>();
    case Metric::unit_l2: return f.template operator()<Metric::unit_l2>();
    case Metric::mixed: return f.template operator()<Metric::mixed>();
    case Metric::gower: return f.template operator()<Metric::gower>();
    case Metric::tanimoto: return f.template operator()<Metric::tanimoto>();
    case Metric::canberra: return f.template operator()<Metric::canberra>();
    case Metric::bray_curtis: return f.template operator()<Metric::bray_curtis>();
    case Metric::haversine: return f.template operator()<Metric::haversine>();
    default: return f.template operator()<Metric::l2>();
    }
}

} // namespace sepal
