# The CUDA toolkit, where there is one: its headers check the project's own declarations. The runtime is opened when it is wanted.
# It can be linked in instead, but has more thread-local storage than a library that is opened late may bring. Bindings, which
# open this one, would fail.
option(MANYRT_CUDA_TOOLKIT "Use a CUDA toolkit that is found" ON)
option(MANYRT_LINK_CUDART "Link the CUDA runtime in; programs then have to link this library too, not open it" OFF)

if(MANYRT_CUDA_TOOLKIT)
  find_path(MANYRT_CUDA_INCLUDE cuda_runtime_api.h PATHS /usr/local/cuda/include /usr/local/cuda/targets/x86_64-linux/include)
  find_library(MANYRT_CUDART_LIBRARY cudart_static
    PATHS /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib /usr/lib/x86_64-linux-gnu)
  mark_as_advanced(MANYRT_CUDA_INCLUDE MANYRT_CUDART_LIBRARY)
endif()

add_library(manyrt_cudart INTERFACE)
set(manyrt_declarations_check ${PROJECT_SOURCE_DIR}/src/backends/cuda/declarations_check.cpp)
set(manyrt_runtime_static ${PROJECT_SOURCE_DIR}/src/backends/cuda/runtime_static.cpp)
set(manyrt_no_toolkit_sources "")
if(MANYRT_CUDA_TOOLKIT AND MANYRT_CUDA_INCLUDE)
  message(STATUS "CUDA toolkit: ${MANYRT_CUDA_INCLUDE}; the declarations are checked against it")
  set_source_files_properties(${manyrt_declarations_check} ${manyrt_runtime_static} PROPERTIES
    COMPILE_OPTIONS "-isystem;${MANYRT_CUDA_INCLUDE}")
else()
  message(STATUS "CUDA toolkit: not used")
  list(APPEND manyrt_no_toolkit_sources ${manyrt_declarations_check})
endif()
find_path(MANYRT_CUPTI_INCLUDE cupti.h PATHS ${MANYRT_CUDA_INCLUDE} ${MANYRT_CUDA_INCLUDE}/../extras/CUPTI/include NO_DEFAULT_PATH)
mark_as_advanced(MANYRT_CUPTI_INCLUDE)
set(manyrt_cupti_check ${PROJECT_SOURCE_DIR}/src/backends/cuda/cupti_api_check.cpp)
if(MANYRT_CUDA_TOOLKIT AND MANYRT_CUDA_INCLUDE AND MANYRT_CUPTI_INCLUDE)
  set_source_files_properties(${manyrt_cupti_check} PROPERTIES
    COMPILE_OPTIONS "-isystem;${MANYRT_CUDA_INCLUDE};-isystem;${MANYRT_CUPTI_INCLUDE}")
else()
  list(APPEND manyrt_no_toolkit_sources ${manyrt_cupti_check})
endif()
if(MANYRT_LINK_CUDART AND MANYRT_CUDA_INCLUDE AND MANYRT_CUDART_LIBRARY)
  target_compile_definitions(manyrt_cudart INTERFACE MANYRT_CUDART_STATIC=1)
  target_link_libraries(manyrt_cudart INTERFACE ${MANYRT_CUDART_LIBRARY} ${CMAKE_DL_LIBS} rt)
elseif(MANYRT_LINK_CUDART)
  message(FATAL_ERROR "MANYRT_LINK_CUDART: no CUDA toolkit with libcudart_static.a was found.")
else()
  list(APPEND manyrt_no_toolkit_sources ${manyrt_runtime_static})
endif()
