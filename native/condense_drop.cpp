// The decremental pass of DROP (Wilson & Martinez 2000), and Aha's IB3.
#include <cmath>
#include <utility>

#include "condense_blocks.hpp"

namespace sepal {
namespace {

// The living neighbours of every case, nearest first: always at least k + 1 while so many live.
class NeighborLists {
  public:
    NeighborLists(const Condensing& c, int k)
        : c_(c), k_(k), values_(values_function(c.metric.metric)), alive_(c.points.n, 1), n_alive_(c.points.n),
          lists_(c.points.n), scratch_(std::max(c.threads, 1)) {
        for (std::int64_t i = 0; i < c.points.n; ++i) living_.push_back(static_cast<std::int32_t>(i));
        if (c.groups != nullptr) {
            alive_in_.assign(*std::max_element(c.groups, c.groups + c.points.n) + 1, 0);
            for (std::int64_t i = 0; i < c.points.n; ++i) ++alive_in_[c.groups[i]];
        }
        pack();
    }
    bool fill_all() {
        Watch watch(c_.poll, c_.points.n);
        const Loop cases{.n = c_.points.n, .threads = c_.threads, .grain = 64};
        parallel_for(cases, [] { return Scratch(); }, [&](Scratch& scratch, std::int64_t i) {
            if (watch.go_on()) fill(static_cast<std::int32_t>(i), scratch);
        });
        return !watch.stopped();
    }
    // The nearest k + 1 (fewer if fewer live).
    std::vector<std::int32_t> top(std::int32_t pos) const {
        const auto& list = lists_[pos];
        return {list.begin(), list.begin() + std::min<std::size_t>(k_ + 1, list.size())};
    }
    // Class by the k nearest living ones, `without` left out; a tied vote goes to the class that comes first.
    std::int32_t vote(std::int32_t pos, std::int32_t without) const {
        std::vector<std::pair<std::int32_t, int>> votes; // class, count, in order of appearance
        int taken = 0;
        for (const std::int32_t other : lists_[pos]) {
            if (other == without) continue;
            if (taken++ == k_) break;
            auto at = std::find_if(votes.begin(), votes.end(), [&](auto& v) { return v.first == c_.codes[other]; });
            if (at == votes.end()) votes.emplace_back(c_.codes[other], 1);
            else ++at->second;
        }
        if (votes.empty()) return -1;
        return std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
    }
    void remove(std::int32_t pos) {
        alive_[pos] = 0;
        --n_alive_;
        if (c_.groups != nullptr) --alive_in_[c_.groups[pos]];
        if (2 * n_alive_ < static_cast<std::int64_t>(living_.size())) {
            std::erase_if(living_, [this](std::int32_t p) { return !alive_[p]; });
            pack();
        }
    }
    // Takes a removed case out of lists; looks for more where one grows too short.
    void forget(const std::vector<std::int32_t>& from, std::int32_t gone) {
        parallel_for(Loop{.n = static_cast<std::int64_t>(from.size()), .threads = c_.threads}, [&](std::int64_t i) { forget(from[i], gone); });
    }
    bool alive(std::int32_t pos) const { return alive_[pos]; }

  private:
    void forget(std::int32_t pos, std::int32_t gone) {
        std::erase(lists_[pos], gone);
        const std::int64_t others = n_alive_ - (c_.groups == nullptr ? alive_[pos] : alive_in_[c_.groups[pos]]);
        std::erase_if(lists_[pos], [this](std::int32_t p) { return !alive_[p]; });
        if (static_cast<std::int64_t>(lists_[pos].size()) < std::min<std::int64_t>(k_ + 1, others)) fill(pos, scratch_[this_thread()]);
    }

    struct Scratch {
        std::vector<double> values, sorted;
        std::vector<Neighbor> found;
    };
    void pack() {
        packed_.clear();
        for (const std::int32_t pos : living_) packed_.append(c_.points.row(pos));
    }
    bool may_vote(std::int32_t pos, std::int32_t other) const { return alive_[other] && other != pos && !c_.apart(pos, other); }
    void fill(std::int32_t pos, Scratch& s) {
        const auto n = static_cast<std::int64_t>(living_.size());
        s.values.resize(panels_of(n) * kPanel);
        const double* row = c_.points.row(pos);
        values_(packed_.panel(0), panels_of(n), &row, 1, nullptr, c_.metric, c_.points.p, c_.zero, s.values.data());
        s.sorted.clear();
        for (std::int64_t j = 0; j < n; ++j)
            if (may_vote(pos, living_[j])) s.sorted.push_back(s.values[j]);
        lists_[pos].clear();
        if (s.sorted.empty()) return;
        const int wanted = static_cast<int>(std::min<std::size_t>(4 * (k_ + 1), s.sorted.size()));
        std::nth_element(s.sorted.begin(), s.sorted.begin() + (wanted - 1), s.sorted.end());
        const double limit = s.sorted[wanted - 1] * (1 + 2 * c_.tie);
        s.found.clear();
        for (std::int64_t j = 0; j < n; ++j)
            if (may_vote(pos, living_[j]) && s.values[j] <= limit) s.found.push_back({s.values[j], living_[j]});
        const std::size_t keep = settle(s.found, Plan{wanted, false, c_.tie, 0, 1, nullptr});
        for (std::size_t j = 0; j < keep; ++j) lists_[pos].push_back(s.found[j].row);
    }

