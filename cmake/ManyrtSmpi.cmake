# The programs that SimGrid's SMPI runs over simulated hosts (docs/lab/scale.md, Debian: libsimgrid-dev). They are the engine of
# MPI, digits_parallel, scale_all_reduce and scale_create, built against SMPI's mpi.h, in build/*/smpi. The libraries are those
# of this
# build. smpirun loads a program as a library, once for each rank.
option(MANYRT_SMPI "Build the programs for SimGrid's SMPI where it is found" ON)
set(MANYRT_SMPIRUN "")
if(NOT MANYRT_SMPI OR MANYRT_SANITIZE)
  return()
endif()
find_program(MANYRT_SMPIRUN_PROGRAM smpirun)
find_path(MANYRT_SMPI_INCLUDE smpi/smpi_helpers.h)
find_library(MANYRT_SIMGRID simgrid)
if(NOT MANYRT_SMPIRUN_PROGRAM OR NOT MANYRT_SMPI_INCLUDE OR NOT MANYRT_SIMGRID)
  message(STATUS "SMPI: not built (Debian: libsimgrid-dev)")
  return()
endif()
message(STATUS "SMPI: ${MANYRT_SIMGRID}")
set(MANYRT_SMPIRUN ${MANYRT_SMPIRUN_PROGRAM})
set(MANYRT_SMPI_FOLDER ${PROJECT_BINARY_DIR}/smpi)

# The communicators' library opens the engine beside the path that it was loaded by, so it gets a path here. RPATH, not RUNPATH:
# smpirun puts the system's folders into LD_LIBRARY_PATH, where another release may be installed.
file(MAKE_DIRECTORY ${MANYRT_SMPI_FOLDER})
foreach(library manyrt manyrt-comm)
  file(CREATE_LINK ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${library}.so.${PROJECT_VERSION_MAJOR}
    ${MANYRT_SMPI_FOLDER}/lib${library}.so.${PROJECT_VERSION_MAJOR} SYMBOLIC)
endforeach()
function(manyrt_smpi_target target output)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${output} SUFFIX "" SKIP_BUILD_RPATH ON
    LIBRARY_OUTPUT_DIRECTORY ${MANYRT_SMPI_FOLDER} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} SYSTEM PRIVATE ${MANYRT_SMPI_INCLUDE}/smpi)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags,-rpath,${MANYRT_SMPI_FOLDER})
  target_link_libraries(${target} PRIVATE ${MANYRT_SIMGRID} manyrt_warnings)
endfunction()
function(manyrt_smpi_program target output)
  add_library(${target} MODULE ${ARGN})
  manyrt_smpi_target(${target} ${output})
  target_compile_options(${target} PRIVATE -include ${MANYRT_SMPI_INCLUDE}/smpi/smpi_helpers.h)  # as smpicc
  target_link_libraries(${target} PRIVATE manyrt manyrt_comm m)
  add_dependencies(${target} manyrt_comm_mpi_smpi)
endfunction()

add_library(manyrt_comm_mpi_smpi MODULE ${manyrt_comm_mpi_sources})
manyrt_smpi_target(manyrt_comm_mpi_smpi libmanyrt-comm-mpi.so.${PROJECT_VERSION_MAJOR})
set_target_properties(manyrt_comm_mpi_smpi PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(manyrt_comm_mpi_smpi PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)

file(GLOB manyrt_smpi_digits CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/digits_parallel/*.c)
manyrt_smpi_program(digits_parallel_smpi digits_parallel ${manyrt_smpi_digits}
  ${PROJECT_SOURCE_DIR}/examples/digits/data.c ${PROJECT_SOURCE_DIR}/examples/digits/network.c)
target_compile_definitions(digits_parallel_smpi PRIVATE MANYRT_EXAMPLE_MPI=1)
manyrt_smpi_program(scale_all_reduce_smpi scale_all_reduce ${PROJECT_SOURCE_DIR}/benchmarks/scale_all_reduce.c)
manyrt_smpi_program(scale_create_smpi scale_create ${PROJECT_SOURCE_DIR}/benchmarks/scale_create.c)

# The computations of one rank, on this machine.
add_executable(scale_compute ${PROJECT_SOURCE_DIR}/benchmarks/scale_compute.c
  ${PROJECT_SOURCE_DIR}/examples/digits_parallel/replica.c ${PROJECT_SOURCE_DIR}/examples/digits/data.c
  ${PROJECT_SOURCE_DIR}/examples/digits/network.c)
set_target_properties(scale_compute PROPERTIES C_STANDARD 11)
target_link_libraries(scale_compute PRIVATE manyrt manyrt_comm manyrt_warnings m)
add_executable(scale_memory ${PROJECT_SOURCE_DIR}/benchmarks/scale_memory.c)
set_target_properties(scale_memory PROPERTIES C_STANDARD 11)
target_link_libraries(scale_memory PRIVATE manyrt manyrt_comm manyrt_warnings)
foreach(target digits_parallel_smpi scale_compute)
  target_compile_definitions(${target} PRIVATE MANYRT_EXAMPLE_FILES="${PROJECT_SOURCE_DIR}/examples")
endforeach()
add_custom_target(smpi DEPENDS digits_parallel_smpi scale_all_reduce_smpi scale_create_smpi scale_compute scale_memory)
