// Own transposition: tiles of entries are ordered by bucket of consecutive columns, stably and in
// place; then each bucket, gathered from the tiles, is sorted by column in shared memory.
//
//   1. split   reads A; orders each tile by bucket in shared memory and writes it out as it lies:
//              (row, column within the bucket, value), and where the run of each bucket begins
//   2. plan    sums the runs of each bucket; cuts buckets beyond one tile into chunks of tiles
//   3. count   counts the columns of those chunks
//   4. bucket  gathers the runs of a bucket, sorts them by column, and writes column pointers, rows
//              and values of A^T in whole lines
//
// Nothing need be known of a tile before its split, so the columns are read once. Bytes per entry
// with V bytes per value: (4 + V) + 2 (4 + V) + (4 + V), so 32 for fp32 and 48 for fp64 where 16
// and 24 are the least; chunks of buckets beyond one tile are read once more to count.
//
// Row and column within the bucket share one word of 32 bits: rows count from the first of a group
// of 2^(32 - column bits), and a tile ends where a group does. Local matrices (bands, meshes) need
// no path of their own: a tile lists the range of buckets it touches, has counters for these alone,
// and a bucket looks only at the tiles between its first and its last.
//
// Ranks come from atomic additions in shared memory, whose order within a warp no manual promises:
// the bucket pass proves that rows ascend strictly within each column, else both passes run again
// with ranks by vote (always so when an entry occurs twice). Chunks end between tiles, whose order
// is given, so that each proves its own part. All on the device; the host waits for nothing.
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
  CudaPartition(const Csr<Offset, Value>& a, const Params&) : CudaTransposeRun<Offset, Value>(a) {
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
                                     entries_.bytes() + between_.bytes() + extents_.bytes() +
                                     chunks_.bytes() + partial_.bytes() + column_counts_.bytes() +
                                     flags_.bytes());
  }

  Measures measures() const override {
    return {{"buckets", static_cast<double>(buckets_.count)},
            {"bucket_columns", static_cast<double>(buckets_.width)},
            {"tiles", static_cast<double>(tiles_)}};
  }

 private:
  using Policy = PartitionPolicy;
  using Word = partition::WordCounters;
  using Half = partition::HalfCounters;

  unsigned nnz() const { return static_cast<unsigned>(this->a().nnz); }
  unsigned rows() const { return static_cast<unsigned>(this->a().rows); }
  unsigned cols() const { return static_cast<unsigned>(this->a().cols); }

  void allocate() {
    const cudaStream_t s = this->stream();
    buckets_ = choose_buckets(cols(), nnz(), wave_);
    group_bits_ = std::min(32 - buckets_.low_bits, 31);
    groups_ =
        static_cast<unsigned>(ceil_div(std::uint64_t{rows()}, std::uint64_t{1} << group_bits_));
    tiles_ = static_cast<unsigned>(partition::tile_count(nnz(), groups_));
    const std::size_t slots = std::size_t{std::max(tiles_, 1U)} * Policy::tile;
    runs_ = DeviceBuffer<unsigned>(std::size_t{buckets_.count} * tiles_, s);
    range_ = DeviceBuffer<unsigned>(std::size_t{tiles_}, s);
    group_ = DeviceBuffer<std::uint16_t>(std::size_t{tiles_}, s);
    entries_ = DeviceBuffer<char>(slots * partition::entry_bytes<Value>, s);
    between_ =
        DeviceBuffer<Value>(has_values<Value> && !partition::fused_entry<Value> ? slots : 0, s);
    entries_.fill_bytes(0, s);  // read, not used, where a tile of the bucket pass has no entry
    between_.fill_bytes(0, s);
    extents_ = DeviceBuffer<partition::BucketExtent>(std::size_t{buckets_.count}, s);
    chunks_ = DeviceBuffer<partition::Chunk>(
        partition::largest_chunk_count(buckets_.count, nnz(), chunk_target()), s);
    partial_ = DeviceBuffer<unsigned>(chunks_.size(), s);
    column_counts_ = DeviceBuffer<unsigned>(chunks_.size() * buckets_.width, s);
    flags_ = DeviceBuffer<unsigned>(std::size_t{5}, s);
    flags_.fill_bytes(0, s);
    allow_shared_bytes(split_first(), split_bytes(split_words()));
    allow_shared_bytes(split_by_vote, split_bytes(false));
    allow_shared_bytes(bucket_first(), bucket_bytes(bucket_words()));
    allow_shared_bytes(bucket_by_vote(), bucket_bytes(false));
    allow_shared_bytes(partition::count_columns_kernel<Value>, count_bytes());
  }

  static constexpr auto split_by_vote = partition::split_kernel<Value, Half, true>;
  auto split_first() const {
    return split_words() ? partition::split_kernel<Value, Word, false>
                         : partition::split_kernel<Value, Half, false>;
  }
  template <class Counters, bool by_vote>
  auto bucket_kernel() const {
    return groups_ > 1 ? partition::bucket_kernel<Value, Counters, true, by_vote>
                       : partition::bucket_kernel<Value, Counters, false, by_vote>;
  }
  auto bucket_first() const {
    return bucket_words() ? bucket_kernel<Word, false>() : bucket_kernel<Half, false>();
  }
  auto bucket_by_vote() const { return bucket_kernel<Half, true>(); }
  /// Whether counters of 32 bits fit the shared memory.
  bool split_words() const { return split_bytes(true) <= Policy::shared_bytes; }
  bool bucket_words() const { return bucket_bytes(true) <= Policy::shared_bytes; }

  unsigned chunk_target() const {
    return static_cast<unsigned>(sparserepro::chunk_entries(nnz(), wave_));
  }
  std::size_t split_bytes(bool words) const {
    return words ? partition::split_shared_bytes<Value, Word>(buckets_.count)
                 : partition::split_shared_bytes<Value, Half>(buckets_.count);
  }
  std::size_t bucket_bytes(bool words) const {
    return words ? partition::bucket_shared_bytes<Value, Word>(buckets_.width)
                 : partition::bucket_shared_bytes<Value, Half>(buckets_.width);
  }
  std::size_t count_bytes() const { return (Policy::tile + buckets_.width) * sizeof(unsigned); }

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
    config.numAttrs = 1;
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
                                   buckets_};
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

    launch(split_first(), tiles_, Policy::threads, split_bytes(split_words()), a, in.values,
           between, table, disorder);
    launch(partition::plan_kernel, ceil_div(buckets_.count, unsigned{partition::plan_threads / 32}),
           partition::plan_threads, 0, table, tiles_, buckets_.count, chunk_target(),
           unsigned{Policy::threads * Policy::runs_per_thread}, plan);
    launch(partition::count_columns_kernel<Value>, 2 * wave_, Policy::threads, count_bytes(),
           between.entries, table, buckets_, plan);
    launch(bucket_first(), wave_, Policy::threads, bucket_bytes(bucket_words()), input, nnz(), plan,
           out, disorder);
    launch(split_by_vote, wave_, Policy::threads, split_bytes(false), a, in.values, between, table,
           disorder);
    launch(bucket_by_vote(), wave_, Policy::threads, bucket_bytes(false), input, nnz(), plan, out,
           disorder);
  }

  ColumnBuckets buckets_;
  int group_bits_ = 0;
  unsigned groups_ = 0, tiles_ = 0;
  unsigned wave_ = static_cast<unsigned>(gpu_info()->multiprocessors);
  DeviceBuffer<unsigned> runs_, range_;
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
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
            constexpr std::int64_t most_cols =
                std::int64_t{PartitionPolicy::largest_digits} * PartitionPolicy::largest_digits;
            constexpr std::int64_t most_entries = (std::int64_t{1} << 32) - (1 << 25);
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
