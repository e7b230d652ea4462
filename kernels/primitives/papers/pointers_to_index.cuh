// Pointers to index on the device: index[p] = b for p in [pointers[b], pointers[b+1]). One block
// writes the elements of one bin. Source: transposition seed IV-G.
#pragma once

#include "cuda/launch.hpp"
#include "formats/types.hpp"

namespace sparserepro::device {

/// Block b writes index [pointers[b], pointers[b+1]).
template <class Offset>
__global__ void expand_bins_kernel(const Offset* pointers, index_t* index) {
  const auto bin = static_cast<index_t>(blockIdx.x);
  const Offset end = pointers[bin + 1];
  for (Offset p = pointers[bin] + threadIdx.x; p < end; p += blockDim.x) {
    index[p] = bin;
  }
}

/// Writes `index` [pointers[bins]] from `pointers` [bins + 1], both in device memory; asynchronous
/// on `stream`.
template <class Offset>
void pointers_to_index(const Offset* pointers, index_t bins, int block_size, index_t* index,
                       cudaStream_t stream) {
  if (bins > 0) {
    expand_bins_kernel<<<static_cast<unsigned>(bins), static_cast<unsigned>(block_size), 0,
                         stream>>>(pointers, index);
    CUDA_CHECK_LAUNCH();
  }
}

}  // namespace sparserepro::device
