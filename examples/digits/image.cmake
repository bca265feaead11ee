# Trains digits from an image that manyrt cc made before, without any compiler. The bits are those from source, whether the
# image has its source or not. A damaged image, and one without a part for the device, are refused in words. Called by ctest
# with PROGRAM, COMMAND (manyrt), ARGUMENTS, OUTPUT.
get_filename_component(folder "${CMAKE_SCRIPT_MODE_FILE}" DIRECTORY)
file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}")

# train(result errors hashes environment kernels)
function(train result errors hashes environment kernels)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env RT_CACHE_DIR=off ${environment} "${PROGRAM}" --device cpu ${ARGUMENTS} --no-threshold
            --kernels "${kernels}" --output "${OUTPUT}"
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE complaint)
  string(REGEX MATCHALL "  [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+" found "${text}")
  set(${result} ${status} PARENT_SCOPE)
  set(${errors} "${complaint}" PARENT_SCOPE)
  set(${hashes} "${found}" PARENT_SCOPE)
endfunction()

# compile(image arguments...)
function(compile image)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env RT_CACHE_DIR=off "${COMMAND}" cc "${folder}/digits.cl" -DCLASSES=10 ${ARGN}
                          -o "${OUTPUT}/${image}"
    RESULT_VARIABLE status ERROR_VARIABLE complaint)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "manyrt cc ${ARGN} ended with ${status}: ${complaint}")
  endif()
endfunction()

train(status errors expected "RT_CPU_BUILD=optimized" "${folder}/digits.cl")
if(NOT status EQUAL 0 OR expected STREQUAL "")
  message(FATAL_ERROR "digits does not train from source: ${errors}")
endif()
compile(whole.rtm)
compile(code.rtm --no-source)
foreach(image whole code)
  train(status errors hashes "RT_CC=/nonexistent/g++" "${OUTPUT}/${image}.rtm")
  if(NOT status EQUAL 0 OR NOT hashes STREQUAL expected)
    message(FATAL_ERROR "digits from ${image}.rtm ended with ${status} and left '${hashes}', not '${expected}': ${errors}")
  endif()
endforeach()

compile(opencl.rtm --target opencl --no-source)
train(status errors hashes "RT_CC=/nonexistent/g++" "${OUTPUT}/opencl.rtm")
if(status EQUAL 0 OR NOT errors MATCHES "opencl.rtm cannot be used, RT_ERROR_")
  message(FATAL_ERROR "An image without code for the CPU ended with ${status}: ${errors}")
endif()
file(WRITE "${OUTPUT}/damaged.rtm" "This is no image.")
train(status errors hashes "RT_CC=/nonexistent/g++" "${OUTPUT}/damaged.rtm")
if(status EQUAL 0 OR NOT errors MATCHES "damaged.rtm cannot be used, RT_ERROR_")
  message(FATAL_ERROR "A file that is no image ended with ${status}: ${errors}")
endif()
message(STATUS "digits from images: ${expected}")
