// The list of triangle counting algorithms, in the order in which tables show them.
#include "triangles/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<TrianglesProblem>>& triangles_algorithms() {
  static const std::vector<Algorithm<TrianglesProblem>> table = {
      triangles_serial(),
      triangles_serial_upper(),
      triangles_omp_forward(),
      triangles_omp_adaptive(),
      triangles_cusparse_spgemm(),
      triangles_cuda_block_per_row(),
      triangles_cuda_block_per_row_shared(),
      triangles_cuda_adaptive(),
      triangles_graphblas_masked(),
      triangles_igraph_triangles(),
      triangles_networkit_triangles(),
  };
  return table;
}

}  // namespace sparserepro
