// The public views (include/sparserepro/arrays.hpp) of the containers of this folder.
#pragma once

#include "formats/csr.hpp"
#include "formats/dense.hpp"
#include "formats/graph.hpp"
#include "sparserepro/arrays.hpp"

namespace sparserepro {

template <class Offset, class Value>
CsrInput public_view(const CsrView<Offset, Value>& a) {
  CsrInput view{a.rows, a.cols, static_cast<std::int64_t>(a.nnz), a.row_ptr, a.col_idx, {}};
  if constexpr (has_values<Value>) {
    view.values = a.values;
  }
  return view;
}

template <class Offset, class Value>
CsrInput public_view(const Csr<Offset, Value>& a) {
  return public_view(a.view());
}

/// The arrays of `a`, to be written.
template <class Offset, class Value>
CsrOutput public_output(Csr<Offset, Value>& a) {
  CsrOutput out{a.row_ptr.data(), a.col_idx.data(), {}};
  if constexpr (has_values<Value>) {
    out.values = a.values.data();
  }
  return out;
}

inline CsrInput public_view(const Graph& graph) {
  return {graph.vertices,       graph.vertices,       graph.stored(),
          graph.row_ptr.data(), graph.col_idx.data(), {}};
}

inline DenseInput public_view(const Dense& x) {
  return {x.rows, x.cols, x.cols, x.data.data()};
}
inline DenseOutput public_output(Dense& y) {
  return {y.rows, y.cols, y.cols, y.data.data()};
}

}  // namespace sparserepro
