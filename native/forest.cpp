// Trees are grown to single-class leaves (or the least size) from rows drawn with replacement. A split looks at a few
// columns and takes the cut of the least Gini impurity, or of the least variance for numbers. Rows of a large node are
// put in the order of their bins by counting, so a column costs O(rows + bins) whatever the number of classes.
// Each tree has its own stream of random numbers, so the forest does not depend on the number of threads.
#include "forest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "splitmix.hpp"
#include "threads.hpp"

namespace sepal {
namespace {

constexpr int kBins = 256;
constexpr std::int64_t kVoteRows = 1024; // rows between two looks at whether to go on
constexpr std::int64_t kFew = 40; // rows that insertion puts in order faster than counting
constexpr std::int64_t kRare = 8; // one of so many rows at most lies above the only cut of a rare column

class Random : public SplitMix {
  public:
    using SplitMix::SplitMix;
    std::int64_t below(std::int64_t n) { // n is far below 2^32: the upper half is uniform enough
        return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
    }
    std::int64_t among(const double* sums, std::int64_t n) { // the first whose running sum lies above a uniform number
        const double u = static_cast<double>(next() >> 11) * 0x1.0p-53;
        return std::min<std::int64_t>(std::upper_bound(sums, sums + n, u) - sums, n - 1);
    }
};

struct Tree {
    std::vector<std::int32_t> column, cut;
    std::vector<std::int64_t> child;
    std::vector<std::int64_t> leaf_start{0};
    std::vector<std::int32_t> leaf_output;
    std::vector<double> leaf_value;
};

struct Placed {
    std::int32_t row;
    std::uint8_t bin;
};

struct Split {
    double gain = -std::numeric_limits<double>::infinity();
    std::int32_t column = -1, cut = 0;
};

// Columns of two bins of which few rows have the upper one, as the indicators of many levels do: these rows. A node asks
// them, and not all of its own. Column j has rows[start[j]] to rows[start[j + 1]], none if it is another kind of column.
struct RareRows {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> rows;

    explicit RareRows(const ForestInput& in) : start(in.n_columns + 1, 0) {
        for (int j = 0; j < in.n_columns; ++j) {
            const std::uint8_t* bins = in.bins + j * in.n_rows;
            const auto before = rows.size();
            for (std::int64_t i = 0; in.classes && i < in.n_rows; ++i) {
                if (!bins[i]) continue;
                rows.push_back(static_cast<std::int32_t>(i));
                if (bins[i] > 1 || static_cast<std::int64_t>(rows.size() - before) * kRare > in.n_rows) {
                    rows.resize(before);
                    break;
                }
            }
            start[j + 1] = static_cast<std::int64_t>(rows.size());
        }
    }
};

class Grower {
  public:
    Grower(const ForestInput& in, const ForestChoice& choice, const RareRows& rare)
        : in_(in), choice_(choice), rare_(rare), columns_(in.n_columns), left_(in.n_outputs), right_(in.n_outputs),
          total_(in.n_outputs), times_(rare.rows.empty() ? 0 : in.n_rows, 0) {}

    Tree grow(std::uint64_t seed, std::uint8_t* in_bag) {
        Random random(seed);
        rows_.resize(choice_.sample);
        for (auto& row : rows_) {
            row = static_cast<std::int32_t>(in_.drawn ? random.among(in_.drawn, in_.n_rows) : random.below(in_.n_rows));
            in_bag[row] = 1;
        }
        sorted_.resize(rows_.size());
        std::iota(columns_.begin(), columns_.end(), 0);
        Tree tree;
        tree.column.push_back(0), tree.cut.push_back(0), tree.child.push_back(0);
        struct Job {
            std::int64_t node, begin, end;
        };
        std::vector<Job> jobs{{0, 0, static_cast<std::int64_t>(rows_.size())}};
        while (!jobs.empty()) {
            const Job job = jobs.back();
            jobs.pop_back();
            const Split split = best_split(job.begin, job.end, random);
            if (split.column < 0) {
                make_leaf(tree, job.node, job.begin, job.end);
                continue;
            }
            const std::uint8_t* bins = in_.bins + split.column * in_.n_rows;
            const auto middle = std::partition(rows_.begin() + job.begin, rows_.begin() + job.end,
                                               [&](std::int32_t row) { return bins[row] <= split.cut; });
            const std::int64_t child = static_cast<std::int64_t>(tree.column.size());
            tree.column[job.node] = split.column, tree.cut[job.node] = split.cut, tree.child[job.node] = child;
            for (int side = 0; side < 2; ++side) tree.column.push_back(0), tree.cut.push_back(0), tree.child.push_back(0);
            const std::int64_t at = middle - rows_.begin();
            jobs.push_back({child, job.begin, at});
            jobs.push_back({child + 1, at, job.end});
        }
        return tree;
    }

