// Sizes beyond 2^31 entries and beyond one grid of column blocks. Without CUDA the functions are
// not in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/public_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Row r has the columns c with c = r modulo `step`, column c the rows r with r = c modulo `step`,
/// which divides the numbers of rows and columns. Entry e has the value e modulo 2^32.
struct Comb {
  std::int64_t rows, cols, step;

  std::int64_t per_row() const { return cols / step; }
  std::int64_t per_col() const { return rows / step; }
  std::int64_t nnz() const { return rows * per_row(); }
  index_t column(std::int64_t e) const {
    return static_cast<index_t>(e / per_row() % step + e % per_row() * step);
  }
  /// Row of entry q of the transpose, and which entry of the matrix it is.
  index_t row(std::int64_t q) const {
    return static_cast<index_t>(q / per_col() % step + q % per_col() * step);
  }
  std::int64_t source(std::int64_t q) const {
    return std::int64_t{row(q)} * per_row() + q / per_col() / step;
  }
};

constexpr std::int64_t part = std::int64_t{1} << 26;  // elements that are on the host at once

/// Fills `to` [elements] on the device with made(i), part by part.
template <class T, class Made>
void fill_from_host(T* to, std::size_t elements, const Stream& stream, const Made& made) {
  std::vector<T> some(static_cast<std::size_t>(part));
  const auto count = static_cast<std::int64_t>(elements);
  for (std::int64_t begin = 0; begin < count; begin += part) {
    const std::int64_t size = std::min(part, count - begin);
#pragma omp parallel for
    for (std::int64_t i = 0; i < size; ++i) {
      some[static_cast<std::size_t>(i)] = static_cast<T>(made(begin + i));
    }
    CUDA_CHECK(cudaMemcpyAsync(to + begin, some.data(), static_cast<std::size_t>(size) * sizeof(T),
                               cudaMemcpyHostToDevice, stream.get()));
    stream.synchronize();
  }
}
template <class T, class Made>
void fill_from_host(DeviceBuffer<T>& to, const Stream& stream, const Made& made) {
  fill_from_host(to.data(), to.size(), stream, made);
}

/// Number of i with got[i] != want(i).
template <class T, class Want>
std::int64_t wrong_elements(const DeviceBuffer<T>& got, const Stream& stream, const Want& want) {
  std::vector<T> some(static_cast<std::size_t>(part));
  const auto count = static_cast<std::int64_t>(got.size());
  std::int64_t wrong = 0;
  for (std::int64_t begin = 0; begin < count; begin += part) {
    const std::int64_t size = std::min(part, count - begin);
    CUDA_CHECK(cudaMemcpyAsync(some.data(), got.data() + begin,
                               static_cast<std::size_t>(size) * sizeof(T), cudaMemcpyDeviceToHost,
                               stream.get()));
    stream.synchronize();
#pragma omp parallel for reduction(+ : wrong)
    for (std::int64_t i = 0; i < size; ++i) {
      wrong += some[static_cast<std::size_t>(i)] != static_cast<T>(want(begin + i)) ? 1 : 0;
    }
  }
  return wrong;
}

void require_free(std::size_t bytes) {
  std::size_t free = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &all));
  if (free < bytes) {
    SKIP("the device has " << free << " bytes free; " << bytes << " are needed");
  }
}

}  // namespace

TEST_CASE("device: transposition and product of 2^31 + 2^21 entries", "[public][cuda][large]") {
  require_device();
  const Comb comb{(std::int64_t{1} << 20) + 1024, std::int64_t{1} << 20, 512};
  const std::int64_t nnz = comb.nnz();
  REQUIRE(nnz == (std::int64_t{1} << 31) + (std::int64_t{1} << 21));
  const auto entries = static_cast<std::size_t>(nnz);
  require_free(entries * 28);
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int64_t> row_ptr(static_cast<std::size_t>(comb.rows) + 1, s);
  DeviceBuffer<std::int64_t> out_ptr(static_cast<std::size_t>(comb.cols) + 1, s);
  DeviceBuffer<index_t> col_idx(entries, s);
  DeviceBuffer<std::int32_t> values(entries, s);
  fill_from_host(row_ptr, stream, [&](std::int64_t r) { return r * comb.per_row(); });
  fill_from_host(col_idx, stream, [&](std::int64_t e) { return comb.column(e); });
  CsrInput a{comb.rows,      comb.cols,      nnz,
             row_ptr.data(), col_idx.data(), {values.data(), DataType::int32}};
  {
    fill_from_host(values, stream, [](std::int64_t e) { return e; });
    device::Transposer transposer(a);
    DeviceBuffer<index_t> out_idx(entries, s);
    DeviceBuffer<std::int32_t> out_values(entries, s);
    DeviceBuffer<char> workspace(transposer.workspace_bytes(), s);
    out_ptr.fill_bytes(0xff, s);
    out_idx.fill_bytes(0xff, s);
    out_values.fill_bytes(0xff, s);
    transposer.bind(workspace.data(), workspace.size(), s);
    transposer(a, {out_ptr.data(), out_idx.data(), {out_values.data(), DataType::int32}}, s);
    stream.synchronize();
    CHECK(wrong_elements(out_ptr, stream, [&](std::int64_t c) { return c * comb.per_col(); }) == 0);
    CHECK(wrong_elements(out_idx, stream, [&](std::int64_t q) { return comb.row(q); }) == 0);
    CHECK(wrong_elements(out_values, stream, [&](std::int64_t q) { return comb.source(q); }) == 0);
  }
  // Values and X are 1, so that row r of Y is the number of its entries.
  constexpr std::int64_t k = 4;
  DeviceBuffer<float> x(static_cast<std::size_t>(comb.cols * k), s);
  DeviceBuffer<float> y(static_cast<std::size_t>(comb.rows * k), s);
  fill_from_host(reinterpret_cast<float*>(values.data()), entries, stream,
                 [](std::int64_t) { return 1.0f; });
  fill_from_host(x, stream, [](std::int64_t i) { return static_cast<float>(i % k); });
  a.values = {values.data(), DataType::fp32};
  device::SpmmPlan plan(a, k);
  DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), analysis.size(), s);
  DeviceBuffer<char> room(plan.product_bytes(), s);
  y.fill_bytes(0xff, s);
  plan(1.0, {comb.cols, k, k, x.data()}, 0.0, {comb.rows, k, k, y.data()}, room.data(), room.size(),
       s);
  CHECK(wrong_elements(y, stream, [&](std::int64_t i) {
          return static_cast<float>(i % k * comb.per_row());
        }) == 0);
}

