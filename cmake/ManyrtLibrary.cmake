# manyrt_objects (compiled once), manyrt (the shared library, alias manyrt::manyrt) and manyrt_static (for tests only).
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
if(NOT HWLOC_FOUND)
  message(FATAL_ERROR "manyrt needs hwloc, and pkg-config does not find it: install it (Debian and Ubuntu: apt install libhwloc-dev; "
                      "Fedora: dnf install hwloc-devel), or set PKG_CONFIG_PATH.")
endif()
manyrt_find_headers(nlohmann_json MANYRT_JSON_FOUND)  # the library needs nothing of it at run time
if(NOT MANYRT_JSON_FOUND)
  message(FATAL_ERROR "manyrt needs nlohmann-json, and CMake does not find it: install it (Debian and Ubuntu: apt install "
                      "nlohmann-json3-dev; Fedora: dnf install json-devel), or set MANYRT_FETCH_DEPENDENCIES=ON to download it.")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/ManyrtFibers.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ManyrtCuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ManyrtOpenCl.cmake)

# A file then sees what the files before it include, and a compiler does not find a header that is missing. Without the option it does
# not find two files of a folder with one name in unnamed namespaces. scripts/test.sh has builds of both kinds; packages do not set it.
option(MANYRT_UNITY "Compile the files of each folder of src as one, in half of the time" OFF)

# manyrt_compile_folders_as_one(target sources...): with MANYRT_UNITY. The lowering for the CPU stays apart: its files are long.
function(manyrt_compile_folders_as_one target)
  if(NOT MANYRT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(FILTER ARGN EXCLUDE REGEX "/lowering/cpu/")
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX MATCH "^[^/]+(/[^/]+)?" group ${folder})
    string(REPLACE "/" "_" group ${group})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

file(GLOB_RECURSE manyrt_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER manyrt_sources EXCLUDE REGEX "/src/comm/")  # a library of its own: ManyrtComm.cmake
list(FILTER manyrt_sources EXCLUDE REGEX "/src/aot/")   # likewise, for the manyrt command and tests
# The interpreter of the IR and what checks an analysis by it have no part in a build: a library of its own, for tests.
set(manyrt_oracle "/compiler/(analysis/divergence_check|ir/interpret)")
list(FILTER manyrt_sources EXCLUDE REGEX ${manyrt_oracle})
if(manyrt_no_toolkit_sources)
  list(REMOVE_ITEM manyrt_sources ${manyrt_no_toolkit_sources})
endif()
if(NOT MANYRT_OPENCL)
  list(FILTER manyrt_sources EXCLUDE REGEX "/backends/opencl/")
endif()
# The text of the built-in functions, put into a source as it is.
set(manyrt_builtins ${PROJECT_SOURCE_DIR}/src/compiler/builtins/library)
set(manyrt_builtins_source ${PROJECT_BINARY_DIR}/generated/builtin_library.cpp)
file(GLOB_RECURSE manyrt_builtins_files CONFIGURE_DEPENDS ${manyrt_builtins}/*)
add_custom_command(OUTPUT ${manyrt_builtins_source}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${manyrt_builtins} -DOUTPUT=${manyrt_builtins_source}
    -P ${PROJECT_SOURCE_DIR}/cmake/EmbedLibrary.cmake
  DEPENDS ${manyrt_builtins_files} ${PROJECT_SOURCE_DIR}/cmake/EmbedLibrary.cmake VERBATIM)
add_library(manyrt_objects OBJECT ${manyrt_sources} ${manyrt_builtins_source})
manyrt_compile_folders_as_one(manyrt_objects ${manyrt_sources})
set_target_properties(manyrt_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  C_VISIBILITY_PRESET hidden
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
target_compile_options(manyrt_objects PRIVATE -fno-plt)
target_compile_definitions(manyrt_objects PRIVATE MANYRT_BUILDING_LIBRARY=1 $<$<BOOL:${MANYRT_OPENCL}>:MANYRT_OPENCL=1>)
target_include_directories(manyrt_objects PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(manyrt_objects PRIVATE manyrt_warnings manyrt_hardening manyrt_fibers manyrt_cudart PkgConfig::HWLOC Threads::Threads
  nlohmann_json::nlohmann_json)

# Read once for all files where tests are built (tests/CMakeLists.txt). A file that names something of them includes them all
# the same: scripts/check_includes.py has the list too.
set(manyrt_precompiled_headers <algorithm> <array> <atomic> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <set>
  <string> <thread> <unordered_map> <vector>)
if(MANYRT_SANITIZE OR MANYRT_COMPILE_TESTS_FAST OR MANYRT_UNITY)
  target_precompile_headers(manyrt_objects PRIVATE ${manyrt_precompiled_headers})
endif()
if(MANYRT_COMPILE_TESTS_FAST)
  target_compile_options(manyrt_objects PRIVATE -g1)  # of the debugger's information, what a trace needs
endif()

set(manyrt_map ${PROJECT_SOURCE_DIR}/cmake/manyrt.map)
add_library(manyrt SHARED $<TARGET_OBJECTS:manyrt_objects>)
add_library(manyrt::manyrt ALIAS manyrt)
set_target_properties(manyrt PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINKER_LANGUAGE CXX
  LINK_DEPENDS ${manyrt_map})
target_include_directories(manyrt PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/manyrt>)
target_link_options(manyrt PRIVATE
  -Wl,--version-script=${manyrt_map} -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--as-needed
  $<$<NOT:$<BOOL:${MANYRT_SANITIZE}>>:-Wl,--no-undefined>)
target_link_libraries(manyrt PRIVATE manyrt_hardening manyrt_fibers manyrt_cudart PkgConfig::HWLOC Threads::Threads ${CMAKE_DL_LIBS})

add_library(manyrt_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:manyrt_objects>)
set_target_properties(manyrt_static PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(manyrt_static PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(manyrt_static PUBLIC manyrt_fibers manyrt_cudart PkgConfig::HWLOC Threads::Threads ${CMAKE_DL_LIBS})

file(GLOB manyrt_ir_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compiler/ir/*.cpp
  ${PROJECT_SOURCE_DIR}/src/compiler/analysis/*.cpp)
list(FILTER manyrt_ir_sources INCLUDE REGEX ${manyrt_oracle})
add_library(manyrt_ir STATIC EXCLUDE_FROM_ALL ${manyrt_ir_sources})
target_link_libraries(manyrt_ir PUBLIC manyrt_static PRIVATE manyrt_warnings)

# Images built ahead of time. The manyrt command has this and the library's objects in it: what it needs of them is not exported.
file(GLOB manyrt_aot_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/aot/*.cpp)
add_library(manyrt_aot STATIC EXCLUDE_FROM_ALL ${manyrt_aot_sources})
target_link_libraries(manyrt_aot PUBLIC manyrt_static PRIVATE manyrt_warnings manyrt_hardening)
