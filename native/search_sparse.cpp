// Nearest rows in an inverted index, a batch of rows against slab after slab.
#include "search_sparse.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "candidates.hpp"
#include "threads.hpp"

namespace sepal {
constexpr float kSquareSlack = 0x1p-19f; // more than the rounding of sums of squares in float32, as a share of them
constexpr float kShareSlack = 0x1p-18f;  // and of Tanimoto's distance
}

#define SEPAL_HOT_FILE "sparse_scores.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

constexpr int kBatch = 32;           // rows that ask together, while a slab is in the cache
constexpr int kColumnsAtOnce = 1024; // columns summed before the sums are put away: 16 bits hold their rounding
constexpr float kMostSum = 31000;    // of 16 bits; the rest is left to rounding
constexpr float kFarthest = std::numeric_limits<float>::max();
constexpr float kWiden = 1.000001f;  // more than the rounding of a bound and the tie tolerance

struct Functions {
    void (*add_columns)(const std::int8_t* const*, const std::int16_t*, std::int16_t*, int);
    void (*flush_columns)(const std::int16_t*, float, float*, int);
    void (*lower_bounds)(const Slab&, const float*, float, float, float, float*, int);
    int (*pick)(const float*, float, const float*, int, std::int32_t*);
    int (*pick_both)(const float*, float, const float*, int, std::int32_t*);
};

Functions functions_for(SparseKind kind) {
    return {SEPAL_BEST(add_columns), SEPAL_BEST(flush_columns),
            kind == SparseKind::cosine      ? SEPAL_BEST(lower_bounds<SparseKind::cosine>)
            : kind == SparseKind::euclidean ? SEPAL_BEST(lower_bounds<SparseKind::euclidean>)
                                            : SEPAL_BEST(lower_bounds<SparseKind::tanimoto>),
            SEPAL_BEST(pick<false>), SEPAL_BEST(pick<true>)};
}

// A row that asks: its unit vector, taken apart into columns of the slabs and lists.
struct Asking {
    struct Column {
        std::int32_t column;
        float weight;
    };
    struct List {
        const Posting *at, *end;
        float weight;
    };
    std::vector<Column> columns;
    std::vector<List> lists;
    float norm = 0;               // within the columns
    float length = 0, root = 0;   // squared length and length, in the index's frame

    void set(const SparseIndex& index, const SparseRow& row, std::int32_t first_slot) {
        columns.clear();
        lists.clear();
        const double unit = row.length > 0 ? 1 / std::sqrt(row.length) : 0;
        double square = 0;
        for (std::int64_t j = 0; j < row.n; ++j) {
            const TermRows* rows = index.rows_with(row.terms[j]);
            if (rows == nullptr) continue;
            const auto weight = static_cast<float>(row.values[j] * unit);
            if (rows->column >= 0) {
                columns.push_back({rows->column, weight});
                square += static_cast<double>(weight) * weight;
            } else if (!rows->list.empty() && rows->list.back().slot >= first_slot) {
                const Posting *begin = rows->list.data(), *end = begin + rows->list.size();
                if (first_slot > 0)
                    begin = std::lower_bound(begin, end, first_slot, [](const Posting& each, std::int32_t wanted) { return each.slot < wanted; });
                lists.push_back({begin, end, weight});
            }
        }
        norm = static_cast<float>(std::sqrt(square)) * 1.00001f;
        // A row that is too long for float32 is no nearer than one that is not.
        const double framed = std::min(row.length * index.factor(), 1e36);
        length = static_cast<float>(framed);
        root = static_cast<float>(std::sqrt(framed));
    }
};

// What one thread needs to compare a row with a slab.
class Scorer {
  public:
    Scorer(const SparseIndex& index) : functions_(functions_for(index.kind())), kind_(index.kind()) {}

