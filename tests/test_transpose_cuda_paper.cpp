// cuda_scantrans, cuda_mergetrans and cuda_mergetrans_mergepath beyond the battery: numbers of
// entries around the size of a tile, of digits and of levels; and refusals.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/transpose_check.hpp"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"
#include "transpose/papers/cuda_scantrans/policy.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const std::vector<std::string> names{"cuda_scantrans", "cuda_mergetrans",
                                     "cuda_mergetrans_mergepath"};

}  // namespace

TEST_CASE("cuda_scantrans: digits cover the bits of a column", "[transpose][cuda]") {
  for (int bits = 1; bits <= 31; ++bits) {
    const ColumnDigits digits(bits);
    CAPTURE(bits);
    CHECK(digits.passes == (bits + 10) / 11);
    CHECK(digits.shift(0) == 0);
    CHECK(digits.shift(digits.passes) == bits);
    for (int p = 0; p < digits.passes; ++p) {
      CHECK(digits.width(p) >= 1);
      CHECK(digits.width(p) <= ScantransPolicy::most_bits);
      // The table has room for the digits of the last pass.
      CHECK(digits.width(p) <= digits.width(digits.passes - 1));
    }
  }
  CHECK(ColumnDigits(0).passes == 1);
}

TEST_CASE("cuda_mergetrans_mergepath: levels reach all tiles, with the fewest ways",
          "[transpose][cuda]") {
  const auto power = [](std::int64_t base, int exponent) {
    std::int64_t out = 1;
    for (int i = 0; i < exponent; ++i) {
      out *= base;
    }
    return out;
  };
  for (const std::int64_t ways : {16, 128, MergepathPolicy::ways, MergepathPolicy::most_ways}) {
    CHECK(MergeLevels(1, ways).count == 0);
    for (const std::int64_t tiles :
         {2, 3, 15, 16, 17, 127, 128, 129, 2605, 16384, 16385, 2097152, 2097153}) {
      const MergeLevels levels(tiles, ways);
      CAPTURE(tiles, ways, levels.count, levels.ways);
      CHECK(levels.ways <= ways);
      CHECK(power(levels.ways, levels.count) >= tiles);
      CHECK(power(levels.ways - 1, levels.count) < tiles);
      CHECK(power(ways, levels.count - 1) < tiles);
    }
  }
}

TEST_CASE("cuda_mergetrans_mergepath: panels cover the columns, and bits the slots",
          "[transpose][cuda]") {
  for (const std::int64_t cols : {1, 2, 100, 4096, 4097, 500000, 2147483647}) {
    for (const std::int64_t length : {1LL, 7680LL, 15360LL, 70000LL, 491520LL, 62914560LL}) {
      const PanelSize panels(cols, length);
      CAPTURE(cols, length, panels.shift, panels.count);
      CHECK(panels.count << panels.shift >= cols);
      CHECK((panels.count - 1) << panels.shift < cols);
      CHECK(panels.count <= MergepathPolicy::most_panels);
      CHECK(panels.count <= std::max(length / MergepathPolicy::panel_entries, std::int64_t{1}));
    }
  }
  for (const std::int64_t block_size : {256, 512, 1024}) {
    const std::int64_t slots = std::int64_t{1} << MergepathPolicy::slot_bits(block_size);
    CHECK(MergepathPolicy::tile(block_size) < slots);  // so that no slot has all bits set
  }
}

TEST_CASE("CUDA transposition of the papers: what cannot run is refused", "[transpose][cuda]") {
  require_device();
  const Matrix matrix = generate(uniform(10, 10, 20), 2);
  const TransposeProblem problem(matrix, storage("fp32", 32));
  const std::int64_t most = gpu_info()->shared_bytes_per_block / 8;
  const auto refusal = [&](std::int64_t sp_dist) {
    return transposition("cuda_mergetrans").refusal(problem, {{"sp_dist", sp_dist}});
  };
  CHECK(refusal(most).empty());
  CHECK(refusal(most + 1).find("shared memory") != std::string::npos);
}

