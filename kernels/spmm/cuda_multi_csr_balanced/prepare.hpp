// The run of cuda_multi_csr_balanced in any placement of its ranks, for tests of the split on one
// device. Compiles without CUDA, where there is no such function to link.
#pragma once

#include <memory>

#include "cuda/multi/device_group.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// `params` has gpus, x and y. Throws CudaError without the devices.
std::unique_ptr<Run<SpmmProblem>> prepare_multi_csr_balanced(const SpmmProblem& problem,
                                                             const Params& params,
                                                             const Placement& placement);

}  // namespace sparserepro
