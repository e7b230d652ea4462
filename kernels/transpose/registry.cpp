// The list of transposition algorithms, in the order in which tables show them.
#include "transpose/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<TransposeProblem>>& transpose_algorithms() {
  static const std::vector<Algorithm<TransposeProblem>> table = {
      transpose_serial(),
      transpose_omp_scantrans(),
      transpose_omp_mergetrans(),
      transpose_omp_partition(),
      transpose_omp_plan(),
      transpose_eigen_transpose(),
      transpose_graphblas_transpose(),
      transpose_mkl_convert_csr(),
      transpose_aocl_csr2csc(),
      transpose_cuda_scantrans(),
      transpose_cuda_mergetrans(),
      transpose_cuda_mergetrans_mergepath(),
      transpose_cusparse_csr2csc(),
      transpose_cusparse_spmat_convert(),
      transpose_cub_radix_sort(),
      transpose_cuda_partition(),
      transpose_cuda_plan(),
  };
  return table;
}

}  // namespace sparserepro
