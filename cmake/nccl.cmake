# NCCL, by which algorithms of several GPUs exchange data. Optional: it is found or left out, and the
# log says which. `./bootstrap --peers` installs the release of requirements-peers.txt; the option
# SPARSEREPRO_NCCL_ROOT names another folder with include/ and lib/.
#
# Makes the target sparserepro_nccl, which carries SPARSEREPRO_HAS_NCCL where NCCL was found. Its run
# path is DT_RUNPATH, so that LD_LIBRARY_PATH can put another NCCL of the same soname in its place.
option(SPARSEREPRO_NCCL "Build the algorithms of several GPUs when NCCL is found" ON)
set(SPARSEREPRO_NCCL_ROOT "" CACHE PATH "Folder of NCCL (include/, lib/)")

add_library(sparserepro_nccl INTERFACE)
if(NOT SPARSEREPRO_NCCL)
  message(STATUS "NCCL: off (SPARSEREPRO_NCCL=OFF); no algorithm runs on several GPUs")
  return()
endif()
set(_nccl_hints ${SPARSEREPRO_NCCL_ROOT} ${PROJECT_SOURCE_DIR}/.peers/nccl)
find_path(_nccl_include nccl.h HINTS ${_nccl_hints} PATH_SUFFIXES include NO_CACHE)
# The wheel has the file of the soname alone, without the link libnccl.so.
find_library(_nccl_library NAMES nccl libnccl.so.2 HINTS ${_nccl_hints} PATH_SUFFIXES lib NO_CACHE)
if(NOT _nccl_include OR NOT _nccl_library)
  message(STATUS "NCCL: not found (./bootstrap --peers, or set SPARSEREPRO_NCCL_ROOT); "
                 "no algorithm runs on several GPUs")
  return()
endif()
include(header_version)
_header_version(${_nccl_include}/nccl.h _version NCCL_MAJOR NCCL_MINOR NCCL_PATCH)
message(STATUS "NCCL: ${_version}, ${_nccl_library}")
add_library(sparserepro_nccl_file SHARED IMPORTED)
set_target_properties(sparserepro_nccl_file PROPERTIES IMPORTED_LOCATION ${_nccl_library})
target_include_directories(sparserepro_nccl SYSTEM INTERFACE ${_nccl_include})
target_compile_definitions(sparserepro_nccl INTERFACE SPARSEREPRO_HAS_NCCL)
target_link_options(sparserepro_nccl INTERFACE LINKER:--as-needed LINKER:--enable-new-dtags)
target_link_libraries(sparserepro_nccl INTERFACE sparserepro_nccl_file)
