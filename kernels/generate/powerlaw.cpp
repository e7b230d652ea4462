// powerlaw: a row has length k in [min_row, max_row] with probability proportional to k^-exponent.
// Its columns are distinct draws of order[floor(cols u^skew)], u uniform in [0, 1), `order` a
// random permutation. Position x = floor(cols u^skew) has density x^(1/skew - 1): few columns hold
// most entries.
//
// Powers are computed from products, square roots and quotients. IEEE 754 requires correct rounding
// of these three and not of pow; the table of lengths is therefore the same on every machine.
#include <cmath>

#include "formats/region_error.hpp"
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

/// base^exponent, with exponent >= 0 rounded down to a multiple of 2^-20.
double reproducible_power(double base, double exponent) {
  double result = 1;
  for (double rest = std::floor(exponent); rest > 0; --rest) {
    result *= base;
  }
  const auto fraction = static_cast<std::uint32_t>((exponent - std::floor(exponent)) * 0x1p20);
  double root = base;
  for (std::uint32_t bit = 1u << 19; bit != 0; bit >>= 1) {
    root = std::sqrt(root);
    if ((fraction & bit) != 0) {
      result *= root;
    }
  }
  return result;
}

/// sums[m] = sum_{k = low}^{low + m} k^-exponent, m = 0 .. high - low.
std::vector<double> cumulative_weights(index_t low, index_t high, double exponent) {
  std::vector<double> sums;
  double sum = 0;
  for (index_t k = low; k <= high; ++k) {
    sum += 1 / reproducible_power(k, exponent);
    sums.push_back(sum);
  }
  return sums;
}

/// Sets `out` to `count` distinct columns, ascending. Requires count <= cols / 2; a draw is then
/// new with probability >= 1 - 2^(-1/skew).
void skewed_columns(RandomStream& stream, index_t cols, int skew, std::size_t count,
                    const Buffer<index_t>& order, std::vector<index_t>& out) {
  out.clear();
  while (out.size() < count) {
    for (std::size_t missing = count - out.size(); missing > 0; --missing) {
      const double u = stream.unit();
      double position = cols;
      for (int factor = 0; factor < skew; ++factor) {
        position *= u;
      }
      out.push_back(order[std::min(static_cast<index_t>(position), cols - 1)]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
}

GeneratedCsr build_powerlaw(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), cols = values.index("cols");
  const index_t low = values.index("min_row"), high = values.index("max_row");
  require(low <= high, "powerlaw: min_row exceeds max_row");
  require(high <= cols / 2, "powerlaw: max_row=" + std::to_string(high) +
                                " exceeds half of cols=" + std::to_string(cols));
  require_memory(std::max(rows, cols), std::int64_t{rows} * low);
  const std::uint64_t seed = values.seed();
  const std::vector<double> sums = cumulative_weights(low, high, values.real("exponent"));
  GeneratedCsr a(rows, cols, 0);
  a.row_ptr[0] = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t i = 0; i < rows; ++i) {
    RandomStream stream(seed, Purpose::row_length, static_cast<std::uint64_t>(i));
    const auto found = std::upper_bound(sums.begin(), sums.end() - 1, stream.unit() * sums.back());
    a.row_ptr[i + 1] = low + (found - sums.begin());
  }
  allocate_entries(a);
  const Buffer<index_t> order = random_permutation(cols, seed);
  const int skew = static_cast<int>(values.integer("skew"));
  RegionError error;
#pragma omp parallel num_threads(threads)
  {
    std::vector<index_t> columns;
#pragma omp for schedule(dynamic, 64)
    for (index_t i = 0; i < rows; ++i) {
      RandomStream stream(seed, Purpose::column_choice, static_cast<std::uint64_t>(i));
      const auto count = static_cast<std::size_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
      error.guard([&] {
        skewed_columns(stream, cols, skew, count, order, columns);
        std::copy(columns.begin(), columns.end(), a.col_idx.begin() + a.row_ptr[i]);
      });
    }
  }
  error.rethrow();
  fill_values(a, seed, threads);
  return a;
}

}  // namespace

std::vector<Family> powerlaw_families() {
  return {{{"powerlaw",
            "row lengths of a truncated power law, columns skewed too",
            {{"rows", "300000", "number of rows"},
             {"cols", "300000", "number of columns", 2},
             {"exponent", "2", "row length k has probability proportional to k^-exponent", 0, 16,
              false},
             {"min_row", "1", "shortest row", 1},
             {"max_row", "20000", "longest row that can occur", 1},
             {"skew", "2", "columns are floor(cols * u^skew); 1: uniform", 1, 8},
             seed_key()}},
           false,
           build_powerlaw}};
}

}  // namespace sparserepro::generation
