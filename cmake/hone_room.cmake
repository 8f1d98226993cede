# hone_room(NAME [HOT] [APART] DEPENDS room... LIBS target... [EXCLUDE regex] [PRECOMPILE header...])
#
# Declares one room of src/: a static library `hone_NAME` from every .cpp of the folder, and, when tests
# are built, one test program `test_NAME` from tests/*.cpp. Programs that live in a room (the runners, the
# front end) end in _main.cpp and are declared by the room itself. Standard headers are parsed once for all rooms, and
# once for all tests, which halves the time of a clean build; a room that gives headers with PRECOMPILE has its own. Rooms
# that loop over data are HOT; the others, which make text and wait for programs, are optimised as little as compiles fastest
# (-Og takes half of the time of -O2). With HONE_UNITY up to 16 files of a room are compiled as one, which takes a quarter of
# the time of a clean build: what files declare for themselves must have names of its own within the room, but for rooms
# that are APART.
set(hone_precompiled <algorithm> <array> <chrono> <cmath> <expected> <filesystem> <functional> <map> <memory>
    <optional> <set> <span> <string> <vector> <fmt/format.h> <nlohmann/json.hpp>)

include(${CMAKE_CURRENT_LIST_DIR}/hone_tests.cmake)

function(hone_room name)
  cmake_parse_arguments(ARG "HOT;APART" "EXCLUDE" "DEPENDS;LIBS;TEST_LIBS;PRECOMPILE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/tests/|_main\\.cpp$")
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${ARG_EXCLUDE}")
  endif()
  set(links ${ARG_LIBS})
  foreach(room IN LISTS ARG_DEPENDS)
    list(APPEND links hone_${room})
  endforeach()
  set(scope PUBLIC)
  if(sources)
    add_library(hone_${name} STATIC ${sources})
    hone_target_settings(hone_${name})
    hone_compile_together(hone_${name} ${ARG_APART})
    if(NOT ARG_HOT AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(hone_${name} PRIVATE $<$<CONFIG:Release>:-Og> $<$<CONFIG:Release>:-fno-tree-vectorize>)
    endif()
    if(ARG_PRECOMPILE)
      target_precompile_headers(hone_${name} PRIVATE ${hone_precompiled} ${ARG_PRECOMPILE})
    else()
      target_precompile_headers(hone_${name} REUSE_FROM hone_precompiled)
    endif()
  else()
    add_library(hone_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(hone_${name} ${scope} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(hone_${name} ${scope} ${links} fmt::fmt)

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cpp)
  if(HONE_TESTS AND tests)
    add_executable(test_${name} ${tests})
    hone_test_settings(test_${name})
    hone_compile_together(test_${name} ${ARG_APART})
    target_precompile_headers(test_${name} REUSE_FROM hone_precompiled_tests)
    target_link_libraries(test_${name} PRIVATE hone_${name} ${ARG_TEST_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
    # Beside the helper programs, as hone itself is.
    set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    hone_add_unit_tests(${name} test_${name} ${tests})
  endif()
endfunction()

function(hone_compile_together target apart)
  if(HONE_UNITY AND NOT apart)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

function(hone_target_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-maybe-uninitialized) # false alarms of g++ 12 in std::string and
    # std::expected (GCC bugs 105651, 105329)
  if(HONE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HONE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

function(hone_test_settings target)
  hone_target_settings(${target})
  target_compile_options(${target} PRIVATE -O0) # what is tested is in the room; tests only have to compile quickly
  target_compile_definitions(${target} PRIVATE HONE_SOURCE_ROOT="${PROJECT_SOURCE_DIR}" HONE_BINARY_ROOT="${PROJECT_BINARY_DIR}")
endfunction()

# What rooms and tests take their parsed headers from: programs of nothing, compiled with the same options.
function(hone_precompile_for_all)
  set(nothing ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "// Nothing: its headers count.\n")
  add_library(hone_precompiled OBJECT ${nothing})
  hone_target_settings(hone_precompiled)
  target_precompile_headers(hone_precompiled PRIVATE ${hone_precompiled})
  target_link_libraries(hone_precompiled PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
  if(HONE_TESTS)
    add_library(hone_precompiled_tests OBJECT ${nothing})
    hone_test_settings(hone_precompiled_tests)
    target_precompile_headers(hone_precompiled_tests PRIVATE ${hone_precompiled} <gtest/gtest.h> <gmock/gmock.h>)
    target_link_libraries(hone_precompiled_tests PRIVATE fmt::fmt nlohmann_json::nlohmann_json GTest::gtest GTest::gmock)
  endif()
endfunction()
