// cuSPARSE: error checks, the handle and the version, for the peers that wrap it.
#pragma once

#include <cusparse.h>

#include <string>

#include "cuda/check.hpp"

namespace sparserepro {

inline void cusparse_check(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw CudaError(std::string(call) + ": " + cusparseGetErrorString(status) + " (" + file + ":" +
                    std::to_string(line) + ")");
  }
}

/// A handle whose work is queued on one stream; neither copyable nor movable.
class CusparseHandle {
 public:
  explicit CusparseHandle(cudaStream_t stream);
  ~CusparseHandle() { cusparseDestroy(handle_); }
  CusparseHandle(const CusparseHandle&) = delete;
  CusparseHandle& operator=(const CusparseHandle&) = delete;
  cusparseHandle_t get() const { return handle_; }

 private:
  cusparseHandle_t handle_ = nullptr;
};

/// Version of the library that this build was compiled against.
inline std::string cusparse_version() {
  return std::to_string(CUSPARSE_VER_MAJOR) + "." + std::to_string(CUSPARSE_VER_MINOR) + "." +
         std::to_string(CUSPARSE_VER_PATCH);
}

}  // namespace sparserepro

/// Throws CudaError unless `call` returns CUSPARSE_STATUS_SUCCESS.
#define CUSPARSE_CHECK(call) ::sparserepro::cusparse_check((call), #call, __FILE__, __LINE__)

namespace sparserepro {

inline CusparseHandle::CusparseHandle(cudaStream_t stream) {
  CUSPARSE_CHECK(cusparseCreate(&handle_));
  CUSPARSE_CHECK(cusparseSetStream(handle_, stream));
}

}  // namespace sparserepro