    const Condensing& c_;
    int k_;
    ValuesFunction values_;
    PackedRows packed_{c_.points.p};
    std::vector<std::int32_t> living_; // what is packed: all living ones and a few dead
    std::vector<std::uint8_t> alive_;
    std::int64_t n_alive_;
    std::vector<std::int64_t> alive_in_; // by group, if there are groups
    std::vector<std::vector<std::int32_t>> lists_;
    std::vector<Scratch> scratch_; // of each thread
};

} // namespace

Condensed drop_cases(const Condensing& c, int k, const std::vector<std::int32_t>& visit) {
    NeighborLists lists(c, k);
    if (!lists.fill_all()) return {};
    std::vector<std::vector<std::int32_t>> associates(c.points.n); // who has this case among its k + 1 nearest
    for (std::int32_t i = 0; i < c.points.n; ++i)
        for (const std::int32_t near : lists.top(i)) associates[near].push_back(i);
    std::vector<std::int32_t> last_loss(c.points.n, -1);
    Watch watch(c.poll, static_cast<std::int64_t>(visit.size()));
    for (const std::int32_t pos : visit) {
        if (!watch.go_on()) return {};
        std::int64_t with = 0, without = 0;
        for (const std::int32_t a : associates[pos]) {
            with += lists.vote(a, -1) == c.codes[a];
            without += lists.vote(a, pos) == c.codes[a];
        }
        if (without < with) continue;
        lists.remove(pos);
        std::vector<std::int32_t> losing; // each once: their lists are changed side by side
        for (const std::int32_t a : associates[pos])
            if (std::exchange(last_loss[a], pos) != pos) losing.push_back(a);
        std::vector<std::vector<std::int32_t>> before;
        for (const std::int32_t a : losing) before.push_back(lists.top(a));
        lists.forget(losing, pos);
        for (std::size_t i = 0; i < losing.size(); ++i)
            for (const std::int32_t near : lists.top(losing[i]))
                if (std::find(before[i].begin(), before[i].end(), near) == before[i].end()) associates[near].push_back(losing[i]);
    }
    Condensed out;
    for (std::int32_t i = 0; i < c.points.n; ++i)
        if (lists.alive(i)) out.kept_pos.push_back(i);
    return out;
}

namespace {

struct Interval {
    double low, high;
};

// Wilson's interval for a share of `part` in `all`; everything for no trials.
Interval share_interval(double part, double all, double z) {
    if (all == 0) return {0, 1};
    const double share = part / all, g = z * z / all;
    const double half = z * std::sqrt(share * (1 - share) / all + g / (4 * all));
    return {(share + g / 2 - half) / (1 + g), (share + g / 2 + half) / (1 + g)};
}

struct Member {
    std::int32_t pos;
    double tried = 0, right = 0;
    bool gone = false;
};

// The values of some rows of a stream to all members, made side by side before the rows have their turn. What changes
// meanwhile is little: members that go are marked, and those that come are met one by one.
class MembersAhead {
  public:
    explicit MembersAhead(const Condensing& c) : c_(c), values_(values_function(c.metric.metric)), packed_(c.points.p), come_(c.points.p) {}

    std::vector<Member> members; // in order of arrival

