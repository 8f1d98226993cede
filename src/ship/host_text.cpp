#include "ship/host_text.h"

#include "lower/dialect.h"
#include "ship/empty_calls.h"
#include "ship/launch_text.h"
#include "ship/layout_text.h"
#include "ship/plan_text.h"
#include "ship/signature_text.h"
#include "ship/threads_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::ship {

namespace {

bool uses(const std::vector<kernel::LaunchSpec>& launches, const std::string& buffer)
{
  return std::ranges::any_of(launches, [&](const kernel::LaunchSpec& launch) {
    return launch.fill_buffer == buffer || std::ranges::find(launch.args, buffer) != launch.args.end();
  });
}

// T* const NAME = ...; for each buffer that the launches use.
std::string scratch_pointers(const ExportContext& names, bool prepares)
{
  std::string out;
  for (const kernel::ScratchSpec& scratch : names.plan().scratch) {
    if (uses(prepares ? names.plan().preparation : names.plan().launches, scratch.name)) {
      const std::string qualifier = scratch.prepared && !prepares ? "const " : "";
      out += fmt::format("  {4}{0}* const {1} = ({4}{0}*)(({4}char*){2} + {3}.{1});\n",
                         lower::cpu_type_text(scratch.type), scratch.name,
                         names.local(scratch.prepared ? "prepared" : "work"), names.local("layout"), qualifier);
    }
  }
  return out;
}

// Code by hand may load whole lines: what Hone gives it lies at multiples of 64 bytes.
std::string alignment_check(const ExportContext& names, bool prepares)
{
  std::vector<std::string> blocks;
  if (needs_workspace(names) && !prepares) {
    blocks.push_back(names.local("work"));
  }
  if (names.prepares()) {
    blocks.push_back(names.local("prepared"));
  }
  std::vector<std::string> checks;
  for (const std::string& block : blocks) {
    checks.push_back(fmt::format("{0} == NULL || (uintptr_t){0} % 64 != 0", block));
  }
  for (const kernel::Argument& argument : names.kernel().arguments) {
    if (names.needs_alignment() && argument.role != kernel::Role::scalar
        && (!prepares || argument.role == kernel::Role::weight)) {
      checks.push_back(fmt::format("(uintptr_t){} % 64 != 0", argument.name));
    }
  }
  return checks.empty()
           ? ""
           : fmt::format("  if ({}) {{\n    return {}_MISALIGNED;\n  }}\n", join(checks, " || "), names.macro);
}

// NAME_with, or NAME_prepare.
Result<std::string> worker_text(const ExportContext& names, bool prepares, const EmptyCalls& empty)
{
  std::string launches;
  for (const kernel::LaunchSpec& launch : prepares ? names.plan().preparation : names.plan().launches) {
    HONE_TRY(const std::string text, launch_text(names, launch));
    launches += "\n" + text;
  }
  std::string memory;
  if (has_layout(names)) {
    memory += fmt::format("  struct {}_layout {};\n", names.function, names.local("layout"));
  }
  if (!needs_workspace(names) && !prepares) {
    memory += fmt::format("  (void){};\n", names.local("work"));
  }
  memory += if_zero(names, prepares ? fmt::format("    return {}_OK;\n", names.macro) : empty.run);
  return fmt::format("int {0}({1})\n{{\n{2}  const int {3} = {4};\n  if ({3} != {5}_OK) {{\n    return {3};\n  }}\n"
                     "{6}{7}{8}  return {5}_OK;\n}}\n",
                     names.function + (prepares ? "_prepare" : "_with"),
                     prepares ? prepare_parameters(names) : with_parameters(names), memory, names.local("status"),
                     layout_call(names), names.macro, alignment_check(names, prepares),
                     scratch_pointers(names, prepares), launches);
}

constexpr const char* k_plain_host = R"(size_t @fn@_work_bytes(@sizes@)
{
@no bytes@  return @layout call@ == @FN@_OK ? 0 : SIZE_MAX;
}

@head@
{
@begin@  const int @status@ = @wrong@@fn@_with(@all@, NULL);
@end@}
)";

constexpr const char* k_plain_with_work = R"(size_t @fn@_work_bytes(@sizes@)
{
@no bytes@  struct @fn@_layout @layout@;
  return @layout call@ == @FN@_OK ? @layout@.@bytes@ : SIZE_MAX;
}

@head@
{
@begin@  const size_t @bytes@ = @fn@_work_bytes(@arguments@);
  void* const @work@ = @bytes@ == SIZE_MAX || @bytes@ == 0 ? NULL : aligned_alloc(64, @bytes@);
  if (@work@ == NULL && @bytes@ != SIZE_MAX && @bytes@ != 0) {
    fprintf(stderr, "@fn@: no memory for %zu bytes of scratch\n", @bytes@);
    abort();
  }
  const int @status@ = @wrong@@fn@_with(@all@, @work@);
  free(@work@);
@end@}
)";

