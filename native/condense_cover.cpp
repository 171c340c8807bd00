// Enemies, and the subsets that are defined by them: the minimal selective subset and the local sets of ICF.
#include <numeric>

#include "condense_blocks.hpp"

namespace sepal {

std::vector<double> values_to(const Condensing& c, const double* point) {
    PackedRows packed(c.points.p);
    for (std::int64_t i = 0; i < c.points.n; ++i) packed.append(c.points.row(i));
    std::vector<double> out(panels_of(c.points.n) * kPanel);
    values_function(c.metric.metric)(packed.panel(0), panels_of(c.points.n), &point, 1, nullptr, c.metric, c.points.p,
                                     c.zero, out.data());
    out.resize(c.points.n);
    return out;
}

namespace {

// Shows a visitor all ordered pairs; each first case by one thread. False if it was stopped.
template <class Visitor> bool all_pairs(const Condensing& c, Visitor& visitor) {
    std::vector<std::int32_t> every(c.points.n);
    std::iota(every.begin(), every.end(), 0);
    CaseBlocks blocks(c, every);
    Watch watch(c.poll, blocks.n_blocks());
    return blocks.catch_up_all(every, watch, visitor);
}

struct EnemyMemory {
    explicit EnemyMemory(const Condensing& c_) : c(c_), enemy(c.points.n, Rivals::inf) {}
    void meet(std::int32_t pos, std::int32_t other, double v) {
        if (!c.apart(pos, other)) enemy[pos] = v;
    }
    double bound(std::int32_t pos, bool own) const { return own ? -1 : enemy[pos]; }
    const Condensing& c;
    std::vector<double> enemy;
};

struct LocalSets {
    LocalSets(const Condensing& c_, const double* enemy_, std::vector<std::int64_t>& reach_, std::vector<std::int64_t>& cover_)
        : c(c_), enemy(enemy_), widen(1 + c_.tie), reach(reach_), cover(cover_) {}

    struct Part {
        Part(LocalSets& s_, const std::int32_t* cases_, int n_) : s(s_), first(cases_[0]), n(n_) {}
        void meet(std::int32_t other, const double* values) { // the cases of a part stand in order
            const double theirs = s.enemy[other];
            const double *own = s.enemy + first;
            std::int64_t *reach = s.reach.data() + first, *cover = s.cover.data() + first;
            for (int j = 0; j < n; ++j) {
                if (first + j != other && s.c.apart(first + j, other)) continue;
                const double v = first + j == other ? 0 : values[j] * s.widen;
                reach[j] += v < own[j];
                cover[j] += v < theirs;
            }
        }
        LocalSets& s;
        std::int32_t first;
        int n;
    };
    const Condensing& c;
    const double* enemy;
    double widen;
    std::vector<std::int64_t>&reach, &cover;
};

} // namespace

std::vector<double> enemy_values(const Condensing& c) {
    EnemyMemory memory(c);
    Bounded<EnemyMemory> visitor(c, memory);
    return all_pairs(c, visitor) ? memory.enemy : std::vector<double>{};
}

void local_set_counts(const Condensing& c, const double* enemy, std::vector<std::int64_t>& reach,
                      std::vector<std::int64_t>& cover) {
    reach.assign(c.points.n, 0);
    cover.assign(c.points.n, 0);
    LocalSets visitor(c, enemy, reach, cover);
    all_pairs(c, visitor);
}

Condensed condense_selective(const Condensing& c, const std::vector<std::int32_t>& visit, const double* enemy) {
    Condensed out;
    const ValuesFunction values = values_function(c.metric.metric);
    std::vector<std::int32_t> open = visit; // not covered; closed ones are swept out when they are half
    std::vector<std::uint8_t> covered(c.points.n, 0);
    PackedRows packed(c.points.p);
    for (const std::int32_t pos : open) packed.append(c.points.row(pos));
    std::size_t n_open = open.size();
    std::vector<double> found;
    Watch watch(c.poll, static_cast<std::int64_t>(visit.size()) / 4 + 1);
    for (std::size_t at = 0; at < visit.size() && n_open > 0; at += 4) {
        if (!watch.go_on()) return {};
        const int m = static_cast<int>(std::min<std::size_t>(4, visit.size() - at));
        const double* rows[4];
        for (int r = 0; r < m; ++r) rows[r] = c.points.row(visit[at + r]);
        const std::int64_t stride = panels_of(static_cast<std::int64_t>(open.size())) * kPanel;
        found.resize(m * stride);
        values(packed.panel(0), stride / kPanel, rows, m, nullptr, c.metric, c.points.p, c.zero, found.data());
        for (int r = 0; r < m; ++r) {
            const std::int32_t pos = visit[at + r];
            bool covers = false;
            for (std::size_t k = 0; k < open.size(); ++k) {
                const double v = open[k] == pos ? 0 : found[r * stride + k];
                if (covered[open[k]] || !(v * (1 + c.tie) < enemy[open[k]])) continue;
                covered[open[k]] = 1;
                covers = true;
                --n_open;
            }
            if (covers) out.kept_pos.push_back(pos);
        }
        if (2 * n_open < open.size()) {
            std::erase_if(open, [&](std::int32_t pos) { return covered[pos]; });
            packed.clear();
            for (const std::int32_t pos : open) packed.append(c.points.row(pos));
        }
    }
    return out;
}

} // namespace sepal
