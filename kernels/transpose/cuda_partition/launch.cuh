// How the kernels of cuda_partition are launched, and what a transposition tells of itself.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuda/check.hpp"
#include "cuda/launch.hpp"

namespace sparserepro::partition {

/// Names and values, as records have them.
using Facts = std::vector<std::pair<std::string, double>>;

/// Queues the kernels of a transposition on a stream. Each but the first begins early when
/// `programmatic`.
class PassLauncher {
 public:
  PassLauncher(cudaStream_t stream, bool programmatic)
      : stream_(stream), programmatic_(programmatic) {}

  template <class... Parameters, class... Arguments>
  void queue(Begins begins, void (*kernel)(Parameters...), std::size_t blocks, int threads,
             std::size_t shared, const Arguments&... arguments) const {
    cudaLaunchAttribute attribute = early_launch_attribute();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = shared;
    config.stream = stream_;
    config.attrs = &attribute;
    const bool early = begins == Begins::early && programmatic_ &&
                       may_launch_early(reinterpret_cast<const void*>(kernel));
    if (begins == Begins::together) {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    config.numAttrs = early || begins == Begins::together ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
  }
  template <class... Parameters, class... Arguments>
  void operator()(void (*kernel)(Parameters...), const Arguments&... arguments) const {
    queue(Begins::early, kernel, arguments...);
  }

 private:
  cudaStream_t stream_;
  bool programmatic_;
};

}  // namespace sparserepro::partition
