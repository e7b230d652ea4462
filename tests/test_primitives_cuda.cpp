// CUDA primitives beyond the battery: lengths around the size of a tile, levels of recursion, every
// block size, and refusals.
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "support/device.hpp"
#include "support/primitives_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const Algorithm<PrimitivesProblem>& named(const std::string& name) {
  const auto& table = primitives_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  return *found;
}

/// Checks two executions of every allowed cell of the algorithm with this block size (and sp_dist).
void check_cell(const std::string& name, const PrimitivesProblem& problem, std::int64_t block_size,
                std::int64_t sp_dist = 128) {
  const auto& algorithm = named(name);
  const PrimitivesResult reference = problem.reference();
  for (const char* counting : {"atomic", "owner"}) {
    for (const char* vertical_scan : {"columns", "transpose"}) {
      const Params params{{"block_size", block_size},
                          {"sp_dist", sp_dist},
                          {"counting", counting},
                          {"vertical_scan", vertical_scan}};
      CAPTURE(name, to_string(params), to_string(problem.parameters()));
      REQUIRE(algorithm.refusal(problem, params).empty());
      const auto run = algorithm.prepare(problem, params);
      for (int execution = 1; execution <= 2; ++execution) {
        run->poison();
        run->execute();
        run->download();
        const CheckOutcome outcome = problem.check(run->result(), reference);
        CAPTURE(execution, outcome.detail);
        CHECK(outcome.ok);
      }
      if (problem.procedure() != Procedure::index_to_pointers) {
        return;
      }
    }
  }
}

/// Checks two executions of every method of a peer.
void check_peer(const std::string& name, const PrimitivesProblem& problem) {
  const auto& algorithm = named(name);
  const PrimitivesResult reference = problem.reference();
  for (const Params& params : cells(algorithm)) {
    CAPTURE(name, to_string(params), to_string(problem.parameters()));
    REQUIRE((!algorithm.refusal || algorithm.refusal(problem, params).empty()));
    const auto run = algorithm.prepare(problem, params);
    for (int execution = 1; execution <= 2; ++execution) {
      run->poison();
      run->execute();
      run->download();
      const CheckOutcome outcome = problem.check(run->result(), reference);
      CAPTURE(execution, outcome.detail);
      CHECK(outcome.ok);
    }
  }
}

const std::vector<std::int64_t> powers{1, 2, 4, 16, 32, 64, 128, 256, 512, 1024};

}  // namespace

TEST_CASE("CUDA primitives: what cannot run is refused with the reason", "[primitives][cuda]") {
  const ArrayInput input = load_array("random");
  const auto refusal = [&](const char* name, const char* procedure, std::int64_t block_size,
                           std::int64_t segment = 128) {
    return named(name).refusal({input, instance(procedure, 100, segment, 10)},
                               {{"block_size", block_size}, {"sp_dist", std::int64_t{128}}});
  };
  for (const std::int64_t block_size : powers) {
    CHECK(refusal("cuda_scan", "scan", block_size).empty());
  }
  CHECK(refusal("cuda_scan", "scan", 96) ==
        "the tree of sums needs a power of two of threads, not 96");
  CHECK(refusal("cuda_merge_path", "merge", 96).empty());
  for (const auto& algorithm : primitives_algorithms()) {
    if (algorithm.backend == Backend::cuda && !algorithm.peer) {
      const char* procedure = algorithm.name.find("merge") != std::string::npos ? "merge" : "scan";
      CHECK(refusal(algorithm.name.c_str(), procedure, 1025) == "a block has at most 1024 threads");
    }
  }
  CHECK(refusal("cuda_segmented_sort", "segmented_sort", 128, 16384).empty());
  CHECK(refusal("cuda_segmented_sort", "segmented_sort", 128, 16385).find("16384") !=
        std::string::npos);
  require_device();
  const std::int64_t keys = gpu_info()->shared_bytes_per_block / 4;
  const PrimitivesProblem fits(input, instance("merge", 1 << 20, keys / 2, 1));
  const PrimitivesProblem exceeds(input, instance("merge", 1 << 20, keys / 2 + 1, 1));
  const Params params{{"block_size", std::int64_t{256}}, {"sp_dist", keys / 2 + 1}};
  CHECK(named("cuda_merge_small").refusal(fits, params).empty());
  CHECK(named("cuda_merge_small").refusal(exceeds, params).find("shared memory") !=
        std::string::npos);
  CHECK(named("cuda_merge_splitters").refusal(fits, params).find("shared memory") !=
        std::string::npos);
  check_cell("cuda_merge_small", fits, 1024);
  check_cell("cuda_merge_splitters", fits, 1024, keys / 2);
}

TEST_CASE("CUDA primitives: each procedure on short arrays", "[primitives][cuda][small]") {
  require_device();
  for (const std::string& source : sources) {
    const ArrayInput input = load_array(source);
    check_cell("cuda_scan", {input, instance("scan", 3001, 1, 1)}, 64);
    check_cell("cuda_segmented_sort", {input, instance("segmented_sort", 2007, 129, 1)}, 128);
    for (const char* merge : {"cuda_merge_small", "cuda_merge_splitters", "cuda_merge_path"}) {
      check_cell(merge, {input, instance("merge", 3001, 500, 1)}, 128, 32);
    }
    for (const std::int64_t bins : {31, 12289}) {
      check_cell("cuda_index_to_pointers", {input, instance("index_to_pointers", 3001, 1, bins)},
                 256);
      check_cell("cuda_pointers_to_index", {input, instance("pointers_to_index", 3001, 1, bins)},
                 256);
    }
  }
}

