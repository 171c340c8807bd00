// What else can be asked of the distances of many subsets: votes of neighbours, and sums over a radial kernel.
#include <bit>

#include "sweep_walk.hpp"

namespace sepal {
namespace {

template <class T> struct NeighborVisitor {
    static constexpr bool needs_sums = true;
    const SweepData<T>& data;
    const SweepPlan& plan;
    KnnQuestion ask;
    double* samples;
    std::int64_t n_queries;
    const std::vector<std::int32_t>& class_of_row;
    std::vector<T> values;
    std::vector<Neighbor> found;
    std::vector<double> ahead, group;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t, std::int64_t query, Minima<T>, const Sums& sums, const SumStack<T>&,
                    double* into) {
        rank(sums());
        const int own = data.class_of[query];
        if (ask.survival != nullptr) {
            const double right = over_splits(own);
            if (samples != nullptr) samples[out * n_queries + data.row_of[query]] = right;
            else into[out] += right;
            return;
        }
        double last = 0;
        votes(own, [&](int k, double right) {
            last = right;
            if (samples == nullptr) into[out * ask.k_max + k - 1] += right;
        });
        if (samples != nullptr) samples[out * n_queries + data.row_of[query]] = last;
    }

    // The nearest `ranks` rows, the tied group of the last one whole.
    void rank(const T* d) {
        values.clear();
        for (std::int64_t j = 0; j < data.width; ++j)
            if (data.row_of[j] >= 0) values.push_back(d[j]);
        std::nth_element(values.begin(), values.begin() + (ask.ranks - 1), values.end());
        const double most = static_cast<double>(values[ask.ranks - 1]) * (1 + plan.tie);
        found.clear();
        for (std::int64_t j = 0; j < data.width; ++j)
            if (d[j] <= most && d[j] < std::numeric_limits<T>::infinity())
                found.push_back({static_cast<double>(d[j]), static_cast<std::int32_t>(data.row_of[j])});
        const Plan settled{static_cast<int>(ask.ranks), true, plan.tie, 0.0, 1, nullptr};
        found.resize(settle(found, settled));
    }
    std::size_t group_end(std::size_t begin) const {
        std::size_t end = begin + 1;
        if (plan.ties == SweepTies::index) return end;
        while (end < found.size() && found[end].value == found[begin].value) ++end;
        return end;
    }
    double over_splits(int own) const {
        double right = 0;
        for (std::size_t begin = 0, end; begin < found.size(); begin = end) {
            end = group_end(begin);
            std::int64_t same = 0;
            for (std::size_t j = begin; j < end; ++j) same += class_of_row[found[j].row] == own;
            right += (ask.survival[begin] - ask.survival[end]) * static_cast<double>(same) / static_cast<double>(end - begin);
        }
        return right;
    }
    // A tied group that does not fit whole votes with the share of it that fits; a tied vote counts as a share.
    template <class Note> void votes(int own, const Note& note) {
        ahead.assign(data.n_classes, 0);
        for (std::size_t begin = 0, end; begin < found.size(); begin = end) {
            end = group_end(begin);
            group.assign(data.n_classes, 0);
            for (std::size_t j = begin; j < end; ++j) group[class_of_row[found[j].row]] += 1;
            for (std::size_t k = begin + 1; k <= end && static_cast<int>(k) <= ask.k_max; ++k) {
                const double fit = static_cast<double>(k - begin) / static_cast<double>(end - begin);
                double most = 0;
                for (int c = 0; c < data.n_classes; ++c) most = std::max(most, ahead[c] + fit * group[c]);
                int winners = 0;
                for (int c = 0; c < data.n_classes; ++c) winners += ahead[c] + fit * group[c] >= most - 1e-9;
                note(static_cast<int>(k), ahead[own] + fit * group[own] >= most - 1e-9 ? 1.0 / winners : 0.0);
            }
            for (int c = 0; c < data.n_classes; ++c) ahead[c] += group[c];
        }
    }
};

template <class T> struct KernelVisitor {
    static constexpr bool needs_sums = true;
    const SweepData<T>& data;
    KernelQuestion ask;
    std::vector<double> class_size, k;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t, std::int64_t query, Minima<T>, const Sums& sums, const SumStack<T>& stack,
                    double* into) {
        const T* d = sums();
        const auto& add_up = stack.kernels().sum_and_square;
        const Spans& s = stack.spans();
        double* to = into + out * ask.n_gammas * (ask.n_doublings + 1) * 5;
        for (int g = 0; g < ask.n_gammas; ++g) {
            stack.kernels().exponential(d, data.width, ask.gamma[out * ask.n_gammas + g], k.data());
            double own = 1 + add_up(k.data(), s.own); // 1: the row with itself
            double other = add_up(k.data(), s.before) + add_up(k.data(), s.after);
            for (int w = 0; w <= ask.n_doublings; ++w, to += 5) {
                // What is summed next are the squares, which are also the kernel of half the squared width.
                const double next_own = 1 + add_up(k.data(), s.own);
                const double next_other = add_up(k.data(), s.before) + add_up(k.data(), s.after);
                to[0] += own;
                to[1] += other;
                to[2] += next_own + next_other;
                to[3] += (own + other) * (own + other);
                to[4] += (own + other) * class_size[data.class_of[query]];
                own = next_own;
                other = next_other;
            }
        }
    }
};