TEST_CASE("device: triangles of a graph with more than 2^31 stored entries",
          "[public][cuda][large]") {
  require_device();
  // Vertices are adjacent to the `reach` ones before and behind. A triangle is its first vertex
  // and two of the `reach` behind.
  constexpr std::int64_t n = 17'000'000, reach = 64;
  std::vector<std::int64_t> row_ptr(static_cast<std::size_t>(n) + 1);
  std::uint64_t triangles = 0;
  for (std::int64_t v = 0; v < n; ++v) {
    const std::int64_t before = std::min(v, reach), behind = std::min(n - 1 - v, reach);
    row_ptr[static_cast<std::size_t>(v) + 1] =
        row_ptr[static_cast<std::size_t>(v)] + before + behind;
    triangles += static_cast<std::uint64_t>(behind * (behind - 1) / 2);
  }
  const std::int64_t nnz = row_ptr.back();
  REQUIRE(nnz > std::int64_t{1} << 31);
  require_free(static_cast<std::size_t>(nnz) * 9);
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int64_t> d_row_ptr(row_ptr, s);
  DeviceBuffer<index_t> col_idx(static_cast<std::size_t>(nnz), s);
  fill_from_host(col_idx, stream, [&](std::int64_t e) {
    const std::int64_t guess = std::min((e + reach * (reach + 1) / 2) / (2 * reach), n - 1);
    const auto near = row_ptr.begin() + std::max<std::int64_t>(guess - reach, 0);
    const std::int64_t v =
        std::upper_bound(near, near + std::min(2 * reach + 2, n - (near - row_ptr.begin()) + 1),
                         e) -
        row_ptr.begin() - 1;
    const std::int64_t at =
        std::max<std::int64_t>(v - reach, 0) + e - row_ptr[static_cast<std::size_t>(v)];
    return at < v ? at : at + 1;
  });
  device::TriangleCounter counter({n, n, nnz, d_row_ptr.data(), col_idx.data(), {}});
  DeviceBuffer<char> workspace(counter.workspace_bytes(), s);
  DeviceBuffer<std::uint64_t> sum(std::size_t{1}, s);
  counter.prepare(workspace.data(), workspace.size(), s);
  counter.count(sum.data(), nullptr, s);
  CAPTURE(to_string(counter.path()));
  CHECK(wrong_elements(sum, stream, [&](std::int64_t) { return triangles; }) == 0);
}

TEST_CASE("device: a product of more columns than one grid has blocks for",
          "[public][cuda][large]") {
  require_device();
  constexpr std::int64_t k = std::int64_t{65535} * 128 + 3;
  require_free(static_cast<std::size_t>(k) * 60);
  const Stream stream;
  const cudaStream_t s = stream.get();
  // [1 2 .; . . 3], and X of 3 rows whose column c is c, 2 c, 3 c modulo 8.
  DeviceBuffer<std::int32_t> row_ptr(std::vector<std::int32_t>{0, 2, 3}, s);
  DeviceBuffer<index_t> col_idx(std::vector<index_t>{0, 1, 2}, s);
  DeviceBuffer<float> values(std::vector<float>{1, 2, 3}, s);
  DeviceBuffer<float> x(static_cast<std::size_t>(3 * k), s), y(static_cast<std::size_t>(2 * k), s);
  const auto x_at = [](std::int64_t row, std::int64_t c) {
    return static_cast<float>((row + 1) * c % 8);
  };
  fill_from_host(x, stream, [&](std::int64_t i) { return x_at(i / k, i % k); });
  device::SpmmPlan plan({2, 3, 3, row_ptr.data(), col_idx.data(), values.data()}, k);
  DeviceBuffer<char> analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), analysis.size(), s);
  DeviceBuffer<char> room(plan.product_bytes(), s);
  y.fill_bytes(0xff, s);
  plan(1.0, {3, k, k, x.data()}, 0.0, {2, k, k, y.data()}, room.data(), room.size(), s);
  CHECK(wrong_elements(y, stream, [&](std::int64_t i) {
          const std::int64_t c = i % k;
          return i < k ? x_at(0, c) + 2 * x_at(1, c) : 3 * x_at(2, c);
        }) == 0);
}

#endif
