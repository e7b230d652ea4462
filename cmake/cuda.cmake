# Finds CUDA or leaves it out, and says which. Sets SPARSEREPRO_HAS_CUDA.
set(SPARSEREPRO_HAS_CUDA OFF)
if(NOT SPARSEREPRO_CUDA)
  message(STATUS "CUDA: off (SPARSEREPRO_CUDA=OFF); CUDA algorithms are left out")
  return()
endif()

include(CheckLanguage)
# Architectures: those of the GPUs present, else that of H100 and H200: a machine without a GPU only
# compiles the code, and each further one costs half of the build again.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE _caps RESULT_VARIABLE _failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(_failed EQUAL 0 AND _caps MATCHES "[0-9]")
    string(REPLACE "." "" _caps "${_caps}")
    string(REGEX MATCHALL "[0-9]+" _caps "${_caps}")
    list(REMOVE_DUPLICATES _caps)
    set(CMAKE_CUDA_ARCHITECTURES ${_caps})
  else()
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
endif()
# Sums over a warp in one instruction and copies past the L1 cache begin with compute capability 8.0.
foreach(_architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
  if(_architecture MATCHES "^([0-9]+)" AND CMAKE_MATCH_1 LESS 80)
    message(FATAL_ERROR "CUDA: the kernels need compute capability 8.0 or newer; "
                        "CMAKE_CUDA_ARCHITECTURES has ${_architecture}")
  endif()
endforeach()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "CUDA: no compiler found; CUDA algorithms are left out")
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(SPARSEREPRO_HAS_CUDA ON)
set(_cuda_flags -std=c++20 --expt-relaxed-constexpr)
if(SPARSEREPRO_WERROR)
  list(APPEND _cuda_flags -Werror=all-warnings)
endif()
target_compile_options(sparserepro_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${_cuda_flags}>")
message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
