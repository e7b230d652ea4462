// NCCL's communicators of the first devices of this process. Empty in a build without NCCL.
//
// Source: one communicator a device in one process, NCCL's user guide (ncclCommInitAll, group
// calls).
#pragma once

#ifdef SPARSEREPRO_HAS_NCCL

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/check.hpp"

namespace sparserepro {

inline void nccl_check(ncclResult_t status, const char* call) {
  if (status != ncclSuccess) {
    throw CudaError(std::string(call) + ": " + ncclGetErrorString(status));
  }
}
#define NCCL_CHECK(call) nccl_check((call), #call)

/// Lets every device of the group read and write the memory of the others' pools: NCCL reads the
/// operands of ranks of one process in place, and memory of a pool is closed to other devices.
inline void open_pools(int devices) {
  for (int owner = 0; owner < devices; ++owner) {
    cudaMemPool_t pool = nullptr;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, owner));
    for (int reader = 0; reader < devices; ++reader) {
      int possible = 0;
      if (reader != owner) {
        CUDA_CHECK(cudaDeviceCanAccessPeer(&possible, reader, owner));
      }
      if (possible != 0) {
        cudaMemAccessDesc access{};
        access.location.type = cudaMemLocationTypeDevice;
        access.location.id = reader;
        access.flags = cudaMemAccessFlagsProtReadWrite;
        CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
      }
    }
  }
}

/// One communicator for each of the first `devices` devices; made once, since that takes long, and
/// kept until the process ends.
inline const std::vector<ncclComm_t>& communicators(int devices) {
  static std::mutex mutex;
  static std::map<int, std::vector<ncclComm_t>> made;
  const std::lock_guard lock(mutex);
  std::vector<ncclComm_t>& found = made[devices];
  if (found.empty()) {
    open_pools(devices);
    std::vector<ncclComm_t> fresh(static_cast<std::size_t>(devices));
    NCCL_CHECK(ncclCommInitAll(fresh.data(), devices, nullptr));
    found = std::move(fresh);
  }
  return found;
}

/// Calls f(rank, communicator) for all ranks as one operation of NCCL.
template <class Function>
void grouped(int ranks, const Function& f) {
  const std::vector<ncclComm_t>& of = communicators(ranks);
  NCCL_CHECK(ncclGroupStart());
  for (int rank = 0; rank < ranks; ++rank) {
    f(rank, of[static_cast<std::size_t>(rank)]);
  }
  NCCL_CHECK(ncclGroupEnd());
}

}  // namespace sparserepro

#endif
