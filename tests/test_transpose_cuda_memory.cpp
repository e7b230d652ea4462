// Shared memory of the transpositions on the device: with `auto`, a tile that the device cannot
// hold is replaced by a smaller one.
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "transpose/cuda_partition/few/policy.hpp"
#include "transpose/cuda_partition/policy.hpp"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"
#include "transpose/papers/cuda_scantrans/policy.hpp"

using namespace sparserepro;

namespace {

// Largest shared memory of a block in bytes, by compute capability.
constexpr std::int64_t of_90 = 227 * 1024, of_80 = 163 * 1024;

}  // namespace

TEST_CASE("cuda_partition: large tiles where they fit, small ones from 8.0 on", "[transpose]") {
  for (const std::size_t bytes : {0, 4, 8}) {
    CAPTURE(bytes);
    CHECK(most_shared_bytes(bytes, DevicePartitionPolicy::large_threads) <= of_90);
    CHECK(most_shared_bytes(bytes, DevicePartitionPolicy::small_threads) <= of_80);
    CHECK(partition::fitting_tile(partition::TileSize::automatic, bytes, of_90) ==
          partition::TileSize::automatic);
  }
  CHECK(most_shared_bytes(8, DevicePartitionPolicy::large_threads) > of_80);
  CHECK(partition::fitting_tile(partition::TileSize::automatic, 8, of_80) ==
        partition::TileSize::small);
  CHECK(partition::fitting_tile(partition::TileSize::large, 8, of_80) ==
        partition::TileSize::large);  // a cell that is refused
  constexpr TeamShape team{1,  TeamPolicy::most_threads,      TeamPolicy::most_items,
                           10, TeamPolicy::single_digit_bits, 1};
  CHECK(static_cast<std::int64_t>(team.shared_bytes(8)) <= of_80);
}

TEST_CASE("cuda_mergetrans_mergepath: tiles that fit", "[transpose]") {
  using Policy = MergepathPolicy;
  constexpr std::int64_t many = std::int64_t{1} << 30;
  constexpr std::int64_t narrow = 1 << 18, wide = (1 << 18) + 1;  // slots have 14 bits
  CHECK_FALSE(Policy::wide_keys(narrow, Policy::large_threads));
  CHECK(Policy::wide_keys(wide, Policy::large_threads));
  CHECK(Policy::sort_threads(true, false, wide, many, 132, of_90) == Policy::large_threads);
  CHECK(Policy::sort_threads(true, false, wide, many, 132, of_80) == Policy::small_threads);
  CHECK(Policy::sort_threads(true, false, narrow, many, 132, of_80) == Policy::large_threads);
  CHECK(Policy::sort_threads(true, false, narrow, 1000, 132, of_90) == Policy::small_threads);
  CHECK(Policy::sort_threads(false, true, wide, 1000, 132, of_80) == Policy::large_threads);
  CHECK(Policy::shared_bytes(Policy::small_threads, true) <= of_80);
}

TEST_CASE("cuda_scantrans: the default block fits, 1024 threads from 9.0 on", "[transpose]") {
  CHECK(ScantransPolicy::most_shared_bytes(512, 8) <= of_80);
  CHECK(ScantransPolicy::most_shared_bytes(1024, 8) > of_80);
  CHECK(ScantransPolicy::most_shared_bytes(1024, 8) <= of_90);
}
