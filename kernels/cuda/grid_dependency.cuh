// Kernels that begin to launch while the one before them on the stream still runs (programmatic
// dependent launch). Devices before compute capability 9.0 have none of this: there the stream's
// order holds, and the functions below do nothing. Nothing else may call the CUDA functions.
#pragma once

#include "cuda/check.hpp"
#include "cuda/per_device.hpp"

namespace sparserepro {

/// Waits until the kernels that were queued before this one have ended and their writes are there.
__device__ inline void wait_for_previous_grid() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel of the stream begin to launch as soon as all blocks have come here or
/// ended. Only if that is one of ours, `is_ours`, which waits before it reads or writes what others
/// do: a kernel of somebody else may not. Where none of ours follows, it costs time: packed rows of
/// five points, K = 7 in fp32, take 17.5 us with it and 12.5 without (one H200).
__device__ inline void let_next_grid_launch(bool is_ours = true) {
  if (!is_ours) {
    return;
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Whether the kernels of this program may be launched early on the current device. The version
/// that `kernel` was compiled for decides, and not the device alone: on a newer device, code for an
/// older one does not wait. All kernels are compiled for the same versions, so one is asked, once
/// for each device.
inline bool may_launch_early(const void* kernel) {
  static PerDevice<bool> may;
  return may.get([kernel](int) {
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
  });
}

/// The attribute by which a kernel is launched early.
inline cudaLaunchAttribute early_launch_attribute() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

}  // namespace sparserepro
