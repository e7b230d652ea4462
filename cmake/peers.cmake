# Libraries that peers wrap. Each is optional: it is found or left out, and the log says which. Sets
# SPARSEREPRO_HAS_<PEER> and SPARSEREPRO_PEERS, the versions for the records, and makes the target
# sparserepro_peer_libraries, which carries what was found.
option(SPARSEREPRO_EIGEN "Build the peers that wrap Eigen when it is found" ON)
option(SPARSEREPRO_GRAPHBLAS "Build the peers that wrap SuiteSparse:GraphBLAS when it is found" ON)
option(SPARSEREPRO_IGRAPH "Build the peer that wraps igraph when it is found" ON)
option(SPARSEREPRO_NETWORKIT "Build the peer that wraps NetworKit when it is found" ON)
option(SPARSEREPRO_AOCL "Build the peers that wrap AOCL-Sparse when its folder is named" ON)
option(SPARSEREPRO_MKL "Build the peers that wrap oneMKL when it is found (MKLROOT says where)" ON)

# `./bootstrap --peers` puts the newest releases there. A folder of the user's own comes first, then
# this one, then the system's.
set(_peers ${PROJECT_SOURCE_DIR}/.peers)
set(SPARSEREPRO_GRAPHBLAS_ROOT "" CACHE PATH "Folder of SuiteSparse:GraphBLAS (include/, lib/)")
set(SPARSEREPRO_AOCL_ROOT "" CACHE PATH "Folder of AOCL-Sparse with 32-bit integers (include/, lib/)")
set(SPARSEREPRO_NETWORKIT_ROOT "" CACHE PATH "Folder of NetworKit (include/, lib/)")

