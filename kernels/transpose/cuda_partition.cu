// Own transposition: a stable split of the entries among buckets of consecutive columns, then a
// stable counting sort of each bucket in shared memory.
//
//   1. histogram   reads the columns: entries of each (bucket, tile), and the row each tile begins
//   in
//   2. scan        over (bucket, tile): where each tile's entries of each bucket go
//   3. split       reads A, writes (row, column within the bucket, value) bucket by bucket
//   4. plan        cuts large buckets into chunks; counts the columns of chunks beyond one tile
//   5. bucket      reads the buckets, writes column pointers, rows and values of A^T in whole lines
//
// Bytes per entry with V bytes per value: 4 + (4 + V) + 2 (4 + V) + (4 + V), so 36 for fp32 and 52
// for fp64 where 16 and 24 are the least: no faster than 2.25 copies. Buckets beyond one tile are
// read once more to count and their rows to prove; 4 bytes more each way where row and column
// within the bucket exceed 32 bits together. Up to 2560 columns the split alone does it. Measured
// on an H200, 10M entries in 500k columns: 0.24 and 0.30 ms, 6.1 and 5.2 copies; the passes wait
// for shared memory and latency, not for device memory (0.11 + 0.09 ms split and bucket, fp32).
//
// Ranks come from atomic additions in shared memory, whose order within a warp no manual promises:
// the passes prove that rows ascend strictly within each column, else both run again with ranks by
// vote (always so when an entry occurs twice). All on the device; the host waits for nothing.
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/cuda_partition_policy.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_scan.cuh>

