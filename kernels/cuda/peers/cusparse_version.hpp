// Which cuSPARSE this process has loaded, for the entries of the peers that wrap it. Compiles with
// and without CUDA.
#pragma once

#include <string>

namespace sparserepro {

/// "cuSPARSE 12.9.4", the version of the library that this process has loaded, whatever the header;
/// "cuSPARSE" in a build without CUDA. Needs no device.
const std::string& cusparse_title();

/// "" or why no algorithm that wraps cuSPARSE can run: cuda_unavailable(), or a library of another
/// major version than the header's.
const std::string& cusparse_unavailable();

/// The same for the experimental interface, which may change with each version: this build's header
/// lacks it, or the library loaded is not of the header's major and minor version.
const std::string& cusparse_experimental_unavailable();

}  // namespace sparserepro
