# An overlay port: `vcpkg install manyrt --overlay-ports=packaging/vcpkg`. Ports install shared libraries where the triplet says so.
# It is built from the tree that it is in; the port of a release has vcpkg_from_github with a hash in place of the path.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES tools MANYRT_BUILD_TOOLS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DMANYRT_BUILD_TESTS=OFF
    -DMANYRT_BUILD_EXAMPLES=OFF
    -DMANYRT_BUILD_BENCHMARKS=OFF
    -DMANYRT_CUDA_TOOLKIT=OFF
    -DMANYRT_COMM_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/manyrt)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES manyrt AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
