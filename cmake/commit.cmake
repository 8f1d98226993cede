# cmake -DGIT=... -DROOT=... -DOUTPUT=... -P commit.cmake
# Writes a source file that names the commit of ROOT: "abcdef123456", with "-dirty" where what is compiled has changes that
# are not committed, or nothing outside git. The file is left alone when it says so already.
set(commit "")
function(git out)
  # Whoever builds may be another user than the owner of the files, and other git commands may run at the same time.
  execute_process(COMMAND ${GIT} -c safe.directory=* --no-optional-locks -C ${ROOT} ${ARGN}
                  OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${out} "${text}" PARENT_SCOPE)
  set(status "${status}" PARENT_SCOPE)
endfunction()

if(GIT)
  git(above rev-parse --show-cdup)
  if(status EQUAL 0 AND above STREQUAL "") # not the repository of somebody who unpacked these sources in it
    git(commit rev-parse --verify --short=12 HEAD)
    if(NOT status EQUAL 0)
      set(commit "")
    else()
      git(changes status --porcelain -- src cmake CMakeLists.txt CMakePresets.json)
      if(NOT changes STREQUAL "")
        string(APPEND commit "-dirty")
      endif()
    endif()
  endif()
endif()

set(text "namespace hone::cli {\nextern const char* const k_built_from;\nconst char* const k_built_from = \"${commit}\";\n}\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
