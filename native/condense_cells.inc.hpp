/// @brief Nearest like and unlike prototype of panels of cases, updated without a branch, for condense_cells.cpp; included once per instruction set.

namespace sepal::SEPAL_ISA {

SEPAL_ATTR double note_rivals(const Newcomers& fresh, const CaseRivals& cases, std::int64_t n_panels, double tie, bool rare) {
    using D = Doubles;
    using V = D::V;
    constexpr int W = D::width;
    const V up = D::fill(1 + tie), beyond = D::fill(1 + 16 * tie);
    V largest = D::fill(0);
    for (std::int64_t at = 0; at < n_panels * kPanel; at += W) {
        const V codes = D::widen(cases.codes + at);
        V like = D::load(cases.like + at), unlike = D::load(cases.unlike + at), enemy = D::load(cases.enemy + at);
        for (int r = 0; r < fresh.n; ++r) {
            const V v = D::load(fresh.values + r * fresh.stride + at), position = D::fill(fresh.positions[r]), reach = like * beyond;
            if (rare && !D::any(D::at_most(v, reach))) continue;
            const auto own = D::equal(codes, D::fill(fresh.codes[r])), as_before = D::either(own, D::below(reach, v));
            // Nearer than any tie: this one. Tied: the lower position. Farther than any tie: the one before.
            const V tied = D::pick(D::at_most(v, unlike * up), D::min(enemy, position), enemy);
            const V nearest = D::pick(D::below(v * up, unlike), position, tied);
            enemy = D::pick(as_before, enemy, nearest);
            unlike = D::pick(as_before, unlike, D::min(v, unlike));
            like = D::pick(own, D::min(v, like), like);
        }
        D::store(cases.like + at, like);
        D::store(cases.unlike + at, unlike);
        D::store(cases.enemy + at, enemy);
        largest = D::max(largest, D::min(unlike * up, like * beyond));
        const unsigned wrong = D::bits(D::at_most(unlike, like * up)) << at % kPanel, before = at % kPanel == 0 ? 0 : cases.wrong[at / kPanel];
        cases.wrong[at / kPanel] = static_cast<std::uint8_t>(before | wrong);
    }
    double lanes[W];
    D::store(lanes, largest);
    return *std::max_element(lanes, lanes + W);
}

} // namespace sepal::SEPAL_ISA