TEST_CASE("CUDA primitives: scan, tiles and levels", "[primitives][cuda]") {
  require_device();
  const ArrayInput input = load_array("random:seed=21");
  for (const std::int64_t block_size : powers) {
    const std::int64_t tile = 7 * block_size;
    for (const std::int64_t length : {tile - 1, tile, tile + 1, tile * tile, tile * tile + 1}) {
      if (length <= std::int64_t{1} << 21) {
        check_cell("cuda_scan", {input, instance("scan", length, 1, 1)}, block_size);
      }
    }
  }
}

TEST_CASE("CUDA primitives: segmented sort, every block size", "[primitives][cuda]") {
  require_device();
  for (const std::string& source : sources) {
    const ArrayInput input = load_array(source);
    for (const std::int64_t block_size : {1, 31, 32, 128, 1000, 1024}) {
      for (const std::int64_t segment : {1, 3, 127, 128, 129, 1024, 1025, 5000}) {
        check_cell("cuda_segmented_sort", {input, instance("segmented_sort", 10007, segment, 1)},
                   block_size);
      }
    }
  }
}

TEST_CASE("CUB's sorts within a block: every size, full and partly filled", "[primitives][cuda]") {
  const auto& sort = named("cub_segmented_sort");
  const ArrayInput input = load_array("random:seed=22");
  const PrimitivesProblem longest(input, instance("segmented_sort", 10000, 8192, 1));
  const PrimitivesProblem too_long(input, instance("segmented_sort", 10000, 8193, 1));
  for (const char* method : {"block_radix", "block_merge"}) {
    CHECK(sort.refusal(longest, {{"method", method}}).empty());
    CHECK(sort.refusal(too_long, {{"method", method}}) ==
          "a block sorts up to 8192 elements, not 8193");
  }
  CHECK(sort.refusal(too_long, {{"method", "device"}}).empty());
  require_device();
  for (const std::string& source : sources) {
    for (const std::int64_t limit : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
      for (const std::int64_t segment : {limit - 1, limit, limit + 1}) {
        if (segment <= 8192) {
          check_peer("cub_segmented_sort",
                     {load_array(source), instance("segmented_sort", 3 * segment + 5, segment, 1)});
        }
      }
    }
  }
}

TEST_CASE("CUB's merge and index to pointers: every method, odd segments, few and many bins",
          "[primitives][cuda]") {
  require_device();
  for (const std::string& source : sources) {
    const ArrayInput input = load_array(source);
    for (const std::int64_t segment : {1, 2, 3, 1000, 1024, 30010, 30011, 30012}) {
      check_peer("cub_merge", {input, instance("merge", 30011, segment, 1)});
    }
    for (const std::int64_t bins : {1, 2, 3, 256, 257, 50000, 1 << 20}) {
      check_peer("cub_index_to_pointers", {input, instance("index_to_pointers", 30011, 1, bins)});
    }
  }
}

TEST_CASE("CUDA primitives: merges, tiles and one element more or less", "[primitives][cuda]") {
  require_device();
  for (const std::string& source : sources) {
    const ArrayInput input = load_array(source);
    for (const std::int64_t block_size : {1, 32, 33, 256, 1024}) {
      const std::int64_t tile = 15 * block_size;
      for (const std::int64_t segment : {tile / 2, tile / 2 + 1, tile, 3 * tile + 1}) {
        for (const std::int64_t length :
             {tile - 1, tile, tile + 1, 2 * segment - 1, 2 * segment + 1, 7 * segment + 3}) {
          const PrimitivesProblem problem(input,
                                          instance("merge", length, std::max(segment, 1L), 1));
          check_cell("cuda_merge_path", problem, block_size);
          check_cell("cuda_merge_splitters", problem, block_size, 32);
        }
      }
    }
    const PrimitivesProblem two_levels(input, instance("merge", 1000003, 400000, 1));
    for (const std::int64_t sp_dist : {2, 32, 100, 1024}) {
      check_cell("cuda_merge_splitters", two_levels, 128, sp_dist);
    }
  }
}

TEST_CASE("CUDA primitives: conversions, every block size", "[primitives][cuda]") {
  require_device();
  for (const std::string& source : sources) {
    const ArrayInput input = load_array(source);
    // 12288 bins are the largest histogram in shared memory.
    for (const std::int64_t bins : {1, 31, 33, 12288, 12289}) {
      for (const std::int64_t block_size : {1, 16, 32, 48, 256, 1024}) {
        check_cell("cuda_index_to_pointers", {input, instance("index_to_pointers", 30011, 1, bins)},
                   block_size);
        check_cell("cuda_pointers_to_index", {input, instance("pointers_to_index", 30011, 1, bins)},
                   block_size);
      }
    }
  }
}
