#include "ship/standalone/host_text.h"

#include "ship/standalone/launch_text.h"
#include "ship/standalone/layout_text.h"
#include "ship/standalone/plan_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone {

namespace {

const LaunchPlan& plan_of(const StandaloneNames& names)
{
  return names.request.candidate.plan;
}

std::string scratch_pointers(const StandaloneNames& names)
{
  std::string out;
  for (const ScratchSpec& scratch : plan_of(names).scratch) {
    const std::string type = device_type(scratch.type);
    out += fmt::format("  {0}* const {1} = ({0}*)((char*){2} + {3}.{1});\n", type, scratch.name, names.local("work"),
                       names.local("layout"));
  }
  return out;
}

// Code by hand may load whole lines: what Hone gives it lies at multiples of 64 bytes.
std::string alignment_check(const StandaloneNames& names)
{
  std::vector<std::string> checks;
  if (has_work(names)) {
    checks.push_back(fmt::format("({0}.bytes > 0 && ({1} == NULL || (uintptr_t){1} % 64 != 0))", names.local("layout"),
                                 names.local("work")));
  }
  for (const Argument& argument : names.kernel().arguments) {
    if (names.needs_alignment() && argument.role != Role::scalar) {
      checks.push_back(fmt::format("(uintptr_t){} % 64 != 0", argument.name));
    }
  }
  return checks.empty()
           ? ""
           : fmt::format("  if ({}) {{\n    return {}_MISALIGNED;\n  }}\n", join(checks, " || "), names.macro);
}

Result<std::string> worker_text(const StandaloneNames& names)
{
  std::string launches;
  for (const LaunchSpec& launch : plan_of(names).launches) {
    HONE_TRY(const std::string text, launch_text(names, launch));
    launches += "\n" + text;
  }
  const std::string memory = has_work(names)
                               ? fmt::format("  struct {}_layout {};\n", names.function, names.local("layout"))
                               : fmt::format("  (void){};\n", names.local("work"));
  return fmt::format("int {0}_with({1}, void* {2})\n{{\n{3}  const int {4} = {5};\n  if ({4} != {6}_OK) {{\n"
                     "    return {4};\n  }}\n{7}{8}{9}  return {6}_OK;\n}}\n",
                     names.function, public_parameters(names.kernel()), names.local("work"), memory,
                     names.local("status"), layout_call(names), names.macro, alignment_check(names),
                     scratch_pointers(names), launches);
}

constexpr const char* k_plain = R"(size_t @fn@_work_bytes(@sizes@)
{
  return @layout call@ == @FN@_OK ? 0 : SIZE_MAX;
}

void @fn@(@parameters@)
{
  const int @status@ = @fn@_with(@all@, NULL);
@end@}
)";

constexpr const char* k_plain_with_work = R"(size_t @fn@_work_bytes(@sizes@)
{
  struct @fn@_layout @layout@;
  return @layout call@ == @FN@_OK ? @layout@.bytes : SIZE_MAX;
}

void @fn@(@parameters@)
{
  const size_t @bytes@ = @fn@_work_bytes(@arguments@);
  void* const @work@ = @bytes@ == SIZE_MAX ? NULL : aligned_alloc(64, @bytes@);
  if (@work@ == NULL && @bytes@ != SIZE_MAX) {
    fprintf(stderr, "@fn@: no memory for %zu bytes of scratch\n", @bytes@);
    abort();
  }
  const int @status@ = @fn@_with(@all@, @work@);
  free(@work@);
@end@}
)";

constexpr const char* k_end = R"(  if (@status@ != @FN@_OK) {
    fputs(@status@ == @FN@_BAD_SIZES ? "@fn@: it was not made for these sizes\n" : "@fn@: an array is not aligned to 64 bytes\n", stderr);
    abort();
  }
)";

constexpr const char* k_supported = R"(
int @fn@_supported(void)
{
#if defined(__AVX512F__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
         && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2")
         && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#elif defined(__AVX2__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return 1;
#endif
}
)";

std::string plain_functions(const StandaloneNames& names)
{
  std::vector<std::string> all;
  for (const Argument& argument : names.kernel().arguments) {
    all.push_back(argument.name);
  }
  all.insert(all.end(), names.kernel().symbols.begin(), names.kernel().symbols.end());
  std::map<std::string, std::string> values{{"fn", names.function},
                                            {"FN", names.macro},
                                            {"sizes", size_parameters(names.kernel())},
                                            {"arguments", size_arguments(names.kernel())},
                                            {"parameters", public_parameters(names.kernel())},
                                            {"all", join(all, ", ")},
                                            {"layout call", layout_call(names)},
                                            {"layout", names.local("layout")},
                                            {"bytes", names.local("bytes")},
                                            {"work", names.local("work")},
                                            {"status", names.local("status")}};
  values["end"] = filled(k_end, values);
  return filled(has_work(names) ? k_plain_with_work : k_plain, values) + filled(k_supported, values);
}

} // namespace

Result<std::string> host_text(const StandaloneNames& names)
{
  HONE_TRY(const std::string layout, layout_text(names));
  HONE_TRY(const std::string worker, worker_text(names));
  const std::string body = layout + "\n" + worker + "\n" + plain_functions(names);
  return launch_prototypes(names) + "\n" + plan_functions(names, body) + body;
}

} // namespace hone
