# Language level, optimisation and warnings, carried by the interface target sparserepro_options.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(sparserepro_options INTERFACE)
target_include_directories(sparserepro_options INTERFACE ${PROJECT_SOURCE_DIR}/kernels)
# The language level is a plain flag, also for CUDA: CMake 3.25 would derive the level of CUDA from
# CMAKE_CXX_STANDARD, and does not know that nvcc 13 has C++20.
set(_host_flags -std=c++20 -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND _host_flags -Wno-restrict)  # false positives on std::string (GCC bug 105651)
endif()
# One level for all files, own code, seeds' algorithms and header-only peers alike.
if(SPARSEREPRO_MARCH)
  list(APPEND _host_flags -march=${SPARSEREPRO_MARCH})
elseif(SPARSEREPRO_NATIVE)
  list(APPEND _host_flags -march=native)
endif()
if(SPARSEREPRO_WERROR)
  list(APPEND _host_flags -Werror)
endif()
if(SPARSEREPRO_SANITIZE)
  list(APPEND _host_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined
       -fno-omit-frame-pointer)
  target_link_options(sparserepro_options INTERFACE -fsanitize=address,undefined)
elseif(SPARSEREPRO_SANITIZE_THREADS)
  list(APPEND _host_flags -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(sparserepro_options INTERFACE -fsanitize=thread)
endif()
if(SPARSEREPRO_FUZZ)  # counts what an input reaches; tests/fuzz links libFuzzer itself
  list(APPEND _host_flags -fsanitize=fuzzer-no-link)
endif()
target_compile_options(sparserepro_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${_host_flags}>")
list(JOIN _host_flags " " SPARSEREPRO_CXX_FLAGS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}} ${SPARSEREPRO_CXX_FLAGS}"
       SPARSEREPRO_CXX_FLAGS)
