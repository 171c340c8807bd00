// What can be asked of the distances of many subsets besides, or together with, Thornton's index: votes of neighbours,
// sums over a radial kernel, how the distances are distributed.
#include <bit>

#include "sweep_agreement.hpp"

namespace sepal {
namespace {

template <class T> class NeighborVisitor {
  public:
    NeighborVisitor(const SweepData<T>& data, const SweepPlan& plan, const NeighborsQuestion& ask, double* samples)
        : data_(data), tie_(plan.tie), ask_(ask), samples_(samples), n_rows_(0), position_of_(data.width, 0), near_(data.width) {
        for (std::int64_t j = 0; j < data.width; ++j)
            if (data.row_of[j] >= 0) {
                position_of_[data.row_of[j]] = static_cast<std::int32_t>(j);
                ++n_rows_;
            }
    }

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T> m, const Sums& sums, const SumStack<T>& stack, double* into) {
        rank(query, sums(), std::min(m.own, m.other), stack.kernels());
        const int own = data_.class_of[query];
        double right = 0;
        if (ask_.survival != nullptr) {
            right = over_splits(own);
            if (samples_ == nullptr) into[out] += right;
        } else {
            votes(own, [&](int k, double share) {
                right = share;
                if (samples_ == nullptr) into[out * ask_.k_max + k - 1] += share;
            });
        }
        if (samples_ != nullptr) samples_[out * n_rows_ + data_.row_of[query]] = right;
    }

  private:
    // The nearest `ranks` rows, the tied group of the last one whole.
    void rank(std::int64_t query, const T* d, T least, const SweepKernels<T>& kernels) {
        const T widen = T(1) + T(tie_);
        T last = least;
        std::int64_t n = kernels.collect(d, data_.width, least * widen, near_.data());
        if (n < ask_.ranks) { // else the first group is all there is to know
            n = kernels.collect(d, data_.width, bound(query, d) * widen, near_.data());
            values_.resize(n);
            for (std::int64_t i = 0; i < n; ++i) values_[i] = d[near_[i]];
            last = value_of_last_rank();
        }
        found_.clear();
        zone_.clear();
        bool equal = ask_.ties != SweepTies::index;
        for (std::int64_t i = 0; i < n; ++i) {
            const T value = d[near_[i]];
            const Neighbor each{static_cast<double>(value), static_cast<std::int32_t>(data_.row_of[near_[i]])};
            if (value * widen < last) {
                found_.push_back(each);
            } else if (value <= last * widen) {
                zone_.push_back(each);
                equal = equal && value == last;
            }
        }
        // What is clearly nearer than the last rank is never tied with it. Where the rest has one value it is one group,
        // however large, and need not be sorted.
        if (!equal) found_.insert(found_.end(), zone_.begin(), zone_.end());
        const auto k = static_cast<int>(equal ? found_.size() : ask_.ranks);
        found_.resize(settle(found_, {k, true, tie_, 0.0, 1, nullptr}));
        if (equal) found_.insert(found_.end(), zone_.begin(), zone_.end());
        query_ = query;
    }
    // Not less than the value of the last rank: the farthest of any `ranks` rows will do, and those that were nearest in
    // the subset before, which differs in few columns, are still near.
    T bound(std::int64_t query, const T* d) {
        if (query == query_) {
            T most = 0;
            for (std::int64_t i = 0; i < ask_.ranks; ++i) most = std::max(most, d[position_of_[found_[i].row]]);
            return most;
        }
        values_.clear();
        for (std::int64_t j = 0; j < data_.width; ++j)
            if (data_.row_of[j] >= 0) values_.push_back(d[j]);
        return value_of_last_rank();
    }
    T value_of_last_rank() {
        std::nth_element(values_.begin(), values_.begin() + (ask_.ranks - 1), values_.end());
        return values_[ask_.ranks - 1];
    }
    int class_of(std::size_t j) const { return data_.class_of[position_of_[found_[j].row]]; }
    std::size_t group_end(std::size_t begin) const {
        std::size_t end = begin + 1;
        if (ask_.ties == SweepTies::index) return end;
        while (end < found_.size() && found_[end].value == found_[begin].value) ++end;
        return end;
    }
    double over_splits(int own) const {
        double right = 0;
        for (std::size_t begin = 0, end; begin < found_.size(); begin = end) {
            end = group_end(begin);
            std::int64_t same = 0;
            for (std::size_t j = begin; j < end; ++j) same += class_of(j) == own;
            right += (ask_.survival[begin] - ask_.survival[end]) * static_cast<double>(same) / static_cast<double>(end - begin);
        }
        return right;
    }
    // A tied group that does not fit whole votes with the share of it that fits; a tied vote counts as a share.
    template <class Note> void votes(int own, const Note& note) {
        ahead_.assign(data_.n_classes, 0);
        for (std::size_t begin = 0, end; begin < found_.size(); begin = end) {
            end = group_end(begin);
            group_.assign(data_.n_classes, 0);
            for (std::size_t j = begin; j < end; ++j) group_[class_of(j)] += 1;
            for (std::size_t k = begin + 1; k <= end && static_cast<int>(k) <= ask_.k_max; ++k) {
                const double fit = static_cast<double>(k - begin) / static_cast<double>(end - begin);
                double most = 0;
                for (int c = 0; c < data_.n_classes; ++c) most = std::max(most, ahead_[c] + fit * group_[c]);
                int winners = 0;
                for (int c = 0; c < data_.n_classes; ++c) winners += ahead_[c] + fit * group_[c] >= most - 1e-9;
                note(static_cast<int>(k), ahead_[own] + fit * group_[own] >= most - 1e-9 ? 1.0 / winners : 0.0);
            }
            for (int c = 0; c < data_.n_classes; ++c) ahead_[c] += group_[c];
        }
    }

