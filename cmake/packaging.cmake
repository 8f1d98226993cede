# What `cmake --install` copies beside the programs, and the packages that `cpack` makes of it: a .deb that depends on the
# system's libraries, and a .tar.gz that carries them (component `libraries`, not part of a plain installation).
# The program finds everything relative to its own file (src/util/fs.cpp): keep bin, lib/hone, libexec/hone, share/hone.
set(docs_folder share/doc/hone)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/hone FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.csv"
        PATTERN "*.json")
install(FILES README.md CHANGELOG.md DESTINATION ${docs_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/integrations DESTINATION share/hone)
install(FILES LICENSE DESTINATION ${docs_folder} RENAME copyright)

# Licences of the Debian packages whose code is inside the programs: headers and static libraries.
foreach(package libc6 libgcc-12-dev libstdc++-12-dev libseccomp-dev libsqlitecpp-dev nlohmann-json3-dev libcli11-dev libboost-dev
        libcpp-httplib-dev)
  file(REAL_PATH /usr/share/doc/${package}/copyright licence)
  if(EXISTS ${licence})
    install(FILES ${licence} DESTINATION ${docs_folder}/licences RENAME ${package})
  endif()
endforeach()

# The programs that link more than a C++ program has anyway. DT_RPATH, since libraries of libraries are sought there, too.
foreach(program hone hone-cpu-inspector hone-device-counter hone-cuda-emulated)
  set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()
set_target_properties(hone PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/hone")
set_target_properties(hone-cpu-inspector hone-device-counter hone-cuda-emulated PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib/hone")
install(CODE "set(programs $<TARGET_FILE:hone> $<TARGET_FILE:hone-cpu-inspector> $<TARGET_FILE:hone-device-counter>)" COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/bundle_libraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)

# What it cannot work without; what the scripts install beside that is recommended.
set(needed g++ binutils musl-dev bubblewrap)
set(recommended ca-certificates)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/packages.sh run_packages REGEX "^run_packages=")
string(REGEX REPLACE "^run_packages=\\((.*)\\)$" "\\1" run_packages "${run_packages}")
separate_arguments(run_packages)
list(APPEND recommended ${run_packages})
list(REMOVE_ITEM recommended ${needed})
list(JOIN needed ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
list(JOIN recommended ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ocl-icd-libopencl1, pocl-opencl-icd, oclgrind")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VENDOR "The Hone authors")
set(CPACK_PACKAGE_CONTACT "The Hone authors <hone@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "makes a correct compute kernel fast, with numbers that can be believed")
set(CPACK_PACKAGE_DESCRIPTION "Hone takes a correct compute kernel and optimises it step by step. A gate builds each candidate in
a jail, validates it on inputs and sizes that it could not see before, and times it from outside its process.")
set(CPACK_PACKAGE_FILE_NAME hone-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_kinds.cmake)
include(CPack)
