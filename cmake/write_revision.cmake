# Writes OUTPUT: the commit of SOURCE_DIR and whether its working tree differs from it. Without git
# (a copied source tree) the environment variable SPARSEREPRO_COMMIT names the commit.
set(_commit "$ENV{SPARSEREPRO_COMMIT}")
set(_dirty false)
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE _head
                RESULT_VARIABLE _failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(_failed EQUAL 0)
  set(_commit ${_head})
  execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain -- kernels drivers cmake
                          CMakeLists.txt
                  OUTPUT_VARIABLE _changes ERROR_QUIET)
  if(NOT _changes STREQUAL "")
    set(_dirty true)
  endif()
endif()
set(_text "#pragma once\n#define SPARSEREPRO_COMMIT \"${_commit}\"\n#define SPARSEREPRO_DIRTY ${_dirty}\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} _old)
endif()
if(NOT _old STREQUAL _text)
  file(WRITE ${OUTPUT} "${_text}")
endif()
