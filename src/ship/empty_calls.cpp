#include "ship/empty_calls.h"

#include "lower/lower.h"
#include "ship/device_text.h"
#include "ship/launch_text.h"
#include "ship/plan_text.h"
#include "ship/source_tokens.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

bool takes_zero(const ExportContext& names)
{
  return !names.is_specialised() && !names.kernel().symbols.empty();
}

// Sizes that are not negative, one of them 0, and that meet the kernel's conditions.
Result<std::vector<std::string>> zero_conditions(const ExportContext& names)
{
  std::vector<std::string> out, zeros;
  for (const std::string& symbol : names.kernel().symbols) {
    out.push_back(symbol + " >= 0");
    zeros.push_back(symbol + " == 0");
  }
  out.push_back(zeros.size() == 1 ? zeros.front() : "(" + join(zeros, " || ") + ")");
  for (const kernel::ExprPtr& condition : names.kernel().size_conditions) {
    HONE_TRY(const std::string text, extent_text(names, *condition));
    out.push_back(text);
  }
  for (const kernel::Argument& argument : names.kernel().arguments) {
    for (const kernel::ExprPtr& extent : argument.shape) {
      if (extent->kind != kernel::ExprKind::extent && extent->kind != kernel::ExprKind::number) {
        HONE_TRY(const std::string text, extent_text(names, *extent));
        out.push_back(text + " >= 0");
      }
    }
  }
  return out;
}

// No output has an element. Without one condition for each output they may have.
Result<std::vector<std::string>> without_outputs(const ExportContext& names)
{
  std::vector<std::string> out;
  for (const std::size_t output : names.kernel().outputs()) {
    std::vector<std::string> zeros;
    for (const kernel::ExprPtr& extent : names.kernel().arguments[output].shape) {
      HONE_TRY(const std::string text, extent_text(names, *extent));
      zeros.push_back(text + " <= 0");
    }
    out.push_back(zeros.empty() ? "0" : "(" + join(zeros, " || ") + ")");
  }
  return out;
}

// A dimension that is computed from sizes may have no element without any size being 0: n - 2.
bool has_computed_extents(const kernel::Kernel& kernel)
{
  return std::ranges::any_of(kernel.arguments, [](const kernel::Argument& argument) {
    return std::ranges::any_of(argument.shape, [](const kernel::ExprPtr& extent) {
      return extent->kind != kernel::ExprKind::extent && extent->kind != kernel::ExprKind::number;
    });
  });
}

// Sizes that are not negative, at which no output has an element.
Result<std::string> nothing_to_do(const ExportContext& names)
{
  HONE_TRY(std::vector<std::string> all, without_outputs(names));
  for (const std::string& symbol : names.kernel().symbols) {
    all.push_back(symbol + " >= 0");
  }
  return join(all, " && ");
}

// hone_group empty = {...}; for (...) NAME(&empty, ...);
Result<std::string> plain_loops(const ExportContext& names, const kernel::LaunchSpec& launch,
                                const std::vector<std::string>& arguments)
{
  std::vector<std::string> grid;
  for (const kernel::PlanExpression& extent : launch.grid) {
    HONE_TRY(std::string text, plan_text(names, extent));
    grid.push_back(std::move(text));
  }
  const std::string group = names.local("empty");
  std::string call =
    fmt::format("{}(&{}{});", names.entry(launch.kernel), group, arguments.empty() ? "" : ", " + join(arguments, ", "));
  std::string loops;
  for (std::size_t i = grid.size(); i-- > 0;) {
    loops += fmt::format("{1:{2}}for ({0}.id[{3}] = 0; {0}.id[{3}] < {0}.count[{3}]; ++{0}.id[{3}])\n", group, "",
                         4 + 2 * (grid.size() - 1 - i), i);
  }
  const std::size_t depth = 4 + 2 * grid.size();
  grid.resize(3, "1");
  return fmt::format("    hone_group {} = {{{{0, 0, 0}}, {{{}}}, NULL, 0}};\n{}{:{}}{}\n", group, join(grid, ", "),
                     loops, "", depth, call);
}

} // namespace

std::string if_zero(const ExportContext& names, const std::string& action)
{
  return takes_zero(names)
           ? fmt::format("  if ({}_has_zero({})) {{\n{}  }}\n", names.function, size_arguments(names.kernel()), action)
           : "";
}

Result<EmptyCalls> empty_calls(const ExportContext& names)
{
  EmptyCalls out;
  if (!takes_zero(names)) {
    return out;
  }
  HONE_TRY(const kernel::Candidate plain, lower::naive_candidate(names.kernel(), lower::cpu_dialect(64, true)));
  StandaloneRequest request{names.kernel(),
                            plain,
                            {},
                            names.request.sizes,
                            names.request.language,
                            names.request.device_facts,
                            names.request.isa,
                            names.request.record};
  ExportContext loops{request, {}, names.function, names.macro, names.ours, names.theirs};
  HONE_TRY(std::vector<std::string> conditions, zero_conditions(names));
  const bool is_single = plain.plan.launches.size() == 1 && plain.plan.scratch.empty();
  if (is_single) {
    const kernel::LaunchSpec& launch = plain.plan.launches.front();
    const bool is_there = plain.device_source() == names.request.candidate.device_source(); // it is what is shipped
    if (!is_there) {
      loops.theirs[launch.kernel] = names.function + "_run_plain";
      HONE_TRY(const DeviceText device, device_text(loops));
      out.code = "\n// --- sums without terms ---\n\n" + with_words(device.macros + device.code, loops.theirs);
      out.prototypes = prototypes_alone(loops);
    }
    HONE_TRY(const std::string run, plain_loops(loops, launch, launch_arguments(loops, launch)));
    out.run = run + fmt::format("    return {}_OK;\n", names.macro);
  } else {
    HONE_TRY(const std::vector<std::string> empty, without_outputs(names));
    conditions.insert(conditions.end(), empty.begin(), empty.end());
    out.run = fmt::format("    return {}_OK;\n", names.macro);
  }
  std::string holds = join(conditions, " && ");
  if (has_computed_extents(names.kernel())) {
    HONE_TRY(const std::string nothing, nothing_to_do(names));
    holds = fmt::format("({}) || ({})", holds, nothing);
  }
  const std::string what = is_single ? "Plain loops do what is left to do." : "No output has an element then.";
  out.test =
    fmt::format("// Whether a size or a dimension is 0. {}\nstatic int {}_has_zero({})\n{{\n  return {};\n}}\n\n", what,
                names.function, size_parameters(names.kernel()), holds);
  return out;
}

} // namespace hone::ship
