# The tests of this folder, for the CMakeLists.txt of the examples: model.py makes the files, and deploy_run needs nothing else.
manyrt_find_python_with_cffi(python)
if(NOT python OR NOT TARGET manyrt_tool OR MANYRT_SANITIZE)  # images are not for a process with a sanitizer
  return()
endif()
set(deploy ${MANYRT_EXAMPLE_OUTPUT}/deploy)
set(scripts ${CMAKE_CURRENT_LIST_DIR})

add_test(NAME example.deploy.make
  COMMAND ${CMAKE_COMMAND} "-DDIGITS=$<TARGET_FILE:digits>" "-DCOMMAND=$<TARGET_FILE:manyrt_tool>" "-DPYTHON=${python}"
          "-DOUTPUT=${deploy}" -P ${scripts}/make.cmake)
set_tests_properties(example.deploy.make PROPERTIES TIMEOUT 300 FIXTURES_SETUP deploy)
set_property(TEST example.deploy.make PROPERTY ENVIRONMENT "RT_CACHE_DIR=${MANYRT_EXAMPLE_OUTPUT}/cache"
  "PYTHONPATH=${PROJECT_SOURCE_DIR}/bindings/python/src" "PYTHONDONTWRITEBYTECODE=1" "MANYRT_LIBRARY=$<TARGET_FILE:manyrt>")

set(arguments "-DPROGRAM=$<TARGET_FILE:deploy_run>" "-DCOMMAND=$<TARGET_FILE:manyrt_tool>" "-DOUTPUT=${deploy}")
add_test(NAME example.deploy.cpu COMMAND ${CMAKE_COMMAND} ${arguments} -DDEVICE=cpu -P ${scripts}/run.cmake)
add_test(NAME example.deploy.opencl COMMAND ${CMAKE_COMMAND} ${arguments} -DDEVICE=opencl:0 -P ${scripts}/run.cmake)
add_test(NAME example.deploy.bad_input COMMAND ${CMAKE_COMMAND} ${arguments} -P ${scripts}/bad_input.cmake)
set_tests_properties(example.deploy.cpu example.deploy.opencl example.deploy.bad_input PROPERTIES TIMEOUT 300
  FIXTURES_REQUIRED deploy ENVIRONMENT "RT_CACHE_DIR=${MANYRT_EXAMPLE_OUTPUT}/cache;POCL_DEVICES=pthread")
set_tests_properties(example.deploy.opencl PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP: ")
if(GTest_FOUND)  # the simulation is built with the tests
  add_test(NAME example.deploy.cuda COMMAND ${CMAKE_COMMAND} ${arguments} -DDEVICE=cuda:0 -P ${scripts}/run.cmake)
  manyrt_on_simulated_cuda(example.deploy.cuda RT_CACHE_DIR=${MANYRT_EXAMPLE_OUTPUT}/cache)
  set_tests_properties(example.deploy.cuda PROPERTIES FIXTURES_REQUIRED deploy)
endif()
