// Thornton's index of many subsets, alone or under many labelings.
#include "sweep_agreement.hpp"

namespace sepal {

Cut cut_work(const SweepProgram& program, std::int64_t n_queries, std::int64_t width, std::int64_t channels,
             std::int64_t most_blocks) {
    constexpr std::int64_t kMostPartials = 1 << 22, kPairs = 1 << 26, kShortest = 256;
    Cut cut;
    const std::int64_t fit = kMostPartials / std::max<std::int64_t>(1, program.n_out * channels);
    const std::int64_t n_blocks = std::clamp<std::int64_t>(std::min(fit, most_blocks), 1, std::max<std::int64_t>(n_queries, 1));
    for (std::int64_t b = 0; b < n_blocks; ++b)
        cut.blocks.emplace_back(b * n_queries / n_blocks, (b + 1) * n_queries / n_blocks);
    const std::int64_t rows = (n_queries + n_blocks - 1) / n_blocks;
    std::int64_t length = std::max(kShortest, kPairs / std::max<std::int64_t>(1, rows * width));
    if (n_blocks < 32) length = std::min(length, std::max<std::int64_t>(64, program.n_steps * n_blocks / 64));
    std::vector<std::int64_t> path(program.deepest + 2, -1);
    for (std::int64_t begin = 0; begin < program.n_steps || begin == 0;) {
        const std::int64_t end = std::min(program.n_steps, begin + length);
        Stretch stretch{begin, end, {}};
        if (begin < program.n_steps)
            for (int d = 1; d < program.depth[begin]; ++d) stretch.ancestors.push_back(path[d]);
        for (std::int64_t t = begin; t < end; ++t) path[program.depth[t]] = t;
        cut.stretches.push_back(std::move(stretch));
        if (end >= program.n_steps) break;
        begin = end;
    }
    return cut;
}

namespace {

// Rows too long for the cache: positions in tiles, all rows of a block against one tile before the next.
template <class T> class TiledThornton {
  public:
    TiledThornton(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, SweepTies ties, std::int64_t tile)
        : data_(data), program_(program), plan_(plan), tile_(tile), agreement_(data, plan, ties), queries_(query_positions(data)) {}

    bool run(double* sums, double* samples) {
        const auto n = static_cast<std::int64_t>(queries_.size());
        const std::int64_t rows = std::clamp<std::int64_t>((1 << 18) / (program_.n_steps + 1), 8, 128);
        const std::int64_t most = std::max<std::int64_t>(1, n / rows);
        const Cut cut = cut_work(program_, n, data_.width, 1, most);
        std::vector<double> partial(sums == nullptr ? 0 : program_.n_out * cut.blocks.size());
        const auto n_stretches = static_cast<std::int64_t>(cut.stretches.size());
        Watch watch(plan_.poll, cut.n_tasks());
        struct Scratch {
            SumStack<T> stack;
            std::vector<Minima<T>> least;
        };
        const Loop tasks{.n = cut.n_tasks(), .threads = plan_.threads};
        parallel_for(tasks, [&] { return Scratch{SumStack<T>(data_, program_, tile_), {}}; }, [&](Scratch& own, std::int64_t task) {
            if (watch.stopped()) return;
            const auto& block = cut.blocks[task / n_stretches];
            double* into = sums == nullptr ? nullptr : partial.data() + (task / n_stretches) * program_.n_out;
            tiles(block.first, block.second, cut.stretches[task % n_stretches], own.stack, own.least);
            decide(block.first, block.second, cut.stretches[task % n_stretches], own.stack, own.least, into, samples);
            watch.go_on();
        });
        for (std::size_t b = 0; sums != nullptr && b < cut.blocks.size(); ++b)
            for (std::int64_t i = 0; i < program_.n_out; ++i) sums[i] += partial[b * program_.n_out + i];
        return !watch.stopped();
    }

  private:
    static void lower(Minima<T>& a, Minima<T> b) {
        a.own = std::min(a.own, b.own);
        a.other = std::min(a.other, b.other);
    }
    void tiles(std::int64_t first, std::int64_t last, const Stretch& s, SumStack<T>& stack, std::vector<Minima<T>>& least) {
        const std::int64_t length = s.end - s.begin + 1; // the last entry of a row is the base
        constexpr T none = std::numeric_limits<T>::infinity();
        least.assign((last - first) * length, {none, none});
        for (std::int64_t begin = 0; begin < data_.width; begin += tile_)
            for (std::int64_t q = first; q < last; ++q) {
                Minima<T>* row = least.data() + (q - first) * length;
                lower(row[length - 1], stack.start(queries_[q], begin, std::min(data_.width, begin + tile_)));
                for (const std::int64_t t : s.ancestors) stack.add(program_.column[t], program_.depth[t], true);
                for (std::int64_t t = s.begin; t < s.end; ++t) {
                    const int depth = program_.depth[t];
                    if (const int pairing = stack.pairing(program_, t, s.end); pairing > 0) {
                        const auto two = stack.add_two(program_.column[t], program_.column[t + 1], depth, pairing == 2);
                        lower(row[t - s.begin], two.first);
                        lower(row[++t - s.begin], two.second);
                        continue;
                    }
                    const bool leaf = t + 1 == program_.n_steps || program_.depth[t + 1] <= depth;
                    lower(row[t - s.begin], stack.add(program_.column[t], depth, !leaf));
                }
            }
    }
    void decide(std::int64_t first, std::int64_t last, const Stretch& s, SumStack<T>& stack,
                const std::vector<Minima<T>>& least, double* into, double* samples) {
        const std::int64_t length = s.end - s.begin + 1;
        std::vector<std::int32_t> path(program_.deepest + 2, 0);
        for (const std::int64_t t : s.ancestors) path[program_.depth[t]] = program_.column[t];
        const auto note = [&](std::int64_t out, std::int64_t q, Minima<T> m, int depth) {
            double share = agreement_.clear(m);
            if (share < 0) share = settle_tie(queries_[q], m, path.data(), depth, stack);
            if (samples != nullptr) samples[out * static_cast<std::int64_t>(queries_.size()) + data_.row_of[queries_[q]]] = share;
            else into[out] += share;
        };
        if (program_.score_base && s.begin == 0)
            for (std::int64_t q = first; q < last; ++q) note(0, q, least[(q - first) * length + length - 1], 0);
        for (std::int64_t t = s.begin; t < s.end; ++t) {
            path[program_.depth[t]] = program_.column[t];
            if (program_.out[t] < 0) continue;
            for (std::int64_t q = first; q < last; ++q)
                note(program_.out[t], q, least[(q - first) * length + t - s.begin], program_.depth[t]);
        }
    }
    // Both classes are nearest: the sums are made once more, along the same path, and the tied are counted.
    double settle_tie(std::int64_t query, Minima<T> m, const std::int32_t* path, int depth, SumStack<T>& stack) const {
        const T most = agreement_.limit(m);
        std::int64_t own = 0, other = 0, row = -1, position = -1;
        for (std::int64_t begin = 0; begin < data_.width; begin += tile_) {
            const std::int64_t end = std::min(data_.width, begin + tile_);
            stack.start(query, begin, end);
            for (int d = 1; d <= depth; ++d) stack.add(path[d], d, true);
            if (agreement_.by_index()) agreement_.lowest(stack.at(depth), begin, end, most, row, position);
            else agreement_.count(stack, stack.at(depth), most, own, other);
        }
        if (agreement_.by_index()) return data_.class_of[position] == data_.class_of[query];
        return static_cast<double>(own) / static_cast<double>(own + other);
    }

    const SweepData<T>& data_;
    const SweepProgram& program_;
    SweepPlan plan_;
    std::int64_t tile_;
    Agreement<T> agreement_;
    std::vector<std::int64_t> queries_;
};

// Positions per tile: the sums on the stack and the columns of the program should stay in the cache of one core.
std::int64_t tile_width(const SweepProgram& program, std::int64_t width, std::size_t size) {
    std::vector<std::int32_t> columns(program.column, program.column + program.n_steps);
    columns.insert(columns.end(), program.base.begin(), program.base.end());
    std::sort(columns.begin(), columns.end());
    const auto used = std::unique(columns.begin(), columns.end()) - columns.begin() + program.deepest + 2;
    const std::int64_t fit = (384 * 1024) / (static_cast<std::int64_t>(size) * used) / kSweepAlign * kSweepAlign;
    return std::min(width, std::max<std::int64_t>(fit, 256));
}

template <class T> struct LabelingsVisitor {
    static constexpr bool needs_sums = true;
    const SweepData<T>& data;
    Agreement<T> agreement;
    const std::uint16_t* labels;
    std::int64_t n_labelings;
    std::vector<std::int64_t> tied;
    std::vector<std::int32_t> same;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T> m, const Sums& sums, const SumStack<T>&,
                    double* into) {
        const T* d = sums();
        const T most = agreement.limit(m);
        tied.clear();
        for (std::int64_t j = 0; j < data.width; ++j)
            if (d[j] <= most) tied.push_back(j);
        const std::uint16_t* own = labels + query * n_labelings;
        double* sum = into + out * n_labelings;
        same.assign(n_labelings, 0);
        for (const std::int64_t j : tied) {
            const std::uint16_t* theirs = labels + j * n_labelings;
            for (std::int64_t b = 0; b < n_labelings; ++b) same[b] += own[b] == theirs[b];
        }
        const auto size = static_cast<double>(tied.size());
        for (std::int64_t b = 0; b < n_labelings; ++b) sum[b] += same[b] / size;
    }
};

} // namespace

