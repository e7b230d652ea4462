// The run of cuda_multi_adaptive in any placement of its ranks, for tests of the split on one
// device. Compiles without CUDA, where there is no such function to link.
#pragma once

#include <memory>

#include "cuda/multi/device_group.hpp"
#include "triangles/triangles.hpp"

namespace sparserepro {

/// `params` has gpus and path. Throws CudaError without the devices.
std::unique_ptr<Run<TrianglesProblem>> prepare_multi_adaptive(const TrianglesProblem& problem,
                                                              const Params& params,
                                                              const Placement& placement);

}  // namespace sparserepro
