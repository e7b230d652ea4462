// Which paths take which problems.
#pragma once

#include <cstdint>
#include <string>

#include "sparserepro/spmm.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"

namespace sparserepro {

/// "" or why `path` takes no X of `k` columns of Element on this processor.
template <class Element>
std::string path_refusal(host::SpmmPath path, std::int64_t k) {
  using host::SpmmPath;
  if (path == SpmmPath::jagged &&
      (k != 1 || !csr_blocks::fastest_set<Element>().one_column.jagged)) {
    return "path jagged: for K = 1 in fp64 and fp32, with AVX-512 and fast gathers";
  }
  const int most = csr_blocks::fastest_set<Element>().tile_columns;
  if (k > most && path >= SpmmPath::lanes && path <= SpmmPath::band) {
    return std::string("path ") + to_string(path) +
           ": slices are made for one tile of columns, at most " + std::to_string(most) + " here";
  }
  if (path >= SpmmPath::diagonals &&
      (k != 1 || !csr_blocks::fastest_set<Element>().one_column.diagonals)) {
    return std::string("path ") + to_string(path) + ": for K = 1 in fp64 and fp32, with AVX-512";
  }
  return path == SpmmPath::band && k == 1 ? "path band: K = 1 stores bands as shifted slices" : "";
}

}  // namespace sparserepro