#include "transpose/cuda_partition_bucket.cuh"
#include "transpose/cuda_partition_split.cuh"
#include "transpose/cuda_transpose_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaPartition final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaPartition(const Csr<Offset, Value>& a, const Params&) : CudaTransposeRun<Offset, Value>(a) {
    if (a.nnz() == 0) {
      return;
    }
    const auto choose = [&](int word_bytes) {
      const int bytes = word_bytes + static_cast<int>(value_bytes<Value>);
      buckets_ = choose_buckets(a.cols, a.nnz(), PartitionPolicy::bucket_tile(bytes), wave_);
    };
    choose(4);
    packed_ = bits_below(static_cast<std::uint64_t>(a.rows)) + buckets_.low_bits <= 32;
    if (!packed_) {
      choose(8);
    }
    packed_ ? allocate<std::uint32_t>() : allocate<std::uint64_t>();
  }

  void execute() override {
    if (this->a().nnz == 0) {
      this->write_empty();
    } else {
      packed_ ? transpose<std::uint32_t>() : transpose<std::uint64_t>();
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(table_.bytes() + scan_storage_.bytes() + tile_row_.bytes() +
                                     entries_.bytes() + between_.bytes() + chunks_.bytes() +
                                     partial_.bytes() + column_counts_.bytes() + flags_.bytes());
  }

  Measures measures() const override {
    return {{"buckets", static_cast<double>(buckets_.count)},
            {"bucket_columns", static_cast<double>(buckets_.width)},
            {"entry_word_bits", packed_ ? 32.0 : 64.0}};
  }

 private:
  template <class Word>
  struct Sizes {
    static constexpr int bytes = sizeof(Word) + value_bytes<Value>;
    static constexpr int split_items = PartitionPolicy::split_items(bytes);
    static constexpr int bucket_items = PartitionPolicy::bucket_items(bytes);
    static constexpr int bucket_tile = PartitionPolicy::bucket_tile(bytes);
    static constexpr bool fused = partition::fused_entry<Word, Value>;
  };

  bool one_pass() const { return buckets_.width == 1; }
  unsigned nnz() const { return static_cast<unsigned>(this->a().nnz); }
  std::int64_t table_size() const { return std::int64_t{buckets_.count} * table_stride_; }

  template <class Word>
  void allocate() {
    using Size = Sizes<Word>;
    const cudaStream_t s = this->stream();
    const auto entries = static_cast<std::size_t>(nnz());
    split_steps_ = static_cast<unsigned>(choose_split_steps(nnz(), Size::split_items, wave_));
    tiles_ = ceil_div(nnz(), split_steps_ * PartitionPolicy::threads);
    table_stride_ = ceil_div(tiles_, unsigned{PartitionPolicy::histogram_tiles}) *
                    PartitionPolicy::histogram_tiles;
    table_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(table_size()), s);
    tile_row_ = DeviceBuffer<unsigned>(tiles_ + std::size_t{1}, s);
    flags_ = DeviceBuffer<unsigned>(std::size_t{3}, s);
    std::size_t bytes = 0;
    scan(nullptr, bytes);
    scan_storage_ = DeviceBuffer<char>(bytes, s);
    const std::size_t split_bytes =
        partition::split_shared_bytes<Word, Value, Size::split_items>(buckets_.count);
    allow_shared_bytes(partition::histogram_kernel, histogram_bytes());
    allow_shared_bytes(partition::split_kernel<Word, Value, Size::split_items>, split_bytes);
    if (one_pass()) {
      return;
    }
    entries_ = DeviceBuffer<char>(entries * partition::entry_bytes<Word, Value>, s);
    between_ = DeviceBuffer<Value>(has_values<Value> && !Size::fused ? entries : 0, s);
    chunks_ = DeviceBuffer<partition::Chunk>(
        partition::largest_chunk_count(buckets_.count, entries, chunk_entries<Word>()), s);
    partial_ = DeviceBuffer<unsigned>(chunks_.size(), s);
    column_counts_ = DeviceBuffer<unsigned>(chunks_.size() * buckets_.width, s);
    allow_shared_bytes(
        partition::bucket_kernel<Word, Value, Size::bucket_items>,
        partition::bucket_shared_bytes<Word, Value, Size::bucket_items>(buckets_.width));
  }

  template <class Word>
  std::size_t chunk_entries() const {
    return static_cast<std::size_t>(
        sparserepro::chunk_entries(nnz(), Sizes<Word>::bucket_tile, wave_));
  }

  std::size_t histogram_bytes() const {
    return std::size_t{PartitionPolicy::histogram_tiles} * buckets_.count * sizeof(unsigned);
  }

  void scan(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, table_.data(), table_.data(),
                                             table_size(), this->stream()));
  }

  template <class Word>
  void transpose() {
    using Size = Sizes<Word>;
    constexpr int threads = PartitionPolicy::threads;
    const cudaStream_t s = this->stream();
    const auto in = this->a();
    const auto cols = static_cast<unsigned>(in.cols);
    const partition::AnyPointers row_ptr{const_cast<Offset*>(in.row_ptr), sizeof(Offset) == 8};
    const partition::AnyPointers col_ptr{this->col_ptr(), sizeof(Offset) == 8};
    const partition::SplitInput input{row_ptr,       reinterpret_cast<const unsigned*>(in.col_idx),
                                      nnz(),         tiles_,
                                      wave_,         split_steps_,
                                      buckets_,      table_stride_,
                                      table_.data(), tile_row_.data()};
    int* const disorder = reinterpret_cast<int*>(flags_.data());
    const partition::Plan plan{flags_.data() + 1, flags_.data() + 2, chunks_.data(),
                               partial_.data(), column_counts_.data()};

    partition::histogram_kernel<<<table_stride_ / PartitionPolicy::histogram_tiles, threads,
                                  histogram_bytes(), s>>>(input, static_cast<unsigned>(in.rows),
                                                          disorder);
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = scan_storage_.bytes();
    scan(scan_storage_.data(), bytes);
    split<Word>(input, nullptr, disorder);
    if (one_pass()) {
      partition::pointers_kernel<<<ceil_div(cols + 1, unsigned{threads}), threads, 0, s>>>(
          table_.data(), table_stride_, cols, nnz(), col_ptr);
      CUDA_CHECK_LAUNCH();
      split<Word>(input, disorder, disorder);
      return;
    }
    partition::plan_kernel<Size::bucket_tile>
        <<<1, threads, 0, s>>>(table_.data(), table_stride_, buckets_.count, nnz(),
                               static_cast<unsigned>(chunk_entries<Word>()), plan);
    CUDA_CHECK_LAUNCH();
    partition::count_columns_kernel<Word, Value>
        <<<2 * wave_, threads, buckets_.width * sizeof(unsigned), s>>>(entries_.data(), buckets_,
                                                                       plan);
    CUDA_CHECK_LAUNCH();
    bucket<Word>(plan, col_ptr, nullptr, disorder);
    partition::verify_kernel<Size::bucket_tile>
        <<<2 * wave_, threads, 0, s>>>(reinterpret_cast<const unsigned*>(this->row_idx()), col_ptr,
                                       buckets_, cols, plan, disorder);
    CUDA_CHECK_LAUNCH();
    split<Word>(input, disorder, disorder);
    bucket<Word>(plan, col_ptr, disorder, disorder);
  }

  template <class Word>
  void split(const partition::SplitInput& input, const int* redo, int* disorder) {
    constexpr int items = Sizes<Word>::split_items;
    const std::size_t bytes = partition::split_shared_bytes<Word, Value, items>(buckets_.count);
    const std::size_t region = partition::split_region_bytes<Word, Value, items>(buckets_.count);
    Value* const to = one_pass() ? this->values() : between_.data();
    partition::split_kernel<Word, Value, items>
        <<<redo == nullptr ? tiles_ : wave_, PartitionPolicy::threads, bytes, this->stream()>>>(
            input, this->a().values,
            {entries_.data(), to,
             one_pass() ? reinterpret_cast<unsigned*>(this->row_idx()) : nullptr},
            static_cast<unsigned>(region), redo, disorder);
    CUDA_CHECK_LAUNCH();
  }

  template <class Word>
  void bucket(const partition::Plan& plan, partition::AnyPointers col_ptr, const int* redo,
              int* disorder) {
    constexpr int items = Sizes<Word>::bucket_items;
    const std::size_t bytes = partition::bucket_shared_bytes<Word, Value, items>(buckets_.width);
    const std::size_t region = partition::bucket_region_bytes<Word, Value, items>(buckets_.width);
    partition::bucket_kernel<Word, Value, items>
        <<<redo == nullptr ? static_cast<unsigned>(chunks_.size()) : wave_,
           PartitionPolicy::threads, bytes, this->stream()>>>(
            {entries_.data(), between_.data(), buckets_, static_cast<unsigned>(this->a().cols)},
            nnz(), plan, {col_ptr, reinterpret_cast<unsigned*>(this->row_idx()), this->values()},
            static_cast<unsigned>(region), redo, disorder);
    CUDA_CHECK_LAUNCH();
  }

  ColumnBuckets buckets_;
  bool packed_ = true;
  unsigned split_steps_ = 0, tiles_ = 0, table_stride_ = 0;
  unsigned wave_ = static_cast<unsigned>(gpu_info()->multiprocessors);  // a block on each
  DeviceBuffer<unsigned> table_, tile_row_;
  DeviceBuffer<char> scan_storage_;
  DeviceBuffer<char> entries_;   // [nnz] words, fused with 4-byte values
  DeviceBuffer<Value> between_;  // [nnz] values not fused
  DeviceBuffer<partition::Chunk> chunks_;
  DeviceBuffer<unsigned> partial_, column_counts_;
  DeviceBuffer<unsigned> flags_;  // disorder, number of chunks, of those not whole
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
            constexpr std::int64_t most_entries = (std::int64_t{1} << 32) - (1 << 16);
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
