// Which peers' libraries this build has. Compiles with and without them: CMake defines the version
// of each library that it found (cmake/peers.cmake).
#pragma once

#include <string>

#ifndef SPARSEREPRO_EIGEN_VERSION
#define SPARSEREPRO_EIGEN_VERSION ""
#endif
#ifndef SPARSEREPRO_GRAPHBLAS_VERSION
#define SPARSEREPRO_GRAPHBLAS_VERSION ""
#endif
#ifndef SPARSEREPRO_IGRAPH_VERSION
#define SPARSEREPRO_IGRAPH_VERSION ""
#endif
#ifndef SPARSEREPRO_NETWORKIT_VERSION
#define SPARSEREPRO_NETWORKIT_VERSION ""
#endif
#ifndef SPARSEREPRO_AOCL_VERSION
#define SPARSEREPRO_AOCL_VERSION ""
#endif
#ifndef SPARSEREPRO_MKL_VERSION
#define SPARSEREPRO_MKL_VERSION ""
#endif
#ifndef SPARSEREPRO_RODE_VERSION
#define SPARSEREPRO_RODE_VERSION ""
#endif
#ifndef SPARSEREPRO_SPUTNIK_VERSION
#define SPARSEREPRO_SPUTNIK_VERSION ""
#endif
#ifndef SPARSEREPRO_GESPMM_VERSION
#define SPARSEREPRO_GESPMM_VERSION ""
#endif

namespace sparserepro {

/// A third-party library that peers wrap.
struct PeerLibrary {
  const char* name;
  const char* version;  ///< "" where the build lacks it
  const char* remedy;   ///< how a build gets it

  /// "Eigen 3.4.0", or the name alone.
  std::string title() const { return *version ? std::string(name) + " " + version : name; }
  /// "" or why no peer that wraps the library can run.
  std::string unavailable() const {
    return *version ? "" : std::string("built without ") + name + " (" + remedy + ")";
  }
};

inline constexpr PeerLibrary eigen_library{"Eigen", SPARSEREPRO_EIGEN_VERSION,
                                           "install libeigen3-dev"};
inline constexpr PeerLibrary graphblas_library{
    "SuiteSparse:GraphBLAS", SPARSEREPRO_GRAPHBLAS_VERSION, "install libgraphblas-dev"};
inline constexpr PeerLibrary igraph_library{"igraph", SPARSEREPRO_IGRAPH_VERSION,
                                            "install libigraph-dev, 0.10"};
inline constexpr PeerLibrary networkit_library{"NetworKit", SPARSEREPRO_NETWORKIT_VERSION,
                                               "./bootstrap --peers"};
inline constexpr PeerLibrary aocl_library{"AOCL-Sparse", SPARSEREPRO_AOCL_VERSION,
                                          "install it and set SPARSEREPRO_AOCL_ROOT"};
inline constexpr PeerLibrary mkl_library{"oneMKL", SPARSEREPRO_MKL_VERSION,
                                         "./bootstrap --peers, or set MKLROOT"};
// Research codes, whose version is the commit of the clone.
inline constexpr PeerLibrary rode_code{"RoDe", SPARSEREPRO_RODE_VERSION,
                                       "clone it and set SPARSEREPRO_RODE_ROOT"};
inline constexpr PeerLibrary sputnik_code{"Sputnik", SPARSEREPRO_SPUTNIK_VERSION,
                                          "clone it and set SPARSEREPRO_SPUTNIK_ROOT"};
inline constexpr PeerLibrary gespmm_code{"GE-SpMM", SPARSEREPRO_GESPMM_VERSION,
                                         "clone dgSPARSE-Library and set SPARSEREPRO_GESPMM_ROOT"};

}  // namespace sparserepro
