/// @brief Prototype selection for the nearest-neighbour rule (Hart, FCNN, Gates, selective subset, DROP3, IB3, local sets).
//
// All rows are cases of one array; positions (`*_pos`) index it and nothing else. Where rows are equally near,
// the lower position wins, so that the caller decides ties by the order in which he hands the cases over.
#pragma once

#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace sepal {

struct Condensing {
    Points points;
    const std::int32_t* codes;  // class of each case
    const std::int32_t* groups; // cases of one group are no neighbours of each other (DROP, IB3, enemies, local sets); or null
    MetricSpec metric;
    double tie;  // values up to (1 + tie) * the smaller are tied
    double zero; // values up to this are rounding noise of 0
    int threads;
    Poll* poll;

    bool apart(std::int32_t a, std::int32_t b) const { return groups != nullptr && groups[a] == groups[b]; }
};

// The kept positions in the order they came, the sweep or round of each, and for every case whether the nearest
// kept ones are all of its class (empty where the method does not come to know it). `compared` is how many pairs of a
// case and a prototype were compared, where that is counted (FCNN).
struct Condensed {
    std::vector<std::int32_t> kept_pos;
    std::vector<std::int32_t> round;
    std::vector<std::uint8_t> right;
    std::int64_t compared = 0;
};

enum class TieRule {
    strict, // a case with a like and an unlike prototype equally near is not right
    first,  // the prototype that came first keeps it
};

// Hart's sweeps over `visit`. With `enemy` (the value to the nearest unlike case) one sweep is made against that
// instead of the unlike prototypes, which is the relaxed selective subset.
Condensed condense_hart(const Condensing& c, const std::vector<std::int32_t>& visit, TieRule rule, const double* enemy);

// Rounds of FCNN from the `seeds`: for each prototype the nearest wrong case of its cell. Only cases with
// may_keep are ever added.
Condensed condense_fcnn(const Condensing& c, const std::vector<std::int32_t>& seeds, const std::uint8_t* may_keep);

// Gates' reduction: the kept ones of `kept_pos` after dropping, in turn, each that no `wanted` case needs.
Condensed reduce_kept(const Condensing& c, const std::vector<std::int32_t>& kept_pos, const std::uint8_t* wanted);

// The minimal selective subset, greedily: takes each of `visit` that covers a case not covered yet.
Condensed condense_selective(const Condensing& c, const std::vector<std::int32_t>& visit, const double* enemy);

// For each case whether its nearest among `kept_pos` are all of its class, by the strict rule.
Condensed judge_kept(const Condensing& c, const std::vector<std::int32_t>& kept_pos);

// Value to the nearest case of another class (infinite if there is none).
std::vector<double> enemy_values(const Condensing& c);

// Values of some cases to one point that is none of them.
std::vector<double> values_to(const Condensing& c, const std::vector<std::int32_t>& cases, const double* point);

// reach[i]: how many cases are nearer to i than its enemy; cover[i]: of how many cases i is in that set.
void local_set_counts(const Condensing& c, const double* enemy, std::vector<std::int64_t>& reach,
                      std::vector<std::int64_t>& cover);

// DROP's decremental pass in the order of `visit`; returns what is left.
Condensed drop_cases(const Condensing& c, int k, const std::vector<std::int32_t>& visit);

struct Ib3Plan {
    double accept_z, drop_z;
    const double* chance; // one number in [0, 1) per case of `visit`
};
// Aha's IB3 over the stream `visit`: the members with an acceptable record at the end.
Condensed condense_ib3(const Condensing& c, const std::vector<std::int32_t>& visit, const Ib3Plan& plan);

} // namespace sepal
