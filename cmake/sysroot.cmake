# A toolchain file: builds with Debian's gcc of this machine against the C library of an older Debian, for wheels that run there.
# MANYRT_SYSROOT is a folder with the unpacked packages of that Debian, MANYRT_TRIPLE its machine, such as x86_64-linux-gnu.
# libstdc++ of the compiler is linked in, since the old system's is older. scripts/build-wheels.sh makes the folder.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MANYRT_SYSROOT MANYRT_TRIPLE)
if(NOT MANYRT_SYSROOT OR NOT MANYRT_TRIPLE)
  message(FATAL_ERROR "MANYRT_SYSROOT has to name the folder with the unpacked packages, and MANYRT_TRIPLE their machine.")
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR ${MANYRT_TRIPLE})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${MANYRT_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${MANYRT_TRIPLE}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${MANYRT_TRIPLE})
set(CMAKE_SYSROOT ${MANYRT_SYSROOT})

# Programs are this machine's; headers, libraries and packages are those of the folder alone.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MANYRT_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${MANYRT_SYSROOT}/usr/lib/${MANYRT_TRIPLE}/pkgconfig)

# gcc would look into its own folders for the C library first, by paths from where it is installed.
set(manyrt_libraries "-B${MANYRT_SYSROOT}/usr/lib/${MANYRT_TRIPLE}")
foreach(folder usr/lib lib)
  string(APPEND manyrt_libraries " -L${MANYRT_SYSROOT}/${folder}/${MANYRT_TRIPLE}")
  string(APPEND manyrt_libraries " -Wl,-rpath-link,${MANYRT_SYSROOT}/${folder}/${MANYRT_TRIPLE}")
endforeach()
# Wheels link an object with the two functions that the new libstdc++ expects of its C library, see old_glibc.c.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${manyrt_libraries} -static-libstdc++")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES "${MANYRT_SYSROOT}/old_glibc.o")
