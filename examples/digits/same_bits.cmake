# Runs digits with 1, 2 and 7 threads and compares the hashes of the weights. Called by ctest with PROGRAM, ARGUMENTS, OUTPUT.
file(MAKE_DIRECTORY "${OUTPUT}")
unset(expected)
foreach(threads 1 2 7)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env RT_CPU_THREADS=${threads} "${PROGRAM}" --device cpu ${ARGUMENTS} --no-threshold
            --output "${OUTPUT}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "digits with ${threads} threads ended with ${result}:\n${text}${errors}")
  endif()
  # A line of the table: device, seed, accuracy, time, hash.
  string(REGEX MATCHALL "  [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+" hashes "${text}")
  string(REGEX MATCHALL "\ncpu +[0-9]+ " rows "${text}")
  list(LENGTH hashes hash_count)
  list(LENGTH rows row_count)
  if(row_count EQUAL 0 OR NOT hash_count EQUAL row_count)
    message(FATAL_ERROR "${row_count} rows and ${hash_count} hashes in the table:\n${text}")
  endif()
  message(STATUS "${threads} threads: ${hashes}")
  if(DEFINED expected AND NOT hashes STREQUAL expected)
    message(FATAL_ERROR "Other weights than before: ${expected}")
  endif()
  set(expected "${hashes}")
endforeach()
