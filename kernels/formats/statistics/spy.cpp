#include "formats/statistics/spy.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "formats/available_cores.hpp"
#include "formats/region_error.hpp"

namespace sparserepro {
namespace {

char digit(std::int64_t count) {
  constexpr char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
  return digits[std::min(width, 35)];
}

/// First row of block line `line`: the least i with floor(i lines / rows) >= line.
std::int64_t first_row(std::int64_t line, std::int64_t lines, std::int64_t rows) {
  return (line * rows + lines - 1) / lines;
}

}  // namespace

std::vector<std::string> spy(const Csr<std::int64_t, double>& a, int threads) {
  threads = threads > 0 ? threads : available_cores();
  const std::int64_t lines = std::min(a.rows, spy_size);
  const std::int64_t columns = std::min(a.cols, spy_size);
  std::vector<std::string> raster(static_cast<std::size_t>(lines));
  RegionError error;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t line = 0; line < lines; ++line) {
    error.guard([&] {
      std::vector<std::int64_t> count(static_cast<std::size_t>(columns), 0);
      const std::int64_t begin = a.row_ptr[first_row(line, lines, a.rows)];
      const std::int64_t end = a.row_ptr[first_row(line + 1, lines, a.rows)];
      for (std::int64_t p = begin; p < end; ++p) {
        ++count[a.col_idx[p] * columns / a.cols];
      }
      std::transform(count.begin(), count.end(), std::back_inserter(raster[line]), digit);
    });
  }
  error.rethrow();
  return raster;
}

}  // namespace sparserepro
