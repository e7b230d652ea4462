// Facts of the build that every record states.
#pragma once

#include <string>

namespace sparserepro {

/// Facts of the build, set by CMake.
struct BuildInfo {
  std::string version;
  std::string commit;  ///< "" where the build had neither git nor a named commit
  bool dirty{};        ///< the sources differed from the commit
  std::string compiler, flags, build_type;
  std::string cuda;   ///< compiler version; "" without CUDA
  std::string peers;  ///< libraries that peers wrap, with versions; "" without any
  /// Vector extension for which files without flags of their own are compiled, header-only peers
  /// included: "avx512", "avx2", "sse2", "neon" or "other".
  std::string vector_extension;
};

const BuildInfo& build_info();

/// "" or, if the program is compiled for a vector extension that this processor lacks, a message
/// that says so.
std::string processor_refusal();

}  // namespace sparserepro
