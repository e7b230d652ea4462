// The public product on the host in every type, operation, layout and with scalars, against exact
// answers; new values; the same bits for any threads and layout; memory.
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/spmm.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/product_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

using Pattern64 = Csr<std::int64_t, double>;

/// The arrays of a matrix with pointers and columns of these types.
template <class Offset, class Index>
struct Indices {
  explicit Indices(const Pattern64& a)
      : row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col_idx(a.col_idx.begin(), a.col_idx.end()) {}
  Buffer<Offset> row_ptr;
  Buffer<Index> col_idx;
};

template <class Element>
ConstArray typed(const std::vector<Element>& array) {
  return {array.data(), data_type_of<Element>()};
}

/// The integers of a product, and of one with other values.
struct Integers {
  Integers(const Pattern64& a, std::int64_t k, Operation operation)
      : first(a, k, operation), second(a, k, operation, 1) {}
  IntegerProduct first, second;
};

/// One plan, two products, then new values.
template <class Element, class Offset, class Index>
void check_form(const Pattern64& a, const Integers& integers, const ProductForm& form,
                host::SpmmPath path = host::SpmmPath::automatic) {
  const std::int64_t k = integers.first.k;
  CAPTURE(to_string(data_type_of<Element>()), k, to_string(form));
  const Indices<Offset, Index> indices(a);
  const ExactProduct<Element> wanted(integers.first, form), second(integers.second, form);
  host::SpmmPlan plan({a.rows, a.cols, a.nnz(), indices.row_ptr.data(), indices.col_idx.data(),
                       typed(wanted.values)},
                      k, {.threads = 3, .path = path, .operation = form.operation});
  for (int call = 0; call < 2; ++call) {
    std::vector<Element> y = wanted.y;
    plan(form.alpha, wanted.x_at(wanted.x.data()), form.beta, wanted.y_at(y.data()));
    CHECK(wanted.is_right(y.data()));
  }
  plan.set_values(typed(second.values));
  std::vector<Element> y = second.y;
  plan(form.alpha, second.x_at(second.x.data()), form.beta, second.y_at(y.data()));
  CHECK(second.is_right(y.data()));
}

std::vector<Matrix> matrices() {
  std::vector<Matrix> all;
  for (const auto& named : battery()) {
    all.push_back(named.matrix);
  }
  return all;
}

/// Matrices whose rows are long, short, banded, in groups or of any length.
std::vector<Matrix> larger_matrices() {
  std::vector<Matrix> all;
  for (const char* const spec :
       {"uniform:rows=900,cols=700,nnz=20000,seed=1", "rmat:scale=11,edge_factor=16",
        "fem:nx=7,ny=6,nz=5,dofs=3", "banded:rows=3000,diagonals=9,half_bandwidth=8",
        "star:leaves=40000"}) {
    all.push_back(generate(spec));
  }
  return all;
}

}  // namespace

TEST_CASE("public product: every type, operation, layout and scalar on the battery",
          "[public][spmm]") {
  for (const Matrix& matrix : matrices()) {
    CAPTURE(matrix.name);
    for (const Operation operation : {Operation::none, Operation::transpose}) {
      for (const std::int64_t k : {1, 3, 8}) {
        const Integers integers(matrix.csr, k, operation);
        for (const ProductForm& form : product_forms(operation)) {
          check_form<double, std::int64_t, std::int32_t>(matrix.csr, integers, form);
          check_form<float, std::int32_t, std::int64_t>(matrix.csr, integers, form);
          check_form<Half, std::int32_t, std::int32_t>(matrix.csr, integers, form);
          check_form<Bfloat, std::int64_t, std::int64_t>(matrix.csr, integers, form);
        }
      }
    }
  }
}

TEST_CASE("public product: every type on larger matrices and any number of columns",
          "[public][spmm]") {
  for (const Matrix& matrix : larger_matrices()) {
    CAPTURE(matrix.source);
    for (const std::int64_t k : {1, 2, 4, 5, 17, 33, 71}) {
      for (const Operation operation : {Operation::none, Operation::transpose}) {
        const ProductForm form{.operation = operation, .alpha = 2, .beta = 1};
        const Integers integers(matrix.csr, k, operation);
        check_form<double, std::int32_t, std::int32_t>(matrix.csr, integers, form);
        check_form<float, std::int64_t, std::int32_t>(matrix.csr, integers, form);
        check_form<Half, std::int32_t, std::int32_t>(matrix.csr, integers, form);
        check_form<Bfloat, std::int32_t, std::int32_t>(matrix.csr, integers, form);
      }
    }
  }
}

