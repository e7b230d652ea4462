// cuda_partition as a class that any owner of device arrays can use.
#pragma once

#include <optional>

#include "cuda/check.hpp"
#include "cuda/per_device.hpp"
#include "transpose/cuda_partition/few/team.cuh"
#include "transpose/cuda_partition/one_level/passes.cuh"

namespace sparserepro::partition {

/// Transposes matrices of one shape, stably, on the device that is current when this is made.
/// Value: a trivially copyable type of 4 or 8 bytes, or an empty one for patterns.
template <class Offset, class Value>
class Transposer {
 public:
  /// `nnz` <= most_entries and `cols` <= most_columns. The shared memory of the device must hold
  /// the tiles (most_shared_bytes). Queues the set-up of the workspace on `stream`, unless `memory`
  /// counts: then nothing but facts and memory.bytes() may be asked for.
  Transposer(index_t rows, index_t cols, Offset nnz, const Options& options, DeviceMemory& memory,
             cudaStream_t stream) {
    if (nnz == 0) {
      return;
    }
    const std::int64_t multiprocessors = device_limits().multiprocessors;
    // Tile, ranks and launches are of the passes: whoever sets one asks for passes.
    const bool any = options.path == Path::automatic && options.tile == TileSize::automatic &&
                     !options.vote && options.programmatic;
    if (options.path == Path::team || (any && team_pays(rows, cols, nnz, multiprocessors))) {
      team_.emplace(rows, cols, nnz, memory);
    } else {
      passes_.emplace(rows, cols, nnz, options, memory, stream);
    }
  }

  /// Queues the transposition of `a` to col_ptr [cols + 1], row_idx [nnz] and values [nnz], all in
  /// device memory and aligned to 16 bytes. Calls follow each other, whatever their streams.
  void operator()(const CsrView<Offset, Value>& a, Offset* col_ptr, index_t* row_idx, Value* values,
                  cudaStream_t stream) {
    const BucketOutput<Value> out{AnyPointers(col_ptr), reinterpret_cast<unsigned*>(row_idx),
                                  values};
    if (team_) {
      (*team_)(a, out, stream);
    }
    if (passes_) {
      (*passes_)(a, out, stream);
    }
    if (!team_ && !passes_) {
      CUDA_CHECK(cudaMemsetAsync(col_ptr, 0, (std::size_t(a.cols) + 1) * sizeof(Offset), stream));
    }
  }

  /// Of the last call, which was on `stream`. Waits for it.
  Facts facts(cudaStream_t stream) const {
    return team_ ? team_->facts() : passes_ ? passes_->facts(stream) : Facts{};
  }

 private:
  std::optional<TeamSort<Offset, Value>> team_;
  std::optional<Passes<Offset, Value>> passes_;
};

}  // namespace sparserepro::partition
