# The target manyrt_fibers: how the CPU backend switches between work-items that wait at barriers. Boost.Context's archive is
# linked into the library, so that a program needs no Boost; it has to be position independent, which is tried. Where it is
# missing, ucontext of libc serves, some 30 times slower. MANYRT_FIBERS=boost or =ucontext leaves no choice.
set(MANYRT_FIBERS "" CACHE STRING "Empty (Boost.Context if it is there), boost or ucontext")
set_property(CACHE MANYRT_FIBERS PROPERTY STRINGS "" boost ucontext)
if(NOT MANYRT_FIBERS MATCHES "^(boost|ucontext)?$")
  message(FATAL_ERROR "MANYRT_FIBERS is '${MANYRT_FIBERS}'; it must be empty, boost or ucontext.")
endif()

add_library(manyrt_fibers INTERFACE)

set(manyrt_fibers_boost OFF)
if(NOT MANYRT_FIBERS STREQUAL "ucontext")
  find_path(MANYRT_BOOST_INCLUDE boost/context/detail/fcontext.hpp)
  find_library(MANYRT_BOOST_CONTEXT NAMES libboost_context.a)
  mark_as_advanced(MANYRT_BOOST_INCLUDE MANYRT_BOOST_CONTEXT)
  if(MANYRT_BOOST_INCLUDE AND MANYRT_BOOST_CONTEXT)
    include(CheckCXXSourceCompiles)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_INCLUDES ${MANYRT_BOOST_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${MANYRT_BOOST_CONTEXT})
    set(CMAKE_REQUIRED_FLAGS "-fPIC")
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,-z,text -Wl,-z,defs)
    check_cxx_source_compiles("
      #include <boost/context/detail/fcontext.hpp>
      using namespace boost::context::detail;
      void *make(void *stack, void (*body)(transfer_t)) { return make_fcontext(stack, 65536, body); }
      transfer_t jump(void *to) { return jump_fcontext(to, nullptr); }
      transfer_t call(void *to, transfer_t (*what)(transfer_t)) { return ontop_fcontext(to, nullptr, what); }
      int main() { return 0; }" MANYRT_BOOST_CONTEXT_WORKS)
    cmake_pop_check_state()
    set(manyrt_fibers_boost ${MANYRT_BOOST_CONTEXT_WORKS})
  endif()
endif()

if(manyrt_fibers_boost)
  message(STATUS "Fibers: Boost.Context (${MANYRT_BOOST_CONTEXT})")
  target_include_directories(manyrt_fibers SYSTEM INTERFACE ${MANYRT_BOOST_INCLUDE})
  target_compile_definitions(manyrt_fibers INTERFACE MANYRT_FIBERS_BOOST=1)
  target_link_libraries(manyrt_fibers INTERFACE ${MANYRT_BOOST_CONTEXT})
elseif(MANYRT_FIBERS STREQUAL "boost")
  message(FATAL_ERROR "MANYRT_FIBERS is 'boost', but libboost_context.a is missing or not position independent "
                      "(Debian: libboost-context-dev).")
elseif(MANYRT_FIBERS STREQUAL "ucontext")
  message(STATUS "Fibers: ucontext of libc")
else()
  message(STATUS "Fibers: ucontext of libc, some 30 times slower (libboost_context.a is missing or not position "
                 "independent; Debian: libboost-context-dev)")
endif()
