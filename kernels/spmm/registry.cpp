// The list of algorithms for SpMM, in the order in which tables show them.
#include "spmm/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms() {
  static const std::vector<Algorithm<SpmmProblem>> table = {
      spmm_serial_csr(),
      spmm_serial_ellpack(),
      spmm_serial_ellpack_no_padding(),
      spmm_omp_csr(),
      spmm_omp_ellpack(),
      spmm_omp_ellpack_no_padding(),
      spmm_omp_csr_blocked(),
      spmm_cuda_csr_scalar_v1(),
      spmm_cuda_csr_scalar_v2(),
      spmm_cuda_csr_scalar_v3(),
      spmm_cuda_csr_vector(),
      spmm_cuda_csr_vector_sub_warp(),
      spmm_cuda_csr_vector_by_row(),
      spmm_cuda_csr_adaptive(),
      spmm_cuda_csr_adaptive_sub_blocks(),
      spmm_cuda_csr_threshold(),
      spmm_cuda_ellpack(),
      spmm_cuda_ellpack_sub_warp(),
      spmm_cuda_ellpack_column_major(),
      spmm_cuda_sell_c_sigma(),
      spmm_cuda_csr_balanced(),
      spmm_cusparse_csr(),
      spmm_cusparse_coo(),
      spmm_cusparse_bsr(),
      spmm_cusparse_spmv(),
      spmm_cusparse_spmv_op(),
      spmm_eigen_csr(),
      spmm_graphblas_csr(),
      spmm_mkl_csr(),
      spmm_aocl_csr(),
  };
  return table;
}

}  // namespace sparserepro
