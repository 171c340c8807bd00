#include "row_products.hpp"

namespace sepal {
constexpr int kRowPanel = 6, kAxisPanel = 8;
} // namespace sepal

#define SEPAL_HOT_FILE "row_products.inc.hpp"
#include "each_isa.hpp"

namespace sepal {

void row_products(Points rows, const double* shift, Points axes, double* out, double* squares, int threads) {
    const int p = rows.p;
    const std::int64_t n_axes = axes.n, panels = (n_axes + kAxisPanel - 1) / kAxisPanel;
    std::vector<double> packed(static_cast<std::size_t>(panels * kAxisPanel) * p, 0.0);
    for (std::int64_t j = 0; j < n_axes; ++j)
        for (int f = 0; f < p; ++f) packed[(j / kAxisPanel * p + f) * kAxisPanel + j % kAxisPanel] = axes.row(j)[f];
    struct Scratch {
        explicit Scratch(int p) : rows(static_cast<std::size_t>(p) * kRowPanel, 0.0), tile(kRowPanel * kAxisPanel) {}
        std::vector<double> rows, tile;
    };
    const auto function = SEPAL_BEST(products);
    const Loop loop{.n = (rows.n + kRowPanel - 1) / kRowPanel, .threads = threads, .grain = 4};
    parallel_for(loop, [p] { return Scratch(p); }, [&](Scratch& s, std::int64_t at) {
        const std::int64_t first = at * kRowPanel;
        const int n = static_cast<int>(std::min<std::int64_t>(kRowPanel, rows.n - first));
        for (int r = 0; r < n; ++r) {
            const double* x = rows.row(first + r);
            double square = 0;
            for (int f = 0; f < p; ++f) {
                const double t = shift == nullptr ? x[f] : x[f] - shift[f];
                s.rows[static_cast<std::size_t>(f) * kRowPanel + r] = t;
                square += t * t;
            }
            if (squares != nullptr) squares[first + r] = square;
        }
        for (std::int64_t panel = 0; panel < panels; ++panel) {
            function(s.rows.data(), packed.data() + panel * kAxisPanel * p, p, s.tile.data());
            const int m = static_cast<int>(std::min<std::int64_t>(kAxisPanel, n_axes - panel * kAxisPanel));
            for (int r = 0; r < n; ++r)
                std::copy_n(s.tile.data() + r * kAxisPanel, m, out + (first + r) * n_axes + panel * kAxisPanel);
        }
    });
}

} // namespace sepal
