// banded: square matrix with entries (i, i + trunc(d half_bandwidth / side)), d = -side .. side,
// side = (diagonals - 1) / 2. Off the main diagonal an entry is kept with probability `fill`.
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

GeneratedCsr build_banded(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), diagonals = values.index("diagonals");
  const index_t side = (diagonals - 1) / 2;  // diagonals on each side of the main one
  require(diagonals % 2 == 1, "banded: diagonals must be odd, not " + std::to_string(diagonals));
  const index_t half = values.index("half_bandwidth") == 0 ? side : values.index("half_bandwidth");
  require(half >= side, "banded: half_bandwidth=" + std::to_string(half) + " has no room for " +
                            std::to_string(side) + " diagonals on each side");
  require_memory(rows, rows);
  const std::uint64_t kept = threshold32(values.real("fill"));
  const std::uint64_t seed = values.seed();
  // Diagonals at distances of `rows` and more have no entry, however many are asked for.
  const auto reach = static_cast<index_t>(std::min<std::int64_t>(
      side, std::max<std::int64_t>(std::int64_t{rows} * side - 1, 0) / std::max(half, 1)));
  GeneratedCsr a = csr_from_rows(rows, rows, threads, [&](index_t i, const auto& emit) {
    RandomStream stream(seed, Purpose::edges, static_cast<std::uint64_t>(i));
    for (index_t d = -reach; d <= reach; ++d) {
      // Integer division rounds the distance towards the main diagonal.
      const std::int64_t j = i + (side == 0 ? 0 : std::int64_t{d} * half / side);
      if (j >= 0 && j < rows && (d == 0 || stream.bits32() < kept)) {
        emit(static_cast<index_t>(j));
      }
    }
  });
  fill_values(a, seed, threads);
  return a;
}

}  // namespace

std::vector<Family> banded_families() {
  return {{{"banded",
            "square, diagonals at even distances around the main one",
            {{"rows", "1000000", "number of rows and of columns"},
             {"diagonals", "27", "number of diagonals, odd", 1},
             {"half_bandwidth", "0", "distance of the outermost diagonal; 0: diagonals adjoin"},
             {"fill", "1", "share of the positions beside the main diagonal that are kept", 0, 1,
              false},
             seed_key()}},
           false,
           build_banded}};
}

}  // namespace sparserepro::generation
