// Which peers' libraries this build has. Compiles with and without them.
#pragma once

#include <string>

namespace sparserepro {

/// "Eigen 3.4.0"; and "" or why no peer that wraps the library can run.
#ifdef SPARSEREPRO_HAS_EIGEN
inline std::string eigen_title() {
  return "Eigen " SPARSEREPRO_EIGEN_VERSION;
}
inline std::string eigen_unavailable() {
  return "";
}
#else
inline std::string eigen_title() {
  return "Eigen";
}
inline std::string eigen_unavailable() {
  return "built without Eigen (install libeigen3-dev)";
}
#endif

#ifdef SPARSEREPRO_HAS_GRAPHBLAS
inline std::string graphblas_title() {
  return "SuiteSparse:GraphBLAS " SPARSEREPRO_GRAPHBLAS_VERSION;
}
inline std::string graphblas_unavailable() {
  return "";
}
#else
inline std::string graphblas_title() {
  return "SuiteSparse:GraphBLAS";
}
inline std::string graphblas_unavailable() {
  return "built without SuiteSparse:GraphBLAS (install libgraphblas-dev)";
}
#endif

#ifdef SPARSEREPRO_HAS_IGRAPH
inline std::string igraph_title() {
  return "igraph " SPARSEREPRO_IGRAPH_VERSION;
}
inline std::string igraph_unavailable() {
  return "";
}
#else
inline std::string igraph_title() {
  return "igraph";
}
inline std::string igraph_unavailable() {
  return "built without igraph 0.10 (install libigraph-dev)";
}
#endif

#ifdef SPARSEREPRO_HAS_NETWORKIT
inline std::string networkit_title() {
  return "NetworKit " SPARSEREPRO_NETWORKIT_VERSION;
}
inline std::string networkit_unavailable() {
  return "";
}
#else
inline std::string networkit_title() {
  return "NetworKit";
}
inline std::string networkit_unavailable() {
  return "built without NetworKit (./bootstrap --peers)";
}
#endif

#ifdef SPARSEREPRO_HAS_AOCL
inline std::string aocl_title() {
  return "AOCL-Sparse " SPARSEREPRO_AOCL_VERSION;
}
inline std::string aocl_unavailable() {
  return "";
}
#else
inline std::string aocl_title() {
  return "AOCL-Sparse";
}
inline std::string aocl_unavailable() {
  return "built without AOCL-Sparse (install it and set SPARSEREPRO_AOCL_ROOT)";
}
#endif

#ifdef SPARSEREPRO_HAS_MKL
inline std::string mkl_title() {
  return "oneMKL " SPARSEREPRO_MKL_VERSION;
}
inline std::string mkl_unavailable() {
  return "";
}
#else
inline std::string mkl_title() {
  return "oneMKL";
}
inline std::string mkl_unavailable() {
  return "built without oneMKL (./bootstrap --peers, or set MKLROOT)";
}
#endif

}  // namespace sparserepro
