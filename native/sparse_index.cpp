// Rows into the index and out of it.
#include <algorithm>
#include <cmath>

#include "sparse_index.hpp"

namespace sepal {
namespace {

// Adding a column of a slab costs about as much as walking along a list of a 32nd of its slots.
constexpr std::int64_t kColumnShare = 32;
constexpr std::int64_t kFewestInColumn = 64;
constexpr double kMostInFrame = 1e30; // of squared lengths as float32

// |x - z|^2, one term after the other.
double squared_gap(const SparseRow& x, const SparseRow& z) {
    double sum = 0;
    std::int64_t i = 0, j = 0;
    while (i < x.n || j < z.n) {
        const bool left = j == z.n || (i < x.n && x.terms[i] <= z.terms[j]);
        const bool right = i == x.n || (j < z.n && z.terms[j] <= x.terms[i]);
        const double gap = (left ? x.values[i] : 0.0) - (right ? z.values[j] : 0.0);
        sum += gap * gap;
        i += left;
        j += right;
    }
    return sum;
}

double product(const SparseRow& x, const SparseRow& z) {
    double sum = 0;
    for (std::int64_t i = 0, j = 0; i < x.n && j < z.n;) {
        const std::int32_t a = x.terms[i], b = z.terms[j];
        if (a == b) sum += x.values[i] * z.values[j];
        i += a <= b;
        j += b <= a;
    }
    return sum;
}

} // namespace

double SparseIndex::exact(const SparseRow& query, std::int32_t slot) const {
    // Below this share of the lengths |x|^2 + |z|^2 - 2 x.z cancels, and |x - z|^2 is summed instead.
    constexpr double cancels = 0.1;
    const SparseRow point = row(slot);
    const double total = kind_ == SparseKind::cosine ? 2.0 : query.length + point.length;
    double square = std::max(total - 2.0 * product(query, point), 0.0);
    if (!(square >= cancels * total)) square = squared_gap(query, point) + query.beyond;
    if (kind_ != SparseKind::tanimoto) return square;
    return total + square > 0 ? 2.0 * square / (total + square) : 0.0;
}

void SparseIndex::add(const SparseView& rows, const std::int32_t* ids, const std::int32_t* codes) {
    const std::int64_t n_cells = rows.start[rows.n];
    terms_.reserve(terms_.size() + static_cast<std::size_t>(n_cells));
    values_.reserve(values_.size() + static_cast<std::size_t>(n_cells));
    std::vector<std::int32_t> given;
    given.reserve(static_cast<std::size_t>(rows.n));
    bool in_frame = true;
    for (std::int64_t i = 0; i < rows.n; ++i) {
        const SparseRow row = row_of(rows, i);
        if (free_.empty()) {
            free_.push_back(n_slots());
            slots_.emplace_back();
        }
        const std::int32_t slot = free_.back();
        free_.pop_back();
        slots_[slot] = {static_cast<std::int64_t>(terms_.size()), static_cast<std::int32_t>(row.n), ids[i], codes[i], row.length};
        terms_.insert(terms_.end(), row.terms, row.terms + row.n);
        values_.insert(values_.end(), row.values, row.values + row.n);
        slot_of_[ids[i]] = slot;
        most_id_ = std::max(most_id_, ids[i]);
        most_code_ = std::max(most_code_, codes[i]);
        if (row.n > 0 && row.terms[row.n - 1] >= static_cast<std::int64_t>(by_term_.size())) by_term_.resize(row.terms[row.n - 1] + 1);
        in_frame = in_frame && row.length * factor_ < kMostInFrame;
        given.push_back(slot);
    }
    n_rows_ += rows.n;
    if (n_rows_ > 2 * organised_ || !in_frame) organise();
    else
        for (const std::int32_t slot : given) put(slot);
}

bool SparseIndex::remove(const std::int32_t* ids, std::int64_t n) {
    std::vector<std::int32_t> going;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto found = slot_of_.find(ids[i]);
        if (found == slot_of_.end()) return false;
        going.push_back(found->second);
    }
    std::sort(going.begin(), going.end());
    if (std::adjacent_find(going.begin(), going.end()) != going.end()) return false;
    for (const std::int32_t slot : going) take(slot);
    n_rows_ -= n;
    if (4 * holes_ > static_cast<std::int64_t>(terms_.size())) forget_holes();
    if (n_slots() > 2 * n_rows_ + kSlab) organise();
    return true;
}