  private:
    Split best_split(std::int64_t begin, std::int64_t end, Random& random) {
        Split best;
        if (end - begin < 2 * choice_.least || !varies(begin, end)) return best;
        if (!times_.empty())
            for (std::int64_t i = begin; i < end; ++i) ++times_[rows_[i]];
        int seen = 0;
        for (int k = 0; k < in_.n_columns && seen < choice_.tries; ++k) {
            std::swap(columns_[k], columns_[k + random.below(in_.n_columns - k)]);
            const int column = columns_[k];
            if (rare_.start[column] < rare_.start[column + 1]) {
                seen += try_rare(column, end - begin, best);
            } else if (order_by(column, begin, end)) {
                ++seen;
                if (in_.classes) try_classes(column, begin, end, best);
                else try_numbers(column, begin, end, best);
            }
        }
        if (!times_.empty())
            for (std::int64_t i = begin; i < end; ++i) times_[rows_[i]] = 0;
        return best;
    }

    // As order_by and try_classes, from the few rows above the cut alone; whether the column varies in the node.
    bool try_rare(int column, std::int64_t n, Split& best) {
        std::int64_t above = 0, left_squares = 0, right_squares = 0;
        std::fill(right_.begin(), right_.end(), 0);
        for (std::int64_t at = rare_.start[column]; at < rare_.start[column + 1]; ++at) {
            const std::int32_t row = rare_.rows[at];
            right_[in_.classes[row]] += times_[row];
            above += times_[row];
        }
        for (int c = 0; c < in_.n_outputs; ++c) {
            left_squares += (total_[c] - right_[c]) * (total_[c] - right_[c]);
            right_squares += right_[c] * right_[c];
        }
        if (above == 0 || above == n) return false;
        if (n - above < choice_.least || above < choice_.least) return true;
        const double gain = static_cast<double>(left_squares) / static_cast<double>(n - above) +
                            static_cast<double>(right_squares) / static_cast<double>(above);
        if (gain > best.gain) best = {gain, column, 0};
        return true;
    }

    // Whether the answers differ; leaves the class counts of the node, or its sum, behind.
    bool varies(std::int64_t begin, std::int64_t end) {
        if (in_.classes) {
            std::fill(total_.begin(), total_.end(), 0);
            for (std::int64_t i = begin; i < end; ++i) ++total_[in_.classes[rows_[i]]];
            return total_[in_.classes[rows_[begin]]] < end - begin;
        }
        sum_ = 0.0;
        bool differ = false;
        for (std::int64_t i = begin; i < end; ++i) {
            sum_ += in_.numbers[rows_[i]];
            differ |= in_.numbers[rows_[i]] != in_.numbers[rows_[begin]];
        }
        return differ;
    }

    // Puts the node's rows in the order of their bins, with the bins beside them; false if the column is constant here.
    bool order_by(int column, std::int64_t begin, std::int64_t end) {
        const std::uint8_t* bins = in_.bins + static_cast<std::int64_t>(column) * in_.n_rows;
        const std::int64_t n = end - begin;
        if (n <= kFew) { // most nodes are small: no counting over all bins
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int32_t row = rows_[begin + i];
                std::int64_t at = i;
                for (; at > 0 && sorted_[at - 1].bin > bins[row]; --at) sorted_[at] = sorted_[at - 1];
                sorted_[at] = {row, bins[row]};
            }
            return sorted_[0].bin < sorted_[n - 1].bin;
        }
        place_.fill(0);
        for (std::int64_t i = begin; i < end; ++i) ++place_[bins[rows_[i]]];
        std::int32_t before = 0;
        for (auto& place : place_) {
            const std::int32_t count = place;
            place = before;
            before += count;
        }
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint8_t b = bins[rows_[i]];
            sorted_[place_[b]++] = {rows_[i], b};
        }
        return sorted_[0].bin < sorted_[n - 1].bin;
    }

