# The versions of cuSPARSE and of CCCL (CUB, Thrust) that the peers are compiled against. Those of the
# toolkit are often a year old; a newer one is taken from a folder that the user names, by
# -DSPARSEREPRO_CUSPARSE_ROOT=... or the environment variable of that name (SPARSEREPRO_CCCL_ROOT
# likewise). PyPI's packages nvidia-cusparse and nvidia-cuda-cccl unpack to such a folder,
# nvidia/cu13, with include/ and lib/. A folder that lacks the files ends the configuration.
#
# Makes the target sparserepro_cusparse. Its run path is DT_RUNPATH, so that LD_LIBRARY_PATH can
# put another cuSPARSE with the same soname in its place.
set(SPARSEREPRO_CUSPARSE_ROOT "$ENV{SPARSEREPRO_CUSPARSE_ROOT}" CACHE PATH
    "Folder with include/cusparse.h and lib/libcusparse.so.*; empty: the toolkit's cuSPARSE")
set(SPARSEREPRO_CCCL_ROOT "$ENV{SPARSEREPRO_CCCL_ROOT}" CACHE PATH
    "Folder with include/cccl/cub (or include/cub); empty: the toolkit's CCCL")

include(header_version)
add_library(sparserepro_cusparse INTERFACE)
target_link_options(sparserepro_cusparse INTERFACE LINKER:--enable-new-dtags)
if(SPARSEREPRO_CUSPARSE_ROOT)
  set(_header ${SPARSEREPRO_CUSPARSE_ROOT}/include/cusparse.h)
  file(GLOB _library ${SPARSEREPRO_CUSPARSE_ROOT}/lib/libcusparse.so*
       ${SPARSEREPRO_CUSPARSE_ROOT}/lib64/libcusparse.so*)
  if(NOT EXISTS ${_header} OR NOT _library)
    message(FATAL_ERROR "SPARSEREPRO_CUSPARSE_ROOT=${SPARSEREPRO_CUSPARSE_ROOT} lacks "
                        "include/cusparse.h or lib/libcusparse.so*")
  endif()
  list(GET _library 0 _library)
  # The wheel has the file of the soname alone, without the link libcusparse.so.
  add_library(sparserepro_cusparse_file SHARED IMPORTED)
  set_target_properties(sparserepro_cusparse_file PROPERTIES IMPORTED_LOCATION ${_library})
  target_link_libraries(sparserepro_cusparse INTERFACE sparserepro_cusparse_file CUDA::cudart_static)
  # No system folder: nvcc would search the toolkit's own before it.
  target_include_directories(sparserepro_cusparse BEFORE
                             INTERFACE ${SPARSEREPRO_CUSPARSE_ROOT}/include)
else()
  find_file(_header cusparse.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE REQUIRED)
  target_link_libraries(sparserepro_cusparse INTERFACE CUDA::cusparse)
endif()
_header_version(${_header} _version CUSPARSE_VER_MAJOR CUSPARSE_VER_MINOR CUSPARSE_VER_PATCH)
message(STATUS "cuSPARSE: ${_version}, ${_header}")

if(SPARSEREPRO_CCCL_ROOT)
  find_path(_cccl cub/version.cuh HINTS ${SPARSEREPRO_CCCL_ROOT}
            PATH_SUFFIXES include/cccl include NO_DEFAULT_PATH NO_CACHE)
  if(NOT _cccl)
    message(FATAL_ERROR "SPARSEREPRO_CCCL_ROOT=${SPARSEREPRO_CCCL_ROOT} lacks "
                        "include/cccl/cub/version.cuh")
  endif()
  target_include_directories(sparserepro_options BEFORE INTERFACE ${_cccl})
else()
  find_path(_cccl cub/version.cuh HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_CACHE
            REQUIRED)
endif()
file(STRINGS ${_cccl}/cub/version.cuh _line REGEX "^#define CUB_VERSION [0-9]+")
string(REGEX REPLACE "^#define CUB_VERSION ([0-9]+).*$" "\\1" _number "${_line}")
math(EXPR _major "${_number} / 100000")
math(EXPR _minor "${_number} / 100 % 1000")
math(EXPR _patch "${_number} % 100")
if(_number LESS 200800)
  message(FATAL_ERROR "CUB ${_major}.${_minor}.${_patch} is too old: the peers need 2.8, of CUDA 12.9; "
                      "SPARSEREPRO_CCCL_ROOT names a newer one")
endif()
message(STATUS "CUB: ${_major}.${_minor}.${_patch}, ${_cccl}")