# What an earlier configuration found is looked for again when one of these folders changes.
set(_folders "${SPARSEREPRO_GRAPHBLAS_ROOT};${SPARSEREPRO_NETWORKIT_ROOT};${SPARSEREPRO_AOCL_ROOT}")
if(EXISTS ${_peers}/ready)
  file(STRINGS ${_peers}/ready _ready)
  string(APPEND _folders ";${_ready}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_peers}/ready)
endif()
if(DEFINED SPARSEREPRO_PEER_FOLDERS AND NOT "${SPARSEREPRO_PEER_FOLDERS}" STREQUAL "${_folders}")
  foreach(_name GRAPHBLAS_INCLUDE GRAPHBLAS_LIBRARY NETWORKIT_INCLUDE NETWORKIT_LIBRARY AOCL_INCLUDE
                AOCL_LIBRARY MKL_INCLUDE MKL_intel_lp64 MKL_gnu_thread MKL_core)
    unset(SPARSEREPRO_${_name} CACHE)
  endforeach()
endif()
set(SPARSEREPRO_PEER_FOLDERS "${_folders}" CACHE INTERNAL "")

include(header_version)
add_library(sparserepro_peer_libraries INTERFACE)
# A driver loads only the libraries that it calls.
target_link_options(sparserepro_peer_libraries INTERFACE LINKER:--as-needed)
set(SPARSEREPRO_PEERS "")

# Takes the peer NAME ("" version: left out for want of `hint`).
function(_peer name title version hint)
  string(TOUPPER ${name} upper)
  set(SPARSEREPRO_HAS_${upper} OFF PARENT_SCOPE)
  if(NOT SPARSEREPRO_${upper})
    message(STATUS "${title}: off (SPARSEREPRO_${upper}=OFF); its peers are left out")
  elseif(version STREQUAL "")
    message(STATUS "${title}: not found (${hint}); its peers are left out")
  else()
    message(STATUS "${title}: ${version}")
    set(SPARSEREPRO_HAS_${upper} ON PARENT_SCOPE)
    set(SPARSEREPRO_PEERS ${SPARSEREPRO_PEERS} "${title} ${version}" PARENT_SCOPE)
    target_compile_definitions(sparserepro_peer_libraries
                               INTERFACE SPARSEREPRO_HAS_${upper}
                               SPARSEREPRO_${upper}_VERSION="${version}")
    target_include_directories(sparserepro_peer_libraries SYSTEM INTERFACE "${ARGV4}")
    target_link_libraries(sparserepro_peer_libraries INTERFACE ${ARGV5})
  endif()
endfunction()

set(_version "")
find_path(SPARSEREPRO_EIGEN_INCLUDE Eigen/SparseCore PATH_SUFFIXES eigen3)
mark_as_advanced(SPARSEREPRO_EIGEN_INCLUDE)
if(SPARSEREPRO_EIGEN_INCLUDE)
  _header_version(${SPARSEREPRO_EIGEN_INCLUDE}/Eigen/src/Core/util/Macros.h _version
                  EIGEN_WORLD_VERSION EIGEN_MAJOR_VERSION EIGEN_MINOR_VERSION)
endif()
_peer(eigen Eigen "${_version}" "install libeigen3-dev" "${SPARSEREPRO_EIGEN_INCLUDE}" "")

set(_version "")
find_path(SPARSEREPRO_GRAPHBLAS_INCLUDE GraphBLAS.h
          HINTS ${SPARSEREPRO_GRAPHBLAS_ROOT} ${_peers}/graphblas
          PATH_SUFFIXES include include/suitesparse suitesparse)
find_library(SPARSEREPRO_GRAPHBLAS_LIBRARY graphblas
             HINTS ${SPARSEREPRO_GRAPHBLAS_ROOT} ${_peers}/graphblas PATH_SUFFIXES lib)
mark_as_advanced(SPARSEREPRO_GRAPHBLAS_INCLUDE SPARSEREPRO_GRAPHBLAS_LIBRARY)
if(SPARSEREPRO_GRAPHBLAS_INCLUDE AND SPARSEREPRO_GRAPHBLAS_LIBRARY)
  _header_version(${SPARSEREPRO_GRAPHBLAS_INCLUDE}/GraphBLAS.h _version GxB_IMPLEMENTATION_MAJOR
                  GxB_IMPLEMENTATION_MINOR GxB_IMPLEMENTATION_SUB)
endif()
_peer(graphblas "SuiteSparse:GraphBLAS" "${_version}" "install libgraphblas-dev, or ./bootstrap --peers"
      "${SPARSEREPRO_GRAPHBLAS_INCLUDE}" "${SPARSEREPRO_GRAPHBLAS_LIBRARY}")

set(_version "")
find_path(SPARSEREPRO_IGRAPH_INCLUDE igraph.h PATH_SUFFIXES igraph)
find_library(SPARSEREPRO_IGRAPH_LIBRARY igraph)
mark_as_advanced(SPARSEREPRO_IGRAPH_INCLUDE SPARSEREPRO_IGRAPH_LIBRARY)
if(SPARSEREPRO_IGRAPH_INCLUDE AND SPARSEREPRO_IGRAPH_LIBRARY)
  _header_version(${SPARSEREPRO_IGRAPH_INCLUDE}/igraph_version.h _version IGRAPH_VERSION_MAJOR
                  IGRAPH_VERSION_MINOR IGRAPH_VERSION_PATCH)
  if(NOT _version MATCHES "^0\\.10\\.")
    set(_version "")
  endif()
endif()
_peer(igraph igraph "${_version}" "install libigraph-dev 0.10" "${SPARSEREPRO_IGRAPH_INCLUDE}"
      "${SPARSEREPRO_IGRAPH_LIBRARY}")

# NetworKit's headers do not tell the version; cmake/prepare_peers.py writes it into a file.
set(_version "")
find_path(SPARSEREPRO_NETWORKIT_INCLUDE networkit/edgescores/TriangleEdgeScore.hpp
          HINTS ${SPARSEREPRO_NETWORKIT_ROOT} ${_peers}/networkit PATH_SUFFIXES include)
find_library(SPARSEREPRO_NETWORKIT_LIBRARY networkit
             HINTS ${SPARSEREPRO_NETWORKIT_ROOT} ${_peers}/networkit PATH_SUFFIXES lib)
mark_as_advanced(SPARSEREPRO_NETWORKIT_INCLUDE SPARSEREPRO_NETWORKIT_LIBRARY)
if(SPARSEREPRO_NETWORKIT_INCLUDE AND SPARSEREPRO_NETWORKIT_LIBRARY)
  get_filename_component(_folder ${SPARSEREPRO_NETWORKIT_INCLUDE} DIRECTORY)
  set(_version "of unknown version")
  if(EXISTS ${_folder}/version)
    file(STRINGS ${_folder}/version _version LIMIT_COUNT 1)
  endif()
endif()
_peer(networkit NetworKit "${_version}" "./bootstrap --peers" "${SPARSEREPRO_NETWORKIT_INCLUDE}"
      "${SPARSEREPRO_NETWORKIT_LIBRARY}")

set(_version "")
find_path(SPARSEREPRO_AOCL_INCLUDE aoclsparse.h HINTS ${SPARSEREPRO_AOCL_ROOT}
          PATH_SUFFIXES include include_LP64)
find_library(SPARSEREPRO_AOCL_LIBRARY aoclsparse HINTS ${SPARSEREPRO_AOCL_ROOT}
             PATH_SUFFIXES lib lib_LP64)
mark_as_advanced(SPARSEREPRO_AOCL_INCLUDE SPARSEREPRO_AOCL_LIBRARY)
if(SPARSEREPRO_AOCL_INCLUDE AND SPARSEREPRO_AOCL_LIBRARY)
  _header_version(${SPARSEREPRO_AOCL_INCLUDE}/aoclsparse_version.h _version
                  AOCLSPARSE_VERSION_MAJOR AOCLSPARSE_VERSION_MINOR AOCLSPARSE_VERSION_PATCH)
endif()
_peer(aocl AOCL-Sparse "${_version}" "install it and set SPARSEREPRO_AOCL_ROOT"
      "${SPARSEREPRO_AOCL_INCLUDE}" "${SPARSEREPRO_AOCL_LIBRARY}")

# oneMKL with 32-bit integers and the threads of GNU OpenMP, the runtime of all other algorithms.
# Shared libraries if there are any, else the static ones.
set(_version "")
set(_libraries "")
find_path(SPARSEREPRO_MKL_INCLUDE mkl.h HINTS ${MKLROOT} ENV MKLROOT ${_peers}
          PATHS /opt/intel/oneapi/mkl/latest PATH_SUFFIXES include include/mkl)
mark_as_advanced(SPARSEREPRO_MKL_INCLUDE)
foreach(_part intel_lp64 gnu_thread core)
  find_library(SPARSEREPRO_MKL_${_part} NAMES mkl_${_part} libmkl_${_part}.so.2 libmkl_${_part}.so.3
               HINTS ${MKLROOT} ENV MKLROOT ${_peers} PATHS /opt/intel/oneapi/mkl/latest
               PATH_SUFFIXES lib lib/intel64)
  mark_as_advanced(SPARSEREPRO_MKL_${_part})
  list(APPEND _libraries ${SPARSEREPRO_MKL_${_part}})
endforeach()
if(SPARSEREPRO_MKL_INCLUDE AND SPARSEREPRO_MKL_intel_lp64 AND SPARSEREPRO_MKL_gnu_thread AND
   SPARSEREPRO_MKL_core)
  _header_version(${SPARSEREPRO_MKL_INCLUDE}/mkl_version.h _version __INTEL_MKL__
                  __INTEL_MKL_UPDATE__)
endif()
find_package(Threads REQUIRED)
_peer(mkl oneMKL "${_version}" "./bootstrap --peers, or set MKLROOT" "${SPARSEREPRO_MKL_INCLUDE}"
      "-Wl,--start-group;${_libraries};-Wl,--end-group;Threads::Threads;${CMAKE_DL_LIBS};m")
include(research_codes)
list(JOIN SPARSEREPRO_PEERS ", " SPARSEREPRO_PEERS)