    // Forgets who is gone, and looks at the rows from `begin` on; returns where it looks no further.
    std::size_t look(const std::vector<std::int32_t>& visit, std::size_t begin) {
        const std::size_t met = packed_.size();
        const bool all = std::erase_if(members, [](const Member& m) { return m.gone; }) > 0;
        if (all) packed_.clear();
        for (std::size_t k = all ? 0 : met; k < members.size(); ++k) packed_.append(c_.points.row(members[k].pos));
        come_.clear();
        n_met_ = packed_.size();
        begin_ = begin;
        const std::int64_t n_panels = panels_of(n_met_), most = std::max<std::int64_t>(kLanes, kNumbers / std::max<std::int64_t>(n_met_, 1));
        const auto n = std::min<std::int64_t>({kRows, most / kLanes * kLanes, static_cast<std::int64_t>(visit.size() - begin)});
        ahead_.resize(n * n_panels * kPanel);
        const bool worth = static_cast<double>(n) * static_cast<double>(n_met_) * c_.points.p > 1e6; // a thread needs longer to wake up
        const Loop loop{.n = (n + kLanes - 1) / kLanes, .threads = c_.threads, .helpers = worth ? Helpers::at_once : Helpers::never};
        parallel_for(loop, [&](std::int64_t i) {
            const double* rows[kLanes];
            const int m = static_cast<int>(std::min<std::int64_t>(kLanes, n - i * kLanes));
            for (int r = 0; r < m; ++r) rows[r] = c_.points.row(visit[begin + i * kLanes + r]);
            if (n_met_ > 0) values_(packed_.panel(0), n_panels, rows, m, nullptr, c_.metric, c_.points.p, c_.zero, ahead_.data() + i * kLanes * n_panels * kPanel);
        });
        return begin + n;
    }
    // The turn of row t of the stream.
    void turn(std::size_t t, const double* row) {
        met_ = ahead_.data() + static_cast<std::int64_t>(t - begin_) * panels_of(n_met_) * kPanel;
        late_.resize(panels_of(come_.size()) * kPanel);
        if (come_.size() > 0) values_(come_.panel(0), panels_of(come_.size()), &row, 1, nullptr, c_.metric, c_.points.p, c_.zero, late_.data());
    }
    // From the row whose turn it is to member k.
    double value(std::int64_t k) const { return k < n_met_ ? met_[k] : late_[k - n_met_]; }
    void come(std::int32_t pos) {
        members.push_back({pos});
        come_.append(c_.points.row(pos));
    }

  private:
    static constexpr int kLanes = 4;                  // rows that share the reading of the members
    static constexpr std::int64_t kRows = 64;         // rows ahead, fewer where
    static constexpr std::int64_t kNumbers = 1 << 22; // their values would be more than so many
    const Condensing& c_;
    ValuesFunction values_;
    PackedRows packed_, come_; // members at the last look, and those that came since
    std::int64_t n_met_ = 0;
    std::size_t begin_ = 0;
    std::vector<double> ahead_, late_;
    const double* met_ = nullptr;
};

} // namespace

Condensed condense_ib3(const Condensing& c, const std::vector<std::int32_t>& visit, const Ib3Plan& plan) {
    MembersAhead stream(c);
    std::vector<Member>& members = stream.members;
    std::vector<double> class_count(*std::max_element(c.codes, c.codes + c.points.n) + 1, 0.0), sorted;
    double n_seen = 0;
    const auto class_share = [&](const Member& m, double z) { return share_interval(class_count[c.codes[m.pos]], n_seen, z); };
    const auto accepted = [&](const Member& m) {
        return m.tried > 0 && share_interval(m.right, m.tried, plan.accept_z).low > class_share(m, plan.accept_z).high;
    };
    const auto poor = [&](const Member& m) {
        return m.tried > 0 && share_interval(m.right, m.tried, plan.drop_z).high < class_share(m, plan.drop_z).low;
    };
    Watch watch(c.poll, static_cast<std::int64_t>(visit.size()));
    std::size_t seen_to = 0;
    for (std::size_t t = 0; t < visit.size(); ++t) {
        if (!watch.go_on()) return {};
        if (t == seen_to) seen_to = stream.look(visit, t);
        const std::int32_t pos = visit[t];
        stream.turn(t, c.points.row(pos));
        const auto n = static_cast<std::int64_t>(members.size());
        // Others neither answer nor are judged.
        const auto asked = [&](std::int64_t k) { return !members[k].gone && !c.apart(pos, members[k].pos); };
        std::int64_t best = -1;
        for (std::int64_t k = 0; k < n; ++k)
            if (asked(k) && (best < 0 || stream.value(k) * (1 + c.tie) < stream.value(best)) && accepted(members[k])) best = k;
        if (best < 0) { // nobody is accepted yet: the i-th nearest, i by chance
            sorted.clear();
            for (std::int64_t k = 0; k < n; ++k)
                if (asked(k)) sorted.push_back(stream.value(k));
            if (!sorted.empty()) {
                const auto i = static_cast<std::int64_t>(plan.chance[t] * static_cast<double>(sorted.size()));
                std::nth_element(sorted.begin(), sorted.begin() + i, sorted.end());
                for (best = 0; !asked(best) || stream.value(best) != sorted[i]; ++best) {}
            }
        }
        ++n_seen;
        ++class_count[c.codes[pos]];
        const bool wrong = best < 0 || c.codes[members[best].pos] != c.codes[pos];
        if (best >= 0) {
            const double limit = stream.value(best) * (1 + c.tie);
            for (std::int64_t k = 0; k < n; ++k)
                if (stream.value(k) <= limit && asked(k)) {
                    ++members[k].tried;
                    members[k].right += c.codes[members[k].pos] == c.codes[pos];
                    members[k].gone = poor(members[k]);
                }
        }
        if (wrong) stream.come(pos);
    }
    Condensed out;
    for (const Member& m : members)
        if (!m.gone && accepted(m)) out.kept_pos.push_back(m.pos);
    return out;
}

} // namespace sepal