void SparseIndex::take(std::int32_t slot) {
    Slot& at = slots_[slot];
    Slab& slab = slabs_[slot / kSlab];
    for (std::int64_t j = at.first; j < at.first + at.n; ++j) {
        TermRows& rows = by_term_[terms_[j]];
        if (rows.column >= 0) {
            slab.cells[static_cast<std::size_t>(rows.column) * kSlab + slot % kSlab] = 0;
        } else {
            const auto found = std::lower_bound(rows.list.begin(), rows.list.end(), slot,
                                                [](const Posting& each, std::int32_t wanted) { return each.slot < wanted; });
            rows.list.erase(found);
        }
        terms_[j] = 0;
        values_[j] = 0;
    }
    slab.base[slot % kSlab] = std::numeric_limits<float>::infinity();
    slab.root[slot % kSlab] = 0;
    holes_ += at.n;
    slot_of_.erase(at.id);
    at = Slot{};
    free_.push_back(slot);
}

// The rows' own cells, one after the other again.
void SparseIndex::forget_holes() {
    std::vector<std::int32_t> by_place;
    for (std::int32_t slot = 0; slot < n_slots(); ++slot)
        if (slots_[slot].id >= 0) by_place.push_back(slot);
    std::sort(by_place.begin(), by_place.end(), [this](std::int32_t a, std::int32_t b) { return slots_[a].first < slots_[b].first; });
    std::int64_t to = 0;
    for (const std::int32_t slot : by_place) {
        Slot& at = slots_[slot];
        std::copy_n(terms_.begin() + at.first, at.n, terms_.begin() + to);
        std::copy_n(values_.begin() + at.first, at.n, values_.begin() + to);
        at.first = to;
        to += at.n;
    }
    terms_.resize(to);
    values_.resize(to);
    terms_.shrink_to_fit();
    values_.shrink_to_fit();
    holes_ = 0;
}

double SparseIndex::column_norm(const Slot& at) const {
    double sum = 0;
    for (std::int64_t j = at.first; j < at.first + at.n; ++j)
        if (by_term_[terms_[j]].column >= 0) sum += values_[j] * values_[j];
    return std::sqrt(sum) * unit(at);
}

// Which terms get columns, and room for the lists of the others.
void SparseIndex::choose_columns() {
    std::vector<std::int32_t> holders(by_term_.size(), 0);
    for (const Slot& at : slots_)
        for (std::int64_t j = at.first; j < at.first + at.n; ++j) ++holders[terms_[j]];
    n_columns_ = 0;
    for (std::size_t term = 0; term < by_term_.size(); ++term) {
        TermRows& rows = by_term_[term];
        std::vector<Posting>().swap(rows.list);
        rows.column = holders[term] >= kFewestInColumn && holders[term] * kColumnShare >= n_rows_ ? n_columns_++ : -1;
        if (rows.column < 0) rows.list.reserve(holders[term]);
    }
}

// Rows of like length stand together, so that a slab's bounds are close to those of its rows.
void SparseIndex::order_slots() {
    std::erase_if(slots_, [](const Slot& at) { return at.id < 0; });
    free_.clear();
    std::vector<std::pair<double, std::int32_t>> order(slots_.size());
    for (std::int32_t slot = 0; slot < n_slots(); ++slot)
        order[slot] = {kind_ == SparseKind::cosine ? -column_norm(slots_[slot]) : slots_[slot].length, slot};
    std::sort(order.begin(), order.end());
    std::vector<Slot> sorted;
    sorted.reserve(slots_.size());
    for (const auto& [key, slot] : order) {
        sorted.push_back(slots_[slot]);
        slot_of_[slots_[slot].id] = static_cast<std::int32_t>(sorted.size()) - 1;
    }
    slots_.swap(sorted);
}

