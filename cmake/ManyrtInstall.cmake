# `cmake --install`: library, header, pkg-config file, CMake package and the descriptions for bindings. Every installed file
# finds its neighbours by relative paths, so that a prefix can be moved.
include(CMakePackageConfigHelpers)

set(manyrt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/manyrt)
file(RELATIVE_PATH MANYRT_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/pkgconfig/rt.pc.in ${PROJECT_BINARY_DIR}/manyrt.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/pkgconfig/rt-comm.pc.in ${PROJECT_BINARY_DIR}/manyrt-comm.pc @ONLY)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/manyrtConfig.cmake.in ${PROJECT_BINARY_DIR}/manyrtConfig.cmake
  INSTALL_DESTINATION ${manyrt_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/manyrtConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)

install(TARGETS manyrt manyrt_comm EXPORT manyrtTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(MANYRT_MPI)  # opened by its file name, so no program links it
  install(TARGETS manyrt_comm_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
endif()
install(EXPORT manyrtTargets NAMESPACE manyrt:: DESTINATION ${manyrt_cmake_dir})
install(FILES ${PROJECT_BINARY_DIR}/manyrtConfig.cmake ${PROJECT_BINARY_DIR}/manyrtConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/manyrtKernels.cmake
        DESTINATION ${manyrt_cmake_dir})
install(FILES ${PROJECT_SOURCE_DIR}/include/rt.h ${PROJECT_SOURCE_DIR}/include/rt_comm.h ${PROJECT_SOURCE_DIR}/bindings/rt_message.h
              ${PROJECT_SOURCE_DIR}/bindings/rt_comm_message.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/manyrt)
# Interfaces of other runtimes over rt.h, in a folder of their own: a program asks for them with -I.../include/manyrt/compat.
install(FILES ${PROJECT_SOURCE_DIR}/bindings/compat/infinicore.h ${PROJECT_SOURCE_DIR}/bindings/compat/infinirt.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/manyrt/compat)
install(FILES ${PROJECT_BINARY_DIR}/manyrt.pc ${PROJECT_BINARY_DIR}/manyrt-comm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Licence, documents and examples. The examples' CMakeLists.txt is part of this tree and stays here: another one is installed, with
# which they are a project of their own.
set(MANYRT_DOCUMENTS LICENSE README.md CHANGELOG.md CONTRIBUTING.md CACHE STRING
  "Documents that are installed beside docs; a package that has a file of its own for one leaves it out")
mark_as_advanced(MANYRT_DOCUMENTS)
list(TRANSFORM MANYRT_DOCUMENTS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE manyrt_documents)
install(FILES ${manyrt_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN measured EXCLUDE PATTERN "*.1" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN examples/CMakeLists.txt EXCLUDE PATTERN installed EXCLUDE PATTERN "*.cmake" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/examples/installed/CMakeLists.txt ${PROJECT_SOURCE_DIR}/examples/installed/Makefile
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
configure_file(${PROJECT_SOURCE_DIR}/cmake/InstalledLinks.cmake.in ${PROJECT_BINARY_DIR}/InstalledLinks.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/InstalledLinks.cmake)
install(FILES ${PROJECT_SOURCE_DIR}/bindings/rt.cdef.h ${PROJECT_SOURCE_DIR}/bindings/rt.json
              ${PROJECT_SOURCE_DIR}/bindings/rt_comm.cdef.h ${PROJECT_SOURCE_DIR}/bindings/rt_comm.json
              ${PROJECT_SOURCE_DIR}/bindings/graph.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt)

# The layers that programs build from source, each where its page in docs/bindings says. rt.hpp is installed by bindings/cpp.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/rust ${PROJECT_SOURCE_DIR}/bindings/go
        DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt
        PATTERN generate.py EXCLUDE PATTERN without_safe_form.txt EXCLUDE PATTERN tests EXCLUDE PATTERN target EXCLUDE
        PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/bindings/lua/manyrt.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt/lua)
install(FILES ${PROJECT_SOURCE_DIR}/bindings/lua/manyrt/comm.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt/lua/manyrt)
install(FILES ${PROJECT_SOURCE_DIR}/bindings/fortran/CMakeLists.txt ${PROJECT_SOURCE_DIR}/bindings/fortran/manyrt.f90
              ${PROJECT_SOURCE_DIR}/bindings/fortran/manyrt_comm.f90
        DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt/fortran)

# manyrt_install_generated(folder interface file inputs...): bindings/<folder>/generate.py makes the file of rt or rt_comm, so that
# users need no Python.
function(manyrt_install_generated folder interface file)
  set(generated ${PROJECT_BINARY_DIR}/generated/${folder}/${file})
  set(generator ${PROJECT_SOURCE_DIR}/bindings/${folder}/generate.py)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/bindings/)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated/${folder}
    COMMAND ${Python3_EXECUTABLE} ${generator} --interface ${interface} --output ${generated} DEPENDS ${generator} ${ARGN} VERBATIM)
  add_custom_target(manyrt_installed_${folder}_${interface} ALL DEPENDS ${generated})
  install(FILES ${generated} DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt/${folder})
endfunction()

find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  manyrt_install_generated(lua rt manyrt_cdef.lua rt.json rt.cdef.h)
  manyrt_install_generated(lua rt_comm manyrt_comm_cdef.lua rt_comm.json rt_comm.cdef.h)
  manyrt_install_generated(fortran rt manyrt_c.f90 rt.json)
  manyrt_install_generated(fortran rt_comm manyrt_comm_c.f90 rt_comm.json rt.json)
else()
  message(STATUS "Layers for LuaJIT and Fortran: installed with their generators, as Python 3.9 is missing here")
  foreach(folder lua fortran)
    install(FILES ${PROJECT_SOURCE_DIR}/bindings/${folder}/generate.py DESTINATION ${CMAKE_INSTALL_DATADIR}/manyrt/${folder})
  endforeach()
endif()

# `cmake --build BUILD --target uninstall` removes what the last `cmake --install BUILD` has installed. A project that manyrt is a
# folder of has files of its own in that list.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake VERBATIM)
endif()