    // Lower bounds of the values from a row to those of a slab that begins at slot `first`; moves on in the row's lists.
    void score(const Slab& slab, std::int32_t first, Asking& asking) {
        n_ = (slab.used + 31) / 32 * 32;
        std::fill_n(products_, n_, 0.0f);
        for (Asking::List& list : asking.lists)
            for (; list.at != list.end && list.at->slot < first + kSlab; ++list.at)
                products_[list.at->slot - first] += list.weight * list.at->weight;
        // Of products in float32: each weight and product is rounded, and every sum, none of which exceeds 1.
        float error = static_cast<float>(asking.lists.size() + asking.columns.size() / kColumnsAtOnce + 8) * 0x1p-22f;
        for (std::size_t begin = 0; begin < asking.columns.size(); begin += kColumnsAtOnce)
            error += add_columns(slab, asking, begin, std::min(begin + kColumnsAtOnce, asking.columns.size()));
        error_ = error;
        functions_.lower_bounds(slab, products_, asking.length, asking.root, error, lower_, n_);
    }
    // How far the value of a place may be above its lower bound.
    float width(const Slab& slab, const Asking& asking, int place) const {
        const float total = slab.base[place] + asking.length, both = asking.root * slab.root[place];
        if (kind_ == SparseKind::cosine) return 4.1f * error_;
        if (kind_ == SparseKind::euclidean) return 4.1f * both * error_ + 4 * kSquareSlack * total + 1e-35f;
        return 8.2f * both * error_ / std::max(total, 1e-30f) + 4 * kShareSlack;
    }
    // Places within a limit; those without a row, infinitely far, are within none.
    int pick(float own, const float* others, std::int32_t* places) const {
        own = std::min(own, kFarthest);
        return others == nullptr ? functions_.pick(lower_, own, others, n_, places)
                                 : functions_.pick_both(lower_, own, others, n_, places);
    }
    float lower(int place) const { return lower_[place]; }

  private:
    Functions functions_;
    SparseKind kind_;
    int n_ = 0;
    float error_ = 0;
    alignas(64) float products_[kSlab];
    alignas(64) float lower_[kSlab];
    alignas(64) std::int16_t sums_[kSlab];

    // Adds the products within some columns; returns by how much they may be wrong.
    float add_columns(const Slab& slab, const Asking& asking, std::size_t begin, std::size_t end) {
        static const std::int8_t nothing[kSlab] = {};
        float squares = 0, rounded = 0;
        for (std::size_t c = begin; c < end; ++c) {
            const float scale = slab.scale[asking.columns[c].column];
            squares += scale * scale;
            rounded += std::abs(asking.columns[c].weight) * scale;
        }
        // |sum| <= |x| |z| with z as the cells have it, which is off by at most scale / 127 in each.
        const float most = asking.norm * (slab.column_norm + std::sqrt(squares) / 127) * 1.0001f;
        if (!(most > 0)) return 0;
        const float per_unit = kMostSum / most, unit = most / kMostSum;
        const std::int8_t* cells[4];
        std::int16_t factors[4];
        int held = 0, added = 0;
        std::fill_n(sums_, n_, std::int16_t{0});
        for (std::size_t c = begin; c < end; ++c) {
            const auto [column, weight] = asking.columns[c];
            factors[held] = static_cast<std::int16_t>(std::lrint(weight * slab.scale[column] * per_unit * (128.0f / 127.0f)));
            if (factors[held] == 0) continue;
            cells[held++] = slab.cells.data() + static_cast<std::size_t>(column) * kSlab;
            ++added;
            if (held < 4) continue;
            functions_.add_columns(cells, factors, sums_, n_);
            held = 0;
        }
        if (held > 0) {
            for (; held < 4; ++held) {
                cells[held] = nothing;
                factors[held] = 0;
            }
            functions_.add_columns(cells, factors, sums_, n_);
        }
        functions_.flush_columns(sums_, unit, products_, n_);
        // A cell is off by less than one of its units, a factor and a product by half a unit of the sum each.
        return rounded * (1.001f / 127) + static_cast<float>(end - begin) * 1.01f * unit + 4 * 0x1p-23f * most;
    }
};

using Found = Candidates<float>;

float as_limit(double value, double factor) { return static_cast<float>(value * factor * kWiden + 1e-35); }

struct Frame {
    const SparseIndex& index;
    const Plan& plan;
    int k;
    float zero;

    Frame(const SparseIndex& index_, const Plan& plan_)
        : index(index_), plan(plan_), k(neighbors_of(plan_, index_.n_rows())), zero(as_limit(plan_.zero, index_.factor())) {}