TEST_CASE("CUDA transposition of the papers: a small matrix", "[transpose][cuda][small]") {
  require_device();
  check_spec(uniform(300, 900, 5000), names);
}

TEST_CASE("CUDA transposition of the papers: one entry more or less than a tile",
          "[transpose][cuda]") {
  require_device();
  for (const std::int64_t block_size : {128, 256, 512, 1024}) {
    for (const std::int64_t tile :
         {MergepathPolicy::tile(block_size), ScantransPolicy::tile(block_size)}) {
      for (const std::int64_t nnz : {tile - 1, tile, tile + 1, 3 * tile, 3 * tile + 1}) {
        check_spec(uniform(700, 900, nnz), names);
      }
    }
  }
}

TEST_CASE("CUDA transposition of the papers: every number of digits and levels",
          "[transpose][cuda]") {
  require_device();
  for (const std::int64_t cols :
       {2047, 2048, 2049, 524287, 524288, 524289, 4194303, 4194304, 4194305, 9000000}) {
    check_spec(uniform(3000, cols, 70000), names);
  }
  check_spec(uniform(3000000, 5000, 60000), names);  // far more rows than entries
  const std::int64_t tile = MergepathPolicy::tile(MergepathPolicy::small_threads);
  for (const std::int64_t tiles : {15, 16, 17, 128}) {
    check_spec(uniform(5000, 30000, tiles * tile), names);
    check_spec(uniform(5000, 30000, tiles * tile + 1), names);
  }
}

TEST_CASE("CUDA transposition of the papers: frequent columns and repeated entries",
          "[transpose][cuda]") {
  require_device();
  std::vector<Entry> column, repeated;
  for (index_t i = 0; i < 300000; ++i) {
    column.emplace_back(i, 4000, 1.0 + i);
    if (i % 5 == 0) {
      column.emplace_back(i, 4001 + i % 1000, -1.0 - i);
    }
    repeated.emplace_back(i / 50, (i / 2 % 25) * 300, 1.0 + i);
  }
  check_all(matrix_from_entries("column_of_300000", 300000, 10000, column), names);
  check_all(matrix_from_entries("each_entry_twice", 6000, 9000, repeated), names);
}

TEST_CASE("cuda_mergetrans_mergepath: tiles with entries of few runs", "[transpose][cuda]") {
  require_device();
  for (const char* spec : {"banded:rows=30000,diagonals=27,half_bandwidth=0,fill=1,seed=1",
                           "banded:rows=1200000,diagonals=1,half_bandwidth=0,fill=1,seed=1"}) {
    check_spec(spec, {"cuda_mergetrans_mergepath"});  // keys of 32 and of 64 bits
  }
}

TEST_CASE("cuda_mergetrans_mergepath: tiles of far more columns than entries",
          "[transpose][cuda]") {
  require_device();
  // A tile of merged output spans 1.7M or 3.5M columns: its keys need 64 bits.
  check_spec(uniform(3000, 9000000, 20000), {"cuda_mergetrans_mergepath"});
}

TEST_CASE("cuda_mergetrans_mergepath: tiles that hold two columns far apart", "[transpose][cuda]") {
  require_device();
  // Counting would compare each entry with half of the tile, so that keys of 32 and 64 bits are
  // merged.
  for (const index_t cols : {100000, 5000000}) {
    std::vector<Entry> entries;
    for (index_t i = 0; i < 60000; ++i) {
      entries.emplace_back(i, i * 7 % 5 < 2 ? 0 : cols - 1, 1.0 + i);
      if (i % 100 == 0) {
        entries.emplace_back(i, 1 + i % (cols - 2), -1.0 - i);
      }
    }
    check_all(matrix_from_entries("two_columns", 60000, cols, entries),
              {"cuda_mergetrans_mergepath"});
  }
}
