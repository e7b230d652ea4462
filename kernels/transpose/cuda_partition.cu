// Own transposition: tiles of entries are ordered by bucket of consecutive columns, stably and in
// place; then each bucket, gathered from the tiles, is sorted by column in shared memory.
//
//   1. rows    finds the row in which each tile begins
//   2. split   reads A; orders each tile by bucket in shared memory and writes it out as it lies:
//              (row, column within the bucket, value), and where the run of each bucket begins
//   3. plan    sums the runs of each bucket; cuts buckets beyond one tile into chunks of tiles
//   4. count   counts the columns of those chunks
//   5. bucket  gathers the runs of a bucket, sorts them by column, and writes column pointers, rows
//              and values of A^T in whole lines
//
// Nothing need be known of a tile before its split, so the columns are read once. Bytes per entry
// with V bytes per value: (4 + V) + 2 (4 + V) + (4 + V), so 32 for fp32 and 48 for fp64 where 16
// and 24 are the least; chunks of buckets beyond one tile are read once more to count.
//
// Row and column within the bucket share one word of 32 bits: rows count from the first of a group
// of 2^(32 - column bits), and a tile ends where a group does. Local matrices (bands, meshes) need
// no path of their own: a tile lists the range of buckets it touches, and a bucket looks only at
// the tiles between its first and its last.
//
// Ranks come from atomic additions in shared memory: the warps of a group add one after the other,
// so that counters are shared, but the order of lanes within one addition no manual promises. The
// bucket pass proves that rows ascend strictly within each column, else both passes run again with
// ranks by vote (always so when an entry occurs twice). Chunks end between tiles, whose order is
// given, so that each proves its own part. All on the device; the host waits for nothing.
//
// Each kernel may begin to launch while the one before runs: all its threads first wait for that
// one's end, before any access and any return, so that one kernel's end implies that of all before.
//
// What bounds it, on an H200 with 10M entries in 500k x 500k, fp32 (196 us, 5.0 copies of the
// model's bytes; fp64 4.2): by ncu the split takes 72 us for 172 MB from and to device memory, the
// bucket pass 98 us for 221 MB (write-backs of the split's among them); 4 TB/s would take 43
// and 55. Device memory is busy 43 and 37 % of the time, and 32 % of the issue slots are used (75
// and 106 instructions per entry): a multiprocessor holds one tile of 15k entries, all that its
// registers bear, and the tile's phases (load, rank, add up, place, write) wait for each other at
// barriers. The other kernels take 22 us.
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_partition_policy.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "transpose/cuda_partition_bucket.cuh"
#include "transpose/cuda_transpose_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaPartition final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaPartition(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        tile_(params.text("tile")),
        vote_(params.text("ranks") == "vote"),
        programmatic_(params.text("launches") == "programmatic") {
    if (this->a().nnz > 0) {
      allocate();
    }
  }

  void execute() override {
    if (this->a().nnz == 0) {
      this->write_empty();
    } else {
      transpose();
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(runs_.bytes() + range_.bytes() + group_.bytes() +
                                     row_at_.bytes() + entries_.bytes() + between_.bytes() +
                                     extents_.bytes() + chunks_.bytes() + partial_.bytes() +
                                     column_counts_.bytes() + flags_.bytes());
  }

  Measures measures() const override {
    return {{"buckets", static_cast<double>(buckets_.count)},
            {"bucket_columns", static_cast<double>(buckets_.width)},
            {"tiles", static_cast<double>(tiles_)}};
  }

 private:
  using Policy = PartitionPolicy;
  using Ranks = partition::Ranks;
  static constexpr int large = Policy::large_threads, small = Policy::small_threads;

  /// The passes with blocks of a number of threads.
  struct Passes {
    int threads;
    unsigned tile, wave;
    std::size_t split_bytes, sort_bytes, count_bytes;
    void (*find_rows)(partition::TiledMatrix);
    decltype(&partition::split_kernel<Value, large, Ranks::by_vote>) split, split_by_vote;
    decltype(&partition::count_columns_kernel<Value, large>) count;
    decltype(&partition::bucket_kernel<Value, large, false, Ranks::by_vote>) sort, sort_by_vote;
  };

  unsigned nnz() const { return static_cast<unsigned>(this->a().nnz); }
  unsigned rows() const { return static_cast<unsigned>(this->a().rows); }
  unsigned cols() const { return static_cast<unsigned>(this->a().cols); }

  void allocate() {
    if (tile_ != "small" && cols() <= most_columns(large)) {
      choose<large>();
    }
    if (tile_ == "small" || passes_.threads == 0 ||
        (tile_ == "auto" && !large_tiles_pay(buckets_, nnz(), passes_.tile, multiprocessors_))) {
      choose<small>();
    }
    const cudaStream_t s = this->stream();
    const unsigned tile = passes_.tile;
    tiles_ = static_cast<unsigned>(partition::tile_count(nnz(), groups_, tile));
    const std::size_t slots = std::size_t{std::max(tiles_, 1U)} * tile;
    runs_ = DeviceBuffer<unsigned>(std::size_t{buckets_.count} * tiles_, s);
    range_ = DeviceBuffer<unsigned>(std::size_t{tiles_}, s);
    group_ = DeviceBuffer<std::uint16_t>(std::size_t{tiles_}, s);
    entries_ = DeviceBuffer<char>(slots * partition::entry_bytes<Value>, s);
    between_ =
        DeviceBuffer<Value>(has_values<Value> && !partition::fused_entry<Value> ? slots : 0, s);
    row_at_ = DeviceBuffer<unsigned>(nnz() / tile + std::size_t{2}, s);
    runs_.fill_bytes(0, s);
    entries_.fill_bytes(0, s);  // read, not used, where a tile of the bucket pass has no entry
    between_.fill_bytes(0, s);
    extents_ = DeviceBuffer<partition::BucketExtent>(std::size_t{buckets_.count}, s);
    chunks_ = DeviceBuffer<partition::Chunk>(
        partition::largest_chunk_count(buckets_.count, nnz(), chunk_target()), s);
    partial_ = DeviceBuffer<unsigned>(chunks_.size(), s);
    column_counts_ = DeviceBuffer<unsigned>(chunks_.size() * buckets_.width, s);
    flags_ = DeviceBuffer<unsigned>(std::size_t{5}, s);
    flags_.fill_bytes(0, s);
    allow_shared_bytes(passes_.split, passes_.split_bytes);
    allow_shared_bytes(passes_.split_by_vote, passes_.split_bytes);
    allow_shared_bytes(passes_.count, passes_.count_bytes);
    allow_shared_bytes(passes_.sort, passes_.sort_bytes);
    allow_shared_bytes(passes_.sort_by_vote, passes_.sort_bytes);
  }

  /// Divides the columns, and sets the passes, for blocks of `threads`.
  template <int threads>
  void choose() {
    constexpr unsigned tile = partition::tile_of<Value, threads>;
    const unsigned wave = multiprocessors_ * (Policy::block_threads / threads);
    buckets_ = choose_buckets(cols(), nnz(), tile, wave, Policy::largest_width(threads));
    group_bits_ = std::min(32 - buckets_.low_bits, 31);
    groups_ =
        static_cast<unsigned>(ceil_div(std::uint64_t{rows()}, std::uint64_t{1} << group_bits_));
    groups_ > 1 ? set_passes<threads, true>(wave) : set_passes<threads, false>(wave);
  }

  template <int threads, bool grouped>
  void set_passes(unsigned wave) {
    constexpr unsigned tile = partition::tile_of<Value, threads>;
    const bool vote = vote_ || buckets_.width <= Policy::narrow_bucket;
    passes_ = {
        .threads = threads,
        .tile = tile,
        .wave = wave,
        .split_bytes = partition::split_shared_bytes<Value, threads>(buckets_.count),
        .sort_bytes = partition::bucket_shared_bytes<Value, threads>(buckets_.width, grouped),
        .count_bytes = (tile + buckets_.width) * sizeof(unsigned),
        .find_rows = partition::row_at_kernel<tile>,
        .split = vote_ ? partition::split_kernel<Value, threads, Ranks::by_vote>
                       : partition::split_kernel<Value, threads, Ranks::by_addition>,
        .split_by_vote = partition::split_kernel<Value, threads, Ranks::by_vote>,
        .count = partition::count_columns_kernel<Value, threads>,
        .sort = vote ? partition::bucket_kernel<Value, threads, grouped, Ranks::by_vote>
                     : partition::bucket_kernel<Value, threads, grouped, Ranks::by_addition>,
        .sort_by_vote = partition::bucket_kernel<Value, threads, grouped, Ranks::by_vote>};
  }

  unsigned chunk_target() const { return static_cast<unsigned>(chunk_entries(passes_.tile)); }

  /// Launches a kernel that may begin to launch before the previous one of the stream has ended.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), std::size_t blocks, int threads, std::size_t shared,
              const Arguments&... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared;
    config.stream = this->stream();
    config.attrs = &attribute;
    config.numAttrs = programmatic_ ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
  }

  void transpose() {
    const auto in = this->a();
    const partition::TiledMatrix a{{const_cast<Offset*>(in.row_ptr), sizeof(Offset) == 8},
                                   reinterpret_cast<const unsigned*>(in.col_idx),
                                   rows(),
                                   nnz(),
                                   tiles_,
                                   groups_,
                                   group_bits_,
                                   buckets_,
                                   passes_.wave,
                                   row_at_.data()};
    const partition::RunTable table{runs_.data(), tiles_, range_.data(), group_.data()};
    const partition::SplitTiles<Value> between{entries_.data(), between_.data()};
    const partition::Plan plan{extents_.data(),   flags_.data() + 1,    flags_.data() + 2,
                               flags_.data() + 3, flags_.data() + 4,    chunks_.data(),
                               partial_.data(),   column_counts_.data()};
    const partition::BucketInput<Value> input{between, table, buckets_, cols(), group_bits_};
    const partition::BucketOutput<Value> out{{this->col_ptr(), sizeof(Offset) == 8},
                                             reinterpret_cast<unsigned*>(this->row_idx()),
                                             this->values()};
    int* const disorder = reinterpret_cast<int*>(flags_.data());

    const Passes& p = passes_;
    launch(p.find_rows, ceil_div(rows(), unsigned{partition::row_threads}), partition::row_threads,
           0, a);
    launch(p.split, tiles_, p.threads, p.split_bytes, a, in.values, between, table, nullptr,
           disorder);
    launch(partition::plan_kernel, ceil_div(buckets_.count, unsigned{partition::plan_buckets}),
           partition::plan_threads, 0, table, tiles_, buckets_.count, chunk_target(), p.tile,
           unsigned{Policy::runs_per_thread} * p.threads, plan);
    launch(p.count, p.wave, p.threads, p.count_bytes, between.entries, table, buckets_, plan);
    launch(p.sort, p.wave, p.threads, p.sort_bytes, input, nnz(), plan, out, nullptr, disorder);
    if (!vote_) {
      launch(p.split_by_vote, p.wave, p.threads, p.split_bytes, a, in.values, between, table,
             disorder, disorder);
      launch(p.sort_by_vote, p.wave, p.threads, p.sort_bytes, input, nnz(), plan, out, disorder,
             disorder);
    }
  }

  std::string tile_;
  bool vote_, programmatic_;
  ColumnBuckets buckets_;
  int group_bits_ = 0;
  unsigned groups_ = 0, tiles_ = 0;
  unsigned multiprocessors_ = static_cast<unsigned>(gpu_info()->multiprocessors);
  Passes passes_{};
  DeviceBuffer<unsigned> runs_, range_, row_at_;
  DeviceBuffer<std::uint16_t> group_;
  DeviceBuffer<char> entries_;   // words, or pairs of word and value
  DeviceBuffer<Value> between_;  // values not in pairs
  DeviceBuffer<partition::BucketExtent> extents_;
  DeviceBuffer<partition::Chunk> chunks_;
  DeviceBuffer<unsigned> partial_, column_counts_;
  DeviceBuffer<unsigned> flags_;  // disorder; then as in Plan
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cuda_partition() {
  return {.name = "cuda_partition",
          .summary = "split into buckets of columns, counting sort of each in shared memory",
          .source = "own",
          .backend = Backend::cuda,
          .parameters = {{"tile",
                          "auto",
                          {"auto", "small", "large"},
                          "tiles of 512 or of 1024 threads; auto by entries and columns"},
                         {"ranks",
                          "addition",
                          {"addition", "vote"},
                          "ranks of entries by additions in shared memory, their order proven "
                          "afterwards, or by votes within a warp, ordered by construction"},
                         {"launches",
                          "programmatic",
                          {"programmatic", "plain"},
                          "whether a kernel begins its launch while the one before still runs"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            const bool large = params.has("tile") && params.text("tile") == "large";
            const std::int64_t most_cols = most_columns(large ? PartitionPolicy::large_threads
                                                              : PartitionPolicy::small_threads);
            constexpr std::int64_t most_entries = (std::int64_t{1} << 32) - (1 << 26);
            if (problem.shape().cols > most_cols) {
              return std::to_string(problem.shape().cols) + " columns; two passes divide at most " +
                     std::to_string(most_cols);
            }
            if (problem.shape().stored > most_entries) {
              return std::to_string(problem.shape().stored) +
                     " entries; places are 32-bit numbers, at most " + std::to_string(most_entries);
            }
            return "";
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_transpose<CudaPartition>
#endif
  };
}

}  // namespace sparserepro
