// The product of cuda_csr_balanced with its scalars, between host arrays. Without CUDA declared and
// not defined.
#pragma once

#include <optional>

#include "formats/csr.hpp"
#include "formats/dense.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"

namespace sparserepro {

/// Y <- alpha A X + beta Y; with beta = 0, Y is not read. X has a row per column of A, Y a row per
/// row of A; both have the same number of columns. `forced` takes the place of the order of rows
/// that the policy chooses. Throws CudaError, and InputError where `order_refusal` refuses it.
template <class Offset>
void multiply_csr_balanced(const Csr<Offset, double>& a, double alpha, const Dense& x, double beta,
                           Dense& y, std::optional<RowOrder> forced = {});

}  // namespace sparserepro
