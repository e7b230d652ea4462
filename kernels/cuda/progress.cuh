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
  /// The blocks of a kernel call work(number) for `count` pieces, which they take in turn, and go
  /// on when all are done. A piece that was taken belongs to a block that runs, so the wait ends.
  template <class Work>
  __device__ void do_all(unsigned count, const Work& work) {
    __shared__ unsigned number;
    for (;;) {
      if (threadIdx.x == 0) {
        number = atomicAdd(&taken, 1U);
      }
      __syncthreads();
      if (number >= count) {
        break;
      }
      work(number);
      __syncthreads();  // shared memory is free again
      one_done();
    }
    await(count);
  }
};

}  // namespace sparserepro
