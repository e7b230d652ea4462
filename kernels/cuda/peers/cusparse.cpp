#include "cuda/device_info.hpp"
#include "cuda/peers/cusparse_version.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <dlfcn.h>

#include "cuda/peers/cusparse.hpp"

namespace sparserepro {
namespace {

int loaded(libraryPropertyType part) {
  int value = 0;
  CUSPARSE_CHECK(cusparseGetProperty(part, &value));
  return value;
}

std::string header_version() {
  return std::to_string(CUSPARSE_VER_MAJOR) + "." + std::to_string(CUSPARSE_VER_MINOR) + "." +
         std::to_string(CUSPARSE_VER_PATCH);
}

std::string mismatch() {
  return cusparse_title() + " is loaded, but the header of this build is that of " +
         header_version();
}

}  // namespace

cusparseHandle_t CusparseHandle::get() const {
  static const cusparseHandle_t handle = [] {
    cusparseHandle_t made = nullptr;
    CUSPARSE_CHECK(cusparseCreate(&made));
    return made;
  }();
  CUSPARSE_CHECK(cusparseSetStream(handle, stream_));
  return handle;
}

const std::string& cusparse_title() {
  static const std::string title = "cuSPARSE " + std::to_string(loaded(MAJOR_VERSION)) + "." +
                                   std::to_string(loaded(MINOR_VERSION)) + "." +
                                   std::to_string(loaded(PATCH_LEVEL));
  return title;
}

const std::string& cusparse_unavailable() {
  static const std::string reason =
      !cuda_unavailable().empty() || loaded(MAJOR_VERSION) == CUSPARSE_VER_MAJOR
          ? cuda_unavailable()
          : mismatch();
  return reason;
}

const std::string& cusparse_experimental_unavailable() {
  static const std::string reason = []() -> std::string {
    if (!SPARSEREPRO_CUSPARSE_EXPERIMENTAL) {
      return "the cuSPARSE header of this build, " + header_version() +
             ", lacks the call; 12.9.4 has it (SPARSEREPRO_CUSPARSE_ROOT)";
    }
    if (loaded(MAJOR_VERSION) != CUSPARSE_VER_MAJOR ||
        loaded(MINOR_VERSION) != CUSPARSE_VER_MINOR) {
      return mismatch() + "; experimental calls need one minor version";
    }
    return cusparse_unavailable();
  }();
  return reason;
}

void* cusparse_symbol(const char* name) {
  void* const address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr) {
    throw CudaError(cusparse_title() + " has no " + name);
  }
  return address;
}

}  // namespace sparserepro

#else

namespace sparserepro {

const std::string& cusparse_title() {
  static const std::string title = "cuSPARSE";
  return title;
}

const std::string& cusparse_unavailable() {
  return cuda_unavailable();
}

const std::string& cusparse_experimental_unavailable() {
  return cuda_unavailable();
}

}  // namespace sparserepro

#endif
