# Research codes for SpMM on the device that peers wrap. They have no packages, and RoDe no licence, so
# none is brought along: whoever wants them beside the own kernels clones the repositories and names
# the folders. Their sources are compiled as they are, with the flags of their own build. A folder that
# lacks them ends the configuration.
#
# Makes the target sparserepro_research_codes, and adds to sparserepro_peer_libraries and
# SPARSEREPRO_PEERS as peers.cmake does.
set(SPARSEREPRO_RODE_ROOT "" CACHE PATH "Clone of github.com/CRAFT-THU/RoDe, which has Sputnik in fp64 too")
set(SPARSEREPRO_SPUTNIK_ROOT "" CACHE PATH "Clone of github.com/google-research/sputnik")
set(SPARSEREPRO_GESPMM_ROOT "" CACHE PATH "Clone of github.com/dgSPARSE/dgSPARSE-Library, for GE-SpMM")
add_library(sparserepro_research_codes INTERFACE)

# Compiles `sources` of the clone SPARSEREPRO_<NAME>_ROOT, with its folders `includes`.
function(_research_code name title includes flags)
  string(TOUPPER ${name} upper)
  set(root "${SPARSEREPRO_${upper}_ROOT}")
  if(root STREQUAL "")
    return()
  elseif(NOT SPARSEREPRO_HAS_CUDA)
    message(STATUS "${title}: it needs CUDA, which is off or was not found; its peer is left out")
    return()
  endif()
  set(sources "")
  foreach(source IN LISTS ARGN)
    if(NOT EXISTS ${root}/${source})
      message(FATAL_ERROR "SPARSEREPRO_${upper}_ROOT=${root} lacks ${source}")
    endif()
    list(APPEND sources ${root}/${source})
  endforeach()
  # A copy without .git may tell its commit in a file `version`.
  set(version "")
  if(EXISTS ${root}/version)
    file(STRINGS ${root}/version version LIMIT_COUNT 1)
  else()
    execute_process(COMMAND git -C ${root} rev-parse --short=7 HEAD OUTPUT_VARIABLE version
                    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(version STREQUAL "")
    set(version "of unknown version")
  endif()
  list(TRANSFORM includes PREPEND ${root}/)
  set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
  add_library(sparserepro_${name} STATIC ${sources})
  set_target_properties(sparserepro_${name} PROPERTIES CUDA_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
  target_include_directories(sparserepro_${name} PRIVATE ${includes})
  target_compile_options(sparserepro_${name} PRIVATE -O3 -w ${flags})
  target_include_directories(sparserepro_research_codes SYSTEM INTERFACE ${includes})
  target_link_libraries(sparserepro_research_codes INTERFACE sparserepro_${name})
  target_compile_definitions(sparserepro_peer_libraries INTERFACE SPARSEREPRO_HAS_${upper}
                             SPARSEREPRO_${upper}_VERSION="${version}")
  message(STATUS "${title}: ${version}")
  set(SPARSEREPRO_PEERS ${SPARSEREPRO_PEERS} "${title} ${version}" PARENT_SCOPE)
endfunction()

_research_code(rode RoDe "RoDe_SpMM;Sputnik_SpMM;utils" --use_fast_math
               RoDe_SpMM/RoDeSpmm.cu Sputnik_SpMM/Sputnik_spmm.cu)
_research_code(sputnik Sputnik "." "" sputnik/spmm/cuda_spmm.cu.cc)
# The default stream of the thread, as the peer's stream: that of all threads would need ties to it.
_research_code(gespmm GE-SpMM "src/ge-spmm" --default-stream=per-thread
               src/ge-spmm/csrspmm_parreduce.cu src/ge-spmm/csrspmm_rowcaching.cu
               src/ge-spmm/csrspmm_seqreduce.cu src/ge-spmm/csrspmm_non_transpose.cu
               src/ge-spmm/gespmm_csrcoo_v2.cu src/ge-spmm/gespmm_v2.cu src/ge-spmm/gespmm.cc)
