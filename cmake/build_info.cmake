# Facts of the build for the records. Those that a commit changes are written at build time, into a
# file that is replaced only when its content differs, so that nothing else is compiled again.
set(SPARSEREPRO_BUILD_INFO ${CMAKE_BINARY_DIR}/generated/revision.hpp)
add_custom_target(sparserepro_revision
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${SPARSEREPRO_BUILD_INFO}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_revision.cmake
  BYPRODUCTS ${SPARSEREPRO_BUILD_INFO} COMMENT "" VERBATIM)
