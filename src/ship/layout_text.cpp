#include "ship/layout_text.h"

#include "lower/dialect.h"
#include "ship/launch_text.h"
#include "ship/plan_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

bool uses_shared(const kernel::LaunchSpec& launch)
{
  return launch.shared.text() != "0";
}

std::string refuse_if(const ExportContext& names, const std::string& condition)
{
  return fmt::format("  if ({}) {{\n    return {}_BAD_SIZES;\n  }}\n", condition, names.macro);
}

// Sizes on which the kernel means nothing, or for which this code was not made.
Result<std::string> size_checks(const ExportContext& names)
{
  std::vector<std::string> below;
  std::vector<std::string> other;
  for (const std::string& symbol : names.kernel().symbols) {
    below.push_back(symbol + " < 1");
    if (names.is_specialised()) {
      other.push_back(fmt::format("{} != {}", symbol, names.request.sizes.at(symbol)));
    }
  }
  for (const kernel::Argument& argument : names.kernel().arguments) {
    for (const kernel::ExprPtr& extent : argument.shape) {
      if (extent->kind == kernel::ExprKind::extent || extent->kind == kernel::ExprKind::number) {
        continue;
      }
      HONE_TRY(const std::string text, extent_text(names, *extent));
      if (std::ranges::find(below, text + " < 1") == below.end()) {
        below.push_back(text + " < 1");
      }
    }
  }
  for (const kernel::ExprPtr& condition : names.kernel().size_conditions) {
    HONE_TRY(const std::string text, extent_text(names, *condition));
    below.push_back("!" + text);
  }
  const std::vector<std::string>& checks = names.is_specialised() ? other : below;
  return checks.empty() ? "" : refuse_if(names, join(checks, " || "));
}

Result<std::string> scratch_places(const ExportContext& names)
{
  std::string out;
  for (const kernel::ScratchSpec& scratch : names.plan().scratch) {
    HONE_TRY(const std::string elements, plan_text(names, scratch.size));
    const std::string count = names.local("elements_of_" + scratch.name);
    out += fmt::format("  const int64_t {} = {};\n", count, elements) + refuse_if(names, count + " < 1");
    const std::string total = names.local(scratch.prepared ? "prepared_bytes" : "bytes");
    out += fmt::format("  {0}->{1} = {0}->{4};\n  {0}->{4} += ((size_t){2} * sizeof({3}) + 63) / 64 * 64;\n",
                       names.local("layout"), scratch.name, count, lower::cpu_type_text(scratch.type), total);
  }
  return out;
}

// The largest group-local scratch of all launches.
Result<std::string> shared_place(const ExportContext& names)
{
  std::string most;
  const std::string shared = names.local("shared");
  std::int64_t fixed = 0;
  for (const kernel::LaunchSpec& launch : names.plan().launches) { // [[prepare]] has none
    if (is_fixed(names, launch.shared)) {
      HONE_TRY(const std::int64_t bytes,
               launch.shared.evaluate(kernel::plan_scope({}, names.point, names.request.device_facts)));
      fixed = std::max(fixed, bytes);
      continue;
    }
    HONE_TRY(const std::string bytes, plan_text(names, launch.shared));
    HONE_TRY(const std::string take,
             repeated(names, launch, fmt::format("if ({1} > {0}) {{\n  {0} = {1};\n}}\n", shared, bytes)));
    most += take;
  }
  if (most.empty() && fixed == 0) {
    return "";
  }
  return fmt::format("  {4}int64_t {1} = {3};\n{2}  {0}->{1} = {0}->{5};\n"
                     "  {0}->{5} += ((size_t){1} + 63) / 64 * 64 * {6}_THREADS;\n",
                     names.local("layout"), shared, most, fixed, most.empty() ? "const " : "", names.local("bytes"),
                     names.macro);
}

Result<std::string> constraint_checks(const ExportContext& names)
{
  std::string out;
  for (const kernel::PlanExpression& constraint : names.plan().tuning.constraints) {
    if (!is_fixed(names, constraint)) {
      HONE_TRY(const std::string text, plan_text(names, constraint, "0"));
      const std::vector<std::string> used = constraint.names();
      const bool of_shared = std::ranges::find(used, "shared") != used.end();
      out += of_shared ? "" : refuse_if(names, fmt::format("!({})", text));
    }
  }
  return out;
}

} // namespace

bool needs_workspace(const ExportContext& names)
{
  const auto is_work = [](const kernel::ScratchSpec& scratch) { return !scratch.prepared; };
  return std::ranges::any_of(names.plan().scratch, is_work) || std::ranges::any_of(names.plan().launches, uses_shared);
}

bool has_layout(const ExportContext& names)
{
  return needs_workspace(names) || names.prepares();
}

Result<std::string> layout_text(const ExportContext& names)
{
  const std::string layout = names.local("layout");
  HONE_TRY(const std::string checks, size_checks(names));
  HONE_TRY(const std::string constraints, constraint_checks(names));
  const std::string sizes = size_parameters(names.kernel());
  if (!has_layout(names)) {
    return fmt::format("static int {}_check({})\n{{\n{}{}  return {}_OK;\n}}\n", names.function, sizes, checks,
                       constraints, names.macro);
  }
  HONE_TRY(const std::string places, scratch_places(names));
  HONE_TRY(const std::string shared, shared_place(names));
  std::string members;
  for (const kernel::ScratchSpec& scratch : names.plan().scratch) {
    members += fmt::format("  size_t {};\n", scratch.name);
  }
  members += shared.empty() ? "" : fmt::format("  size_t {};\n", names.local("shared"));
  std::string start;
  for (const std::string& total : {names.local("bytes"), names.prepares() ? names.local("prepared_bytes") : ""}) {
    members += total.empty() ? "" : fmt::format("  size_t {};\n", total);
    start += total.empty() ? "" : fmt::format("  {}->{} = 0;\n", layout, total);
  }
  return fmt::format("// Where the scratch buffers lie in the work memory, and how much of it there is, in bytes.\n"
                     "struct {0}_layout {{\n{1}}};\n\n"
                     "static int {0}_lay_out(struct {0}_layout* {2}{3})\n{{\n{4}{5}{6}{7}{8}  return {9}_OK;\n}}\n",
                     names.function, members, layout, sizes == "void" ? "" : ", " + sizes, checks, constraints, start,
                     places, shared, names.macro);
}

std::string layout_call(const ExportContext& names)
{
  const std::string sizes = size_arguments(names.kernel());
  return has_layout(names)
           ? fmt::format("{}_lay_out(&{}{})", names.function, names.local("layout"), sizes.empty() ? "" : ", " + sizes)
           : fmt::format("{}_check({})", names.function, sizes);
}

} // namespace hone::ship