    void begin(Found& found, std::int64_t query) const {
        found.reset(k);
        if (plan.limits != nullptr) found.bound = as_limit(plan.reach(query), index.factor());
    }
    void push(Found& found, const Scorer& scorer, const Slab& slab, const Asking& asking, int place, std::int32_t slot) const {
        const float lower = scorer.lower(place);
        found.push(lower, lower + scorer.width(slab, asking, place), slot, k, kWiden, zero);
    }
    // Exact values of the candidates of a query.
    void decide(Found& found, const SparseRow& row, std::int64_t query, std::vector<Neighbor>& exact) const {
        exact.clear();
        for (const auto& each : found.items()) exact.push_back({index.exact(row, each.row), index.id(each.row)});
        if (plan.limits == nullptr) return;
        const double reach = plan.reach(query);
        std::erase_if(exact, [reach](const Neighbor& each) { return !(each.value <= reach); });
    }
};

// Queries against all slabs, with a list for each class.
struct Batch {
    Batch(const SparseIndex& index, int n_classes)
        : scorer(index), asking(kBatch), found(static_cast<std::size_t>(kBatch) * n_classes), places(kSlab) {}
    Scorer scorer;
    std::vector<Asking> asking;
    std::vector<Found> found;
    std::vector<std::int32_t> places;
    std::vector<Neighbor> exact;
};

} // namespace

Ranking search_sparse(const SparseIndex& index, const SparseView& queries, int n_classes, const Plan& plan) {
    const Frame frame(index, plan);
    const std::int64_t share = (queries.n + plan.threads - 1) / plan.threads;
    const auto size = std::clamp<std::int64_t>(share, 1, kBatch);
    const std::int64_t n_batches = (queries.n + size - 1) / size;
    RankingBuilder builder(queries.n * n_classes, plan.threads);
    Watch watch(plan.poll, n_batches);
    parallel_for(Loop{.n = n_batches, .threads = plan.threads}, [&] { return Batch(index, n_classes); }, [&](Batch& b, std::int64_t at) {
        if (!watch.go_on()) return;
        const std::int64_t first = at * size, n = std::min(size, queries.n - first);
        for (std::int64_t q = 0; q < n; ++q) {
            b.asking[q].set(index, row_of(queries, first + q), 0);
            for (int c = 0; c < n_classes; ++c) frame.begin(b.found[q * n_classes + c], first + q);
        }
        for (std::size_t s = 0; s < index.slabs().size(); ++s) {
            const Slab& slab = index.slabs()[s];
            const auto base = static_cast<std::int32_t>(s * kSlab);
            if (!watch.still_on()) return;
            for (std::int64_t q = 0; q < n; ++q) {
                Found* found = b.found.data() + q * n_classes;
                b.scorer.score(slab, base, b.asking[q]);
                float loosest = found[0].bound;
                for (int c = 1; c < n_classes; ++c) loosest = std::max(loosest, found[c].bound);
                const int hits = b.scorer.pick(loosest, nullptr, b.places.data());
                for (int h = 0; h < hits; ++h) {
                    const int place = b.places[h];
                    frame.push(found[n_classes > 1 ? index.code(base + place) : 0], b.scorer, slab, b.asking[q], place, base + place);
                }
            }
        }
        for (std::int64_t list = 0; list < n * n_classes; ++list) {
            const std::int64_t query = first + list / n_classes;
            frame.decide(b.found[list], row_of(queries, query), query, b.exact);
            builder.set(first * n_classes + list, b.exact, plan, this_thread());
        }
    });
    return watch.stopped() ? Ranking{} : builder.finish();
}

namespace {

// Every row against those in later slots; what is found counts for both.
class PairSearch {
  public:
    PairSearch(const SparseIndex& index, const Plan& plan)
        : frame_(index, plan), index_(index), plan_(plan), rows_(index.n_slots()),
          locks_(std::make_unique<std::mutex[]>(index.slabs().size())) {
        for (std::int32_t slot = 0; slot < index.n_slots(); ++slot)
            if (index.id(slot) >= 0) frame_.begin(rows_[slot], index.id(slot));
    }

