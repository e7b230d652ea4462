// What the functions of this library throw, besides std::bad_alloc.
#pragma once

#include <stdexcept>

namespace sparserepro {

/// Arguments that do not fit together or exceed a limit; the text names them.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of CUDA failed; the text has the call and CUDA's own words.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device has not enough memory left; the text is that of a CudaError.
struct DeviceMemoryError : CudaError {
  using CudaError::CudaError;
};

}  // namespace sparserepro
