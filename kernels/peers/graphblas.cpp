#include "peers/graphblas.hpp"

#include "formats/available_cores.hpp"

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

#include <algorithm>
#include <cstdlib>
#include <new>
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
  if (info == GrB_OUT_OF_MEMORY) {
    throw std::bad_alloc();
  }
  if (info != GrB_SUCCESS && info != GrB_NO_VALUE) {
    throw std::runtime_error(std::string(call) + ": GraphBLAS error " +
                             std::to_string(static_cast<int>(info)));
  }
}

void graphblas_use_threads(int threads) {
  start();
#if GxB_IMPLEMENTATION_MAJOR >= 10
  GRB_CHECK(GrB_Global_set_INT32(GrB_GLOBAL, threads, GxB_NTHREADS));
#else
  GRB_CHECK(GxB_Global_Option_set(static_cast<GxB_Option_Field>(GxB_NTHREADS), threads));
#endif
}

GrbMatrix::GrbMatrix(GrB_Type type, std::int64_t rows, std::int64_t cols) {
  GRB_CHECK(
      GrB_Matrix_new(&matrix_, type, static_cast<GrB_Index>(rows), static_cast<GrB_Index>(cols)));
}

namespace {

#if GxB_IMPLEMENTATION_MAJOR >= 10

template <class T>
GrB_Type unsigned_type() {
  return sizeof(T) == 4 ? GrB_UINT32 : GrB_UINT64;
}

/// Has `vector` take over the memory of `count` elements.
template <class T>
void load(GrB_Vector vector, T* elements, std::size_t count, GrB_Type type) {
  void* memory = elements;
  GRB_CHECK(GxB_Vector_load(vector, &memory, type, count, count * sizeof(T), GrB_DEFAULT, nullptr));
}

/// Has `out` take over the three arrays.
template <class Pointer, class Index, class Stored>
void pack_csr(GrB_Matrix out, Pointer* pointers, Index* indices, Stored* values, GrB_Type type,
              std::size_t rows, std::size_t cols, std::size_t nnz, bool iso, bool jumbled) {
  GxB_Container container = nullptr;
  GRB_CHECK(GxB_Container_new(&container));
  load(container->p, pointers, rows + 1, unsigned_type<Pointer>());
  load(container->i, indices, nnz, unsigned_type<Index>());
  load(container->x, values, iso ? 1 : nnz, type);
  container->nrows = rows;
  container->ncols = cols;
  container->nvals = nnz;
  container->nrows_nonempty = container->ncols_nonempty = -1;  // not known
  container->format = GxB_SPARSE;
  container->orientation = GrB_ROWMAJOR;
  container->iso = iso;
  container->jumbled = jumbled;
  const GrB_Info info = GxB_load_Matrix_from_Container(out, container, nullptr);
  GRB_CHECK(GxB_Container_free(&container));
  graphblas_check(info, "GxB_load_Matrix_from_Container");
}

#else

template <class Stored>
void pack_csr(GrB_Matrix out, GrB_Index* pointers, GrB_Index* indices, Stored* values, GrB_Type,
              std::size_t rows, std::size_t, std::size_t nnz, bool iso, bool jumbled) {
  void* bytes = values;
  GRB_CHECK(GxB_Matrix_pack_CSR(out, &pointers, &indices, &bytes, (rows + 1) * sizeof(GrB_Index),
                                nnz * sizeof(GrB_Index), (iso ? 1 : nnz) * sizeof(Stored), iso,
                                jumbled, nullptr));
}

#endif

/// `a` with row pointers and indices of these types.
template <class Pointer, class Index, class Offset, class Value>
GrbMatrix matrix_of(const CsrView<Offset, Value>& a) {
  GrbMatrix out(graphblas_type<Value>(), a.rows, a.cols);
  if (a.nnz == 0) {  // the library does not take over arrays without elements
    return out;
  }
  const auto nnz = static_cast<std::size_t>(a.nnz);
  using Stored = std::conditional_t<has_values<Value>, Value, std::uint8_t>;
  auto* const pointers = allocate<Pointer>(static_cast<std::size_t>(a.rows) + 1);
  auto* const indices = allocate<Index>(nnz);
  auto* const values = allocate<Stored>(has_values<Value> ? nnz : 1);
  bool ascending = true;
#pragma omp parallel for schedule(static) reduction(&& : ascending) num_threads(available_cores())
  for (index_t i = 0; i < a.rows; ++i) {
    pointers[i] = static_cast<Pointer>(a.row_ptr[i]);
    ascending = ascending && std::is_sorted(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1]);
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      indices[p] = static_cast<Index>(a.col_idx[p]);
      if constexpr (has_values<Value>) {
        values[p] = a.values[p];
      }
    }
  }
  pointers[a.rows] = static_cast<Pointer>(nnz);
  if constexpr (!has_values<Value>) {
    values[0] = 1;
  }
  pack_csr(out.get(), pointers, indices, values, graphblas_type<Value>(),
           static_cast<std::size_t>(a.rows), static_cast<std::size_t>(a.cols), nnz,
           !has_values<Value>, !ascending);
  return out;
}

}  // namespace

template <class Offset, class Value>
GrbMatrix graphblas_matrix(const CsrView<Offset, Value>& a) {
  start();
#if GxB_IMPLEMENTATION_MAJOR >= 10
  return graphblas_pointer_bytes(a.nnz) == 4 ? matrix_of<std::uint32_t, std::uint32_t>(a)
                                             : matrix_of<std::uint64_t, std::uint32_t>(a);
#else
  return matrix_of<GrB_Index, GrB_Index>(a);
#endif
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
  if (elements != nullptr) {
    std::copy_n(elements, count, copy);
  }
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

void fill_full(const GrbMatrix& matrix, double value, std::int64_t count, int threads) {
  void* bytes = nullptr;
  GrB_Index size = 0;
  bool iso = false;
  GRB_CHECK(GxB_Matrix_unpack_FullR(matrix.get(), &bytes, &size, &iso, nullptr));
  if (iso) {
    throw std::runtime_error("GraphBLAS made one shared value of a full matrix");
  }
  auto* const elements = static_cast<double*>(bytes);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t e = 0; e < count; ++e) {
    elements[e] = value;
  }
  GRB_CHECK(GxB_Matrix_pack_FullR(matrix.get(), &bytes, size, false, nullptr));
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
