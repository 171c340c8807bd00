/// @brief Share of a row's nearest neighbours that have its class, |{j tied nearest: y_j = y_i}| / |{j tied nearest}|.
//
// From the minima inside and outside the class where these are clear, else by counting the tied.
#pragma once

#include "sweep_walk.hpp"

namespace sepal {

template <class T> class Agreement {
  public:
    Agreement(const SweepData<T>& data, const SweepPlan& plan, SweepTies ties)
        : data_(data), ties_(ties), widen_(T(1) + T(plan.tie)) {}

    T limit(Minima<T> m) const { return std::min(m.own, m.other) * widen_; }
    // Whether the nearest group holds rows of one class only, and then its value; else -1.
    double clear(Minima<T> m) const {
        const T most = limit(m);
        if (m.other > most) return 1;
        if (m.own > most) return 0;
        if (ties_ == SweepTies::pessimistic) return 0;
        if (ties_ == SweepTies::optimistic) return 1;
        return -1;
    }
    void count(const SumStack<T>& stack, const T* d, T most, std::int64_t& own, std::int64_t& other) const {
        const auto& n = stack.kernels().count;
        own += n(d, stack.spans().own, most);
        other += n(d, stack.spans().before, most) + n(d, stack.spans().after, most);
    }
    // The lowest original row among the tied, as (row, position).
    void lowest(const T* d, std::int64_t begin, std::int64_t end, T most, std::int64_t& row, std::int64_t& position) const {
        for (std::int64_t j = begin; j < end; ++j)
            if (d[j - begin] <= most && (row < 0 || data_.row_of[j] < row)) {
                row = data_.row_of[j];
                position = j;
            }
    }
    bool by_index() const { return ties_ == SweepTies::index; }

  private:
    const SweepData<T>& data_;
    SweepTies ties_;
    T widen_;
};

template <class T> struct ThorntonVisitor {
    static constexpr bool needs_sums = false;
    const SweepData<T>& data;
    Agreement<T> agreement;
    double* samples;
    std::int64_t n_queries;

    template <class Sums>
    void operator()(std::int64_t out, std::int64_t query, Minima<T> m, const Sums& sums,
                    const SumStack<T>& stack, double* into) const {
        double share = agreement.clear(m);
        if (share < 0) share = settle_tie(query, m, sums(), stack);
        if (samples != nullptr) samples[out * n_queries + data.row_of[query]] = share;
        else into[out] += share;
    }
    double settle_tie(std::int64_t query, Minima<T> m, const T* d, const SumStack<T>& stack) const {
        const T most = agreement.limit(m);
        if (agreement.by_index()) {
            std::int64_t row = -1, position = -1;
            agreement.lowest(d, 0, data.width, most, row, position);
            return data.class_of[position] == data.class_of[query];
        }
        std::int64_t own = 0, other = 0;
        agreement.count(stack, d, most, own, other);
        return static_cast<double>(own) / static_cast<double>(own + other);
    }
};

} // namespace sepal
