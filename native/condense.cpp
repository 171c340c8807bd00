// Hart, the relaxed selective subset, FCNN, and Gates' reduction.
#include "condense.hpp"

#include <numeric>
#include <type_traits>

#include "condense_blocks.hpp"

namespace sepal {
namespace {

std::vector<std::int32_t> all_cases(const Condensing& c) {
    std::vector<std::int32_t> pos(c.points.n);
    std::iota(pos.begin(), pos.end(), 0);
    return pos;
}

template <class Right> std::vector<std::uint8_t> judge(const Condensing& c, const Right& right) {
    std::vector<std::uint8_t> answer(c.points.n);
    for (std::int64_t i = 0; i < c.points.n; ++i) answer[i] = right(static_cast<std::int32_t>(i));
    return answer;
}

// What Hart keeps of each case under the two tie rules.
struct StrictMemory : Rivals {
    explicit StrictMemory(const Condensing& c_) : Rivals(c_) {}
    void own(std::int32_t pos) { like[pos] = 0; }
};
struct FirstMemory {
    explicit FirstMemory(const Condensing& c_) : c(c_), near(c.points.n, Rivals::inf), agrees(c.points.n, 0) {}
    void meet(std::int32_t pos, std::int32_t prototype, double v) {
        if (v * (1 + c.tie) < near[pos] || (near[pos] == Rivals::inf && v < near[pos])) {
            near[pos] = v;
            agrees[pos] = c.codes[pos] == c.codes[prototype];
        }
    }
    double bound(std::int32_t pos, bool) const { return near[pos]; }
    void own(std::int32_t pos) {
        if (near[pos] > 0) agrees[pos] = 1;
        near[pos] = 0;
    }
    bool right(std::int32_t pos) const { return agrees[pos]; }
    const Condensing& c;
    std::vector<double> near;
    std::vector<std::uint8_t> agrees;
};
struct SelectiveMemory { // against the enemy among all cases: only like prototypes matter
    SelectiveMemory(const Condensing& c_, const double* enemy_) : c(c_), enemy(enemy_), like(c.points.n, Rivals::inf) {}
    void meet(std::int32_t pos, std::int32_t prototype, double v) {
        if (v < like[pos] && c.codes[pos] == c.codes[prototype]) like[pos] = v;
    }
    double bound(std::int32_t pos, bool own) const { return own ? like[pos] : -1; }
    void own(std::int32_t pos) { like[pos] = 0; }
    bool right(std::int32_t pos) const { return enemy[pos] > like[pos] * (1 + c.tie); }
    const Condensing& c;
    const double* enemy;
    std::vector<double> like;
};

template <class Memory> Condensed sweep(const Condensing& c, const std::vector<std::int32_t>& visit, Memory& memory) {
    Condensed out;
    CaseBlocks blocks(c, visit);
    std::vector<std::uint8_t> is_kept(c.points.n, 0);
    Watch watch(c.poll, 3 * blocks.n_blocks());
    Bounded<Memory> visitor(c, memory);
    for (std::int32_t round = 1;; ++round) {
        const std::size_t before = out.kept_pos.size();
        for (std::int64_t block = 0; block < blocks.n_blocks(); ++block) {
            if (!watch.go_on()) return {};
            blocks.catch_up(block, out.kept_pos, c.threads, visitor);
            for (std::int64_t at = blocks.begin(block); at < blocks.end(block); ++at) {
                const std::int32_t pos = visit[at];
                if (is_kept[pos] || memory.right(pos)) continue;
                is_kept[pos] = 1;
                out.kept_pos.push_back(pos);
                out.round.push_back(round);
                blocks.catch_up(block, out.kept_pos, 1, visitor);
                memory.own(pos); // a row with missing cells differs from itself under some metrics, but it is itself
            }
        }
        if (out.kept_pos.size() == before) break;
    }
    // The last round met every prototype: who saw all cases knows who is right.
    if constexpr (std::is_base_of_v<Rivals, Memory>)
        if (static_cast<std::int64_t>(visit.size()) == c.points.n)
            out.right = judge(c, [&](std::int32_t pos) { return memory.right(pos); });
    return out;
}

} // namespace

Condensed judge_kept(const Condensing& c, const std::vector<std::int32_t>& kept_pos) {
    Rivals rivals(c);
    const auto every = all_cases(c);
    CaseBlocks blocks(c, every);
    Watch watch(c.poll, blocks.n_blocks());
    Bounded<Rivals> visitor(c, rivals);
    if (!blocks.catch_up_all(kept_pos, watch, visitor)) return {};
    for (const std::int32_t pos : kept_pos) rivals.like[pos] = 0;
    return {kept_pos, {}, judge(c, [&](std::int32_t pos) { return rivals.right(pos); })};
}

Condensed condense_hart(const Condensing& c, const std::vector<std::int32_t>& visit, TieRule rule, const double* enemy) {
    if (enemy != nullptr) {
        SelectiveMemory memory(c, enemy);
        return sweep(c, visit, memory);
    }
    if (rule == TieRule::first) {
        FirstMemory memory(c);
        return sweep(c, visit, memory);
    }
    StrictMemory memory(c);
    return sweep(c, visit, memory);
}

namespace {

// Rivals that also knows the nearest unlike prototype, the lowest position of those tied.
struct CellMemory : Rivals {
    explicit CellMemory(const Condensing& c_) : Rivals(c_), enemy(c.points.n, -1) {}
    void meet(std::int32_t pos, std::int32_t prototype, double v) {
        if (c.codes[pos] != c.codes[prototype] && v <= unlike[pos] * (1 + c.tie)) {
            const bool tied = unlike[pos] <= v * (1 + c.tie);
            enemy[pos] = tied && enemy[pos] >= 0 ? std::min(enemy[pos], prototype) : prototype;
        }
        Rivals::meet(pos, prototype, v);
    }
    double bound(std::int32_t pos, bool own) const { return own ? like[pos] : unlike[pos] * (1 + c.tie); }
    std::vector<std::int32_t> enemy;
};

} // namespace

Condensed condense_fcnn(const Condensing& c, const std::vector<std::int32_t>& seeds, const std::uint8_t* may_keep) {
    Condensed out;
    CellMemory rivals(c);
    const std::vector<std::int32_t>& enemy = rivals.enemy;
    const auto every = all_cases(c);
    CaseBlocks blocks(c, every);
    Bounded<CellMemory> visitor(c, rivals);
    std::vector<std::int32_t> fresh = seeds;
    std::vector<std::uint8_t> is_kept(c.points.n, 0);
    Watch watch(c.poll, 8 * blocks.n_blocks());
    for (std::int32_t round = 1; !fresh.empty(); ++round) {
        for (const std::int32_t pos : fresh) {
            out.kept_pos.push_back(pos);
            out.round.push_back(round);
            is_kept[pos] = 1;
        }
        if (!blocks.catch_up_all(out.kept_pos, watch, visitor)) return {};
        for (const std::int32_t pos : fresh) rivals.like[pos] = 0;
        std::vector<double> nearest(c.points.n, Rivals::inf); // of the wrong cases in each prototype's cell
        std::vector<std::int32_t> wrong;
        for (const std::int32_t pos : every)
            if (may_keep[pos] && !is_kept[pos] && !rivals.right(pos)) {
                wrong.push_back(pos);
                nearest[enemy[pos]] = std::min(nearest[enemy[pos]], rivals.unlike[pos]);
            }
        fresh.clear();
        std::vector<std::uint8_t> served(c.points.n, 0);
        for (const std::int32_t pos : wrong)
            if (!served[enemy[pos]] && rivals.unlike[pos] <= nearest[enemy[pos]] * (1 + c.tie)) {
                served[enemy[pos]] = 1;
                fresh.push_back(pos);
            }
    }
    out.right = judge(c, [&](std::int32_t pos) { return rivals.right(pos); });
    return out;
}

Condensed reduce_kept(const Condensing& c, const std::vector<std::int32_t>& kept_pos, const std::uint8_t* wanted) {
    const auto n_kept = static_cast<std::int64_t>(kept_pos.size());
    PackedRows packed(c.points.p);
    for (const std::int32_t pos : kept_pos) packed.append(c.points.row(pos));
    const ValuesFunction values = values_function(c.metric.metric);
    std::vector<std::uint8_t> alive(n_kept, 1);
    using Values = std::vector<double>;
    const auto scratch = [&] { return Values(panels_of(n_kept) * kPanel); };
    struct Stand { // of one case among the living prototypes but one
        double like = Rivals::inf, unlike = Rivals::inf;
        std::int64_t by = -1; // the nearest like prototype, as a place in kept_pos
    };
    const auto stand = [&](Values& found, std::int32_t pos, std::int64_t without) {
        Stand s;
        const double* row = c.points.row(pos);
        values(packed.panel(0), panels_of(n_kept), &row, 1, nullptr, c.metric, c.points.p, c.zero, found.data());
        for (std::int64_t k = 0; k < n_kept; ++k) {
            if (!alive[k] || k == without) continue;
            const double v = kept_pos[k] == pos ? 0 : found[k];
            if (c.codes[kept_pos[k]] != c.codes[pos]) s.unlike = std::min(s.unlike, v);
            else if (v < s.like) s.like = v, s.by = k;
        }
        return s;
    };
    std::vector<std::vector<std::int32_t>> served(n_kept); // the cases each prototype is nearest to
    Watch watch(c.poll, c.points.n + n_kept);
    std::vector<std::int64_t> server(c.points.n, -1);
    parallel_for(Loop{.n = c.points.n, .threads = c.threads, .grain = 16}, scratch, [&](Values& found, std::int64_t pos) {
        if (!watch.go_on() || !wanted[pos]) return;
        const Stand now = stand(found, static_cast<std::int32_t>(pos), -1);
        if (now.by >= 0 && now.unlike > now.like * (1 + c.tie)) server[pos] = now.by;
    });
    for (std::int32_t pos = 0; pos < c.points.n; ++pos)
        if (server[pos] >= 0) served[server[pos]].push_back(pos);
    Condensed out;
    for (std::int64_t k = 0; k < n_kept; ++k) {
        if (watch.stopped() || !watch.go_on()) return {};
        std::vector<std::int64_t> moved(served[k].size());
        std::atomic<bool> needed{false}; // by one of those that it serves
        parallel_for(Loop{.n = static_cast<std::int64_t>(moved.size()), .threads = c.threads}, scratch, [&](Values& found, std::int64_t j) {
            if (needed.load(std::memory_order_relaxed)) return;
            const Stand after = stand(found, served[k][j], k);
            if (!(after.unlike > after.like * (1 + c.tie))) needed.store(true, std::memory_order_relaxed);
            moved[j] = after.by;
        });
        if (needed.load()) {
            out.kept_pos.push_back(kept_pos[k]);
            continue;
        }
        alive[k] = 0;
        for (std::size_t j = 0; j < moved.size(); ++j) served[moved[j]].push_back(served[k][j]);
    }
    return out;
}

} // namespace sepal
