// Calls of the CUDA runtime that fail when a test wants them to: allocations of device and pinned
// memory, launches, and settings of kernels. One file of a program includes this, which is linked
// with --wrap of the functions below. What fails is a call of CUDA with impossible arguments, so
// that error codes and the runtime's own state are those of a real failure.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>

#include "sparserepro/error.hpp"

namespace sparserepro::testing {

/// Calls until one fails, and calls so far; below 0: none fails.
struct Fuse {
  std::atomic<std::int64_t> left{-1}, calls{0};

  bool burns() {
    ++calls;
    return left.load() >= 0 && left.fetch_sub(1) == 0;
  }
};

inline Fuse device_memory, pinned_memory, launches, kernel_settings;
/// Allocations of device and pinned memory that are not released.
inline std::atomic<std::int64_t> live_allocations{0};
/// What a launch does in place of failing; it may launch. Null: it fails.
inline std::function<void(cudaStream_t)> instead_of_failing;

/// Whether this launch fails.
inline bool launch_fails(cudaStream_t stream) {
  static thread_local bool inside = false;
  if (inside || !launches.burns()) {
    return false;
  }
  if (!instead_of_failing) {
    return true;
  }
  inside = true;
  instead_of_failing(stream);
  inside = false;
  return false;
}

enum class Ended { well, without_memory, with_error };

/// `call` with one call of `fuse`, number `number` from 0, failing.
inline Ended with_failing(Fuse& fuse, std::int64_t number, const std::function<void()>& call) {
  Ended ended = Ended::well;
  fuse.left = number;
  try {
    call();
  } catch (const std::bad_alloc&) {
    ended = Ended::without_memory;
  } catch (const DeviceMemoryError&) {
    ended = Ended::without_memory;
  } catch (const CudaError&) {
    ended = Ended::with_error;
  }
  return ended;
}

/// Whether a call of that number was reached; from now on none fails.
inline bool reached(Fuse& fuse) {
  return fuse.left.exchange(-1) < 0;
}

inline constexpr std::size_t too_much_memory = std::size_t{1} << 50;
inline const dim3 too_many_threads{4096, 1, 1};

}  // namespace sparserepro::testing

extern "C" {
cudaError_t __real_cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t __real_cudaFreeAsync(void*, cudaStream_t);
cudaError_t __real_cudaHostAlloc(void**, std::size_t, unsigned);
cudaError_t __real_cudaFreeHost(void*);
cudaError_t __real_cudaFuncSetAttribute(const void*, cudaFuncAttribute, int);
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**);

cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  using namespace sparserepro::testing;
  const bool fails = device_memory.burns();
  const cudaError_t status =
      __real_cudaMallocAsync(memory, fails ? too_much_memory : bytes, stream);
  live_allocations += status == cudaSuccess ? 1 : 0;
  return status;
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  --sparserepro::testing::live_allocations;
  return __real_cudaFreeAsync(memory, stream);
}
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  using namespace sparserepro::testing;
  const bool fails = pinned_memory.burns();
  const cudaError_t status = __real_cudaHostAlloc(memory, fails ? too_much_memory : bytes, flags);
  live_allocations += status == cudaSuccess ? 1 : 0;
  return status;
}
cudaError_t __wrap_cudaFreeHost(void* memory) {
  --sparserepro::testing::live_allocations;
  return __real_cudaFreeHost(memory);
}
cudaError_t __wrap_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value) {
  const bool fails = sparserepro::testing::kernel_settings.burns();
  return __real_cudaFuncSetAttribute(kernel, which, fails ? 1 << 30 : value);
}
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  cudaLaunchConfig_t used = *config;
  if (sparserepro::testing::launch_fails(used.stream)) {
    used.blockDim = sparserepro::testing::too_many_threads;
  }
  return __real_cudaLaunchKernelExC(&used, kernel, arguments);
}

cudaError_t __real_cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t,
                                               cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared,
                                               cudaStream_t stream) {
  using namespace sparserepro::testing;
  return __real_cudaLaunchCooperativeKernel(
      kernel, grid, launch_fails(stream) ? too_many_threads : block, arguments, shared, stream);
}

// <<<...>>> calls the one or the other.
cudaError_t __real_cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  using namespace sparserepro::testing;
  return __real_cudaLaunchKernel(kernel, grid, launch_fails(stream) ? too_many_threads : block,
                                 arguments, shared, stream);
}
#if CUDART_VERSION >= 13000
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared, cudaStream_t stream) {
  using namespace sparserepro::testing;
  return __real___cudaLaunchKernel(kernel, grid, launch_fails(stream) ? too_many_threads : block,
                                   arguments, shared, stream);
}
#endif
}