constexpr const char* k_plain_with_preparation = R"(size_t @fn@_work_bytes(@sizes@)
{
@no bytes@  struct @fn@_layout @layout@;
  return @layout call@ == @FN@_OK ? @layout@.@bytes@ : SIZE_MAX;
}

size_t @fn@_prepared_bytes(@sizes@)
{
@no bytes@  struct @fn@_layout @layout@;
  return @layout call@ == @FN@_OK ? @layout@.@prepared bytes@ : SIZE_MAX;
}

@head@
{
@begin@  struct @fn@_layout @layout@;
  const int is_empty = @is empty@;
  int @status@ = @wrong@is_empty ? @fn@_with(@all@, NULL, NULL) : @layout call@;
  if (@status@ == @FN@_OK && !is_empty) {
    const size_t @bytes@ = @layout@.@prepared bytes@ + @layout@.@bytes@;
    char* const @prepared@ = (char*)aligned_alloc(64, @bytes@);
    if (@prepared@ == NULL) {
      fprintf(stderr, "@fn@: no memory for %zu bytes of scratch\n", @bytes@);
      abort();
    }
    void* const @work@ = @prepared@ + @layout@.@prepared bytes@;
    @status@ = @fn@_prepare(@weights@, @prepared@);
    @status@ = @status@ == @FN@_OK ? @fn@_with(@all@, @prepared@, @work@) : @status@;
    free(@prepared@);
  }
@end@}
)";

constexpr const char* k_end = R"(  if (@status@ != @FN@_OK) {
    fputs(@status@ == @FN@_BAD_SIZES ? "@fn@: it was not made for these sizes\n" : "@fn@: an array is not aligned to 64 bytes\n", stderr);
    abort();
  }
@return@)";

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

Result<std::string> plain_functions(const ExportContext& names)
{
  std::vector<std::string> all;
  std::vector<std::string> weights;
  for (const kernel::Argument& argument : names.kernel().arguments) {
    all.push_back(passed_on(names, argument));
    if (argument.role == kernel::Role::weight) {
      weights.push_back(all.back());
    }
  }
  for (const std::string& symbol : names.kernel().symbols) {
    all.push_back(symbol);
    weights.push_back(symbol);
  }
  HONE_TRY(const std::string extras, wrong_extras(names));
  const std::string zero = if_zero(names, "    return 0;\n");
  std::map<std::string, std::string> values{
    {"fn", names.function},
    {"FN", names.macro},
    {"head", function_head(names)},
    {"begin", head_of_body(names)},
    {"return", end_of_body(names)},
    {"wrong", extras.empty() ? "" : fmt::format("{} ? {}_BAD_SIZES : ", extras, names.macro)},
    {"no bytes", zero},
    {"is empty", zero.empty() ? "0" : fmt::format("{}_has_zero({})", names.function, size_arguments(names.kernel()))},
    {"sizes", size_parameters(names.kernel())},
    {"arguments", size_arguments(names.kernel())},
    {"all", join(all, ", ")},
    {"weights", join(weights, ", ")},
    {"layout call", layout_call(names)},
    {"layout", names.local("layout")},
    {"bytes", names.local("bytes")},
    {"prepared bytes", names.local("prepared_bytes")},
    {"prepared", names.local("prepared")},
    {"work", names.local("work")},
    {"status", names.local("status")}};
  values["end"] = filled(k_end, values);
  const char* plain = names.prepares()         ? k_plain_with_preparation
                      : needs_workspace(names) ? k_plain_with_work
                                               : k_plain_host;
  return filled(plain, values) + filled(k_supported, values);
}

} // namespace

Result<std::string> host_text(const ExportContext& names)
{
  HONE_TRY(const std::string layout, layout_text(names));
  HONE_TRY(const EmptyCalls empty, empty_calls(names));
  std::string preparation;
  if (names.prepares()) {
    HONE_TRY(preparation, worker_text(names, true, empty));
    preparation += "\n";
  }
  HONE_TRY(const std::string worker, worker_text(names, false, empty));
  HONE_TRY(const std::string plain, plain_functions(names));
  const std::string body = empty.test + layout + "\n" + preparation + worker + "\n" + plain;
  return launch_prototypes(names) + empty.prototypes + fence_text(names) + "\n" + launch_threads(names) + "\n"
         + plan_functions(names, body) + body;
}

} // namespace hone::ship
