// Own transposition: tiles of entries are ordered by bucket of consecutive columns, stably and in
// place; then each bucket, gathered from the tiles, is sorted by column in shared memory.
//
//   1. rows    finds the row in which each tile begins, and whether A is a narrow band
//   2. split   reads A; orders each tile by bucket in shared memory and writes it out as it lies:
//              (row, column within the bucket, value), and where the run of each bucket begins
//   3. plan    sums the runs of each bucket; cuts buckets beyond one tile into chunks of tiles
//   4. bucket  counts the columns of those chunks; gathers the runs of a bucket, sorts them by
//              column, and writes column pointers, rows and values of A^T in whole lines
//   5. rest    narrow bands; repairs equal entries, or does both passes again, where the result is
//              not in order
//
// Nothing need be known of a tile before its split, so the columns are read once. Bytes per entry
// with V bytes per value: (4 + V) + 2 (4 + V) + (4 + V), so 32 for fp32 and 48 for fp64 where 16
// and 24 are the least; chunks of buckets beyond one tile are read once more to count.
//
// Row and column within the bucket share one word of 32 bits: rows count from the first of a group
// of 2^(32 - column bits), and a tile ends where a group does. In local matrices (meshes, FEM) a
// tile lists the range of buckets it touches, and a bucket looks only at the tiles between its
// first and its last. A narrow band takes one pass in place of two: the rows that reach the columns
// of a bucket fit a tile (cuda_partition_band.cuh), and the last kernel sorts them straight from A.
//
// Ranks come from atomic additions in shared memory: the warps of a group add one after the other,
// so that counters are shared, a half of each word; but the order of lanes within one addition no
// manual promises. The bucket pass proves that rows ascend strictly within each column. Where the
// last kernel finds that they ascend but for equal ones, as when an entry occurs twice, it takes
// the values of these from A once more (cuda_partition_repair.cuh); else both passes run again with
// ranks by vote. Chunks end between tiles, whose order is given, so that each proves its own part.
// All on the device; the host waits for nothing.
//
// Each kernel may begin to launch while the one before runs: all its threads first wait for that
// one's end, before any access and any return, so that one kernel's end implies that of all before.
//
// What bounds it, on an H200 with 10M entries in 500k x 500k, fp32 / fp64 (183 / 232 us, 4.7 / 4.0
// copies of the model's bytes): by ncu the split takes 71 / 94 us for 164 / 262 MB from and to
// device memory, so 2.3 / 2.8 TB/s; the bucket pass 93 / 118 us for 166 / 254 MB, 1.8 / 2.1 TB/s;
// at 4 TB/s they would take 41 / 65 us each. The search of rows takes 6, the plan 9, the last
// kernel 2.5 us. A multiprocessor holds one tile of 15k entries, all that its registers bear, and
// the tile's phases wait for each other at barriers; of the issue slots 32 % are used (75 and 106
// instructions per entry). Thousands of cycles of a tile of the split, before two groups of warps
// shared counters: columns and row pointers loaded 6.0 / 6.2, rows marked 1.1 / 1.1, entries ranked
// 3.0 / 6.5 (values are asked for at its end), counts added up 5.9 / 5.6, tile sorted 4.8 / 7.1,
// written 4.6 / 6.1. Bulk copies of tiles of that size, without any work between them, take 67 us
// for what the split reads and writes in fp64. Where runs are short, lines of the L1 cache bound
// the loads under way: it has what shared memory leaves, 124 KB / 60 KB.
//
// Where entries and columns are both so many that a tile would hold runs of a few entries alone, or
// buckets more than a tile, there are two splits (cuda_partition_two_levels.cuh): into coarse
// buckets, in the place of the answer, which has just the room, and of each coarse bucket into
// units of columns, of which as many as fit a tile are a bucket of the last pass. That moves 16
// bytes more per entry in fp32, 24 in fp64, but in runs of hundreds of entries. When ranks have to
// be voted for, both splits run again. Whether A is so local that one level suits it all the same,
// the device finds out (cuda_partition_locality.cuh): the kernels of both ways are launched, and
// those of one end at once.
//
// Workspace per entry with V bytes per value: 4 + V for the entries between the passes, up to 2.6
// for the tables of runs, up to 3 for the counts of chunks. With an entry a column in the mean, or
// more, that is at most 16 bytes up to 10M rows and columns in fp64, and 20M in fp32; of the
// matrices recorded, with a million entries and more, at most 14.8 and 11.6, where cuSPARSE takes
// 16.1. Beyond, in fp64, 17.2 with 20M columns; and more where few entries lie in so many rows,
// whose groups end tiles early: 21 with 1M entries in 20M x 20M.
//
// Few entries do not repay five launches (2.4 us each with nothing to do, and an own kernel's
// floor is 4.2): a team of blocks sorts them in one, by cuda_partition_team.cuh, and the fewest,
// which do not repay the team's barriers either, blocks that never meet, by
// cuda_partition_enumerate.cuh.
#include <algorithm>
#include <type_traits>
#include <variant>

