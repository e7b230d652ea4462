// Table entries of the transposition algorithms: one function per file, called by registry.cpp
// alone.
#pragma once

#include <type_traits>
#include <variant>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// Whether the matrix has values: algorithms that move values alone do not apply to patterns.
inline bool has_stored_values(const TransposeProblem& problem) {
  return std::visit(
      [](const auto& a) { return has_values<typename std::decay_t<decltype(a)>::value_type>; },
      problem.matrix());
}

/// Of algorithms that prepare the pattern of A^T: each value read once and written once. Ways with
/// one pass and with two exist, so there is no second bound.
inline Model model_of_values(const TransposeProblem& problem) {
  return std::visit(
      [](const auto& a) -> Model {
        constexpr auto value = value_bytes<typename std::decay_t<decltype(a)>::value_type>;
        return {.bytes = 2.0 * value * static_cast<double>(a.nnz()), .flops = 0.0, .second = {}};
      },
      problem.matrix());
}

Algorithm<TransposeProblem> transpose_serial();
Algorithm<TransposeProblem> transpose_omp_scantrans();
Algorithm<TransposeProblem> transpose_omp_mergetrans();
Algorithm<TransposeProblem> transpose_omp_partition();
Algorithm<TransposeProblem> transpose_omp_plan();
Algorithm<TransposeProblem> transpose_cuda_scantrans();
Algorithm<TransposeProblem> transpose_cuda_mergetrans();
Algorithm<TransposeProblem> transpose_cuda_mergetrans_mergepath();
Algorithm<TransposeProblem> transpose_cusparse_csr2csc();
Algorithm<TransposeProblem> transpose_cusparse_spmat_convert();
Algorithm<TransposeProblem> transpose_cub_radix_sort();
Algorithm<TransposeProblem> transpose_cuda_partition();
Algorithm<TransposeProblem> transpose_cuda_plan();
Algorithm<TransposeProblem> transpose_eigen_transpose();
Algorithm<TransposeProblem> transpose_graphblas_transpose();
Algorithm<TransposeProblem> transpose_mkl_convert_csr();
Algorithm<TransposeProblem> transpose_aocl_csr2csc();

}  // namespace sparserepro
