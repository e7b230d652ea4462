// Common parts of the peers that wrap cuSPARSE's generic interface: parameter `layout`, and the
// matrices that the interface cannot represent.
#pragma once

#include <string>

#include "spmm/spmm.hpp"

namespace sparserepro {

inline Parameter cusparse_layout() {
  return {"layout", "row", {"row", "column"}, "layout of X and Y: row-major or column-major"};
}

/// "" or why cuSPARSE cannot represent the matrix. A matrix without entries is accepted: the peers
/// answer it without the library.
inline std::string cusparse_refusal(const SpmmProblem& problem) {
  const Shape& shape = problem.shape();
  if (std::holds_alternative<Csr<std::int64_t, double>>(problem.matrix())) {
    return "cuSPARSE wants row pointers and column indices of one width";
  }
  return shape.stored > shape.rows * shape.cols
             ? "cuSPARSE refuses more entries than the matrix has elements"
             : "";
}

/// The matrix, if cusparse_refusal returns "".
inline const Csr<std::int32_t, double>& cusparse_matrix(const SpmmProblem& problem) {
  return std::get<Csr<std::int32_t, double>>(problem.matrix());
}

}  // namespace sparserepro
