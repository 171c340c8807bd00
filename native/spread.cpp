#include "spread.hpp"

#include <algorithm>

namespace sepal {
namespace {

struct Spreading {
    const DistinctLists& lists;
    const CopyGroups& groups;
    const AskingRows& asking;
    std::int64_t k;
    bool whole_ties;

    // Whether the first k entries of a list are just the k rows to be told: nobody among them has a copy or asks, and nobody else is
    // tied with the last where ties are wanted. Entries tied with each other are in the order of their rows already.
    bool plain(std::int64_t i) const {
        const std::int64_t first = lists.start[asking.list[i]], n = lists.start[asking.list[i] + 1] - first;
        if (n < k || (whole_ties && n > k && lists.values[first + k - 1] == lists.values[first + k])) return false;
        bool yes = true;
        for (std::int64_t e = first; e < first + k; ++e) yes &= (groups.size(lists.entries[e]) == 1) & (lists.entries[e] != asking.distinct[i]);
        return yes;
    }

    void fill_plain(std::int64_t i, std::int64_t* rows, double* values) const {
        const std::int64_t first = lists.start[asking.list[i]];
        for (std::int64_t at = 0; at < k; ++at) rows[at] = groups.members[groups.start[lists.entries[first + at]]];
        std::copy_n(lists.values + first, k, values);
    }

    // Calls f(first entry, last entry, rows in them, rows before them) for each tied group up to the one that holds the k-th.
    template <class F> void each_tied_group(std::int64_t i, F f) const {
        const std::int64_t last = lists.start[asking.list[i] + 1];
        std::int64_t have = 0;
        for (std::int64_t begin = lists.start[asking.list[i]]; begin < last && have < k;) {
            std::int64_t end = begin, rows = 0;
            for (; end < last && lists.values[end] == lists.values[begin]; ++end)
                rows += groups.size(lists.entries[end]) - (lists.entries[end] == asking.distinct[i]);
            f(begin, end, rows, have);
            have += rows;
            begin = end;
        }
    }

    std::int64_t count(std::int64_t i) const {
        std::int64_t total = 0;
        each_tied_group(i, [&](std::int64_t, std::int64_t, std::int64_t rows, std::int64_t) { total += rows; });
        return whole_ties ? total : std::min(total, k);
    }

    void fill(std::int64_t i, std::int64_t* rows, double* values, std::vector<std::int64_t>& scratch) const {
        each_tied_group(i, [&](std::int64_t begin, std::int64_t end, std::int64_t n, std::int64_t have) {
            const std::int64_t room = whole_ties ? n : std::min(n, k - have);
            std::fill(values + have, values + have + room, lists.values[begin]);
            if (end - begin == 1) { // nearly always: the copies of one row, in order
                const std::int32_t* member = groups.members + groups.start[lists.entries[begin]];
                for (std::int64_t at = have; at < have + room; ++member)
                    if (*member != asking.row[i]) rows[at++] = *member;
                return;
            }
            scratch.clear();
            bool copied = false; // without copies the entries are in order
            for (std::int64_t e = begin; e < end; ++e) {
                // One more than there is room for: the row that asks may be among them.
                const std::int64_t from = groups.start[lists.entries[e]], most = std::min(groups.size(lists.entries[e]), room + 1);
                copied = copied || most > 1;
                for (std::int64_t m = from; m < from + most; ++m)
                    if (groups.members[m] != asking.row[i]) scratch.push_back(groups.members[m]);
            }
            if (copied) std::sort(scratch.begin(), scratch.end());
            std::copy(scratch.begin(), scratch.begin() + room, rows + have);
        });
    }
};

} // namespace

RowLists spread(const DistinctLists& lists, const CopyGroups& groups, const AskingRows& asking, std::int64_t k, bool whole_ties) {
    const Spreading spreading{lists, groups, asking, k, whole_ties};
    RowLists found;
    found.start.resize(asking.n + 1);
    std::vector<char> plain(asking.n);
    for (std::int64_t i = 0; i < asking.n; ++i) {
        plain[i] = spreading.plain(i);
        found.start[i + 1] = found.start[i] + (plain[i] ? k : spreading.count(i));
    }
    found.rows.resize(found.start.back());
    found.values.resize(found.start.back());
    std::vector<std::int64_t> scratch;
    for (std::int64_t i = 0; i < asking.n; ++i) {
        std::int64_t* const rows = found.rows.data() + found.start[i];
        double* const values = found.values.data() + found.start[i];
        if (plain[i]) spreading.fill_plain(i, rows, values);
        else spreading.fill(i, rows, values, scratch);
    }
    return found;
}

} // namespace sepal
