// Table entries of the algorithms for SpMM: one function per file, called by registry.cpp alone.
#pragma once

#include "spmm/spmm.hpp"

namespace sparserepro {

Algorithm<SpmmProblem> spmm_serial_csr();
Algorithm<SpmmProblem> spmm_serial_ellpack();
Algorithm<SpmmProblem> spmm_serial_ellpack_no_padding();
Algorithm<SpmmProblem> spmm_omp_csr();
Algorithm<SpmmProblem> spmm_omp_ellpack();
Algorithm<SpmmProblem> spmm_omp_ellpack_no_padding();
Algorithm<SpmmProblem> spmm_omp_csr_blocked();
Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v1();
Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v2();
Algorithm<SpmmProblem> spmm_cuda_csr_scalar_v3();
Algorithm<SpmmProblem> spmm_cuda_csr_vector();
Algorithm<SpmmProblem> spmm_cuda_csr_vector_sub_warp();
Algorithm<SpmmProblem> spmm_cuda_csr_vector_by_row();
Algorithm<SpmmProblem> spmm_cuda_csr_adaptive();
Algorithm<SpmmProblem> spmm_cuda_csr_adaptive_sub_blocks();
Algorithm<SpmmProblem> spmm_cuda_csr_threshold();
Algorithm<SpmmProblem> spmm_cuda_ellpack();
Algorithm<SpmmProblem> spmm_cuda_ellpack_sub_warp();
Algorithm<SpmmProblem> spmm_cuda_ellpack_column_major();
Algorithm<SpmmProblem> spmm_cuda_sell_c_sigma();
Algorithm<SpmmProblem> spmm_cuda_csr_balanced();
Algorithm<SpmmProblem> spmm_cusparse_csr();
Algorithm<SpmmProblem> spmm_cusparse_csr_kept();
Algorithm<SpmmProblem> spmm_cusparse_coo();
Algorithm<SpmmProblem> spmm_cusparse_bsr();
Algorithm<SpmmProblem> spmm_cusparse_spmv();
Algorithm<SpmmProblem> spmm_cusparse_spmv_op();
Algorithm<SpmmProblem> spmm_eigen_csr();
Algorithm<SpmmProblem> spmm_graphblas_csr();
Algorithm<SpmmProblem> spmm_mkl_csr();
Algorithm<SpmmProblem> spmm_aocl_csr();

}  // namespace sparserepro
