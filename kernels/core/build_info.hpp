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
};

const BuildInfo& build_info();

}  // namespace sparserepro