    const SweepData<T>& data_;
    double tie_;
    NeighborsQuestion ask_;
    double* samples_;
    std::int64_t n_rows_, query_ = -1;
    std::vector<std::int32_t> position_of_, near_;
    std::vector<T> values_;
    std::vector<Neighbor> found_, zone_;
    std::vector<double> ahead_, group_;
};

template <class T> class KernelVisitor {
  public:
    KernelVisitor(const SweepData<T>& data, const KernelsQuestion& ask) : data_(data), ask_(ask), size_(data.n_classes, 0), k_(data.width) {
        for (std::int64_t j = 0; j < data.width; ++j)
            if (data.row_of[j] >= 0) size_[data.class_of[j]] += 1;
    }

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T>, const Sums& sums, const SumStack<T>& stack, double* into) {
        const T* d = sums();
        const auto& kernels = stack.kernels();
        // Without row sums each pair is looked at once, from its first row, and counts twice.
        const std::int64_t first = ask_.row_sums ? 0 : query / kSweepAlign * kSweepAlign;
        const double times = ask_.row_sums ? 1 : 2;
        const Spans s = stack.spans_from(first);
        double own, other;
        const auto add_up = [&] {
            own = 1 + times * kernels.sum_and_square(k_.data(), s.own); // 1: the row with itself
            other = times * (kernels.sum_and_square(k_.data(), s.before) + kernels.sum_and_square(k_.data(), s.after));
        };
        double* to = into + out * ask_.n_gammas * (ask_.n_doublings + 1) * 5;
        for (int g = 0; g < ask_.n_gammas; ++g) {
            kernels.exponentials(d, {first, data_.width}, ask_.gamma[out * ask_.n_gammas + g], k_.data());
            if (!ask_.row_sums) std::fill(k_.begin() + first, k_.begin() + query, 0.0);
            add_up();
            for (int w = 0; w <= ask_.n_doublings; ++w, to += 5) {
                const double row = own + other;
                to[0] += own;
                to[1] += other;
                if (ask_.row_sums) {
                    to[3] += row * row;
                    to[4] += row * size_[data_.class_of[query]];
                }
                // What is summed next are the squares, which are also the kernel of half the squared width.
                add_up();
                to[2] += own + other;
            }
        }
    }

  private:
    const SweepData<T>& data_;
    KernelsQuestion ask_;
    std::vector<double> size_, k_;
};

