// Pinned copies go through one area, piece by piece, in place of registered arrays of the caller:
// registering pins whole pages, which small arrays share, and would have to be undone for arrays
// that an algorithm frees.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <cstring>

#include "cuda/transfers.hpp"
#include "harness/timer.hpp"

namespace sparserepro {
namespace {

// Waiting for a piece costs about 10 us, a 500th of the 5 ms that it takes at 55 GB/s.
constexpr std::size_t piece_bytes = std::size_t{256} << 20;

/// Allocated at the first use and kept until the process ends, when the driver releases it.
char* pinned_area() {
  static char* const area = [] {
    void* pointer = nullptr;
    CUDA_CHECK(cudaHostAlloc(&pointer, piece_bytes, cudaHostAllocDefault));
    return static_cast<char*>(pointer);
  }();
  return area;
}

double seconds_of_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  CUDA_CHECK(cudaStreamSynchronize(stream));
  const double begin = steady_seconds();
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  return steady_seconds() - begin;
}

/// Calls move(offset, bytes, area) for each piece; `move` returns the seconds of the copy itself,
/// and the rest of its time is staging.
template <class Move>
void piecewise(std::size_t bytes, TransferLog& log, const Move& move) {
  double begin = steady_seconds();
  char* const area = pinned_area();
  log.staging_s += steady_seconds() - begin;
  for (std::size_t at = 0; at < bytes; at += piece_bytes) {
    begin = steady_seconds();
    const double copy_s = move(at, std::min(piece_bytes, bytes - at), area);
    log.transfer_s += copy_s;
    log.staging_s += steady_seconds() - begin - copy_s;
  }
}

}  // namespace

void upload_logged(void* device, const void* host, std::size_t bytes, cudaStream_t stream,
                   TransferLog& log) {
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (!log.pinned) {
    log.transfer_s += seconds_of_copy(device, host, bytes, cudaMemcpyHostToDevice, stream);
    return;
  }
  piecewise(bytes, log, [&](std::size_t at, std::size_t count, char* area) {
    std::memcpy(area, static_cast<const char*>(host) + at, count);
    return seconds_of_copy(static_cast<char*>(device) + at, area, count, cudaMemcpyHostToDevice,
                           stream);
  });
}

void download_logged(void* host, const void* device, std::size_t bytes, cudaStream_t stream,
                     TransferLog& log) {
  CUDA_CHECK(cudaStreamSynchronize(stream));
  if (!log.pinned) {
    log.transfer_s += seconds_of_copy(host, device, bytes, cudaMemcpyDeviceToHost, stream);
    return;
  }
  piecewise(bytes, log, [&](std::size_t at, std::size_t count, char* area) {
    const double copy_s = seconds_of_copy(area, static_cast<const char*>(device) + at, count,
                                          cudaMemcpyDeviceToHost, stream);
    std::memcpy(static_cast<char*>(host) + at, area, count);
    return copy_s;
  });
}

}  // namespace sparserepro

#endif