    void try_classes(int column, std::int64_t begin, std::int64_t end, Split& best) {
        const std::int64_t n = end - begin;
        std::fill(left_.begin(), left_.end(), 0);
        std::copy(total_.begin(), total_.end(), right_.begin());
        std::int64_t left_squares = 0, right_squares = 0;
        for (std::int64_t count : right_) right_squares += count * count;
        for (std::int64_t i = 0; i + 1 < n; ++i) {
            const int c = in_.classes[sorted_[i].row];
            left_squares += 2 * left_[c]++ + 1;
            right_squares -= 2 * right_[c]-- - 1;
            if (!may_cut_after(i, n)) continue;
            const double gain = static_cast<double>(left_squares) / static_cast<double>(i + 1) +
                                static_cast<double>(right_squares) / static_cast<double>(n - i - 1);
            if (gain > best.gain) best = {gain, column, sorted_[i].bin};
        }
    }

    void try_numbers(int column, std::int64_t begin, std::int64_t end, Split& best) {
        const std::int64_t n = end - begin;
        double left = 0.0;
        for (std::int64_t i = 0; i + 1 < n; ++i) {
            left += in_.numbers[sorted_[i].row];
            if (!may_cut_after(i, n)) continue;
            const double right = sum_ - left;
            const double gain = left * left / static_cast<double>(i + 1) + right * right / static_cast<double>(n - i - 1);
            if (gain > best.gain) best = {gain, column, sorted_[i].bin};
        }
    }

    bool may_cut_after(std::int64_t i, std::int64_t n) const {
        return sorted_[i].bin != sorted_[i + 1].bin && i + 1 >= choice_.least && n - i - 1 >= choice_.least;
    }

    void make_leaf(Tree& tree, std::int64_t node, std::int64_t begin, std::int64_t end) {
        const double n = static_cast<double>(end - begin);
        tree.column[node] = -1;
        tree.child[node] = static_cast<std::int64_t>(tree.leaf_start.size()) - 1;
        if (in_.classes) {
            std::fill(total_.begin(), total_.end(), 0);
            for (std::int64_t i = begin; i < end; ++i) ++total_[in_.classes[rows_[i]]];
            for (int c = 0; c < in_.n_outputs; ++c)
                if (total_[c]) {
                    tree.leaf_output.push_back(c);
                    tree.leaf_value.push_back(static_cast<double>(total_[c]) / n);
                }
        } else {
            double sum = 0.0;
            for (std::int64_t i = begin; i < end; ++i) sum += in_.numbers[rows_[i]];
            tree.leaf_output.push_back(0);
            tree.leaf_value.push_back(sum / n);
        }
        tree.leaf_start.push_back(static_cast<std::int64_t>(tree.leaf_output.size()));
    }

    const ForestInput& in_;
    const ForestChoice& choice_;
    const RareRows& rare_;
    std::vector<int> columns_;
    std::vector<std::int64_t> left_, right_, total_;
    std::vector<std::int32_t> times_; // how often the node at hand has a row
    double sum_ = 0.0;
    std::vector<std::int32_t> rows_;
    std::vector<Placed> sorted_;
    std::array<std::int32_t, kBins> place_{};
};

void append(Forest& forest, const Tree& tree) {
    const auto nodes = static_cast<std::int64_t>(forest.column.size());
    const auto leaves = static_cast<std::int64_t>(forest.leaf_start.size()) - 1;
    const auto entries = static_cast<std::int64_t>(forest.leaf_output.size());
    for (std::size_t i = 0; i < tree.column.size(); ++i)
        forest.child.push_back(tree.child[i] + (tree.column[i] < 0 ? leaves : nodes));
    forest.column.insert(forest.column.end(), tree.column.begin(), tree.column.end());
    forest.cut.insert(forest.cut.end(), tree.cut.begin(), tree.cut.end());
    for (std::size_t i = 1; i < tree.leaf_start.size(); ++i) forest.leaf_start.push_back(tree.leaf_start[i] + entries);
    forest.leaf_output.insert(forest.leaf_output.end(), tree.leaf_output.begin(), tree.leaf_output.end());
    forest.leaf_value.insert(forest.leaf_value.end(), tree.leaf_value.begin(), tree.leaf_value.end());
    forest.tree_start.push_back(static_cast<std::int64_t>(forest.column.size()));
}

