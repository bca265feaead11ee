# manyrt_comm, alias manyrt::manyrt-comm: libmanyrt-comm.so, communicators over rt.h. It uses the exported part of the core, and
# has its own copy of a few files of src/base.
file(GLOB_RECURSE manyrt_comm_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/comm/*.cpp)
list(FILTER manyrt_comm_sources EXCLUDE REGEX "/comm/mpi_plugin/")  # below
set(manyrt_comm_map ${PROJECT_SOURCE_DIR}/cmake/manyrt-comm.map)
add_library(manyrt_comm SHARED ${manyrt_comm_sources} ${PROJECT_SOURCE_DIR}/src/base/status.cpp
  ${PROJECT_SOURCE_DIR}/src/base/blake2b.cpp ${PROJECT_SOURCE_DIR}/src/base/environment.cpp ${PROJECT_SOURCE_DIR}/src/base/fault.cpp
  ${PROJECT_SOURCE_DIR}/src/base/os/dynamic_library.cpp)
add_library(manyrt::manyrt-comm ALIAS manyrt_comm)
set_target_properties(manyrt_comm PROPERTIES
  OUTPUT_NAME manyrt-comm
  EXPORT_NAME manyrt-comm
  C_VISIBILITY_PRESET hidden
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${manyrt_comm_map})
# The loops over elements are worth vectors, which -O2 makes of few.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/comm/host_reduction.cpp PROPERTIES
  COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
target_include_directories(manyrt_comm PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_options(manyrt_comm PRIVATE
  -Wl,--version-script=${manyrt_comm_map} -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--as-needed
  $<$<NOT:$<BOOL:${MANYRT_SANITIZE}>>:-Wl,--no-undefined>)
# rt: shm_open, which glibc has in a library of its own before 2.34.
target_link_libraries(manyrt_comm PUBLIC manyrt PRIVATE manyrt_warnings manyrt_hardening Threads::Threads rt ${CMAKE_DL_LIBS})

# libmanyrt-comm-mpi.so, which knows the one MPI that it was built against. libmanyrt-comm.so opens it when it is asked for.
option(MANYRT_COMM_MPI "Build the engine of MPI where an MPI is found" ON)
set(manyrt_comm_mpi_sources ${PROJECT_SOURCE_DIR}/src/comm/mpi_plugin/plugin.cpp ${PROJECT_SOURCE_DIR}/src/comm/host_reduction.cpp)
set(MANYRT_MPI OFF)
if(MANYRT_COMM_MPI)
  find_package(MPI QUIET COMPONENTS C)
  set(MANYRT_MPI ${MPI_C_FOUND})
endif()
if(NOT MANYRT_MPI)
  message(STATUS "MPI: not built (Debian: mpi-default-dev)")
  return()
endif()
message(STATUS "MPI: ${MPI_C_LIBRARIES}")
add_library(manyrt_comm_mpi SHARED ${manyrt_comm_mpi_sources})
set_target_properties(manyrt_comm_mpi PROPERTIES
  OUTPUT_NAME manyrt-comm-mpi
  C_VISIBILITY_PRESET hidden
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/manyrt-comm-mpi.map)
# MPI's C++ interface is gone from MPI, and would need its library.
target_compile_definitions(manyrt_comm_mpi PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
target_include_directories(manyrt_comm_mpi PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_options(manyrt_comm_mpi PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/manyrt-comm-mpi.map -Wl,-z,nodelete -Wl,--as-needed
  $<$<NOT:$<BOOL:${MANYRT_SANITIZE}>>:-Wl,--no-undefined>)
target_link_libraries(manyrt_comm_mpi PRIVATE manyrt_warnings manyrt_hardening MPI::MPI_C)
