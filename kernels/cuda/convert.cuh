// Elements of one integer type copied to another on the device.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/check.hpp"
#include "formats/ceil_div.hpp"

namespace sparserepro {

/// to[e] = from[e] for all e.
template <class To, class From>
__global__ void convert_kernel(const From* __restrict__ from, To* __restrict__ to,
                               std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t e = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; e < count; e += stride) {
    to[e] = static_cast<To>(from[e]);
  }
}

/// Queues to[e] = from[e] for e < count.
template <class To, class From>
void convert_on_device(const From* from, To* to, std::size_t count, cudaStream_t stream) {
  constexpr unsigned threads = 256;
  if (count > 0) {
    const std::size_t blocks = ceil_div(count, std::size_t{4} * threads);
    convert_kernel<<<static_cast<unsigned>(std::min(blocks, std::size_t{1} << 20)), threads, 0,
                     stream>>>(from, to, count);
    CUDA_CHECK_LAUNCH();
  }
}

}  // namespace sparserepro