TEST_CASE("public product: every path takes every type", "[public][spmm]") {
  for (const Matrix& matrix : larger_matrices()) {
    for (const std::int64_t k : {1, 3, 8}) {
      const ProductForm form{.alpha = 2, .beta = 1};
      const Integers integers(matrix.csr, k, Operation::none);
      for (const auto path : {host::SpmmPath::rows, host::SpmmPath::lanes, host::SpmmPath::jagged,
                              host::SpmmPath::shifted, host::SpmmPath::band, host::SpmmPath::csr,
                              host::SpmmPath::diagonals, host::SpmmPath::padded}) {
        if (path == host::SpmmPath::band && k == 1) {
          continue;
        }
        if (path >= host::SpmmPath::diagonals || path == host::SpmmPath::jagged) {
          const auto set = csr_blocks::fastest_set<double>().one_column;
          if (k == 1 && (path == host::SpmmPath::jagged ? set.jagged : set.diagonals)) {
            check_form<double, std::int32_t, std::int32_t>(matrix.csr, integers, form, path);
            check_form<float, std::int64_t, std::int32_t>(matrix.csr, integers, form, path);
          }
          continue;
        }
        CAPTURE(matrix.source, to_string(path));
        check_form<double, std::int32_t, std::int32_t>(matrix.csr, integers, form, path);
        check_form<float, std::int64_t, std::int32_t>(matrix.csr, integers, form, path);
        check_form<Half, std::int32_t, std::int32_t>(matrix.csr, integers, form, path);
        check_form<Bfloat, std::int32_t, std::int32_t>(matrix.csr, integers, form, path);
      }
    }
  }
}

TEST_CASE("public product: rounding of 16-bit numbers is that of the definition",
          "[public][spmm]") {
  // Every number of 16 bits survives the way to fp32 and back; halves of the gap go to even.
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const Bfloat bfloat{static_cast<std::uint16_t>(bits)};
    const bool half_nan = (bits & 0x7fff) > 0x7c00, bfloat_nan = (bits & 0x7fff) > 0x7f80;
    REQUIRE((half_nan ? to_float(half) != to_float(half)
                      : from_float<Half>(to_float(half)).bits == bits));
    REQUIRE((bfloat_nan ? to_float(bfloat) != to_float(bfloat)
                        : from_float<Bfloat>(to_float(bfloat)).bits == bits));
  }
  CHECK(to_float(Half{0x3c00}) == 1.0f);
  CHECK(to_float(Half{0x0001}) == 0x1p-24f);
  CHECK(to_float(Half{0xfbff}) == -65504.0f);
  CHECK(from_float<Half>(2049.0f).bits == from_float<Half>(2048.0f).bits);
  CHECK(from_float<Half>(2051.0f).bits == from_float<Half>(2052.0f).bits);
  CHECK(from_float<Half>(65519.9f).bits == 0x7bff);
  CHECK(from_float<Half>(65520.0f).bits == 0x7c00);
  CHECK(from_float<Half>(0x1p-25f).bits == 0);
  CHECK(from_float<Half>(0x1.8p-25f).bits == 1);
  CHECK(from_float<Bfloat>(257.0f).bits == from_float<Bfloat>(256.0f).bits);
  CHECK(from_float<Bfloat>(259.0f).bits == from_float<Bfloat>(260.0f).bits);
}

