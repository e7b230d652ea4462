# Language level, optimisation and warnings, carried by the interface target sparserepro_options.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(sparserepro_options INTERFACE)
target_include_directories(sparserepro_options INTERFACE ${PROJECT_SOURCE_DIR}/kernels)
# One rounding per operation wherever the source does not call fma: generators give the same
# numbers on every machine.
set(_host_flags -O3 -ffp-contract=off -Wall -Wextra)
if(SPARSEREPRO_NATIVE)
  list(APPEND _host_flags -march=native)
endif()
if(SPARSEREPRO_WERROR)
  list(APPEND _host_flags -Werror)
endif()
if(SPARSEREPRO_SANITIZE)
  list(APPEND _host_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined
       -fno-omit-frame-pointer)
  target_link_options(sparserepro_options INTERFACE -fsanitize=address,undefined)
endif()
target_compile_options(sparserepro_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${_host_flags}>")
list(JOIN _host_flags " " SPARSEREPRO_CXX_FLAGS)
