# The examples with kernels in OpenCL C on a machine that has no compiler for them. Each must end with 1 and say what to
# install, and one must heed RT_CC. Called by ctest with PROGRAMS, OUTPUT.
file(MAKE_DIRECTORY "${OUTPUT}")

# expect_failure(text setting program arguments...)
function(expect_failure text setting program)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=RT_CC "${setting}" RT_CACHE_DIR=off "${program}" ${ARGN}
    WORKING_DIRECTORY "${OUTPUT}"
    RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE errors)
  if(NOT result EQUAL 1 OR NOT errors MATCHES "RT_ERROR_COMPILER_NOT_FOUND: ${text}")
    message(FATAL_ERROR "${program} with ${setting} ended with ${result}, not with 1 and '${text}':\n${out}${errors}")
  endif()
endfunction()

foreach(program IN LISTS PROGRAMS)
  expect_failure(".*Install g\\+\\+" "PATH=${OUTPUT}" "${program}")
endforeach()
list(GET PROGRAMS 0 program)
expect_failure(".*RT_CC is \"no-such-compiler\"" "RT_CC=no-such-compiler" "${program}")
