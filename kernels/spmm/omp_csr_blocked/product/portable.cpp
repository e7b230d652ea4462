#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// What every processor has: vectors of 2, and a tail of 1, which needs no mask.
struct Portable {
  static constexpr int tile_vectors = 4;  ///< 12 sums of three rows, their values and X: 16
  template <int n>
  struct Mask {};

  template <int n>
  static Mask<n> mask(int) {
    return {};
  }
  template <int n>
  static auto load(const double* from, Mask<n>) {
    return Vectors<Portable, n>::load(from);
  }
  template <int n, class Vector>
  static void store(double* to, Mask<n>, Vector v) {
    Vectors<Portable, n>::store(to, v);
  }
};

Kernels tile(int columns, std::int64_t) {
  using Two = Vectors<Portable, 2>;
  return columns % 2 == 0 ? with_tail<Two, NoTail>(columns)
                          : with_tail<Two, Vectors<Portable, 1>>(columns);
}

}  // namespace

InstructionSet portable() {
  return {"portable", 2 * Portable::tile_vectors, tile, one_column<Vectors<Portable, 2>>()};
}

}  // namespace sparserepro::csr_blocks
