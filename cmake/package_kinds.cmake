# Read by cpack once for each kind of package: only the .tar.gz carries shared libraries.
if(CPACK_GENERATOR STREQUAL "TGZ")
  list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build_folder)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${build_folder} hone libraries /)
endif()
