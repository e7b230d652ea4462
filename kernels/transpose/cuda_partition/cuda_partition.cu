// Transposition by partition: tiles of entries are sorted by bucket of consecutive columns, stably
// and in place; then each bucket, gathered from the tiles, is sorted by column in shared memory.
//
//   bytes an entry = (4 + V) + 2 (4 + V) + (4 + V), V bytes a value; the least is half of that
//
// README.md has the layout, the paths and their thresholds, the kernels and their invariants.
#include <algorithm>
#include <type_traits>
#include <variant>

#include "cuda/block_size.hpp"
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_partition/few/policy.hpp"
#include "transpose/cuda_partition/policy.hpp"
#include "transpose/tile_parameter.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "transpose/cuda_partition/transposer.cuh"
#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

partition::Options options_of(const Params& params) {
  using partition::Path;
  const std::string &path = params.text("path"), &tile = params.text("tile");
  return {.path = path == "one_level"     ? Path::one_level
                  : path == "two_levels"  ? Path::two_levels
                  : path == "by_locality" ? Path::by_locality
                  : path == "team"        ? Path::team
                                          : Path::automatic,
          .tile = tile == "small"   ? partition::TileSize::small
                  : tile == "large" ? partition::TileSize::large
                                    : partition::TileSize::automatic,
          .vote = params.text("ranks") == "vote",
          .programmatic = params.text("launches") == "programmatic"};
}

template <class Offset, class Value>
class CudaPartition final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaPartition(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        transposer_(a.rows, a.cols, a.nnz(), options_of(params), this->stream()) {}

  void execute() override {
    transposer_(this->a(), this->col_ptr(), this->row_idx(), this->values());
  }
  std::int64_t workspace_bytes() const override { return transposer_.workspace_bytes(); }
  Measures measures() const override { return transposer_.measures(); }

 private:
  partition::Transposer<Offset, Value> transposer_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

/// "" or why the device cannot hold the tiles of the passes, or a block of the team.
std::string partition_memory_refusal(const TransposeProblem& problem, const Params& params) {
  const std::size_t bytes = std::visit(
      [](const auto& a) { return value_bytes<typename std::decay_t<decltype(a)>::value_type>; },
      problem.matrix());
  const bool large = params.text("tile") == "large";
  const int threads =
      large ? DevicePartitionPolicy::large_threads : DevicePartitionPolicy::small_threads;
  constexpr TeamShape team{.blocks = 1,
                           .threads = TeamPolicy::most_threads,
                           .items = TeamPolicy::most_items,
                           .column_bits = TeamPolicy::single_digit_bits,
                           .digit_bits = TeamPolicy::single_digit_bits,
                           .passes = 1};
  return shared_memory_refusal(std::max(most_shared_bytes(bytes, threads),
                                        static_cast<std::int64_t>(team.shared_bytes(bytes))),
                               "tiles of " + std::to_string(threads) + " threads");
}

}  // namespace

Algorithm<TransposeProblem> transpose_cuda_partition() {
  return {.name = "cuda_partition",
          .summary =
              "split into buckets of columns, of many entries in many columns at two levels, and "
              "counting sort of each in shared memory; narrow bands in one pass, few entries by "
              "digits in one kernel",
          .source = "own",
          .backend = Backend::cuda,
          .parameters =
              {tile_parameter(),
               {"ranks",
                "addition",
                {"addition", "vote"},
                "ranks of entries by additions in shared memory, their order proven "
                "afterwards, or by votes within a warp, ordered by construction"},
               {"path",
                "auto",
                {"auto", "one_level", "two_levels", "by_locality", "team"},
                "one_level: buckets of columns in one split, two_levels: coarse and then fine "
                "ones; by_locality: the device chooses among these; team: few entries, by "
                "digits in one kernel; auto: any, and "
                "narrow bands in one pass"},
               {"launches",
                "programmatic",
                {"programmatic", "plain"},
                "whether a kernel begins its launch while the one before still runs, from "
                "compute capability 9.0 on"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            constexpr std::int64_t most_entries = (std::int64_t{1} << 32) - (1 << 26);
            if (problem.shape().cols > most_columns) {
              return std::to_string(problem.shape().cols) + " columns; two passes divide at most " +
                     std::to_string(most_columns);
            }
            if (problem.shape().stored > most_entries) {
              return std::to_string(problem.shape().stored) +
                     " entries; places are 32-bit numbers, at most " + std::to_string(most_entries);
            }
            if (params.text("path") == "team") {
              const std::int64_t most =
                  gpu_info()->multiprocessors * std::int64_t{TeamPolicy::most_entries_each};
              if (problem.shape().stored > most) {
                return std::to_string(problem.shape().stored) + " entries; a team sorts at most " +
                       std::to_string(most) + " on this device";
              }
            }
            return partition_memory_refusal(problem, params);
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_transpose<CudaPartition>
#endif
  };
}

}  // namespace sparserepro