template <class T>
bool sweep_agreement(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, SweepTies ties, double* sums,
                     double* samples) {
    const std::int64_t tile = tile_width(program, data.width, sizeof(T));
    if (tile < data.width) return TiledThornton<T>(data, program, plan, ties, tile).run(sums, samples);
    const auto n = static_cast<std::int64_t>(query_positions(data).size());
    return walk<T>(data, program, plan, 1, ThorntonVisitor<T>{data, {data, plan, ties}, samples, n}, sums);
}

template <class T>
bool sweep_labelings(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan,
                     const std::uint16_t* labels, std::int64_t n_labelings, double* sums) {
    const Agreement<T> agreement(data, plan, SweepTies::expected);
    return walk<T>(data, program, plan, n_labelings, LabelingsVisitor<T>{data, agreement, labels, n_labelings, {}, {}}, sums);
}

#define SEPAL_SWEEPS(T)                                                                                                \
    template bool sweep_agreement<T>(const SweepData<T>&, const SweepProgram&, const SweepPlan&, SweepTies, double*,   \
                                     double*);                                                                         \
    template bool sweep_labelings<T>(const SweepData<T>&, const SweepProgram&, const SweepPlan&, const std::uint16_t*, \
                                     std::int64_t, double*);
SEPAL_SWEEPS(float)
SEPAL_SWEEPS(double)

} // namespace sepal
