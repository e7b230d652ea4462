// Sizes beyond 2^31: what cannot take them says so by name, before it allocates; what can computes
// with 64-bit numbers. No test needs the memory of such a matrix.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "formats/csr.hpp"
#include "formats/ellpack.hpp"
#include "formats/error.hpp"
#include "formats/partition.hpp"
#include "formats/row_length.hpp"
#include "formats/static_chunk.hpp"
#include "generate/memory_limit.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/triangles.hpp"
#include "support/catch.hpp"
#include "transpose/column_arrays.hpp"

namespace {

using namespace sparserepro;

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t large = std::int64_t{3} << 30;  // 2^31 < large < 2^32

/// One row of `nnz` entries that are not there; nothing may read them.
CsrInput absent(std::int64_t nnz, DataType offsets) {
  static const std::int64_t nothing = 0;
  return {.rows = 1,
          .cols = most,
          .nnz = nnz,
          .row_ptr = {&nothing, offsets},
          .col_idx = {&nothing, DataType::int32},
          .values = {}};
}

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("entries beyond 2^31 - 1 need 64-bit row pointers") {
  CHECK_NOTHROW(require_offsets<std::int32_t>(most));
  CHECK_THROWS_WITH(require_offsets<std::int32_t>(most + 1),
                    "2147483648 entries do not fit 32-bit row pointers; offset_bits = 64 makes "
                    "them wide");
  CHECK_THROWS_AS(require_offsets<std::int32_t>((std::int64_t{1} << 32) + 5), InputError);
  CHECK_NOTHROW(require_offsets<std::int64_t>(std::int64_t{1} << 40));
}

TEST_CASE("a row beyond 2^31 - 1 entries is refused where lengths are 32-bit numbers") {
  CHECK(row_length(7, most) == most);
  CHECK_THROWS_WITH(row_length(7, large),
                    "row 7 has 3221225472 entries; lengths of rows are 32-bit numbers");
}

TEST_CASE("ScanTrans refuses what its counters cannot count") {
  CHECK(counter_refusal(large).empty());
  CHECK(counter_refusal((std::int64_t{1} << 32) - 1).empty());
  CHECK(counter_refusal(std::int64_t{1} << 32) ==
        "4294967296 entries do not fit its 32-bit counters");
}

TEST_CASE("padded ELLPACK refuses sizes whose products exceed 64 bits") {
  CHECK(!padding_refusal(most, most, large).empty());
  CHECK(padding_refusal(10, 10, 100).empty());
  CHECK(ellpack_bytes(large, 2) == 24 * large);
}

TEST_CASE("a matrix beyond the memory is refused before it is allocated") {
  CHECK(memory_refusal(1000, 1000).empty());
  const std::string refusal = memory_refusal(1000, std::int64_t{1} << 44);
  CHECK(refusal.starts_with("1000 rows with 17592186044416 entries need 196608.0 GiB; "));
}

TEST_CASE("the library refuses 32-bit row pointers for entries beyond 2^31 - 1") {
  const CsrInput narrow = absent(large, DataType::int32);
  const std::string want = "nnz with row_ptr of int32";
  CHECK(message_of([&] { host::Transposer{narrow}; }).find(want) != std::string::npos);
  CsrInput graph = narrow;
  graph.rows = graph.cols;
  CHECK(message_of([&] { host::TriangleCounter{graph}; }).find(want) != std::string::npos);
}

TEST_CASE("parts and chunks of counts beyond 2^31") {
  std::int64_t sum = 0;
  for (int part = 0; part < 7; ++part) {
    sum += part_begin(large + 3, 7, part + 1) - part_begin(large + 3, 7, part);
  }
  CHECK(sum == large + 3);
  CHECK(part_begin(large, 2, 1) == large / 2);
  CHECK(static_chunk(large, 2) == large / 2);
  const std::vector<std::int64_t> pointers = {0, large, large, 2 * large};
  CHECK(segment_of(pointers.data(), 3, large - 1) == 0);
  CHECK(segment_of(pointers.data(), 3, large) == 2);
}
