# A toolchain file: builds for aarch64 on another Debian machine with g++-aarch64-linux-gnu. MANYRT_AARCH64_ROOT is a folder with
# the unpacked arm64 packages of the libraries (usr/include, usr/lib/aarch64-linux-gnu); the C library comes with the compiler.
# scripts/aarch64.sh makes that folder, builds with this file and runs the tests under an emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# CMake's small test projects read this file, too, and know only the variables that are named here.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MANYRT_AARCH64_ROOT)
if(NOT MANYRT_AARCH64_ROOT)
  message(FATAL_ERROR "MANYRT_AARCH64_ROOT has to name the folder with the unpacked arm64 packages.")
endif()
set(manyrt_aarch64_libraries ${MANYRT_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu)

# Programs are this machine's; headers, libraries and packages are the target's alone.
set(CMAKE_FIND_ROOT_PATH ${MANYRT_AARCH64_ROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MANYRT_AARCH64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${manyrt_aarch64_libraries}/pkgconfig)

# Debian keeps headers that differ between machines in a folder of their own.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${MANYRT_AARCH64_ROOT}/usr/include/aarch64-linux-gnu)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${MANYRT_AARCH64_ROOT}/usr/include/aarch64-linux-gnu)

# The libraries' own needs. Programs of the build folder find it by LD_LIBRARY_PATH when they start.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${manyrt_aarch64_libraries}")
endforeach()
