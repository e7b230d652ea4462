// Copies between host and device, and the account that end-to-end cycles keep of them.
#pragma once

#include <cstddef>

#include "cuda/check.hpp"
#include "harness/transfer_log.hpp"

namespace sparserepro {

/// Copies `bytes` from host to device memory or back, complete on return, and adds the time that
/// the copy took to `log`. Work queued on `stream` before is waited for and not counted. With
/// log.pinned the copy itself is from or to an area of pinned memory that lives as long as the
/// process; what moves between it and `host` counts as staging.
void upload_logged(void* device, const void* host, std::size_t bytes, cudaStream_t stream,
                   TransferLog& log);
void download_logged(void* host, const void* device, std::size_t bytes, cudaStream_t stream,
                     TransferLog& log);

/// Copies on `stream`: asynchronous, or logged where the thread has an active log.
inline void upload(void* device, const void* host, std::size_t bytes, cudaStream_t stream) {
  if (TransferLog* const log = active_transfer_log(); log != nullptr) {
    upload_logged(device, host, bytes, stream, *log);
  } else {
    CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
  }
}

inline void download(void* host, const void* device, std::size_t bytes, cudaStream_t stream) {
  if (TransferLog* const log = active_transfer_log(); log != nullptr) {
    download_logged(host, device, bytes, stream, *log);
  } else {
    CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
  }
}

}  // namespace sparserepro
