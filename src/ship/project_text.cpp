#include "ship/project_text.h"

#include "ship/described.h"
#include "util/text.h"

#include <fmt/format.h>

namespace hone::ship {

namespace {

constexpr const char* k_cmake = R"(cmake_minimum_required(VERSION 3.16)
project(@fn@ LANGUAGES @languages@)
# @origin@

# As it was measured: @fn@_supported() tells at run time whether a processor has what this asks for.
set(@FN@_MARCH "@march@" CACHE STRING "instruction set of @fn@; 'native' for this machine's own")
set(@FN@_THREADS 1 CACHE STRING "threads that the work of a call is spread over")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(@fn@ STATIC @fn@.@ext@ @fn@_groups.@ext@)
target_include_directories(@fn@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_features(@fn@ PRIVATE @standard@)
target_compile_options(@fn@ PRIVATE -march=${@FN@_MARCH} @flags@)
target_compile_definitions(@fn@ PUBLIC @FN@_THREADS=${@FN@_THREADS})
target_link_libraries(@fn@ PUBLIC m)

# The same on two threads, for the check.
find_package(Threads REQUIRED)
add_library(@fn@_on_two STATIC @fn@.@ext@ @fn@_groups.@ext@)
target_include_directories(@fn@_on_two PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_features(@fn@_on_two PRIVATE @standard@)
target_compile_options(@fn@_on_two PRIVATE -march=${@FN@_MARCH} @flags@)
target_compile_definitions(@fn@_on_two PUBLIC @FN@_THREADS=2)
target_link_libraries(@fn@_on_two PUBLIC m Threads::Threads)
if(@FN@_THREADS GREATER 1)
  target_link_libraries(@fn@ PUBLIC Threads::Threads)
endif()

# Both programs are C++@c note@.
add_library(@fn@_checking OBJECT @fn@_check.cpp @fn@_reference.cpp)
target_compile_features(@fn@_checking PRIVATE cxx_std_20)
target_compile_options(@fn@_checking PRIVATE -O2 -fwrapv -ffp-contract=off)
add_executable(@fn@_check $<TARGET_OBJECTS:@fn@_checking>)
target_link_libraries(@fn@_check PRIVATE @fn@)
add_executable(@fn@_check_on_two $<TARGET_OBJECTS:@fn@_checking>)
target_link_libraries(@fn@_check_on_two PRIVATE @fn@_on_two)

add_executable(@fn@_example @fn@_example.@ext@)
target_compile_features(@fn@_example PRIVATE @standard@)
target_link_libraries(@fn@_example PRIVATE @fn@)

enable_testing()
add_test(NAME @fn@_check COMMAND @fn@_check)
add_test(NAME @fn@_check_on_two COMMAND @fn@_check_on_two)
set_tests_properties(@fn@_check @fn@_check_on_two PROPERTIES SKIP_RETURN_CODE 77)
)";

constexpr const char* k_readme = R"(# @fn@

@what@

```
@meaning@```

One function in @language@, made by Hone; nothing here needs Hone.

| file | |
|---|---|
| `@fn@.h`, `@fn@.@ext@`, `@fn@_groups.@ext@` | the function: take these three along |
| `@fn@_check.cpp`, `@fn@_reference.cpp` | a test: random inputs against plain loops in double, with a bound for each element |
| `@fn@_example.@ext@` | measures the speed again |

## Build, check, measure

```
cmake -S . -B build && cmake --build build
ctest --test-dir build --output-on-failure
build/@fn@_example
```

Without CMake: `@compiler@ -march=@march@ @flags@ -c @fn@.@ext@ @fn@_groups.@ext@`, and link with `-lm`.
@c note@
It asks for @isa@; `@fn@_supported()` says at run time whether the processor has them.
`-D@FN@_MARCH=...` compiles for something else@fixed@. `-D@FN@_THREADS=4` spreads the work of a call over four threads, for
CMake and for the compiler alike; then link with `-pthread`.

## Where it comes from

| | |
|---|---|
| origin | @origin@ |
| sizes | @sizes@ |
| tuning point | @point@ |
| cold (operands in memory) | @cold@ |
| hot (operands in the caches) | @hot@ |
| threads | @threads@ |
| device | @device@ |
| compiler | @compiled@ |
| date | @date@ |

Times are medians per call under Hone's measuring protocol, with `-march=native` and musl's mathematical functions. Your
compiler, your C library and another -march may give another speed.

## Calling it

`@fn@.h` says all: the order of arguments, what happens on errors, and how to bring memory for scratch along
(`@fn@_with`). @sizes note@It runs on the calling thread alone unless it is compiled for several
(above); different threads may call it at the same time.
)";

std::string or_unknown(const std::string& text)
{
  return text.empty() ? "not known" : text;
}

} // namespace

std::string cmake_text(const ExportContext& names)
{
  const bool by_hand = names.request.candidate.schedule.empty();
  return filled(k_cmake, {{"fn", names.function},
                          {"FN", names.macro},
                          {"origin", names.request.record.origin},
                          {"languages", names.is_c() ? "C CXX" : "CXX"},
                          {"march", march_of(names.request.isa)},
                          {"ext", names.extension()},
                          {"standard", names.is_c() ? "c_std_11"
                                       : by_hand    ? "cxx_std_20"
                                                    : "cxx_std_17"},
                          {"flags", optimisation_flags(names.request.isa)},
                          {"c note", names.is_c() ? " or C; only the check needs a C++ compiler" : ""}});
}

std::string readme_text(const ExportContext& names)
{
  const StandaloneRequest& request = names.request;
  const StandaloneRecord& record = request.record;
  const std::string note = names.is_c()
                             ? "\nThe source is C11 with extensions of GCC and clang (vector types). Only the check "
                               "needs a C++ compiler.\n"
                             : "";
  return filled(k_readme, {{"fn", names.function},
                           {"FN", names.macro},
                           {"what", title_of(names.kernel())},
                           {"meaning", std::string(trim(names.kernel().expression_text)) + "\n"},
                           {"language", names.is_c() ? "C" : "C++"},
                           {"ext", names.extension()},
                           {"compiler", names.is_c() ? "cc -std=gnu11" : "c++ -std=c++17"},
                           {"march", march_of(request.isa)},
                           {"flags", optimisation_flags(request.isa)},
                           {"c note", note},
                           {"isa", instructions_text(request.isa)},
                           {"fixed", ", as long as vectors stay as wide"},
                           {"origin", record.origin},
                           {"sizes", kernel::to_text(request.sizes)},
                           {"point", names.point.empty() ? "none" : kernel::to_text(names.point)},
                           {"cold", speed_text(names, record.cold_s) + range_text(record.cold_range)},
                           {"hot", speed_text(names, record.hot_s) + range_text(record.hot_range)},
                           {"threads", std::to_string(record.threads)},
                           {"device", or_unknown(record.device)},
                           {"compiled", or_unknown(record.compiler)},
                           {"date", or_unknown(record.time_utc)},
                           {"sizes note", names.is_specialised()
                                            ? fmt::format("It was made for {} alone. ", kernel::to_text(request.sizes))
                                            : ""}});
}

} // namespace hone::ship
