#include "peers/graphblas.hpp"

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace sparserepro {
namespace {

struct Library {
  Library() { GRB_CHECK(GrB_init(GrB_NONBLOCKING)); }
  ~Library() { GrB_finalize(); }
};

void start() {
  static const Library library;
}

/// Memory that the library takes over and frees.
template <class T>
T* allocate(std::size_t count) {
  void* const memory = std::malloc(std::max<std::size_t>(count, 1) * sizeof(T));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return static_cast<T*>(memory);
}

GrB_Info export_csr(GrB_Index* p, GrB_Index* i, double* x, GrB_Index* size, GrB_Matrix a) {
  return GrB_Matrix_export_FP64(p, i, x, size, size + 1, size + 2, GrB_CSR_FORMAT, a);
}
GrB_Info export_csr(GrB_Index* p, GrB_Index* i, float* x, GrB_Index* size, GrB_Matrix a) {
  return GrB_Matrix_export_FP32(p, i, x, size, size + 1, size + 2, GrB_CSR_FORMAT, a);
}
GrB_Info export_csr(GrB_Index* p, GrB_Index* i, std::uint8_t* x, GrB_Index* size, GrB_Matrix a) {
  return GrB_Matrix_export_UINT8(p, i, x, size, size + 1, size + 2, GrB_CSR_FORMAT, a);
}

}  // namespace

void graphblas_check(GrB_Info info, const char* call) {
  if (info != GrB_SUCCESS && info != GrB_NO_VALUE) {
    throw std::runtime_error(std::string(call) + ": GraphBLAS error " +
                             std::to_string(static_cast<int>(info)));
  }
}

void graphblas_use_threads(int threads) {
  start();
  GRB_CHECK(GxB_Global_Option_set(static_cast<GxB_Option_Field>(GxB_NTHREADS), threads));
}

GrbMatrix::GrbMatrix(GrB_Type type, std::int64_t rows, std::int64_t cols) {
  GRB_CHECK(
      GrB_Matrix_new(&matrix_, type, static_cast<GrB_Index>(rows), static_cast<GrB_Index>(cols)));
}

template <class Offset, class Value>
GrbMatrix graphblas_matrix(const CsrView<Offset, Value>& a) {
  start();
  const auto nnz = static_cast<std::size_t>(a.nnz);
  const std::size_t value_count = has_values<Value> ? nnz : 1;
  auto* pointers = allocate<GrB_Index>(static_cast<std::size_t>(a.rows) + 1);
  auto* indices = allocate<GrB_Index>(nnz);
  using Stored = std::conditional_t<has_values<Value>, Value, std::uint8_t>;
  auto* values = allocate<Stored>(value_count);
  bool ascending = true;
#pragma omp parallel for schedule(static) reduction(&& : ascending) num_threads(available_cores())
  for (index_t i = 0; i < a.rows; ++i) {
    pointers[i] = static_cast<GrB_Index>(a.row_ptr[i]);
    ascending = ascending && std::is_sorted(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1]);
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      indices[p] = static_cast<GrB_Index>(a.col_idx[p]);
      if constexpr (has_values<Value>) {
        values[p] = a.values[p];
      }
    }
  }
  pointers[a.rows] = static_cast<GrB_Index>(nnz);
  if constexpr (!has_values<Value>) {
    values[0] = 1;
  }
  GrbMatrix out(graphblas_type<Value>(), a.rows, a.cols);
  if (nnz == 0) {  // the library does not take over arrays without elements
    std::free(pointers);
    std::free(indices);
    std::free(values);
    return out;
  }
  void* bytes = values;
  GRB_CHECK(GxB_Matrix_pack_CSR(out.get(), &pointers, &indices, &bytes,
                                (static_cast<std::size_t>(a.rows) + 1) * sizeof(GrB_Index),
                                nnz * sizeof(GrB_Index), value_count * sizeof(Stored),
                                !has_values<Value>, !ascending, nullptr));
  return out;
}

template <class Offset, class Value>
Csr<Offset, Value> csr_from_graphblas(const GrbMatrix& matrix) {
  GrB_Index rows = 0, cols = 0, size[3] = {};
  GRB_CHECK(GrB_Matrix_nrows(&rows, matrix.get()));
  GRB_CHECK(GrB_Matrix_ncols(&cols, matrix.get()));
  GRB_CHECK(GrB_Matrix_exportSize(&size[0], &size[1], &size[2], GrB_CSR_FORMAT, matrix.get()));
  // One element more, so that there are arrays where there are no entries.
  Buffer<GrB_Index> pointers(size[0] + 1), indices(size[1] + 1);
  using Stored = std::conditional_t<has_values<Value>, Value, std::uint8_t>;
  Buffer<Stored> values(size[2] + 1);
  GRB_CHECK(export_csr(pointers.data(), indices.data(), values.data(), size, matrix.get()));
  const auto nnz = static_cast<Offset>(size[1]);
  Csr<Offset, Value> out(static_cast<index_t>(rows), static_cast<index_t>(cols), nnz);
  std::transform(pointers.begin(), pointers.end() - 1, out.row_ptr.begin(),
                 [](GrB_Index p) { return static_cast<Offset>(p); });
  std::transform(indices.begin(), indices.end() - 1, out.col_idx.begin(),
                 [](GrB_Index i) { return static_cast<index_t>(i); });
  if constexpr (has_values<Value>) {
    std::copy_n(values.begin(), nnz, out.values.begin());
  }
  return out;
}

GrbMatrix graphblas_full(const double* elements, std::int64_t rows, std::int64_t cols) {
  start();
  const auto count = static_cast<std::size_t>(rows * cols);
  auto* const copy = allocate<double>(count);
  std::copy_n(elements, count, copy);
  GrbMatrix out(GrB_FP64, rows, cols);
  void* bytes = copy;
  GRB_CHECK(
      GxB_Matrix_pack_FullR(out.get(), &bytes, count * sizeof(double), /*iso=*/false, nullptr));
  return out;
}

void copy_full(const GrbMatrix& matrix, double* elements, std::int64_t count) {
  void* bytes = nullptr;
  GrB_Index size = 0;
  bool iso = false;
  GRB_CHECK(GxB_Matrix_unpack_FullR(matrix.get(), &bytes, &size, &iso, nullptr));
  const auto* const stored = static_cast<const double*>(bytes);
  for (std::int64_t e = 0; e < count; ++e) {
    elements[e] = stored[iso ? 0 : e];
  }
  GRB_CHECK(GxB_Matrix_pack_FullR(matrix.get(), &bytes, size, iso, nullptr));
}

#define SPARSEREPRO_INSTANTIATE(Offset, Value)                        \
  template GrbMatrix graphblas_matrix(const CsrView<Offset, Value>&); \
  template Csr<Offset, Value> csr_from_graphblas<Offset, Value>(const GrbMatrix&);
SPARSEREPRO_INSTANTIATE(std::int32_t, double)
SPARSEREPRO_INSTANTIATE(std::int32_t, float)
SPARSEREPRO_INSTANTIATE(std::int32_t, Pattern)
SPARSEREPRO_INSTANTIATE(std::int64_t, double)
SPARSEREPRO_INSTANTIATE(std::int64_t, float)
SPARSEREPRO_INSTANTIATE(std::int64_t, Pattern)
#undef SPARSEREPRO_INSTANTIATE

}  // namespace sparserepro

#endif
