// THE list of algorithms for the product of a sparse matrix and a multivector.
#include "spmm/algorithms.hpp"

namespace sparserepro {

const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms() {
  static const std::vector<Algorithm<SpmmProblem>> table = {
      spmm_serial_csr(),    spmm_serial_ellpack(), spmm_serial_ellpack_no_padding(),
      spmm_omp_csr(),       spmm_omp_ellpack(),    spmm_omp_ellpack_no_padding(),
      spmm_cusparse_csr(),  spmm_cusparse_spmv(),  spmm_eigen_csr(),
      spmm_graphblas_csr(), spmm_mkl_csr(),
  };
  return table;
}

}  // namespace sparserepro
