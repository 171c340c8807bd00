/// @brief An inverted index of sparse rows (term -> rows that hold it) under the cosine, Euclidean or Tanimoto distance; rows come and go.
//
// Rows stand in slots, 1,024 to a slab. Every row is kept twice: as it is, for exact values, and as a unit vector x / |x|
// spread over its terms, for bounds. Terms that few rows hold have a list of (slot, weight); those that many rows hold
// have a column of 8-bit weights in each slab, which is summed without looking where the zeros are.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ranking.hpp"

namespace sepal {

enum class SparseKind { cosine, euclidean, tanimoto };

constexpr int kSlab = 1024; // slots

// Rows in compressed form: row i holds terms[start[i] .. start[i+1]], ascending. `lengths` are squared and contain
// `beyond`, the squared length of what no term holds.
struct SparseView {
    const std::int64_t* start;
    const std::int32_t* terms;
    const double* values;
    const double* lengths;
    const double* beyond;
    std::int64_t n;
};

struct SparseRow {
    const std::int32_t* terms;
    const double* values;
    std::int64_t n;
    double length, beyond;
};

inline SparseRow row_of(const SparseView& rows, std::int64_t i) {
    return {rows.terms + rows.start[i], rows.values + rows.start[i], rows.start[i + 1] - rows.start[i], rows.lengths[i],
            rows.beyond[i]};
}

struct Posting {
    std::int32_t slot;
    float weight; // of the unit vector
};

struct TermRows {
    std::int32_t column = -1;   // among those of the slabs, or
    std::vector<Posting> list; // ascending by slot
};

struct Slab {
    std::vector<std::int8_t> cells; // [column][slot]: weight = scale * cell / 127, off by at most scale / 127
    std::vector<float> scale;       // of each column
    std::vector<float> base, root;  // squared length and length of each slot times the frame's factor; base is infinite where no row is
    float column_norm = 0;          // the largest length of a unit vector within the columns
    int used = 0;                   // slots up to the last that ever held a row
};

class SparseIndex {
  public:
    explicit SparseIndex(SparseKind kind) : kind_(kind) {}

    // Row i is known by ids[i], which no other row has, and belongs to class codes[i].
    void add(const SparseView& rows, const std::int32_t* ids, const std::int32_t* codes);
    // Forgets rows: nothing of them is left. False, and nothing changed, if one is not there.
    bool remove(const std::int32_t* ids, std::int64_t n);

    /// The distance's value as it is ranked: 2 (1 - cos), |x - z|^2, or Tanimoto's distance.
    double exact(const SparseRow& query, std::int32_t slot) const;
    SparseRow row(std::int32_t slot) const {
        const Slot& at = slots_[slot];
        return {terms_.data() + at.first, values_.data() + at.first, at.n, at.length, 0.0};
    }
    // The rows that hold a term; nullptr if there never was one.
    const TermRows* rows_with(std::int32_t term) const {
        return term < static_cast<std::int64_t>(by_term_.size()) ? &by_term_[term] : nullptr;
    }
    std::int32_t id(std::int32_t slot) const { return slots_[slot].id; } // -1 where no row is
    std::int32_t code(std::int32_t slot) const { return slots_[slot].code; }
    bool holds(std::int32_t id) const { return slot_of_.contains(id); }
    std::int32_t most_id() const { return most_id_; }     // that ever was
    std::int32_t most_code() const { return most_code_; }
    std::int64_t n_rows() const { return n_rows_; }
    std::int32_t n_slots() const { return static_cast<std::int32_t>(slots_.size()); }
    const std::vector<Slab>& slabs() const { return slabs_; }
    SparseKind kind() const { return kind_; }
    double factor() const { return factor_; } // brings squared lengths into the range of float32
    std::size_t bytes() const;

  private:
    struct Slot {
        std::int64_t first = 0; // in terms_ and values_
        std::int32_t n = 0, id = -1, code = 0;
        double length = 0;
    };

    void organise();
    void choose_columns();
    void order_slots();
    void put(std::int32_t slot);
    void put_cell(Slab& slab, std::int32_t column, int at, float weight);
    void take(std::int32_t slot);
    void forget_holes();
    double unit(const Slot& at) const { return at.length > 0 ? 1 / std::sqrt(at.length) : 0; }
    double column_norm(const Slot& at) const;

    SparseKind kind_;
    double factor_ = 1;
    std::vector<Slot> slots_;
    std::vector<std::int32_t> free_; // slots without a row
    std::unordered_map<std::int32_t, std::int32_t> slot_of_;
    std::vector<std::int32_t> terms_; // of all rows
    std::vector<double> values_;
    std::int64_t n_rows_ = 0, holes_ = 0, organised_ = 0; // organised_: rows there were when columns were chosen
    std::int32_t most_id_ = -1, most_code_ = 0;
    std::vector<TermRows> by_term_;
    std::int32_t n_columns_ = 0;
    std::vector<Slab> slabs_;
};

} // namespace sepal
