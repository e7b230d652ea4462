// Transposition as a merge sort by column, composed of the array procedures as in the seed:
//
//   1. pointers to index   rows of the entries                         primitives/pointers_to_index
//   2. segmented sort      block_size columns each, by rank, with the
//                          position of the entry as payload            primitives/rank_sort
//   3. merge               pairs of up to `small_pair` keys in shared
//                          memory, longer pairs by splitters           primitives/merge_small,
//                                                                      primitives/merge_splitters
//   4. gather              rows and values by position
//   5. index to pointers   of the columns                              primitives/index_to_pointers
//
// The merge of nnz entries has ceil(log2(nnz / block_size)) levels; each reads and writes 8 bytes
// an entry.
//
// Source: transposition seed III-C and IV. The MergeTrans of Wang et al., ICS'16, 4.2, is another
// method: it adds column pointers and compares nothing. Differences from the seed: a position of 4
// bytes goes through the merges in place of row and value; all levels are allocated once; an extra
// level, which an overflow of the segment length causes in the seed's code, is removed.
#include "cuda/block_size.hpp"
#include "cuda/device_info.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/papers/device_limits.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <deque>
#include <optional>

#include "primitives/papers/index_to_pointers.cuh"
#include "primitives/papers/merge_splitters.cuh"
#include "primitives/papers/pointers_to_index.cuh"
#include "primitives/papers/rank_sort.cuh"
#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

/// Keys of the longest pair that a block merges without splitters. 16 KiB of shared memory allow
/// several blocks on a multiprocessor.
constexpr std::int64_t small_pair = 4096;

template <class Value>
__global__ void gather_kernel(const std::uint32_t* positions, const index_t* rows,
                              const Value* from, std::int64_t nnz, index_t* row_idx,
                              Value* values) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < nnz) {
    const std::uint32_t p = positions[i];
    row_idx[i] = rows[p];
    if constexpr (has_values<Value>) {
      values[i] = from[p];
    }
  }
}

template <class Offset>
__global__ void widen_kernel(const std::uint32_t* pointers, index_t cols, Offset* col_ptr) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c <= cols) {
    col_ptr[c] = static_cast<Offset>(pointers[c]);
  }
}

template <class Offset, class Value>
class CudaMergetrans final : public CudaTransposeRun<Offset, Value> {
 public:
  CudaMergetrans(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a),
        block_size_(static_cast<int>(params.integer("block_size"))) {
    if (a.nnz() == 0) {
      return;
    }
    const auto entries = static_cast<std::size_t>(a.nnz());
    const cudaStream_t s = this->stream();
    rows_ = DeviceBuffer<index_t>(entries, s);
    for (int i = 0; i < 2; ++i) {
      keys_[i] = DeviceBuffer<index_t>(entries, s);
      positions_[i] = DeviceBuffer<std::uint32_t>(entries, s);
    }
    pointers_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(a.cols) + 1, s);
    for (std::int64_t segment = block_size_; segment < a.nnz(); segment *= 2) {
      if (2 * segment > small_pair) {
        merges_.emplace_back(a.nnz(), segment, params.integer("sp_dist"), block_size_, s);
      }
    }
    count_.emplace(a.nnz(), a.cols, block_size_, device::Counting::atomic,
                   device::VerticalScan::columns, s);
  }

  void execute() override {
    const auto in = this->a();
    if (in.nnz == 0) {
      this->write_empty();
      return;
    }
    constexpr unsigned threads = 256;
    const cudaStream_t s = this->stream();
    const std::int64_t nnz = in.nnz;
    device::pointers_to_index(in.row_ptr, in.rows, expand_threads, rows_.data(), s);
    device::segmented_rank_sort(in.col_idx, nullptr, nnz, block_size_, block_size_, keys_[0].data(),
                                positions_[0].data(), s);
    int now = 0;
    auto big = merges_.begin();
    for (std::int64_t segment = block_size_; segment < nnz; segment *= 2, now = 1 - now) {
      const index_t* const keys = keys_[now].data();
      const std::uint32_t* const positions = positions_[now].data();
      index_t* const out_keys = keys_[1 - now].data();
      std::uint32_t* const out_positions = positions_[1 - now].data();
      if (2 * segment <= small_pair) {
        device::merge_small(keys, positions, nnz, segment, block_size_, out_keys, out_positions, s);
      } else {
        (*big++)(keys, positions, out_keys, out_positions, s);
      }
    }
    gather_kernel<<<static_cast<unsigned>(ceil_div<std::int64_t>(nnz, threads)), threads, 0, s>>>(
        positions_[now].data(), rows_.data(), in.values, nnz, this->row_idx(), this->values());
    CUDA_CHECK_LAUNCH();
    (*count_)(in.col_idx, pointers_.data(), s);
    widen_kernel<<<static_cast<unsigned>(in.cols) / threads + 1, threads, 0, s>>>(
        pointers_.data(), in.cols, this->col_ptr());
    CUDA_CHECK_LAUNCH();
  }

  std::int64_t workspace_bytes() const override {
    std::int64_t bytes = count_ ? count_->workspace_bytes() : 0;
    for (const auto& merge : merges_) {
      bytes += merge.workspace_bytes();
    }
    return bytes + static_cast<std::int64_t>(rows_.bytes() + keys_[0].bytes() + keys_[1].bytes() +
                                             positions_[0].bytes() + positions_[1].bytes() +
                                             pointers_.bytes());
  }

 private:
  static constexpr int expand_threads = 32;  // of a block, which writes one row

  int block_size_;
  DeviceBuffer<index_t> rows_;                // [nnz] in storage order
  DeviceBuffer<index_t> keys_[2];             // [nnz] columns, source and target of a merge
  DeviceBuffer<std::uint32_t> positions_[2];  // [nnz]
  DeviceBuffer<std::uint32_t> pointers_;      // [cols + 1]
  std::deque<device::SplitterMerge> merges_;  // of the levels with pairs longer than small_pair
  std::optional<device::IndexToPointers> count_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cuda_mergetrans() {
  return {.name = "cuda_mergetrans",
          .summary = "segments sorted by rank, merged in pairs by splitters",
          .source = "transposition seed III-C, IV",
          .backend = Backend::cuda,
          .parameters =
              {{"block_size",
                std::int64_t{128},
                {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{256},
                 std::int64_t{512}, std::int64_t{1024}},
                "threads per block"},
               {"sp_dist", std::int64_t{128}, {}, "elements from one splitter to the next", 2}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params& params) -> std::string {
            const std::int64_t keys = 2 * params.integer("sp_dist");
            const std::string reason =
                shared_memory_refusal(keys * std::int64_t{sizeof(index_t)},
                                      "merges of " + std::to_string(keys) + " keys");
            return reason.empty() ? entries_refusal(problem, params) : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_transpose<CudaMergetrans>
#endif
  };
}

}  // namespace sparserepro
