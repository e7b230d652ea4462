// Skips tests that need a CUDA device where there is none.
#pragma once

#include "cuda/device_info.hpp"
#include "support/catch.hpp"

namespace sparserepro::testing {

/// Skips the test case, with the reason, if CUDA is not available.
inline void require_device() {
  if (!cuda_unavailable().empty()) {
    SKIP(cuda_unavailable());
  }
}

}  // namespace sparserepro::testing
