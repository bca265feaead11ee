# manyrt_comm, alias manyrt::manyrt-comm: libmanyrt-comm.so, communicators over rt.h. Of the core it uses what is exported, and has
# its own copy of the two files of src/base that statuses consist of.
file(GLOB_RECURSE manyrt_comm_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/comm/*.cpp)
set(manyrt_comm_map ${PROJECT_SOURCE_DIR}/cmake/manyrt-comm.map)
add_library(manyrt_comm SHARED ${manyrt_comm_sources} ${PROJECT_SOURCE_DIR}/src/base/status.cpp
  ${PROJECT_SOURCE_DIR}/src/base/fault.cpp)
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
target_link_libraries(manyrt_comm PUBLIC manyrt PRIVATE manyrt_warnings manyrt_hardening Threads::Threads ${CMAKE_DL_LIBS})
