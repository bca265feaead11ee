# One sentence where manyrt does not build, before anything is looked for.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "manyrt runs on Linux alone, and this build is for ${CMAKE_SYSTEM_NAME}; docs/design/base.md says what a port has to write.")
endif()
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  message(FATAL_ERROR "manyrt needs 64-bit addresses, and this build is for ${CMAKE_SYSTEM_PROCESSOR} with pointers of "
                      "${CMAKE_SIZEOF_VOID_P} bytes.")
endif()