#include "cuda/block_size.hpp"
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_partition/few/policy.hpp"
#include "transpose/cuda_partition/policy.hpp"
#include "transpose/cuda_partition/two_levels/policy.hpp"
#include "transpose/tile_parameter.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <optional>

#include "transpose/cuda_partition/few/enumerate_run.cuh"
#include "transpose/cuda_partition/few/team_run.cuh"
#include "transpose/cuda_partition/one_level/passes.cuh"
#include "transpose/cuda_partition/two_levels/passes.cuh"
#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaPartition final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaPartition(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a) {
    const auto in = this->a();
    if (in.nnz == 0) {
      return;
    }
    const std::string& path = params.text("path");
    // Tile, ranks and launches are of the passes: whoever sets one asks for passes.
    const bool any = path == "auto" && params.text("tile") == "auto" &&
                     params.text("ranks") == "addition" &&
                     params.text("launches") == "programmatic";
    if (path == "enumerate" ||
        (any && enumeration_pays(in.cols, in.nnz, gpu_info()->multiprocessors))) {
      enumeration_.emplace(in.cols, in.nnz, this->stream());
    } else if (path == "team" ||
               (any && team_pays(in.rows, in.cols, in.nnz, gpu_info()->multiprocessors))) {
      team_.emplace(in.rows, in.cols, in.nnz, this->stream());
    } else if (path == "two_levels") {
      levels_.emplace(in.rows, in.cols, in.nnz, params, this->stream());
    } else {
      const bool either =
          path == "by_locality" ||
          (path == "auto" &&
           two_levels_pay(in.rows, in.cols, in.nnz,
                          partition::tile_of<Value, DevicePartitionPolicy::large_threads>,
                          gpu_info()->multiprocessors));
      passes_.emplace(in.rows, in.cols, in.nnz, params, this->stream(), !either);
      if (either) {
        levels_.emplace(in.rows, in.cols, in.nnz, params, this->stream(), &*passes_);
      }
    }
  }

  void execute() override {
    const partition::BucketOutput<Value> out{{this->col_ptr(), sizeof(Offset) == 8},
                                             reinterpret_cast<unsigned*>(this->row_idx()),
                                             this->values()};
    if (enumeration_) {
      (*enumeration_)(this->a(), out);
    } else if (team_) {
      (*team_)(this->a(), out);
    } else if (passes_ || levels_) {
      if (passes_) {
        (*passes_)(this->a(), out);
      }
      if (levels_) {
        (*levels_)(this->a(), out);
      }
    } else {
      this->write_empty();
    }
  }

  std::int64_t workspace_bytes() const override {
    return team_ ? team_->workspace_bytes()
                 : (passes_ ? passes_->workspace_bytes() : 0) +
                       (levels_ ? levels_->workspace_bytes() : 0);
  }

  Measures measures() const override {
    if (enumeration_) {
      return enumeration_->measures();
    }
    if (team_) {
      return team_->measures();
    }
    if (levels_ && (!passes_ || passes_->left())) {
      return levels_->measures();
    }
    return passes_ ? passes_->measures() : Measures{};
  }

 private:
  std::optional<partition::EnumerationSort<Offset, Value>> enumeration_;
  std::optional<partition::TeamSort<Offset, Value>> team_;
  std::optional<partition::Passes<Offset, Value>> passes_;
  std::optional<partition::TwoLevelPasses<Offset, Value>> levels_;
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
  return {
      .name = "cuda_partition",
      .summary =
          "split into buckets of columns, of many entries in many columns at two levels, and "
          "counting sort of each in shared memory; narrow bands in one pass, few entries by "
          "digits or by enumeration in one kernel",
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
            {"auto", "one_level", "two_levels", "by_locality", "team", "enumerate"},
            "one_level: buckets of columns in one split, two_levels: coarse and then fine "
            "ones; by_locality: the device chooses among these; team: few entries, by "
            "digits in one kernel; enumerate: fewer, without barriers; auto: any, and "
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
        if (const std::string& path = params.text("path"); path == "team" || path == "enumerate") {
          const std::int64_t most =
              gpu_info()->multiprocessors * std::int64_t{path == "team"
                                                             ? TeamPolicy::most_entries_each
                                                             : EnumerationPolicy::most_slots - 1};
          if (problem.shape().stored > most) {
            return std::to_string(problem.shape().stored) + " entries; path " + path +
                   " sorts at most " + std::to_string(most) + " on this device";
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