    Ranking run() {
        const std::int64_t n = index_.n_slots(), n_batches = (n + kBatch - 1) / kBatch;
        Watch watch(plan_.poll, n_batches + (n + 1023) / 1024);
        parallel_for(Loop{.n = n_batches, .threads = plan_.threads}, [&] { return Local(index_); }, [&](Local& local, std::int64_t at) {
            if (!watch.go_on()) return;
            const auto first = static_cast<std::int32_t>(at * kBatch), last = static_cast<std::int32_t>(std::min<std::int64_t>(n, (at + 1) * kBatch));
            const auto own = static_cast<std::size_t>(first / kSlab);
            for (std::int32_t slot = first; slot < last; ++slot)
                local.asking[slot - first].set(index_, index_.row(slot), static_cast<std::int32_t>(own * kSlab));
            for (std::size_t s = own; s < index_.slabs().size(); ++s) {
                if (!watch.still_on()) return;
                visit(first, last, s, local);
            }
        });
        return watch.stopped() ? Ranking{} : decide(watch);
    }

  private:
    struct Local {
        explicit Local(const SparseIndex& index) : scorer(index), asking(kBatch), limits(kSlab), places(kSlab) {}
        Scorer scorer;
        std::vector<Asking> asking;
        std::vector<float> limits;
        std::vector<std::int32_t> places;
    };

    void visit(std::int32_t first, std::int32_t last, std::size_t s, Local& local) {
        const Slab& slab = index_.slabs()[s];
        const auto base = static_cast<std::int32_t>(s * kSlab);
        {
            const std::lock_guard guard(locks_[s]);
            for (int i = 0; i < slab.used; ++i) local.limits[i] = std::min(rows_[base + i].bound, kFarthest);
            std::fill(local.limits.begin() + slab.used, local.limits.end(), 0.0f);
        }
        for (std::int32_t slot = first; slot < last; ++slot) {
            if (index_.id(slot) < 0) continue;
            Asking& asking = local.asking[slot - first];
            local.scorer.score(slab, base, asking);
            const int hits = local.scorer.pick(bound_of(slot), local.limits.data(), local.places.data());
            if (hits == 0) continue;
            // Two locks are never held at once: first the row that asks, then those it was compared with.
            note_own(slot, base, hits, slab, asking, local);
            note_others(slot, s, hits, slab, asking, local);
        }
    }

    float bound_of(std::int32_t slot) {
        const std::lock_guard guard(locks_[slot / kSlab]);
        return rows_[slot].bound;
    }
    void note_own(std::int32_t slot, std::int32_t base, int hits, const Slab& slab, const Asking& asking, Local& local) {
        const std::lock_guard guard(locks_[slot / kSlab]);
        for (int h = 0; h < hits; ++h)
            if (const int place = local.places[h]; base + place > slot)
                frame_.push(rows_[slot], local.scorer, slab, asking, place, base + place);
    }
    void note_others(std::int32_t slot, std::size_t s, int hits, const Slab& slab, const Asking& asking, Local& local) {
        const auto base = static_cast<std::int32_t>(s * kSlab);
        const std::lock_guard guard(locks_[s]);
        for (int h = 0; h < hits; ++h)
            if (const int place = local.places[h]; base + place > slot) {
                frame_.push(rows_[base + place], local.scorer, slab, asking, place, slot);
                local.limits[place] = std::min(rows_[base + place].bound, kFarthest);
            }
    }

    Ranking decide(Watch& watch) {
        RankingBuilder builder(index_.n_rows(), plan_.threads);
        using Exact = std::vector<Neighbor>;
        parallel_for(Loop{.n = index_.n_slots(), .threads = plan_.threads, .grain = 64}, [] { return Exact(); }, [&](Exact& exact, std::int64_t i) {
            const auto slot = static_cast<std::int32_t>(i);
            if (i % 1024 == 0) watch.go_on();
            if (watch.stopped() || index_.id(slot) < 0) return;
            frame_.decide(rows_[slot], index_.row(slot), index_.id(slot), exact);
            rows_[slot].release();
            builder.set(index_.id(slot), exact, plan_, this_thread());
        });
        return watch.stopped() ? Ranking{} : builder.finish();
    }

    Frame frame_;
    const SparseIndex& index_;
    const Plan& plan_;
    std::vector<Found> rows_;             // of each slot
    std::unique_ptr<std::mutex[]> locks_; // one per slab
};

} // namespace

Ranking search_sparse_pairs(const SparseIndex& index, const Plan& plan) { return PairSearch(index, plan).run(); }

} // namespace sepal
