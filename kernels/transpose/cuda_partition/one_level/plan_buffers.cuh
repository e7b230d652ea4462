// Device memory of the plan between the passes of cuda_partition, and of their state.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/check.hpp"
#include "cuda/device_memory.hpp"
#include "formats/types.hpp"
#include "transpose/cuda_partition/one_level/plan.cuh"
#include "transpose/cuda_partition/policy.hpp"

namespace sparserepro::partition {

class PlanBuffers {
 public:
  /// For `buckets` of `width` columns each (or units of columns), gathered from `tiles` of a split
  /// by blocks of `threads` with tiles of `tile` entries.
  void allocate(std::size_t buckets, unsigned width, unsigned nnz, std::size_t tiles, unsigned tile,
                int threads, DeviceMemory& memory, cudaStream_t stream) {
    width_ = width;
    target_ = static_cast<unsigned>(chunk_entries(tile, width));
    window_ = unsigned{DevicePartitionPolicy::runs_per_thread} * static_cast<unsigned>(threads);
    extents_ = DeviceArray<BucketExtent>(buckets, memory);
    chunks_ = DeviceArray<Chunk>(largest_chunk_count(buckets, nnz, target_), memory);
    partial_ =
        DeviceArray<unsigned>(largest_partial_count(buckets, nnz, tiles, target_, window_), memory);
    column_counts_ = DeviceArray<unsigned>(partial_.size() * width, memory);
    state_ = DeviceArray<PassState>(std::size_t{1}, memory);
    state_.fill_bytes(0, stream);
  }

  /// Entries of a chunk of a bucket beyond one tile.
  unsigned chunk_target() const { return target_; }
  /// Tiles of the split that a block of the bucket pass looks up at once.
  unsigned window() const { return window_; }

  Plan plan(const Gate& gate, const Band& band) {
    PassState* const state = state_.data();
    return {.extents = extents_.data(),
            .blocks_done = &state->blocks_done,
            .chunk_count = &state->chunk_count,
            .chunks_taken = &state->chunks_taken,
            .partial_count = &state->partial_count,
            .counted = &state->counted,
            .split_again = &state->split_again,
            .chunks = chunks_.data(),
            .partial = partial_.data(),
            .column_counts = column_counts_.data(),
            .width = width_,
            .gate = gate,
            .band = band};
  }

  /// On the device.
  PassState* state() { return state_.data(); }
  const PassState* state() const { return state_.data(); }
  /// The state after all kernels queued on `stream`. Waits for them.
  PassState final_state(cudaStream_t stream) const {
    PassState state;
    state_.copy_to(&state, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return state;
  }

  std::size_t bytes() const {
    return extents_.bytes() + chunks_.bytes() + partial_.bytes() + column_counts_.bytes() +
           state_.bytes();
  }

 private:
  unsigned width_ = 0, target_ = 0, window_ = 0;
  DeviceArray<BucketExtent> extents_;
  DeviceArray<Chunk> chunks_;
  DeviceArray<unsigned> partial_, column_counts_;
  DeviceArray<PassState> state_;
};

}  // namespace sparserepro::partition
