// fem: matrix of a finite-element or finite-difference method on a regular grid of nx x ny x nz
// nodes. Each pair of neighbouring nodes gives a dense block of dofs x dofs entries. The values are
// symmetric and negative off the diagonal, with a_ii = 1 + sum_{j != i} |a_ij|; the matrix is
// therefore positive definite (Gershgorin).
#include <array>

#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

struct Grid {
  std::int64_t nx, ny, nz;
  int stencil;

  std::int64_t nodes() const { return nx * ny * nz; }

  /// Calls visit(n) for the neighbours n of `node` and for `node` itself, in ascending order.
  template <class Visit>
  void neighbours(std::int64_t node, const Visit& visit) const {
    const std::int64_t x = node % nx, y = node / nx % ny, z = node / (nx * ny);
    for (std::int64_t c = std::max<std::int64_t>(z - 1, 0); c <= std::min(z + 1, nz - 1); ++c) {
      for (std::int64_t b = std::max<std::int64_t>(y - 1, 0); b <= std::min(y + 1, ny - 1); ++b) {
        for (std::int64_t a = std::max<std::int64_t>(x - 1, 0); a <= std::min(x + 1, nx - 1); ++a) {
          if (stencil != 5 || a == x || b == y) {
            visit((c * ny + b) * nx + a);
          }
        }
      }
    }
  }
};

/// A random number in (0, 1] that is the same for (i, j) and (j, i).
double coupling(std::uint64_t seed, index_t i, index_t j) {
  const auto low = static_cast<std::uint64_t>(std::min(i, j));
  const auto high = static_cast<std::uint64_t>(std::max(i, j));
  RandomStream stream(seed, Purpose::values, high << 32 | low);
  return static_cast<double>((stream.bits64() >> 11) + 1) * 0x1p-53;
}

void fill_spd_values(GeneratedCsr& a, std::uint64_t seed, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t i = 0; i < a.rows; ++i) {
    double sum = 1;
    std::int64_t diagonal = 0;
    for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      if (a.col_idx[p] == i) {
        diagonal = p;
      } else {
        const double value = coupling(seed, i, a.col_idx[p]);
        a.values[p] = -value;
        sum += value;
      }
    }
    a.values[diagonal] = sum;
  }
}

GeneratedCsr build_fem(const SpecValues& values, int threads) {
  const Grid grid{values.integer("nx"), values.integer("ny"), values.integer("nz"),
                  static_cast<int>(values.integer("stencil"))};
  const index_t dofs = values.index("dofs");
  require(grid.stencil == 5 || grid.stencil == 9 || grid.stencil == 27,
          "fem: stencil must be 5, 9 or 27, not " + std::to_string(grid.stencil));
  require(grid.stencil == 27 || grid.nz == 1,
          "fem: stencil=" + std::to_string(grid.stencil) + " lies in a plane and needs nz=1");
  const double unknowns = static_cast<double>(grid.nx) * static_cast<double>(grid.ny) *
                          static_cast<double>(grid.nz) * dofs;
  require(unknowns <= 2147483647.0, "fem: nx * ny * nz * dofs exceeds 2147483647");
  const auto rows = static_cast<index_t>(grid.nodes() * dofs);
  require_memory(rows, std::int64_t{rows} * dofs);
  GeneratedCsr a = csr_from_rows(rows, rows, threads, [&](index_t i, const auto& emit) {
    grid.neighbours(i / dofs, [&](std::int64_t node) {
      for (index_t d = 0; d < dofs; ++d) {
        emit(static_cast<index_t>(node * dofs + d));
      }
    });
  });
  fill_spd_values(a, values.seed(), threads);
  return a;
}

}  // namespace

std::vector<Family> fem_families() {
  return {{{"fem",
            "stencil of a regular grid with dense blocks, symmetric positive definite",
            {{"stencil", "27", "points of the stencil: 5 or 9 (plane), 27 (space)", 5, 27},
             {"nx", "40", "nodes along x", 1},
             {"ny", "40", "nodes along y", 1},
             {"nz", "40", "nodes along z; 1 for a stencil in the plane", 1},
             {"dofs", "3", "unknowns of each node", 1},
             seed_key()}},
           false,
           build_fem}};
}

}  // namespace sparserepro::generation
