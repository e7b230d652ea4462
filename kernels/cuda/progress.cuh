// Work that blocks of one kernel take in turn and wait for.
#pragma once

namespace sparserepro {

/// Of a number of pieces of work that blocks take in turn, and whose results other blocks read.
struct BlockProgress {
  unsigned taken, done;

  /// After a barrier of the block that has done it.
  __device__ void one_done() {
    if (threadIdx.x == 0) {
      __threadfence();  // with the barriers, between what all threads wrote and read
      atomicAdd(&done, 1U);
    }
  }
  /// A barrier of the block as well.
  __device__ void await(unsigned count) {
    if (threadIdx.x == 0) {
      while (*static_cast<volatile unsigned*>(&done) < count) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

}  // namespace sparserepro
