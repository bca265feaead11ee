# Runs digits with 1, 2 and 7 threads and compares the hashes of the weights. Compiled kernels come from no cache, go into an
# empty one, and come out of the same one. Called by ctest with PROGRAM, ARGUMENTS, OUTPUT.
set(cache "${OUTPUT}/cache")
file(MAKE_DIRECTORY "${OUTPUT}")
file(REMOVE_RECURSE "${cache}")
unset(expected)

# Each word: threads, where compiled kernels are kept, how many must be there when the run has ended, how they are built. The
# run that fills the cache waits for the optimised code. A short one on a busy machine may end before that is there to be kept.
foreach(run "1,off,0,tiered" "2,${cache},1,optimized" "2,${cache},1,tiered" "7,${cache},1,tiered")
  string(REPLACE "," ";" run "${run}")
  list(GET run 0 threads)
  list(GET run 1 folder)
  list(GET run 2 kept)
  list(GET run 3 build)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env RT_CPU_THREADS=${threads} RT_CPU_BUILD=${build} "RT_CACHE_DIR=${folder}" "${PROGRAM}"
            --device cpu ${ARGUMENTS} --no-threshold --output "${OUTPUT}"
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "digits with ${threads} threads and the cache ${folder} ended with ${result}:\n${text}${errors}")
  endif()
  # A line of the table: device, seed, accuracy, time, hash.
  string(REGEX MATCHALL "  [0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+" hashes "${text}")
  string(REGEX MATCHALL "\ncpu +[0-9]+ " rows "${text}")
  list(LENGTH hashes hash_count)
  list(LENGTH rows row_count)
  if(row_count EQUAL 0 OR NOT hash_count EQUAL row_count)
    message(FATAL_ERROR "${row_count} rows and ${hash_count} hashes in the table:\n${text}")
  endif()
  message(STATUS "${threads} threads, cache ${folder}: ${hashes}")
  if(DEFINED expected AND NOT hashes STREQUAL expected)
    message(FATAL_ERROR "Other weights than before: ${expected}")
  endif()
  set(expected "${hashes}")
  # The kernels of the first run with a folder are those that the later ones load: nothing is built and kept a second time.
  file(GLOB entries "${cache}/*")
  list(LENGTH entries entry_count)
  if(NOT entry_count EQUAL kept)
    message(FATAL_ERROR "The cache has ${entry_count} entries, not ${kept}: ${entries}\n${errors}")
  endif()
endforeach()
