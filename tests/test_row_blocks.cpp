// The split of the rows of a matrix among several GPUs, which needs none.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "spmm/cuda_multi_csr_balanced/row_blocks.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

namespace {

/// Checks what row_blocks promises.
void check_blocks(const std::vector<std::int64_t>& lengths, int ranks) {
  std::vector<std::int64_t> row_ptr{0};
  for (const std::int64_t length : lengths) {
    row_ptr.push_back(row_ptr.back() + length);
  }
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const auto bounds = row_blocks(row_ptr.data(), rows, ranks);
  CAPTURE(rows, ranks);
  REQUIRE(bounds.size() == static_cast<std::size_t>(ranks) + 1);
  CHECK(bounds.front() == 0);
  CHECK(bounds.back() == rows);
  CHECK(std::is_sorted(bounds.begin(), bounds.end()));
  const std::int64_t longest =
      lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const std::int64_t all = row_ptr.back() + rows;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    const std::int64_t work =
        row_ptr[bounds[r + 1]] - row_ptr[bounds[r]] + bounds[r + 1] - bounds[r];
    CHECK(work <= all / ranks + 1 + longest + 1);
  }
}

}  // namespace

TEST_CASE("row blocks: as much work for each rank, up to one row", "[several_gpus]") {
  for (const int ranks : {1, 2, 3, 8}) {
    check_blocks({}, ranks);
    check_blocks({0}, ranks);
    check_blocks({5, 0, 0, 1000, 0, 3}, ranks);  // a hub
    check_blocks(std::vector<std::int64_t>(1000, 0), ranks);
    std::vector<std::int64_t> growing(777);
    std::iota(growing.begin(), growing.end(), 0);
    check_blocks(growing, ranks);
  }
  const std::vector<std::int64_t> even{0, 4, 8, 12, 16};
  CHECK(row_blocks(even.data(), 4, 2) == std::vector<std::int64_t>{0, 2, 4});
  CHECK(rows_of_share(10, 4) == 3);
  CHECK(rows_of_share(0, 4) == 0);
}
