# Run while installing the component `libraries`: copies every shared library that `programs` need to lib/hone, but for those
# that each system with g++ 12 has (glibc, libstdc++, libgcc_s). Their licences go to share/doc/hone/licences, and a list of the
# Debian packages they come from, with versions, to lib/hone/PACKAGES.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|mvec|resolv|pthread|dl|rt|gcc_s|stdc\\+\\+)\\.so")
set(packages "")
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME) # as programs ask for it; what is behind is called by its whole version
  file(REAL_PATH ${library} real)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/hone" TYPE FILE FILES ${real} RENAME ${name})
  string(REGEX REPLACE "^/usr" "" short ${real}) # packages may still name /lib
  execute_process(COMMAND dpkg-query -S ${real} ${short} OUTPUT_VARIABLE owners ERROR_QUIET)
  if(NOT owners MATCHES "^([^:]+):")
    message(FATAL_ERROR "no Debian package owns ${real}: its licence is not known")
  endif()
  list(APPEND packages ${CMAKE_MATCH_1})
endforeach()

list(REMOVE_DUPLICATES packages)
list(SORT packages)
set(list "# Debian package, version, source package, version of the source\n")
foreach(package IN LISTS packages)
  execute_process(COMMAND dpkg-query -W -f "\${Package} \${Version} \${source:Package} \${source:Version}\n" ${package}
                  OUTPUT_VARIABLE line COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "\n.*" "" line "${line}") # of several architectures one
  string(APPEND list "${line}\n")
  file(REAL_PATH /usr/share/doc/${package}/copyright licence)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/doc/hone/licences" TYPE FILE FILES ${licence} RENAME ${package})
endforeach()
file(WRITE ${root}/lib/hone/PACKAGES "${list}")
file(CHMOD ${root}/lib/hone/PACKAGES FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

# The texts that those files refer to.
file(GLOB texts /usr/share/common-licenses/*)
foreach(text IN LISTS texts)
  if(NOT IS_SYMLINK ${text})
    file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/doc/hone/licences/common-licenses" TYPE FILE FILES ${text})
  endif()
endforeach()