// Adds the leaf that the row falls into.
void vote(const ForestView& forest, std::int64_t tree, const std::uint8_t* bins, std::int64_t n_rows, std::int64_t row,
          double* out) {
    std::int64_t node = forest.tree_start[tree];
    while (forest.column[node] >= 0)
        node = forest.child[node] + (bins[forest.column[node] * n_rows + row] > forest.cut[node] ? 1 : 0);
    const std::int64_t leaf = forest.child[node];
    for (std::int64_t e = forest.leaf_start[leaf]; e < forest.leaf_start[leaf + 1]; ++e)
        out[forest.leaf_output[e]] += forest.leaf_value[e];
}

ForestView view_of(const Forest& forest) {
    return {forest.tree_start.data(),  static_cast<std::int64_t>(forest.tree_start.size()) - 1,
            forest.column.data(),      forest.cut.data(),
            forest.child.data(),       forest.leaf_start.data(),
            forest.leaf_output.data(), forest.leaf_value.data()};
}

} // namespace

Forest grow_forest(const ForestInput& in, const ForestChoice& choice, ForestVotes& left_out, int threads, Poll* poll) {
    std::vector<Tree> trees(choice.n_trees);
    std::vector<std::uint8_t> in_bag(static_cast<std::size_t>(choice.n_trees) * in.n_rows, 0);
    const RareRows rare(in);
    Watch watch(poll, choice.n_trees);
    const Loop each_tree{.n = choice.n_trees, .threads = threads};
    parallel_for(each_tree, [&] { return Grower(in, choice, rare); }, [&](Grower& grower, std::int64_t t) {
        if (watch.stopped()) return;
        trees[t] = grower.grow(choice.seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(t) * 0x9e3779b9ULL + 1,
                               in_bag.data() + t * in.n_rows);
        watch.go_on();
    });
    Forest forest;
    forest.tree_start.push_back(0);
    forest.leaf_start.push_back(0);
    if (watch.stopped()) return forest;
    for (const Tree& tree : trees) append(forest, tree);
    left_out.sums.assign(static_cast<std::size_t>(in.n_rows) * in.n_outputs, 0.0);
    left_out.counts.assign(in.n_rows, 0);
    const ForestView view = view_of(forest);
    const std::int64_t blocks = (in.n_rows + kVoteRows - 1) / kVoteRows;
    parallel_for(Loop{.n = blocks, .threads = threads}, [&](std::int64_t block) {
        if (!watch.still_on()) return;
        for (std::int64_t row = block * kVoteRows; row < std::min(in.n_rows, (block + 1) * kVoteRows); ++row)
            for (int t = 0; t < choice.n_trees; ++t)
                if (!in_bag[static_cast<std::int64_t>(t) * in.n_rows + row]) {
                    vote(view, t, in.bins, in.n_rows, row, left_out.sums.data() + row * in.n_outputs);
                    ++left_out.counts[row];
                }
    });
    return forest;
}

std::vector<double> forest_means(const ForestView& forest, const std::uint8_t* bins, std::int64_t n_rows, int n_outputs,
                                 int threads) {
    std::vector<double> out(static_cast<std::size_t>(n_rows) * n_outputs, 0.0);
    parallel_for(Loop{.n = n_rows, .threads = threads, .grain = 16}, [&](std::int64_t row) {
        double* own = out.data() + row * n_outputs;
        for (std::int64_t t = 0; t < forest.n_trees; ++t) vote(forest, t, bins, n_rows, row, own);
        for (int k = 0; k < n_outputs; ++k) own[k] /= static_cast<double>(forest.n_trees);
    });
    return out;
}

} // namespace sepal
