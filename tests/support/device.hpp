// Tests that need a CUDA device.
#pragma once

#include "cuda/device_info.hpp"
#include "support/catch.hpp"

namespace sparserepro::testing {

/// Ends the test case as skipped, with the reason, where there is no device to run it.
inline void require_device() {
  if (!cuda_unavailable().empty()) {
    SKIP(cuda_unavailable());
  }
}

}  // namespace sparserepro::testing
