# What `cmake --install` puts in place: the libraries of the own kernels, their headers, and the files by
# which find_package(sparserepro) finds them. Drivers and tests stay in the build tree.
include(CMakePackageConfigHelpers)

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sparserepro)
set(_public_libraries sparserepro_host)
if(TARGET sparserepro_device)
  list(APPEND _public_libraries sparserepro_device)
endif()
install(TARGETS ${_public_libraries} EXPORT sparserepro_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sparserepro DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sparserepro_targets NAMESPACE sparserepro:: DESTINATION ${_package_dir})
configure_package_config_file(cmake/sparserepro-config.cmake.in
                              ${CMAKE_BINARY_DIR}/sparserepro-config.cmake
                              INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sparserepro-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sparserepro-config.cmake
              ${CMAKE_BINARY_DIR}/sparserepro-config-version.cmake
        DESTINATION ${_package_dir})
