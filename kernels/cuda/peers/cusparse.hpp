// cuSPARSE: error checks, the handle, and calls that only later versions of the library have.
//
// A program may load another cuSPARSE than that of its header: the soname libcusparse.so.12 covers
// all versions 12, and LD_LIBRARY_PATH chooses. Calls of the stable interface are linked. Those of
// the experimental one (CUSPARSE_ENABLE_EXPERIMENTAL_API) are looked up at run time, so that the
// program also starts with a library that lacks them.
#pragma once

#define CUSPARSE_ENABLE_EXPERIMENTAL_API
#include <cusparse.h>

#include <string>

#include "cuda/check.hpp"

/// Whether the header has cusparseSpMVOp with its algorithms and cusparseSpMatConvert.
#define SPARSEREPRO_CUSPARSE_EXPERIMENTAL (CUSPARSE_VERSION >= 12904)

namespace sparserepro {

inline void cusparse_check(cusparseStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw CudaError(std::string(call) + ": " + cusparseGetErrorString(status) + " (" + file + ":" +
                    std::to_string(line) + ")");
  }
}

/// The process's one handle, for work on one stream. The handle is made at the first use and lives
/// until the process ends, as in an application that calls the library many times; so no
/// end-to-end time but the first contains its creation. Not for several host threads at once.
class CusparseHandle {
 public:
  explicit CusparseHandle(cudaStream_t stream) : stream_(stream) {}
  /// The handle, set to the stream.
  cusparseHandle_t get() const;

 private:
  cudaStream_t stream_;
};

/// Address of a function of the library loaded; throws CudaError where the library has none.
void* cusparse_symbol(const char* name);

}  // namespace sparserepro

/// Throws CudaError unless `call` returns CUSPARSE_STATUS_SUCCESS.
#define CUSPARSE_CHECK(call) ::sparserepro::cusparse_check((call), #call, __FILE__, __LINE__)

/// The function `name` of the header, looked up in the library loaded at the first use.
#define CUSPARSE_LATE(name)                                                         \
  ([]() -> decltype(&::name) {                                                      \
    static const auto found =                                                       \
        reinterpret_cast<decltype(&::name)>(::sparserepro::cusparse_symbol(#name)); \
    return found;                                                                   \
  }())
