/// @brief Depth-first walk of a program of feature subsets over blocks of rows; each subset asked for is shown to a visitor.
//
// The work is cut into (block of rows, stretch of steps); the cut depends on the problem alone and the partial sums of
// blocks are added in order, so that answers do not depend on the number of threads.
#pragma once

#include <algorithm>

#include "sweep_kernels.hpp"
#include "threads.hpp"

namespace sepal {

struct Stretch {
    std::int64_t begin, end;
    std::vector<std::int64_t> ancestors; // steps that lead to the parent of the first
};

struct Cut {
    std::vector<std::pair<std::int64_t, std::int64_t>> blocks; // of queries
    std::vector<Stretch> stretches;
    std::int64_t n_tasks() const { return static_cast<std::int64_t>(blocks.size() * stretches.size()); }
};

Cut cut_work(const SweepProgram& program, std::int64_t n_queries, std::int64_t width, std::int64_t channels,
             std::int64_t most_blocks = 256);

// Positions of real rows, in order.
template <class T> std::vector<std::int64_t> query_positions(const SweepData<T>& data) {
    std::vector<std::int64_t> positions;
    for (std::int64_t j = 0; j < data.width; ++j)
        if (data.row_of[j] >= 0) positions.push_back(j);
    return positions;
}

template <class T> Spans spans_of(const SweepData<T>& data, std::int64_t query, std::int64_t begin, std::int64_t end) {
    const int c = data.class_of[query];
    const std::int64_t first = std::clamp(data.class_start[c], begin, end), last = std::clamp(data.class_start[c + 1], begin, end);
    return {{begin, first}, {first, last}, {last, end}};
}

// The partial sums of one row against a range of positions.
template <class T> class SumStack {
  public:
    SumStack(const SweepData<T>& data, const SweepProgram& program, std::int64_t tile)
        : data_(data), kernels_(sweep_kernels_table<T>()), tile_(tile), base_(program.base),
          sums_((program.deepest + 2) * tile) {}

    // Starts with the base columns. The row itself, its group and padding are infinitely far.
    Minima<T> start(std::int64_t query, std::int64_t begin, std::int64_t end) {
        query_ = query;
        begin_ = begin;
        spans_ = spans_of(data_, query, begin, end);
        for (Span* s : {&spans_.before, &spans_.own, &spans_.after}) {
            s->begin -= begin;
            s->end -= begin;
        }
        for (std::int64_t j = begin; j < end; ++j)
            sums_[j - begin] = j == query || data_.row_of[j] < 0 ? std::numeric_limits<T>::infinity() : T(0);
        if (const std::int64_t* group = data_.group_of; group != nullptr)
            for (std::int64_t j = begin; j < end; ++j)
                if (group[j] == group[query]) sums_[j - begin] = std::numeric_limits<T>::infinity();
        Minima<T> m{std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity()};
        for (const std::int32_t column : base_) m = step(column, 0, 0, true);
        return m;
    }
    // depth > 0: adds a column to the sums one level up.
    Minima<T> add(std::int32_t column, int depth, bool keep) { return step(column, depth - 1, depth, keep); }
    // How step t and the one after it can be done in one pass: 0 not at all, 1 as siblings, 2 as parent and child.
    int pairing(const SweepProgram& program, std::int64_t t, std::int64_t end) const {
        if (t + 1 >= end) return 0;
        const int depth = program.depth[t], next = program.depth[t + 1];
        const bool next_is_leaf = t + 2 >= program.n_steps || program.depth[t + 2] <= next;
        const bool plain = data_.term[program.column[t]] == 0 && data_.term[program.column[t + 1]] == 0;
        if (!next_is_leaf || !plain) return 0;
        return next == depth ? 1 : next == depth + 1 ? 2 : 0;
    }
    TwoMinima<T> add_two(std::int32_t first, std::int32_t second, int depth, bool chain) {
        const T* a = data_.x + first * data_.width;
        const T* b = data_.x + second * data_.width;
        return kernels_.add_two[chain](sums_.data() + (depth - 1) * tile_, {a + begin_, a[query_]}, {b + begin_, b[query_]},
                                       sums_.data() + depth * tile_, spans_);
    }
    const T* at(int depth) const { return sums_.data() + depth * tile_; }
    const Spans& spans() const { return spans_; }
    // What of the spans begins at `first` or later.
    Spans spans_from(std::int64_t first) const {
        const auto cut = [first](Span s) { return Span{std::max(s.begin, first), std::max(s.end, first)}; };
        return {cut(spans_.before), cut(spans_.own), cut(spans_.after)};
    }
    const SweepKernels<T>& kernels() const { return kernels_; }

  private:
    Minima<T> step(std::int32_t column, int from, int to, bool keep) {
        const T* x = data_.x + column * data_.width;
        return kernels_.add[data_.term[column]][keep](sums_.data() + from * tile_, x + begin_, x[query_], data_.cost[column],
                                                      sums_.data() + to * tile_, spans_);
    }
    const SweepData<T>& data_;
    const SweepKernels<T>& kernels_;
    std::int64_t tile_, query_ = 0, begin_ = 0;
    std::vector<std::int32_t> base_;
    Spans spans_{};
    std::vector<T> sums_;
};

// Visitor: static constexpr bool needs_sums;  visit(out, query, minima, sums(), stack, sums of the block).
// `sums` holds n_out x channels numbers, or is null for visitors that keep their answers themselves.
template <class T, class Visitor>
bool walk(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, std::int64_t channels,
          const Visitor& prototype, double* sums) {
    const auto queries = query_positions(data);
    const auto n_queries = static_cast<std::int64_t>(queries.size());
    const Cut cut = cut_work(program, n_queries, data.width, channels);
    const std::int64_t size = program.n_out * channels;
    const bool one_block = cut.blocks.size() == 1; // which needs no sums of its own
    std::vector<double> partial(sums == nullptr || one_block ? 0 : size * static_cast<std::int64_t>(cut.blocks.size()));
    const auto n_stretches = static_cast<std::int64_t>(cut.stretches.size());
    Watch watch(plan.poll, cut.n_tasks());
    struct Own {
        SumStack<T> stack;
        Visitor visit;
    };
    const Loop tasks{.n = cut.n_tasks(), .threads = plan.threads};
    parallel_for(tasks, [&] { return Own{SumStack<T>(data, program, data.width), Visitor(prototype)}; }, [&](Own& own, std::int64_t task) {
        if (watch.stopped()) return;
        SumStack<T>& stack = own.stack;
        Visitor& visit = own.visit;
        const auto& block = cut.blocks[task / n_stretches];
        const Stretch& stretch = cut.stretches[task % n_stretches];
        double* into = sums == nullptr || one_block ? sums : partial.data() + (task / n_stretches) * size;
        for (std::int64_t q = block.first; q < block.second; ++q) {
            if (!watch.still_on()) return; // a task may take seconds
            const Minima<T> base = stack.start(queries[q], 0, data.width);
            if (program.score_base && stretch.begin == 0)
                visit(0, queries[q], base, [&] { return stack.at(0); }, stack, into);
            for (const std::int64_t t : stretch.ancestors) stack.add(program.column[t], program.depth[t], true);
            const auto show = [&](std::int64_t t, Minima<T> m, bool kept) {
                if (program.out[t] < 0) return;
                visit(program.out[t], queries[q], m,
                      [&] {
                          if (!kept) stack.add(program.column[t], program.depth[t], true);
                          return stack.at(program.depth[t]);
                      },
                      stack, into);
            };
            for (std::int64_t t = stretch.begin; t < stretch.end; ++t) {
                const int depth = program.depth[t];
                const int pairing = Visitor::needs_sums ? 0 : stack.pairing(program, t, stretch.end);
                if (pairing > 0) {
                    const auto two = stack.add_two(program.column[t], program.column[t + 1], depth, pairing == 2);
                    show(t, two.first, pairing == 2);
                    show(++t, two.second, false);
                    continue;
                }
                const bool leaf = t + 1 == program.n_steps || program.depth[t + 1] <= depth;
                const bool keep = !leaf || Visitor::needs_sums;
                show(t, stack.add(program.column[t], depth, keep), keep);
            }
        }
        watch.go_on();
    });
    for (std::size_t b = 0; !partial.empty() && b < cut.blocks.size(); ++b)
        for (std::int64_t i = 0; i < size; ++i) sums[i] += partial[b * size + i];
    return !watch.stopped();
}

} // namespace sepal
