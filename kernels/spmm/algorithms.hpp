// One function per algorithm file; registry.cpp alone calls them.
#pragma once

#include "spmm/spmm.hpp"

namespace sparserepro {

Algorithm<SpmmProblem> spmm_serial_csr();
Algorithm<SpmmProblem> spmm_serial_ellpack();
Algorithm<SpmmProblem> spmm_serial_ellpack_no_padding();
Algorithm<SpmmProblem> spmm_omp_csr();
Algorithm<SpmmProblem> spmm_omp_ellpack();
Algorithm<SpmmProblem> spmm_omp_ellpack_no_padding();
Algorithm<SpmmProblem> spmm_cusparse_csr();
Algorithm<SpmmProblem> spmm_cusparse_spmv();
Algorithm<SpmmProblem> spmm_eigen_csr();
Algorithm<SpmmProblem> spmm_graphblas_csr();
Algorithm<SpmmProblem> spmm_mkl_csr();

}  // namespace sparserepro
