// The list of algorithms for SpMM, in the order in which tables show them.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "spmm/algorithms.hpp"

namespace sparserepro {
namespace {

/// Algorithms that take A^T, and those that take fp32; the others are written for A and fp64.
constexpr const char* takes_transpose[] = {
    "serial_csr",        "omp_csr_blocked", "cuda_csr_balanced", "cusparse_csr",
    "cusparse_csr_kept", "eigen_csr",       "graphblas_csr",     "mkl_csr"};
constexpr const char* takes_fp32[] = {"serial_csr",   "omp_csr_blocked",   "cuda_csr_balanced",
                                      "cusparse_csr", "cusparse_csr_kept", "eigen_csr",
                                      "mkl_csr"};

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// With the refusal of operations and types that it does not know before its own.
Algorithm<SpmmProblem> restricted(Algorithm<SpmmProblem> algorithm) {
  const bool transposes = is_among(algorithm.name, takes_transpose);
  const bool narrow = is_among(algorithm.name, takes_fp32);
  algorithm.refusal = [transposes, narrow, name = algorithm.name, own = algorithm.refusal](
                          const SpmmProblem& problem, const Params& params) -> std::string {
    if (problem.op() == Operation::transpose && !transposes) {
      return name + " has no product with A^T";
    }
    if (problem.value_type() == DataType::fp32 && !narrow) {
      return name + " is of fp64";
    }
    return own ? own(problem, params) : "";
  };
  return algorithm;
}

std::vector<Algorithm<SpmmProblem>> restricted(std::vector<Algorithm<SpmmProblem>> table) {
  std::transform(table.begin(), table.end(), table.begin(),
                 [](const Algorithm<SpmmProblem>& each) { return restricted(each); });
  return table;
}

}  // namespace

const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms() {
  static const std::vector<Algorithm<SpmmProblem>> table = restricted({
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
      spmm_cusparse_csr_kept(),
      spmm_cusparse_coo(),
      spmm_cusparse_bsr(),
      spmm_cusparse_spmv(),
      spmm_cusparse_spmv_op(),
      spmm_eigen_csr(),
      spmm_graphblas_csr(),
      spmm_mkl_csr(),
      spmm_aocl_csr(),
  });
  return table;
}

}  // namespace sparserepro
