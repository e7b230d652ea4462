// cuda_partition on every path with values of another 4-byte type: 32-bit integers.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/device_info.hpp"
#include "cuda/stream.hpp"
#include "generate/generate.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "transpose/cuda_partition/transposer.cuh"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

using Integers = Csr<std::int32_t, std::int32_t>;

/// The pattern of a generated matrix; the value of each entry is its position, so that values are
/// distinct.
Integers numbered(const std::string& spec) {
  const Matrix matrix = generate(spec, 2);
  const auto& from = matrix.csr;
  Integers a(from.rows, from.cols, static_cast<std::int32_t>(from.nnz()));
  std::copy(from.row_ptr.begin(), from.row_ptr.end(), a.row_ptr.begin());
  std::copy(from.col_idx.begin(), from.col_idx.end(), a.col_idx.begin());
  std::iota(a.values.begin(), a.values.end(), -7);
  return a;
}

Integers transposed(const Integers& a) {
  Integers out(a.cols, a.rows, a.nnz());
  std::fill(out.row_ptr.begin(), out.row_ptr.end(), 0);
  for (const index_t column : a.col_idx) {
    ++out.row_ptr[column + 1];
  }
  std::partial_sum(out.row_ptr.begin(), out.row_ptr.end(), out.row_ptr.begin());
  std::vector<std::int32_t> next(out.row_ptr.begin(), out.row_ptr.end());
  for (index_t i = 0; i < a.rows; ++i) {
    for (std::int32_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      const std::int32_t to = next[a.col_idx[p]]++;
      out.col_idx[to] = i;
      out.values[to] = a.values[p];
    }
  }
  return out;
}

Integers on_device(const Integers& a, const partition::Options& options) {
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int32_t> row_ptr(a.row_ptr, s), values(a.values, s);
  DeviceBuffer<index_t> col_idx(a.col_idx, s);
  Integers out(a.cols, a.rows, a.nnz());
  DeviceBuffer<std::int32_t> out_ptr(out.row_ptr.size(), s), out_values(out.values.size(), s);
  DeviceBuffer<index_t> out_idx(out.col_idx.size(), s);
  partition::Transposer<std::int32_t, std::int32_t> transpose(a.rows, a.cols, a.nnz(), options, s);
  transpose({a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()},
            out_ptr.data(), out_idx.data(), out_values.data());
  out_ptr.copy_to(out.row_ptr.data(), s);
  out_idx.copy_to(out.col_idx.data(), s);
  out_values.copy_to(out.values.data(), s);
  stream.synchronize();
  return out;
}

}  // namespace

TEST_CASE("cuda_partition: values may be integers", "[transpose][cuda]") {
  require_device();
  using partition::Path;
  for (const char* spec :
       {"uniform:rows=3000,cols=5000,nnz=40000", "uniform:rows=90000,cols=70000,nnz=1500000",
        "banded:rows=200000,diagonals=9", "circuit:rows=20000,dense_length=5000"}) {
    const Integers a = numbered(spec), expected = transposed(a);
    for (const Path path :
         {Path::automatic, Path::one_level, Path::two_levels, Path::by_locality}) {
      for (const bool vote : {false, true}) {
        const Integers found = on_device(a, {.path = path, .vote = vote});
        CAPTURE(spec, static_cast<int>(path), vote);
        CHECK(std::equal(found.row_ptr.begin(), found.row_ptr.end(), expected.row_ptr.begin()));
        CHECK(std::equal(found.col_idx.begin(), found.col_idx.end(), expected.col_idx.begin()));
        CHECK(std::equal(found.values.begin(), found.values.end(), expected.values.begin()));
      }
    }
  }
}
