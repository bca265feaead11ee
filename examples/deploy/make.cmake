# Trains digits and has model.py make the files of the model. Called by ctest with DIGITS, COMMAND (manyrt), PYTHON, OUTPUT.
get_filename_component(folder "${CMAKE_SCRIPT_MODE_FILE}" DIRECTORY)
file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}")

function(call)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}:\n${text}${errors}")
  endif()
endfunction()

call("${DIGITS}" --device cpu --seed 1 --epochs 20 --output "${OUTPUT}" --weights "${OUTPUT}/weights.f32" --no-threshold)
call("${PYTHON}" "${folder}/model.py" "${OUTPUT}/weights.f32" "${OUTPUT}/model" --command "${COMMAND}")
file(READ "${OUTPUT}/model/model.json" graph)
string(JSON modules LENGTH "${graph}" modules)
if(NOT modules EQUAL 0)
  message(FATAL_ERROR "The graph has ${modules} modules with sources: its kernels should be named alone.")
endif()
