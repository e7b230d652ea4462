// Reference of the conversions: a serial counting sort by row that keeps the order of the input.
#include "convert/convert.hpp"

namespace sparserepro {

ConvertedCsr ConvertProblem::reference() const {
  std::vector<std::int64_t> next(static_cast<std::size_t>(coo_.rows) + 1, 0);
  for (const index_t row : coo_.row_idx) {
    ++next[static_cast<std::size_t>(row) + 1];
  }
  ConvertedCsr out(coo_.rows, coo_.cols, coo_.nnz());
  for (index_t i = 0; i < coo_.rows; ++i) {
    next[static_cast<std::size_t>(i) + 1] += next[i];
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    out.row_ptr[i] = next[i];
  }
  for (std::int64_t e = 0; e < coo_.nnz(); ++e) {
    const std::int64_t q = next[coo_.row_idx[e]]++;
    out.col_idx[q] = coo_.col_idx[e];
    out.values[q] = coo_.pattern() ? 1.0 : coo_.values[e];
  }
  return out;
}

}  // namespace sparserepro
