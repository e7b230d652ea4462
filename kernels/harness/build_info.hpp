// Facts of the build that a record carries.
#pragma once

#include <string>

namespace sparserepro {

struct BuildInfo {
  std::string version;
  std::string commit;  ///< "" when the sources were built without git and no commit was named
  bool dirty{};        ///< the sources differed from the commit
  std::string compiler, flags, build_type;
  std::string cuda;   ///< compiler version; "" without CUDA
  std::string peers;  ///< libraries that peers wrap, with versions; "" without any
  /// Vector extension that all files without flags of their own are compiled for, header-only peers
  /// among them: "avx512", "avx2", "sse2", "neon" or "other".
  std::string vector_extension;
};

const BuildInfo& build_info();

/// "" or why this program cannot run on this processor: it is compiled for another one.
std::string processor_refusal();

}  // namespace sparserepro