namespace {

/// Values in [-1, 1), no integers.
template <class Element>
std::vector<Element> fractions(std::size_t count, std::uint64_t seed) {
  std::vector<Element> all(count);
  for (std::size_t e = 0; e < count; ++e) {
    const auto mixed = static_cast<std::uint32_t>((e + seed) * 2654435761u);
    const double value = static_cast<double>(mixed) * 0x1p-31 - 1;
    if constexpr (std::is_same_v<Element, double>) {
      all[e] = value;
    } else {
      all[e] = from_float<Element>(static_cast<float>(value));
    }
  }
  return all;
}

template <class Element>
void check_bits(const Matrix& matrix, Operation operation) {
  const auto& a = matrix.csr;
  const std::int64_t k = 11;
  const bool none = operation == Operation::none;
  const std::int64_t rows = none ? a.rows : a.cols, cols = none ? a.cols : a.rows;
  const auto values = fractions<Element>(a.col_idx.size(), 5);
  const auto x = fractions<Element>(static_cast<std::size_t>(cols * k), 9);
  std::vector<Element> x_columns(x.size());
  copy_dense(x.data(), {k, 1}, x_columns.data(), {1, cols}, cols, k, 1);
  const CsrInput in{a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), typed(values)};
  constexpr DataType type = data_type_of<Element>();
  std::vector<Element> first;
  for (const int threads : {1, 2, 5}) {
    for (const bool by_columns : {false, true}) {
      std::vector<Element> y(static_cast<std::size_t>(rows * k)), y_rows(y.size());
      host::SpmmPlan plan(in, k, {.threads = threads, .operation = operation});
      if (by_columns) {
        constexpr DenseLayout columns = DenseLayout::column_major;
        plan(1.0, {cols, k, cols, typed(x_columns), columns}, 0.0,
             {rows, k, rows, {y.data(), type}, columns});
        copy_dense(y.data(), {1, rows}, y_rows.data(), {k, 1}, rows, k, 1);
      } else {
        plan(1.0, {cols, k, k, typed(x)}, 0.0, {rows, k, k, {y_rows.data(), type}});
      }
      if (first.empty()) {
        first = y_rows;
      }
      CHECK(std::memcmp(first.data(), y_rows.data(), first.size() * sizeof(Element)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("public product: few calls take A as it lies, with new values too", "[public][spmm]") {
  for (const char* const spec :
       {"rmat:scale=8,edge_factor=9", "fem:nx=5,ny=4,nz=3,dofs=3",
        "circuit:rows=4000,per_row=3,dense_rows=2,dense_cols=0,dense_length=3500"}) {
    const Pattern64 a = generate(spec).csr;
    const Indices<std::int64_t, std::int64_t> indices(a);
    for (const std::int64_t k : {1, 3, 8, 70}) {
      for (const Operation operation : {Operation::none, Operation::transpose}) {
        CAPTURE(spec, k, to_string(operation));
        const ProductForm form{.operation = operation};
        const Integers integers(a, k, operation);
        const ExactProduct<double> wanted(integers.first, form), second(integers.second, form);
        host::SpmmPlan plan({a.rows, a.cols, a.nnz(), indices.row_ptr.data(),
                             indices.col_idx.data(), typed(wanted.values)},
                            k, {.threads = 2, .operation = operation, .calls = 2});
        std::vector<double> y = wanted.y;
        plan(form.alpha, wanted.x_at(wanted.x.data()), form.beta, wanted.y_at(y.data()));
        CHECK(wanted.is_right(y.data()));
        plan.set_values(typed(second.values));
        y = second.y;
        plan(form.alpha, second.x_at(second.x.data()), form.beta, second.y_at(y.data()));
        CHECK(second.is_right(y.data()));
      }
    }
  }
}

TEST_CASE("public product: rows whose last column alone is apart are no band", "[public][spmm]") {
  std::vector<Entry> entries;
  for (index_t i = 0; i < 64; ++i) {
    for (index_t j = 0; j < 19; ++j) {
      entries.emplace_back(i, i + j, 1.0 + j);
    }
    entries.emplace_back(i, i + 40, 0.5);
  }
  const Matrix matrix = matrix_from_entries("apart", 64, 104, entries);
  for (const std::int64_t k : {2, 4, 8}) {
    const Integers integers(matrix.csr, k, Operation::none);
    for (const ProductForm& form : product_forms(Operation::none)) {
      check_form<double, std::int32_t, std::int32_t>(matrix.csr, integers, form);
    }
  }
}

TEST_CASE("public product: the same bits for any threads and layout", "[public][spmm]") {
  for (const Matrix& matrix : larger_matrices()) {
    for (const Operation operation : {Operation::none, Operation::transpose}) {
      CAPTURE(matrix.source, to_string(operation));
      check_bits<double>(matrix, operation);
      check_bits<float>(matrix, operation);
      check_bits<Half>(matrix, operation);
      check_bits<Bfloat>(matrix, operation);
    }
  }
}
