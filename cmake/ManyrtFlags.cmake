# Compiler and linker flags. `manyrt_warnings` is an interface target that every target of this tree links; sanitizers are
# global, because every object of a sanitized process has to carry them. No fast-math flag is ever added: at a link it would
# change the floating-point mode of the thread that loads the library.
add_library(manyrt_warnings INTERFACE)
target_compile_options(manyrt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${MANYRT_WERROR}>:-Werror>)

if(MANYRT_SANITIZE STREQUAL "address")
  # A null pointer that is followed ends the process by AddressSanitizer, too; a check at each pointer takes a quarter of the time.
  set(manyrt_sanitize_flags -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=all)
  add_compile_definitions(MANYRT_SANITIZE=address MANYRT_SANITIZE_ADDRESS=1)
  # In a function that gcc 12 makes small, as cold ones are, it writes the end of a frame with one string instruction. It does
  # not say that the frame is free. When all of a size are taken, each call searches them all.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-mstringop-strategy=libcall manyrt_has_stringop_strategy)
  if(manyrt_has_stringop_strategy)
    list(APPEND manyrt_sanitize_flags -mstringop-strategy=libcall)
  endif()
elseif(MANYRT_SANITIZE STREQUAL "thread")
  set(manyrt_sanitize_flags -fsanitize=thread)
  add_compile_definitions(MANYRT_SANITIZE=thread MANYRT_SANITIZE_THREAD=1)
elseif(MANYRT_SANITIZE)
  message(FATAL_ERROR "MANYRT_SANITIZE is '${MANYRT_SANITIZE}'; it must be empty, address or thread.")
endif()
set(manyrt_check_locks OFF)
if(MANYRT_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(manyrt_check_locks ON)
endif()
option(MANYRT_CHECK_LOCKS "Check the order of locks, and what happens under them (src/base/lock_order.h)" ${manyrt_check_locks})
if(MANYRT_CHECK_LOCKS)
  add_compile_definitions(MANYRT_CHECK_LOCKS)
endif()
if(MANYRT_SANITIZE)
  add_compile_options(${manyrt_sanitize_flags} -O1 -g1 -fno-omit-frame-pointer)
  add_link_options(${manyrt_sanitize_flags})
endif()
