// Reference of transposition: a stable counting sort by column, on one thread.
#include "transpose/transpose.hpp"

namespace sparserepro {

template <class Offset, class Value>
Csr<Offset, Value> transpose_reference(const Csr<Offset, Value>& a) {
  std::vector<Offset> next(static_cast<std::size_t>(a.cols) + 1, Offset{0});
  for (const index_t column : a.col_idx) {
    ++next[static_cast<std::size_t>(column) + 1];
  }
  Csr<Offset, Value> out(a.cols, a.rows, a.nnz());
  for (index_t j = 0; j < a.cols; ++j) {
    next[static_cast<std::size_t>(j) + 1] += next[j];
  }
  for (std::size_t j = 0; j < next.size(); ++j) {
    out.row_ptr[j] = next[j];
  }
  for (index_t i = 0; i < a.rows; ++i) {
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      const Offset q = next[a.col_idx[p]]++;
      out.col_idx[q] = i;
      if constexpr (has_values<Value>) {
        out.values[q] = a.values[p];
      }
    }
  }
  return out;
}

template Csr<std::int32_t, double> transpose_reference(const Csr<std::int32_t, double>&);
template Csr<std::int32_t, float> transpose_reference(const Csr<std::int32_t, float>&);
template Csr<std::int32_t, Pattern> transpose_reference(const Csr<std::int32_t, Pattern>&);
template Csr<std::int64_t, double> transpose_reference(const Csr<std::int64_t, double>&);
template Csr<std::int64_t, float> transpose_reference(const Csr<std::int64_t, float>&);
template Csr<std::int64_t, Pattern> transpose_reference(const Csr<std::int64_t, Pattern>&);

}  // namespace sparserepro
