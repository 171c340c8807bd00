// Hart, the relaxed selective subset, and Gates' reduction.
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

// The nearest living prototypes of each case, a few of its class and a few of others, those that came first first.
class NearKept {
  public:
    struct Stand { // of one case among the living prototypes but one
        double like = Rivals::inf, unlike = Rivals::inf;
        std::int64_t by = -1; // the nearest like prototype, as a place in kept_pos
    };
    using Values = std::vector<double>;

    NearKept(const Condensing& c, const std::vector<std::int32_t>& kept_pos)
        : c_(c), kept_pos_(kept_pos), n_kept_(static_cast<std::int64_t>(kept_pos.size())), packed_(c.points.p),
          values_(values_function(c.metric.metric)), alive_(kept_pos.size(), 1), lists_(2 * c.points.n) {
        for (const std::int32_t pos : kept_pos) packed_.append(c.points.row(pos));
    }
    Values scratch() const { return Values(panels_of(n_kept_) * kPanel); }
    void remove(std::int64_t k) { alive_[k] = 0; }

    // Changes the lists of this case alone.
    Stand stand(std::int32_t pos, std::int64_t without, Values& found) {
        const std::int64_t like = first(pos, true, without, found), unlike = first(pos, false, without, found);
        Stand s;
        if (like >= 0) s.like = lists_[2 * pos].value[like], s.by = lists_[2 * pos].place[like];
        if (unlike >= 0) s.unlike = lists_[2 * pos + 1].value[unlike];
        return s;
    }

  private:
    static constexpr int kNear = 4;
    struct List {
        double value[kNear];
        std::int32_t place[kNear];
        int n = -1;            // -1: not looked for yet
        bool complete = false; // there are no others
    };

    // Where in its list the first is that lives and is not `without`; -1 if there is none.
    std::int64_t first(std::int32_t pos, bool own, std::int64_t without, Values& found) {
        for (List& list = lists_[2 * pos + !own];; fill(pos, found)) {
            for (int j = 0; j < list.n; ++j)
                if (alive_[list.place[j]] && list.place[j] != without) return j;
            if (list.n >= 0 && list.complete) return -1;
        }
    }
    void fill(std::int32_t pos, Values& found) {
        const double* row = c_.points.row(pos);
        values_(packed_.panel(0), panels_of(n_kept_), &row, 1, nullptr, c_.metric, c_.points.p, c_.zero, found.data());
        List* const lists = &lists_[2 * pos];
        for (int which : {0, 1}) lists[which].n = 0, lists[which].complete = true;
        double last[2] = {Rivals::inf, Rivals::inf};
        for (std::int64_t k = 0; k < n_kept_; ++k) {
            if (!alive_[k]) continue;
            const double v = kept_pos_[k] == pos ? 0 : found[k];
            const int which = c_.codes[kept_pos_[k]] != c_.codes[pos];
            List& list = lists[which];
            if (list.n == kNear) {
                list.complete = false;
                if (!(v < last[which])) continue;
                --list.n;
            }
            int j = list.n++;
            for (; j > 0 && v < list.value[j - 1]; --j) list.value[j] = list.value[j - 1], list.place[j] = list.place[j - 1];
            list.value[j] = v;
            list.place[j] = static_cast<std::int32_t>(k);
            if (list.n == kNear) last[which] = list.value[kNear - 1];
        }
    }

    const Condensing& c_;
    const std::vector<std::int32_t>& kept_pos_;
    std::int64_t n_kept_;
    PackedRows packed_;
    ValuesFunction values_;
    std::vector<std::uint8_t> alive_;
    std::vector<List> lists_; // of each case, of its class and of others
};

} // namespace

Condensed reduce_kept(const Condensing& c, const std::vector<std::int32_t>& kept_pos, const std::uint8_t* wanted) {
    const auto n_kept = static_cast<std::int64_t>(kept_pos.size());
    NearKept near(c, kept_pos);
    const auto scratch = [&] { return near.scratch(); };
    std::vector<std::vector<std::int32_t>> served(n_kept); // the cases each prototype is nearest to
    Watch watch(c.poll, c.points.n + n_kept);
    std::vector<std::int64_t> server(c.points.n, -1);
    parallel_for(Loop{.n = c.points.n, .threads = c.threads, .grain = 16}, scratch, [&](NearKept::Values& found, std::int64_t pos) {
        if (!watch.go_on() || !wanted[pos]) return;
        const NearKept::Stand now = near.stand(static_cast<std::int32_t>(pos), -1, found);
        if (now.by >= 0 && now.unlike > now.like * (1 + c.tie)) server[pos] = now.by;
    });
    for (std::int32_t pos = 0; pos < c.points.n; ++pos)
        if (server[pos] >= 0) served[server[pos]].push_back(pos);
    Condensed out;
    NearKept::Values found = near.scratch();
    std::vector<std::int64_t> moved;
    for (std::int64_t k = 0; k < n_kept; ++k) {
        if (watch.stopped() || !watch.go_on()) return {};
        moved.clear();
        for (const std::int32_t pos : served[k]) {
            const NearKept::Stand after = near.stand(pos, k, found);
            if (!(after.unlike > after.like * (1 + c.tie))) break; // this one needs it
            moved.push_back(after.by);
        }
        if (moved.size() < served[k].size()) {
            out.kept_pos.push_back(kept_pos[k]);
            continue;
        }
        near.remove(k);
        for (std::size_t j = 0; j < moved.size(); ++j) served[moved[j]].push_back(served[k][j]);
    }
    return out;
}

} // namespace sepal