template <class T> struct HistogramVisitor {
    static constexpr bool needs_sums = true;
    const SweepData<T>& data;
    std::int64_t* counts;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t, std::int64_t, Minima<T>, const Sums& sums, const SumStack<T>&, double*) const {
        const T* d = sums();
        std::int64_t* bins = counts + out * kSweepBins;
        for (std::int64_t j = 0; j < data.width; ++j)
            if (d[j] < std::numeric_limits<T>::infinity())
                ++bins[std::bit_cast<std::uint32_t>(static_cast<float>(d[j])) >> (23 - kSweepBinBits)];
    }
};

template <class T> std::vector<std::int32_t> classes_by_row(const SweepData<T>& data) {
    std::vector<std::int32_t> by_row(data.width, 0);
    for (std::int64_t j = 0; j < data.width; ++j)
        if (data.row_of[j] >= 0) by_row[data.row_of[j]] = data.class_of[j];
    return by_row;
}

} // namespace

template <class T>
bool sweep_neighbors(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan,
                     const KnnQuestion& ask, double* sums, double* samples) {
    const auto by_row = classes_by_row(data);
    const auto n = static_cast<std::int64_t>(query_positions(data).size());
    const NeighborVisitor<T> visitor{data, plan, ask, samples, n, by_row, {}, {}, {}, {}};
    return walk<T>(data, program, plan, ask.k_max, 256, visitor, sums);
}

template <class T>
bool sweep_kernels(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, const KernelQuestion& ask, double* sums) {
    std::vector<double> size(data.n_classes, 0);
    for (std::int64_t j = 0; j < data.width; ++j)
        if (data.row_of[j] >= 0) size[data.class_of[j]] += 1;
    return walk<T>(data, program, plan, 5 * ask.n_gammas * (ask.n_doublings + 1), 256,
                   KernelVisitor<T>{data, ask, size, std::vector<double>(data.width)}, sums);
}

template <class T>
bool sweep_histogram(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, std::int64_t* counts) {
    return walk<T>(data, program, plan, 1, 1, HistogramVisitor<T>{data, counts}, nullptr);
}

#define SEPAL_SWEEP_CRITERIA(T)                                                                                        \
    template bool sweep_neighbors<T>(const SweepData<T>&, const SweepProgram&, const SweepPlan&, const KnnQuestion&,   \
                                     double*, double*);                                                                \
    template bool sweep_kernels<T>(const SweepData<T>&, const SweepProgram&, const SweepPlan&, const KernelQuestion&,  \
                                   double*);                                                                           \
    template bool sweep_histogram<T>(const SweepData<T>&, const SweepProgram&, const SweepPlan&, std::int64_t*);
SEPAL_SWEEP_CRITERIA(float)
SEPAL_SWEEP_CRITERIA(double)

} // namespace sepal
