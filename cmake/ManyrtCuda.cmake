# The CUDA toolkit, where there is one: its headers check the project's own declarations, its static runtime is linked in. The
# backend is built in any case; without a toolkit it opens the runtime when it is wanted.
option(MANYRT_CUDA_TOOLKIT "Use a CUDA toolkit that is found" ON)

if(MANYRT_CUDA_TOOLKIT)
  find_path(MANYRT_CUDA_INCLUDE cuda_runtime_api.h PATHS /usr/local/cuda/include /usr/local/cuda/targets/x86_64-linux/include)
  find_library(MANYRT_CUDART_STATIC cudart_static
    PATHS /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib /usr/lib/x86_64-linux-gnu)
  mark_as_advanced(MANYRT_CUDA_INCLUDE MANYRT_CUDART_STATIC)
endif()

add_library(manyrt_cudart INTERFACE)
set(manyrt_toolkit_sources
  ${PROJECT_SOURCE_DIR}/src/backends/cuda/declarations_check.cpp
  ${PROJECT_SOURCE_DIR}/src/backends/cuda/runtime_static.cpp)
if(MANYRT_CUDA_TOOLKIT AND MANYRT_CUDA_INCLUDE AND MANYRT_CUDART_STATIC)
  message(STATUS "CUDA toolkit: ${MANYRT_CUDA_INCLUDE}; its runtime is linked in")
  set(manyrt_no_toolkit_sources "")
  set_source_files_properties(${manyrt_toolkit_sources} PROPERTIES COMPILE_OPTIONS "-isystem;${MANYRT_CUDA_INCLUDE}")
  target_compile_definitions(manyrt_cudart INTERFACE MANYRT_CUDART_STATIC=1)
  target_link_libraries(manyrt_cudart INTERFACE ${MANYRT_CUDART_STATIC} ${CMAKE_DL_LIBS} rt)
else()
  message(STATUS "CUDA toolkit: not used; the CUDA runtime is opened when it is wanted")
  set(manyrt_no_toolkit_sources ${manyrt_toolkit_sources})
endif()
