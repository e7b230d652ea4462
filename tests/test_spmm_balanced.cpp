// cuda_csr_balanced beyond the battery: alpha and beta, matrices that are large enough for each of
// its orders of rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "formats/error.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

#ifdef SPARSEREPRO_HAS_CUDA
#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "formats/public_views.hpp"

namespace {

/// Y <- alpha A X + beta Y on the device, between host arrays.
template <class Offset>
void multiply_csr_balanced(const Csr<Offset, double>& a, double alpha, const Dense& x, double beta,
                           Dense& y, std::optional<RowOrder> forced = {}) {
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<Offset> row_ptr(a.row_ptr, s);
  DeviceBuffer<index_t> col_idx(a.col_idx, s);
  DeviceBuffer<double> values(a.values, s), x_device(x.data, s), y_device(y.data, s);
  device::SpmmPlan plan({a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()},
                        x.cols, {.path = forced.value_or(RowOrder::automatic)});
  DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), analysis.size(), s);
  DeviceBuffer<char> workspace(plan.product_bytes(), s);
  plan(alpha, {x.rows, x.cols, x.cols, x_device.data()}, beta,
       {y.rows, y.cols, y.cols, y_device.data()}, workspace.data(), workspace.size(), s);
  y_device.copy_to(y.data.data(), s);
  stream.synchronize();
}

/// Small integers: every product and sum is exact in any order.
double small_integer(std::int64_t n) {
  return static_cast<double>(n * 7 % 11) - 5.0;
}

Dense integers(std::int64_t rows, std::int64_t cols, std::int64_t shift) {
  Dense out(rows, cols);
  for (std::size_t e = 0; e < out.data.size(); ++e) {
    out.data[e] = small_integer(static_cast<std::int64_t>(e) + shift);
  }
  return out;
}

/// Checks alpha A X + beta Y with the order of the policy and with each order of `forced`.
template <class Offset>
void check_scalars(const Matrix& matrix, std::int64_t k, const std::vector<RowOrder>& forced = {}) {
  auto a = csr_cast<Offset, double>(matrix.csr);
  for (std::size_t p = 0; p < a.values.size(); ++p) {
    a.values[p] = small_integer(static_cast<std::int64_t>(p));
  }
  const Dense x = integers(a.cols, k, 3);
  const Dense y = integers(a.rows, k, 8);
  for (const double beta : {0.0, 1.0, -2.0}) {
    Dense expected(a.rows, k);
    for (index_t i = 0; i < a.rows; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        double sum = 0;
        for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
          sum += a.values[p] * x(a.col_idx[p], j);
        }
        expected(i, j) = 3 * sum + beta * y(i, j);
      }
    }
    std::vector<std::optional<RowOrder>> orders{std::nullopt};
    for (const RowOrder order : forced) {
      if (order_refusal(order, a.nnz(), k).empty()) {
        orders.emplace_back(order);
      }
    }
    for (const std::optional<RowOrder> order : orders) {
      Dense got = y;
      if (beta == 0) {
        std::fill(got.data.begin(), got.data.end(), std::numeric_limits<double>::quiet_NaN());
      }
      multiply_csr_balanced(a, 3.0, x, beta, got, order);
      INFO("beta = " << beta << ", " << 8 * sizeof(Offset) << "-bit row pointers, order "
                     << (order ? static_cast<int>(*order) : -1));
      CHECK(got.data == expected.data);
    }
  }
}

}  // namespace

TEST_CASE("alpha A X + beta Y, exactly for small integers, and beta = 0 does not read Y") {
  require_device();
  std::vector<Matrix> matrices;
  for (const char* spec :
       {"fem:nx=7,ny=6,nz=5,dofs=3", "fem:stencil=9,nx=20,ny=20,nz=1,dofs=2",
        "fem:stencil=5,nx=40,ny=50,nz=1,dofs=1", "uniform:rows=1000,cols=900,nnz=20000",
        "banded:rows=3000,diagonals=27", "short_rows:rows=40000,cols=300,per_row=3",
        "empty_rows:rows=5000,cols=700,nnz=9000",
        "circuit:rows=9000,per_row=5,spread=40,dense_rows=3,dense_cols=2,dense_length=6000",
        "powerlaw:rows=9000,cols=8000,max_row=4000,skew=2", "star:leaves=20000",
        "uniform:rows=1,cols=70000,nnz=70000", "uniform:rows=40,cols=3000,nnz=100000"}) {
    matrices.push_back(generate(spec));
  }
  std::vector<sparserepro::testing::Entry> entries;
  for (index_t i = 0; i < 3000; ++i) {
    for (index_t e = 0; e < (i / 500 % 2 == 0 ? 0 : 4); ++e) {
      entries.emplace_back(i, (37 * i + 211 * e) % 900, 1.0);
    }
  }
  matrices.push_back(
      sparserepro::testing::matrix_from_entries("many_empty_rows_in_turn", 3000, 900, entries));
  for (const Matrix& matrix : matrices) {
    for (const std::int64_t k : {1, 2, 3, 4, 7, 8, 12, 16, 33, 64, 65, 128, 130, 200}) {
      INFO(matrix.name << ", k = " << k);
      const bool all = k == 1 || k == 3 || k == 16 || k == 130;
      check_scalars<std::int32_t>(
          matrix, k,
          all ? std::vector{RowOrder::natural, RowOrder::binned, RowOrder::grouped,
                            RowOrder::packed, RowOrder::staged, RowOrder::blocks, RowOrder::flat,
                            RowOrder::merged, RowOrder::uncut, RowOrder::short_rows}
              : std::vector{RowOrder::flat});
      if (k < 3 || k == 33) {
        check_scalars<std::int64_t>(matrix, k, {RowOrder::flat});
      }
    }
  }
}

TEST_CASE("alpha A X + beta Y on small matrices", "[small]") {
  require_device();
  for (const char* spec : {"fem:nx=3,ny=2,nz=2,dofs=3", "star:leaves=3000"}) {
    for (const std::int64_t k : {1, 12}) {
      INFO(spec << ", k = " << k);
      check_scalars<std::int64_t>(generate(spec), k);
    }
  }
}

TEST_CASE("an order that cannot take K is refused") {
  require_device();
  const auto a = csr_cast<std::int32_t, double>(generate("uniform:rows=9,cols=9,nnz=20").csr);
  const Dense x = integers(9, 66, 3);
  Dense y = integers(9, 66, 8);
  CHECK_THROWS_AS(multiply_csr_balanced(a, 1.0, x, 0.0, y, RowOrder::flat), InputError);
  CHECK_THROWS_AS(multiply_csr_balanced(a, 1.0, x, 0.0, y, RowOrder::merged), InputError);
}

TEST_CASE("one column: tasks that share rows") {
  require_device();
  for (const char* spec :
       {"rmat:scale=17,edge_factor=32,symmetric=0", "uniform:rows=120000,cols=120000,nnz=2400000",
        "circuit:rows=450000,per_row=5,spread=400,dense_rows=3,dense_cols=2,dense_length=60000"}) {
    const Matrix matrix = generate(spec);
    INFO(matrix.name);
    const std::vector<RowOrder> paths{RowOrder::natural, RowOrder::binned, RowOrder::merged};
    check_scalars<std::int32_t>(matrix, 1, paths);
    check_scalars<std::int64_t>(matrix, 1, paths);
  }
}
#endif
