// Copies of single elements to shared memory in cuda_partition: they take no registers, so that all
// of a thread's are under way at once.
#pragma once

namespace sparserepro::partition {

/// Copies one element of 4 or 8 bytes to shared memory. It is there after await_copies() of the
/// thread. Before Ampere it is there at once.
template <class T>
__device__ __forceinline__ void copy_async(T* shared, const T* global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(__cvta_generic_to_global(global)), "n"(sizeof(T))
               : "memory");
#else
  *shared = *global;
#endif
}

__device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace sparserepro::partition
