// The rules by which plans of transpositions divide the entries.
#include <cstdint>

#include "support/catch.hpp"
#include "transpose/cuda_plan/policy.hpp"
#include "transpose/omp_plan/policy.hpp"

using namespace sparserepro;

TEST_CASE("plans on the host: tiles give runs of 40 entries, and places of 16 bits", "[plan]") {
  using Policy = HostPlanPolicy;
  std::int64_t before = 0;
  for (std::int64_t nnz = 1; nnz <= Policy::most_entries; nnz = nnz * 3 / 2 + 1) {
    const std::int64_t tile = host_plan_tile(nnz);
    CAPTURE(nnz, tile);
    CHECK(tile >= before);
    CHECK(tile < 65536);  // a start may equal the tile
    CHECK((tile * tile >= Policy::run_entries * nnz || tile == 65472));
    CHECK(tile % 64 == 0);
    before = tile;
  }
  CHECK(host_plan_tile(Policy::least_entries) == 16384);
  CHECK(host_plan_tile(10'000'000) == 32768);
  CHECK(host_plan_tile(24'000'000) == 32768);
  CHECK(host_plan_tile(100'000'000) == 65472);
}

TEST_CASE("plans on a device: tiles, windows and samples fit what holds them", "[plan]") {
  using Policy = ValuePlanPolicy;
  for (const std::size_t width : {2, 4, 8}) {
    for (std::int64_t nnz = 1; nnz <= Policy::most_entries; nnz = nnz * 3 / 2 + 1) {
      const std::int64_t tile = plan_tile(nnz, width, 132);
      CAPTURE(width, nnz, tile);
      CHECK(tile >= Policy::least_tile);
      CHECK(tile * static_cast<std::int64_t>(width) <= Policy::tile_bytes);
      CHECK(tile <= Policy::most_tile);
      CHECK(tile % Policy::tile_multiple == 0);
    }
    CHECK(plan_window(width) <= 65536);
    CHECK(plan_local_tile(width) < plan_window(width));
  }
  // The products of samples, entries and percentage, and the table of slots, in 32 bits and 48 KiB.
  CHECK(std::uint64_t{Policy::samples} * Policy::stretch * 100 < std::uint64_t{1} << 32);
  CHECK(2 * Policy::stretch * sizeof(std::uint32_t) <= 48 * 1024);
}
