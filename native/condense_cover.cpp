// Enemies, and the subsets that are defined by them: the minimal selective subset and the local sets of ICF.
#include <atomic>
#include <numeric>

#include "condense_blocks.hpp"

namespace sepal {

std::vector<double> values_to(const Condensing& c, const std::vector<std::int32_t>& cases, const double* point) {
    const auto values = values_function(c.metric.metric);
    PackedRows packed(c.points.p);
    std::vector<double> out(panels_of(static_cast<std::int64_t>(cases.size())) * kPanel);
    for (std::size_t next = 0; next < cases.size(); next += kPartRows) {
        packed.clear();
        for (std::size_t at = next; at < std::min(cases.size(), next + kPartRows); ++at) packed.append(c.points.row(cases[at]));
        values(packed.panel(0), panels_of(packed.size()), &point, 1, nullptr, c.metric, c.points.p, c.zero, out.data() + next);
    }
    out.resize(cases.size());
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
    auto n_open = static_cast<std::int64_t>(open.size());
    Watch watch(c.poll, static_cast<std::int64_t>(visit.size()) / kBatch + 1);
    for (std::size_t at = 0; at < visit.size() && n_open > 0; at += kBatch) {
        if (!watch.go_on()) return {};
        const int m = static_cast<int>(std::min<std::size_t>(kBatch, visit.size() - at));
        const double* rows[kBatch];
        for (int r = 0; r < m; ++r) rows[r] = c.points.row(visit[at + r]);
        // Each open case looks for the first of the batch that covers it: whoever is first for somebody is kept.
        std::atomic<std::uint32_t> covering{0};
        std::atomic<std::int64_t> closed{0};
        const auto n = static_cast<std::int64_t>(open.size());
        parallel_for(Loop{.n = (n + kPartRows - 1) / kPartRows, .threads = c.threads, .grain = 8}, [&](std::int64_t part) {
            double found[kBatch * kPartRows];
            const std::int64_t start = part * kPartRows, n_panels = panels_of(std::min<std::int64_t>(kPartRows, n - start));
            values(packed.panel(start / kPanel), n_panels, rows, m, nullptr, c.metric, c.points.p, c.zero, found);
            std::uint32_t by = 0;
            std::int64_t some = 0;
            for (std::int64_t j = 0; j < n_panels * kPanel && start + j < n; ++j) {
                const std::int32_t pos = open[start + j];
                if (covered[pos]) continue;
                const double reach = enemy[pos];
                for (int r = 0; r < m; ++r) {
                    const double v = visit[at + r] == pos ? 0 : found[r * n_panels * kPanel + j];
                    if (!(v * (1 + c.tie) < reach)) continue;
                    covered[pos] = 1;
                    by |= 1u << r;
                    ++some;
                    break;
                }
            }
            if (some > 0) {
                covering.fetch_or(by, std::memory_order_relaxed);
                closed.fetch_add(some, std::memory_order_relaxed);
            }
        });
        for (int r = 0; r < m; ++r)
            if (covering.load() >> r & 1) out.kept_pos.push_back(visit[at + r]);
        n_open -= closed.load();
        if (2 * n_open < n) {
            std::erase_if(open, [&](std::int32_t pos) { return covered[pos]; });
            packed.clear();
            for (const std::int32_t pos : open) packed.append(c.points.row(pos));
        }
    }
    return out;
}

} // namespace sepal
