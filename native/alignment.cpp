#include "alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "threads.hpp"

namespace sepal {
namespace {

constexpr int kRows = 4;    // rows that share a pass over the columns
constexpr int kBlock = 256; // rows and columns of a tile

struct Workspace {
    alignas(64) double d[kRows][kBlock];
    alignas(64) double v[kRows * kBlock]; // of the step at hand
};

// Where one tile adds: rows of the tile (by row), columns (null on the diagonal), and the squares of the tile.
struct Target {
    double* rows;
    double* cols;
    double squares;
};

struct Block {
    std::int64_t begin;
    int size;
    int cls;
};

struct Tile {
    const AlignmentInput* in;
    const std::vector<KernelStep>* steps;
    Block a, b;
    const double* cols;        // features of b, transposed and padded
    const double* alike;       // per feature its value in all rows of b, else NaN
    const double* col_weights; // of b, padded with zeros
    double* rows_to;           // [step][n]: row sums of this round
    double* cols_to;           // [step][n], or null on the diagonal
    double* d_rows_to;
    double* d_cols_to;
    double* sums; // [step][4]: total, squares, and both for the derivative
};

} // namespace
} // namespace sepal

#define SEPAL_HOT_FILE "alignment.inc.hpp"
#include "each_isa.hpp"

namespace sepal {
namespace {

std::vector<Block> blocks_of(const AlignmentInput& in) {
    std::vector<Block> blocks;
    for (std::int64_t begin = 0; begin < in.points.n;) {
        std::int64_t end = begin;
        while (end < in.points.n && in.classes[end] == in.classes[begin] && end - begin < kBlock) ++end;
        blocks.push_back({begin, static_cast<int>(end - begin), in.classes[begin]});
        begin = end;
    }
    return blocks;
}

// Columns of a block, transposed: [feature][kBlock], the rest filled with the last row at weight 0.
void pack(const AlignmentInput& in, const Block& b, double* cols, double* alike, double* weights) {
    for (int j = 0; j < kBlock; ++j) {
        const std::int64_t at = b.begin + std::min(j, b.size - 1);
        weights[j] = j < b.size ? in.weights[at] : 0.0;
        for (int f = 0; f < in.points.p; ++f) cols[static_cast<std::int64_t>(f) * kBlock + j] = in.points.row(at)[f];
    }
    for (int f = 0; f < in.points.p; ++f) {
        const double* own = cols + static_cast<std::int64_t>(f) * kBlock;
        const bool same = std::all_of(own, own + kBlock, [&](double x) { return x == own[0]; });
        alike[f] = same ? own[0] : std::numeric_limits<double>::quiet_NaN();
    }
}

// Of one thread.
struct Scratch {
    explicit Scratch(int p) : cols(static_cast<std::size_t>(p) * kBlock), alike(p), weights(kBlock) {}
    Workspace workspace;
    std::vector<double> cols, alike, weights;
};

} // namespace

// Round k pairs block i with block i + k (cyclically). Within a round every block is written once as rows and once as
// columns, into arrays of their own, so threads never meet and the order of additions is always the same.
AlignmentSums alignment_sums(const AlignmentInput& in, const std::vector<KernelStep>& steps, int threads, Poll* poll) {
    const std::vector<Block> blocks = blocks_of(in);
    const int nb = static_cast<int>(blocks.size()), n_steps = static_cast<int>(steps.size());
    const std::size_t size = static_cast<std::size_t>(n_steps) * in.points.n, d_size = in.derivative ? size : 0;
    std::vector<double> by_row(size, 0.0), by_col(size, 0.0), d_by_row(d_size, 0.0), d_by_col(d_size, 0.0);
    std::vector<double> sums(static_cast<std::size_t>(nb) * n_steps * 4);
    const auto run = SEPAL_BEST(tile);
    AlignmentSums out;
    out.within.assign(static_cast<std::size_t>(n_steps) * in.n_classes, 0.0);
    out.squares.assign(n_steps, 0.0);
    out.d_within.assign(in.derivative ? out.within.size() : 0, 0.0);
    out.d_squares.assign(in.derivative ? n_steps : 0, 0.0);
    Watch watch(poll, static_cast<std::int64_t>(nb) * (nb + 1) / 2);
    const int rounds = nb / 2 + 1;
    for (int k = 0; k < rounds; ++k) {
        const int n_tiles = 2 * k == nb ? nb / 2 : nb; // the last round of an even number would see each pair twice
        std::fill(sums.begin(), sums.end(), 0.0);
        parallel_for(Loop{.n = n_tiles, .threads = threads}, [&] { return Scratch(in.points.p); }, [&](Scratch& own, std::int64_t i) {
            if (!watch.go_on()) return;
            const Block &a = blocks[i], &b = blocks[(i + k) % nb];
            pack(in, b, own.cols.data(), own.alike.data(), own.weights.data());
            run({&in, &steps, a, b, own.cols.data(), own.alike.data(), own.weights.data(), by_row.data(), k ? by_col.data() : nullptr,
                 d_by_row.data(), k ? d_by_col.data() : nullptr, sums.data() + static_cast<std::size_t>(i) * n_steps * 4},
                own.workspace);
        });
        if (watch.stopped()) return out;
        const double copies = k ? 2.0 : 1.0; // off the diagonal every pair counts in both orders
        for (int i = 0; i < n_tiles; ++i) {
            const bool same = blocks[i].cls == blocks[(i + k) % nb].cls;
            for (int s = 0; s < n_steps; ++s) {
                const double* sum = sums.data() + (static_cast<std::size_t>(i) * n_steps + s) * 4;
                out.squares[s] += copies * sum[1];
                if (same) out.within[static_cast<std::size_t>(s) * in.n_classes + blocks[i].cls] += copies * sum[0];
                if (!in.derivative) continue;
                out.d_squares[s] += copies * sum[3];
                if (same) out.d_within[static_cast<std::size_t>(s) * in.n_classes + blocks[i].cls] += copies * sum[2];
            }
        }
    }
    for (std::size_t i = 0; i < size; ++i) by_row[i] += by_col[i];
    for (std::size_t i = 0; i < d_size; ++i) d_by_row[i] += d_by_col[i];
    out.rows = std::move(by_row);
    out.d_rows = std::move(d_by_row);
    return out;
}

} // namespace sepal
