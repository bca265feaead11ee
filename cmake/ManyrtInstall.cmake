# `cmake --install`: library, header, pkg-config file, CMake package and the descriptions for bindings. Every installed file
# finds its neighbours by relative paths, so that a prefix can be moved.
include(CMakePackageConfigHelpers)

set(manyrt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/manyrt)
file(RELATIVE_PATH MANYRT_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/pkgconfig/rt.pc.in ${PROJECT_BINARY_DIR}/manyrt.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/manyrtConfig.cmake.in ${PROJECT_BINARY_DIR}/manyrtConfig.cmake
  INSTALL_DESTINATION ${manyrt_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/manyrtConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)

install(TARGETS manyrt EXPORT manyrtTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT manyrtTargets NAMESPACE manyrt:: DESTINATION ${manyrt_cmake_dir})
install(FILES ${PROJECT_BINARY_DIR}/manyrtConfig.cmake ${PROJECT_BINARY_DIR}/manyrtConfigVersion.cmake
        DESTINATION ${manyrt_cmake_dir})
install(FILES ${PROJECT_SOURCE_DIR}/include/rt.h ${PROJECT_SOURCE_DIR}/bindings/rt_message.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/manyrt)
# Interfaces of other runtimes over rt.h, in a folder of their own: a program asks for them with -I.../include/manyrt/compat.
install(FILES ${PROJECT_SOURCE_DIR}/bindings/compat/infinicore.h ${PROJECT_SOURCE_DIR}/bindings/compat/infinirt.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/manyrt/compat)
install(FILES ${PROJECT_BINARY_DIR}/manyrt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Licence, documents and examples; an example's CMakeLists.txt is part of this tree, so it stays here.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN measured EXCLUDE PATTERN "*.1" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN CMakeLists.txt EXCLUDE PATTERN "*.cmake" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/bindings/rt.cdef.h ${PROJECT_SOURCE_DIR}/bindings/rt.json
              ${PROJECT_SOURCE_DIR}/bindings/graph.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt)