template <class T> struct HistogramVisitor {
    const SweepData<T>& data;
    HistogramQuestion ask;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T>, const Sums& sums, const SumStack<T>&, double* into) const {
        const T* d = sums();
        double* bins = into + out * kSweepBins;
        for (std::int64_t j = query + 1; j < data.width; ++j)
            if (d[j] < std::numeric_limits<T>::infinity()) {
                const auto bits = static_cast<int>(std::bit_cast<std::uint32_t>(static_cast<float>(d[j])) >> (23 - kSweepBinBits));
                bins[std::clamp(bits - ask.first, 0, kSweepBins - 1)] += 1;
            }
    }
};

// Several questions on one walk, each with its own part of the sums.
template <class T> struct Together {
    static constexpr bool needs_sums = true;
    struct Part {
        std::variant<ThorntonVisitor<T>, NeighborVisitor<T>, KernelVisitor<T>, HistogramVisitor<T>> visitor;
        std::int64_t offset; // in numbers per subset
    };
    std::vector<Part> parts;
    std::int64_t n_out;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T> m, const Sums& sums, const SumStack<T>& stack, double* into) {
        for (Part& part : parts)
            std::visit([&](auto& visit) { visit(out, query, m, sums, stack, into + part.offset * n_out); }, part.visitor);
    }
};

// How many numbers per subset a question is answered by; 0 for samples, which are not sums.
std::int64_t channels_of(const Question& question) {
    if (const auto* ask = std::get_if<AgreementQuestion>(&question)) return ask->samples ? 0 : 1;
    if (const auto* ask = std::get_if<NeighborsQuestion>(&question)) return ask->samples ? 0 : ask->k_max;
    if (const auto* ask = std::get_if<KernelsQuestion>(&question)) return std::int64_t{5} * ask->n_gammas * (ask->n_doublings + 1);
    return kSweepBins;
}

} // namespace

template <class T>
bool sweep(const SweepData<T>& data, const SweepProgram& program, const SweepPlan& plan, const std::vector<Question>& questions,
           std::vector<std::vector<double>>& answers) {
    const auto n_rows = static_cast<std::int64_t>(query_positions(data).size());
    Together<T> together{{}, program.n_out};
    std::int64_t channels = 0;
    for (const Question& question : questions) {
        const std::int64_t each = channels_of(question);
        auto& answer = answers.emplace_back(program.n_out * (each > 0 ? each : n_rows));
        double* samples = each > 0 ? nullptr : answer.data();
        if (const auto* ask = std::get_if<AgreementQuestion>(&question)) {
            if (questions.size() == 1)
                return sweep_agreement(data, program, plan, ask->ties, samples == nullptr ? answer.data() : nullptr, samples);
            together.parts.push_back({ThorntonVisitor<T>{data, {data, plan, ask->ties}, samples, n_rows}, channels});
        } else if (const auto* ask = std::get_if<NeighborsQuestion>(&question)) {
            together.parts.push_back({NeighborVisitor<T>(data, plan, *ask, samples), channels});
        } else if (const auto* ask = std::get_if<KernelsQuestion>(&question)) {
            together.parts.push_back({KernelVisitor<T>(data, *ask), channels});
        } else {
            together.parts.push_back({HistogramVisitor<T>{data, std::get<HistogramQuestion>(question)}, channels});
        }
        channels += each;
    }
    std::vector<double> sums(program.n_out * channels);
    const bool finished = walk<T>(data, program, plan, channels, together, sums.data());
    const double* from = sums.data();
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (const std::int64_t each = channels_of(questions[i]); each > 0) {
            std::copy(from, from + program.n_out * each, answers[i].begin());
            from += program.n_out * each;
        }
    return finished;
}

template bool sweep<float>(const SweepData<float>&, const SweepProgram&, const SweepPlan&, const std::vector<Question>&,
                           std::vector<std::vector<double>>&);
template bool sweep<double>(const SweepData<double>&, const SweepProgram&, const SweepPlan&, const std::vector<Question>&,
                            std::vector<std::vector<double>>&);

} // namespace sepal
