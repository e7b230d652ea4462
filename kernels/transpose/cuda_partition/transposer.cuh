// cuda_partition as a class that any owner of device arrays can use.
#pragma once

#include <optional>

#include "cuda/check.hpp"
#include "cuda/device_info.hpp"
#include "transpose/cuda_partition/few/team_run.cuh"
#include "transpose/cuda_partition/one_level/passes.cuh"
#include "transpose/cuda_partition/two_levels/passes.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape, stably. All work is queued on one stream; only the constructor
/// allocates. Value: a trivially copyable type of 4 or 8 bytes, or an empty one for patterns.
template <class Offset, class Value>
class Transposer {
 public:
  /// `nnz` < 2^32 - 2^26 and `cols` <= most_columns. The shared memory of the device must hold the
  /// tiles (most_shared_bytes).
  Transposer(index_t rows, index_t cols, Offset nnz, const Options& options, cudaStream_t stream)
      : stream_(stream) {
    if (nnz == 0) {
      return;
    }
    const std::int64_t multiprocessors = gpu_info()->multiprocessors;
    // Tile, ranks and launches are of the passes: whoever sets one asks for passes.
    const bool any = options.path == Path::automatic && options.tile == TileSize::automatic &&
                     !options.vote && options.programmatic;
    if (options.path == Path::team || (any && team_pays(rows, cols, nnz, multiprocessors))) {
      team_.emplace(rows, cols, nnz, stream);
    } else if (options.path == Path::two_levels) {
      levels_.emplace(rows, cols, nnz, options, stream);
    } else {
      const bool either =
          options.path == Path::by_locality ||
          (options.path == Path::automatic &&
           two_levels_pay(rows, cols, nnz, tile_of<Value, DevicePartitionPolicy::large_threads>,
                          multiprocessors));
      passes_.emplace(rows, cols, nnz, options, stream, !either);
      if (either) {
        levels_.emplace(rows, cols, nnz, options, stream, &*passes_);
      }
    }
  }

  /// Queues the transposition of `a` to col_ptr [cols + 1], row_idx [nnz] and values [nnz], all in
  /// device memory and aligned to 16 bytes.
  void operator()(const CsrView<Offset, Value>& a, Offset* col_ptr, index_t* row_idx,
                  Value* values) {
    const BucketOutput<Value> out{AnyPointers(col_ptr), reinterpret_cast<unsigned*>(row_idx),
                                  values};
    if (team_) {
      (*team_)(a, out);
    }
    if (passes_) {
      (*passes_)(a, out);
    }
    if (levels_) {
      (*levels_)(a, out);
    }
    if (!team_ && !passes_ && !levels_) {
      CUDA_CHECK(cudaMemsetAsync(col_ptr, 0, (std::size_t(a.cols) + 1) * sizeof(Offset), stream_));
    }
  }

  std::int64_t workspace_bytes() const {
    return (team_ ? team_->workspace_bytes() : 0) + (passes_ ? passes_->workspace_bytes() : 0) +
           (levels_ ? levels_->workspace_bytes() : 0);
  }

  /// Of the last call. Waits for all queued kernels.
  Measures measures() const {
    if (team_) {
      return team_->measures();
    }
    if (levels_ && (!passes_ || passes_->left())) {
      return levels_->measures();
    }
    return passes_ ? passes_->measures() : Measures{};
  }

 private:
  cudaStream_t stream_;
  std::optional<TeamSort<Offset, Value>> team_;
  std::optional<Passes<Offset, Value>> passes_;
  std::optional<TwoLevelPasses<Offset, Value>> levels_;
};

}  // namespace sparserepro::partition
