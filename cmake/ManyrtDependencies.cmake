# Libraries of headers alone. They are downloaded only if MANYRT_FETCH_DEPENDENCIES asks for it, and only those that are missing.
# Commits are named by their hashes, so that a moved tag changes nothing.
set(manyrt_nlohmann_json_repository https://github.com/nlohmann/json.git)
set(manyrt_nlohmann_json_commit 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03)  # v3.11.3
set(manyrt_CLI11_repository https://github.com/CLIUtils/CLI11.git)
set(manyrt_CLI11_commit 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9)  # v2.4.2

# manyrt_find_headers(name found): sets `found`. The target is name::name.
macro(manyrt_find_headers name found)
  find_package(${name} QUIET)
  set(${found} ${${name}_FOUND})
  if(NOT ${found} AND MANYRT_FETCH_DEPENDENCIES)
    include(FetchContent)
    set(JSON_BuildTests OFF CACHE INTERNAL "")
    set(JSON_Install OFF CACHE INTERNAL "")
    set(CLI11_BUILD_TESTS OFF CACHE INTERNAL "")
    set(CLI11_BUILD_EXAMPLES OFF CACHE INTERNAL "")
    set(CLI11_INSTALL OFF CACHE INTERNAL "")
    FetchContent_Declare(${name} GIT_REPOSITORY ${manyrt_${name}_repository} GIT_TAG ${manyrt_${name}_commit})
    FetchContent_MakeAvailable(${name})
    set(${found} ON)
    message(STATUS "${name}: downloaded")
  endif()
endmacro()
