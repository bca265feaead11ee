# A watch on pointers doubles the time that a test takes to compile. In the library most of it stays; a test that follows a
# pointer to nowhere is found by AddressSanitizer.
set(manyrt_test_options -O1 -g1)
if(MANYRT_SANITIZE STREQUAL "address")
  list(APPEND manyrt_test_options -fno-sanitize=alignment,object-size,vptr)
endif()

# manyrt_compile_as_test(target): with these options, and with the common headers, GoogleTest among them, where they are compiled once.
function(manyrt_compile_as_test target)
  target_compile_options(${target} PRIVATE ${manyrt_test_options})
  if(TARGET manyrt_test_headers)
    target_precompile_headers(${target} REUSE_FROM manyrt_test_headers)
  endif()
endfunction()

# manyrt_optimise_tests(files...): those of the folder's tests whose own loops take longer than the optimiser does.
function(manyrt_optimise_tests)
  if(MANYRT_COMPILE_TESTS_FAST)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# manyrt_add_gtest(name SOURCES files... [LINK libraries...] [LABELS labels...] [TIMEOUT seconds] [SKIPS file] [NO_MAIN] [INTERNAL])
#
# One executable, one ctest entry of the same name. By default it links the shared library, as a program would; INTERNAL links
# manyrt_static instead and sees src. NO_MAIN leaves main() to the sources. Each run leaves results/<name>.xml in the build
# folder, which scripts/count_results.py counts. With SKIPS the skips are held against a list (support/skip_list.h); a suite that runs
# on devices has one. The label `long` leaves an entry to `scripts/test.sh --long`.
function(manyrt_add_gtest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MAIN;INTERNAL" "TIMEOUT;SKIPS" "SOURCES;LINK;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "manyrt_add_gtest(${name}): SOURCES missing, or unknown words '${arg_UNPARSED_ARGUMENTS}'.")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(MANYRT_SANITIZE)
    math(EXPR arg_TIMEOUT "2 * ${arg_TIMEOUT}")
  endif()

  add_executable(${name} ${arg_SOURCES})
  if(arg_SKIPS)
    target_compile_definitions(${name} PRIVATE MANYRT_SKIPS="${CMAKE_CURRENT_SOURCE_DIR}/${arg_SKIPS}")
    if(NOT arg_NO_MAIN)
      target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/listed_main.cpp)
      set(arg_NO_MAIN ON)
    endif()
  endif()
  if(NOT MANYRT_SANITIZE)  # the sanitizers have traces of their own
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/crash_trace.cpp)
  endif()
  manyrt_compile_as_test(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE
    ${arg_LINK}
    $<IF:$<BOOL:${arg_INTERNAL}>,manyrt_static,manyrt>
    $<IF:$<BOOL:${arg_NO_MAIN}>,GTest::gtest,GTest::gtest_main>
    manyrt_warnings Threads::Threads)

  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE 77
    LABELS "${arg_LABELS}"
    ENVIRONMENT "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${name}.xml")
  if(MANYRT_SANITIZE)  # drivers of OpenCL are no part of what is watched: their leaks and races would be reported
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "RT_DISABLE=opencl")
  endif()
endfunction()

# manyrt_find_python_with_cffi(variable): a Python 3.9 that has what bindings/python needs; empty: there is none. The system's comes
# first: packages such as python3-numpy and python3-mypy are for it.
function(manyrt_find_python_with_cffi variable)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  set(${variable} "" PARENT_SCOPE)
  foreach(candidate /usr/bin/python3 ${Python3_EXECUTABLE})
    execute_process(COMMAND ${candidate} -c "import cffi, sys; assert sys.version_info >= (3, 9)" RESULT_VARIABLE result
      OUTPUT_QUIET ERROR_QUIET)
    if(result EQUAL 0)
      set(${variable} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# manyrt_on_simulated_cuda(entry [VAR=value...]): the entry runs on tests/simulated_cuda, with these variables beside.
function(manyrt_on_simulated_cuda entry)
  set(environment "RT_CUDART=$<TARGET_FILE:simulated_cuda>" "RT_NVRTC=$<TARGET_FILE:simulated_cuda>" "RT_DISABLE=opencl"
                  "RT_CUDA_LAUNCH=plain"  # how fast a simulated launch is says nothing; an entry may choose the other way
                  "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${entry}.xml" ${ARGN})
  set_tests_properties(${entry} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()

# manyrt_on_opencl(entry driver tier [COMMAND...]): the entry runs on the OpenCL devices that are installed, all of them in this
# tier. PoCL's has this driver of it (basic, pthread). Entries run beside each other, and PoCL's cache is not made for that: each has
# a folder of its own.
function(manyrt_on_opencl entry driver tier)
  add_test(NAME ${entry} ${ARGN})
  set_tests_properties(${entry} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77
    ENVIRONMENT "POCL_DEVICES=${driver};RT_OPENCL_MEMORY=${tier};RT_DISABLE=cuda;GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/results/${entry}.xml;POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/pocl/${entry}")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/pocl/${entry}")
endfunction()
