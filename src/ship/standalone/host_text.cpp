#include "ship/standalone/host_text.h"

#include "ship/standalone/launch_text.h"
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

bool uses_shared(const LaunchSpec& launch)
{
  return launch.shared.text() != "0";
}

std::string refuse_if(const StandaloneNames& names, const std::string& condition)
{
  return fmt::format("  if ({}) {{\n    return {}_BAD_SIZES;\n  }}\n", condition, names.macro);
}

// Sizes on which the kernel means nothing, or for which this code was not made.
Result<std::string> size_checks(const StandaloneNames& names)
{
  std::vector<std::string> below;
  std::vector<std::string> other;
  for (const std::string& symbol : names.kernel().symbols) {
    below.push_back(symbol + " < 1");
    if (names.is_specialised()) {
      other.push_back(fmt::format("{} != {}", symbol, names.request.sizes.at(symbol)));
    }
  }
  for (const Argument& argument : names.kernel().arguments) {
    for (const ExprPtr& extent : argument.shape) {
      if (extent->kind == ExprKind::extent || extent->kind == ExprKind::number) {
        continue;
      }
      HONE_TRY(const std::string text, extent_text(names, *extent));
      if (std::ranges::find(below, text + " < 1") == below.end()) {
        below.push_back(text + " < 1");
      }
    }
  }
  const std::vector<std::string>& checks = names.is_specialised() ? other : below;
  return checks.empty() ? "" : refuse_if(names, join(checks, " || "));
}

Result<std::string> scratch_places(const StandaloneNames& names)
{
  std::string out;
  for (const ScratchSpec& scratch : plan_of(names).scratch) {
    HONE_TRY(const std::string elements, plan_text(names, scratch.size));
    const std::string count = names.local("elements_of_" + scratch.name);
    out += fmt::format("  const int64_t {} = {};\n", count, elements) + refuse_if(names, count + " < 1");
    out += fmt::format("  {0}->{1} = {0}->bytes;\n  {0}->bytes += ((size_t){2} * sizeof({3}) + 63) / 64 * 64;\n",
                       names.local("layout"), scratch.name, count, device_type(scratch.type));
  }
  return out;
}

// The largest group-local scratch of all launches.
Result<std::string> shared_place(const StandaloneNames& names)
{
  std::string most;
  const std::string shared = names.local("shared");
  for (const LaunchSpec& launch : plan_of(names).launches) {
    if (!uses_shared(launch)) {
      continue;
    }
    HONE_TRY(const std::string bytes, plan_text(names, launch.shared));
    const std::string take = fmt::format("if ({1} > {0}) {{\n    {0} = {1};\n  }}\n", shared, bytes);
    HONE_TRY(const std::string wrapped, repeated(names, launch, take));
    most += wrapped;
  }
  if (most.empty()) {
    return "";
  }
  return fmt::format(
    "  int64_t {1} = 0;\n{2}  {0}->shared = {0}->bytes;\n  {0}->bytes += ((size_t){1} + 63) / 64 * 64;\n",
    names.local("layout"), shared, most);
}

Result<std::string> constraint_checks(const StandaloneNames& names)
{
  std::string out;
  for (const PlanExpression& constraint : plan_of(names).tuning.constraints) {
    if (!is_fixed(names, constraint)) {
      HONE_TRY(const std::string text, plan_text(names, constraint, "0"));
      const std::vector<std::string> used = constraint.names();
      const bool of_shared = std::ranges::find(used, "shared") != used.end();
      out += of_shared ? "" : refuse_if(names, fmt::format("!({})", text));
    }
  }
  return out;
}

bool has_work(const StandaloneNames& names)
{
  return !plan_of(names).scratch.empty() || std::ranges::any_of(plan_of(names).launches, uses_shared);
}

Result<std::string> layout_text(const StandaloneNames& names)
{
  const std::string layout = names.local("layout");
  std::string members;
  for (const ScratchSpec& scratch : plan_of(names).scratch) {
    members += fmt::format("  size_t {};\n", scratch.name);
  }
  HONE_TRY(const std::string checks, size_checks(names));
  HONE_TRY(const std::string places, scratch_places(names));
  HONE_TRY(const std::string shared, shared_place(names));
  HONE_TRY(const std::string constraints, constraint_checks(names));
  const bool any = std::ranges::any_of(plan_of(names).launches, uses_shared);
  const std::string sizes = names.kernel().symbols.empty() ? "" : ", " + size_parameters(names.kernel());
  return fmt::format(
    "// Where the scratch buffers lie in the work memory, and how much of it there is, in bytes.\n"
    "struct {0}_layout {{\n{1}{2}  size_t bytes;\n}};\n\n"
    "static int {0}_lay_out(struct {0}_layout* {3}{4})\n{{\n{5}  {3}->bytes = 0;\n{6}{7}{8}  return {9}_OK;\n}}\n",
    names.function, members, any ? "  size_t shared;\n" : "", layout, sizes, checks, places, shared, constraints,
    names.macro);
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
           ? fmt::format("  (void){};\n", names.local("work"))
           : fmt::format("  if ({}) {{\n    return {}_MISALIGNED;\n  }}\n", join(checks, " || "), names.macro);
}

Result<std::string> worker_text(const StandaloneNames& names)
{
  std::string launches;
  for (const LaunchSpec& launch : plan_of(names).launches) {
    HONE_TRY(const std::string text, launch_text(names, launch));
    launches += "\n" + text;
  }
  const std::string layout = names.local("layout");
  const std::string sizes = names.kernel().symbols.empty() ? "" : ", " + size_arguments(names.kernel());
  return fmt::format(
    "int {0}_with({1}, void* {2})\n{{\n  struct {0}_layout {3};\n"
    "  const int {4} = {0}_lay_out(&{3}{5});\n  if ({4} != {6}_OK) {{\n    return {4};\n  }}\n{7}{8}{9}"
    "  return {6}_OK;\n}}\n",
    names.function, public_parameters(names.kernel()), names.local("work"), layout, names.local("status"), sizes,
    names.macro, alignment_check(names), scratch_pointers(names), launches);
}

constexpr const char* k_plain = R"(size_t @fn@_work_bytes(@sizes@)
{
  struct @fn@_layout @layout@;
  return @fn@_lay_out(&@layout@@given@) == @FN@_OK ? @layout@.bytes : SIZE_MAX;
}

void @fn@(@parameters@)
{
  const size_t @bytes@ = @fn@_work_bytes(@arguments@);
  void* @work@ = NULL;
  if (@bytes@ != SIZE_MAX && @bytes@ > 0) {
    @work@ = aligned_alloc(64, @bytes@);
    if (@work@ == NULL) {
      fprintf(stderr, "@fn@: no memory for %zu bytes of scratch\n", @bytes@);
      abort();
    }
  }
  const int @status@ = @fn@_with(@all@, @work@);
  free(@work@);
  if (@status@ != @FN@_OK) {
    fprintf(stderr, "@fn@: %s\n", @status@ == @FN@_BAD_SIZES ? "it was not made for these sizes" : "an array is not aligned to 64 bytes");
    abort();
  }
}

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
  const std::string given = size_arguments(names.kernel());
  return filled(k_plain, {{"fn", names.function},
                          {"FN", names.macro},
                          {"sizes", size_parameters(names.kernel())},
                          {"given", given.empty() ? "" : ", " + given},
                          {"arguments", given},
                          {"parameters", public_parameters(names.kernel())},
                          {"all", join(all, ", ")},
                          {"layout", names.local("layout")},
                          {"bytes", names.local("bytes")},
                          {"work", names.local("work")},
                          {"status", names.local("status")}});
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