void SparseIndex::organise() {
    choose_columns();
    order_slots();
    double longest = 0;
    for (const Slot& at : slots_) longest = std::max(longest, at.length);
    factor_ = longest > 0 && std::isfinite(longest) && kind_ == SparseKind::euclidean ? std::exp2(-std::ceil(std::log2(longest))) : 1;
    std::vector<Slab>().swap(slabs_);
    // Scales first, so that no cell is rounded twice.
    slabs_.resize((slots_.size() + kSlab - 1) / kSlab);
    for (Slab& slab : slabs_) slab.scale.assign(n_columns_, 0.0f);
    for (std::int32_t slot = 0; slot < n_slots(); ++slot) {
        const Slot& at = slots_[slot];
        for (std::int64_t j = at.first; j < at.first + at.n; ++j)
            if (const std::int32_t column = by_term_[terms_[j]].column; column >= 0) {
                float& scale = slabs_[slot / kSlab].scale[column];
                scale = std::max(scale, static_cast<float>(std::abs(values_[j]) * unit(at)));
            }
    }
    for (std::int32_t slot = 0; slot < n_slots(); ++slot) put(slot);
    organised_ = n_rows_;
}

void SparseIndex::put(std::int32_t slot) {
    const Slot& at = slots_[slot];
    if (static_cast<std::size_t>(slot / kSlab) >= slabs_.size()) slabs_.resize(slot / kSlab + 1);
    Slab& slab = slabs_[slot / kSlab];
    const int place = slot % kSlab;
    if (slab.base.empty()) {
        slab.base.assign(kSlab, std::numeric_limits<float>::infinity());
        slab.root.assign(kSlab, 0.0f);
        slab.cells.assign(static_cast<std::size_t>(n_columns_) * kSlab, 0);
        slab.scale.resize(n_columns_, 0.0f);
    }
    for (std::int64_t j = at.first; j < at.first + at.n; ++j) {
        TermRows& rows = by_term_[terms_[j]];
        const auto weight = static_cast<float>(values_[j] * unit(at));
        if (rows.column >= 0) {
            put_cell(slab, rows.column, place, weight);
        } else if (rows.list.empty() || rows.list.back().slot < slot) {
            rows.list.push_back({slot, weight});
        } else {
            rows.list.insert(std::lower_bound(rows.list.begin(), rows.list.end(), slot,
                                              [](const Posting& each, std::int32_t wanted) { return each.slot < wanted; }),
                             {slot, weight});
        }
    }
    slab.column_norm = std::max(slab.column_norm, static_cast<float>(column_norm(at)));
    slab.base[place] = kind_ == SparseKind::cosine ? 2.0f : static_cast<float>(std::min(at.length * factor_, kMostInFrame));
    slab.root[place] = kind_ == SparseKind::cosine ? 1.0f : static_cast<float>(std::sqrt(std::min(at.length * factor_, kMostInFrame)));
    slab.used = std::max(slab.used, place + 1);
}

void SparseIndex::put_cell(Slab& slab, std::int32_t column, int at, float weight) {
    float& scale = slab.scale[column];
    std::int8_t* cells = slab.cells.data() + static_cast<std::size_t>(column) * kSlab;
    if (scale == 0) scale = std::abs(weight);
    // A cell that was off by at most e of its units is off by at most (e + 1) / 2 < 1 of twice as large ones.
    for (; std::abs(weight) > scale; scale *= 2)
        for (int i = 0; i < kSlab; ++i) cells[i] = static_cast<std::int8_t>((cells[i] + (cells[i] > 0)) / 2);
    cells[at] = scale > 0 ? static_cast<std::int8_t>(std::lrint(weight / scale * 127.0f)) : 0;
}

std::size_t SparseIndex::bytes() const {
    std::size_t total = slots_.capacity() * sizeof(Slot) + terms_.capacity() * (sizeof(std::int32_t) + sizeof(double)) +
                        by_term_.capacity() * sizeof(TermRows) + slot_of_.size() * 4 * sizeof(void*);
    for (const TermRows& rows : by_term_) total += rows.list.capacity() * sizeof(Posting);
    for (const Slab& slab : slabs_) total += slab.cells.capacity() + slab.scale.capacity() * sizeof(float) + 2 * kSlab * sizeof(float);
    return total;
}

} // namespace sepal
