#include "ship/launch_text.h"

#include "backend/fill_pattern.h"
#include "kernel/declared_parameters.h"
#include "lower/dialect.h"
#include "ship/plan_text.h"
#include "ship/threads_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hone::ship {

namespace {

const kernel::ScratchSpec* scratch_named(const ExportContext& names, const std::string& name)
{
  const std::vector<kernel::ScratchSpec>& scratch = names.request.candidate.plan.scratch;
  const auto found = std::ranges::find(scratch, name, &kernel::ScratchSpec::name);
  return found == scratch.end() ? nullptr : &*found;
}

bool is_preparation(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  const std::vector<kernel::LaunchSpec>& list = names.request.candidate.plan.preparation;
  return std::ranges::find(list, launch.kernel, &kernel::LaunchSpec::kernel) != list.end();
}

// What was prepared is only read by the launches.
std::string parameter_type(const ExportContext& names, const std::string& name, bool prepares)
{
  if (const kernel::Argument* argument = names.kernel().find_argument(name)) {
    return (kernel::is_written(argument->role) ? "" : "const ") + lower::cpu_type_text(argument->type) + "*";
  }
  const kernel::ScratchSpec* scratch = scratch_named(names, name);
  return scratch == nullptr
           ? "int64_t"
           : (scratch->prepared && !prepares ? "const " : "") + lower::cpu_type_text(scratch->type) + "*";
}

bool is_half(kernel::DataType type)
{
  return type == kernel::DataType::f16 || type == kernel::DataType::bf16;
}

std::string passed(const ExportContext& names, const std::string& name)
{
  const kernel::Argument* argument = names.kernel().find_argument(name);
  if (argument == nullptr) {
    return name == "repeat_index" ? names.local(name) : name;
  }
  const std::string text = (argument->role == kernel::Role::scalar ? "&" : "") + argument->name;
  return is_half(argument->type) ? fmt::format("({}){}", parameter_type(names, name, false), text) : text;
}

std::string indented(const std::string& lines, int by)
{
  std::string out;
  for (const std::string& line : split(lines, '\n')) {
    const bool stays = line.empty() || line[0] == '#'; // directives stand at the line's start
    out += (stays ? "" : std::string(static_cast<std::size_t>(by), ' ')) + line + "\n";
  }
  while (out.ends_with("\n\n")) {
    out.pop_back();
  }
  return out == "\n" ? "" : out;
}

// One element of a filled buffer.
std::string fill_value(const kernel::LaunchSpec& launch, kernel::DataType type, const std::string& element,
                       bool is_argument)
{
  const std::uint64_t bits = backend::fill_pattern(launch.fill_value, type);
  if (is_half(type) && (is_argument || type == kernel::DataType::bf16)) { // arguments come as bits
    return fmt::format("{}{} = {};", element, is_argument ? "" : ".bits", bits);
  }
  if (type == kernel::DataType::boolean) {
    return fmt::format("{} = {};", element, bits);
  }
  return fmt::format("{} = ({}){};", element, lower::cpu_type_text(type), launch.fill_value);
}

Result<std::string> fill_text(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  if (launch.fill_buffer.empty()) {
    return "";
  }
  const kernel::Argument* argument = names.kernel().find_argument(launch.fill_buffer);
  const kernel::ScratchSpec* scratch = scratch_named(names, launch.fill_buffer);
  if (argument == nullptr && scratch == nullptr) {
    return fail(fmt::format("'{}' is filled, which is no buffer", launch.fill_buffer), {}, launch.place);
  }
  HONE_TRY(const std::string count,
           argument != nullptr ? elements_text(names, *argument) : plan_text(names, scratch->size));
  const std::string at = names.local("at");
  const kernel::DataType type = argument != nullptr ? argument->type : scratch->type;
  const std::string element = fmt::format("{}[{}]", launch.fill_buffer, at);
  return fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0}) {{\n  {2}\n}}\n", at, count,
                     fill_value(launch, type, element, argument != nullptr));
}

SpreadLaunch spread_launch(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  SpreadLaunch out;
  const std::vector<const kernel::LaunchSpec*> all = all_launches(names);
  out.number = static_cast<std::size_t>(std::ranges::find(all, &launch) - all.begin());
  out.entry = names.entry(launch.kernel);
  for (const std::string& name : launch.args) {
    out.types.push_back(parameter_type(names, name, is_preparation(names, launch)));
    out.arguments.push_back(passed(names, name));
  }
  return out;
}

// for (...) for (...) NAME(&group, ...): x innermost; or the same on several threads.
Result<std::string> groups_text(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  std::vector<std::string> grid;
  std::vector<std::string> below;
  for (const kernel::PlanExpression& extent : launch.grid) {
    HONE_TRY(std::string text, plan_text(names, extent));
    const std::vector<std::string>& symbols = names.kernel().symbols;
    const bool is_size = std::ranges::find(symbols, text) != symbols.end(); // known to be at least 1
    if (!is_size && !is_fixed(names, extent)) {
      below.push_back(fmt::format("group.count[{}] < 1", grid.size()));
    }
    grid.push_back(std::move(text));
  }
  const std::size_t dimensions = grid.size();
  grid.resize(3, "1");
  HONE_TRY(const std::string shared_bytes, plan_text(names, launch.shared));
  const std::string shared = shared_bytes == "0" ? "NULL"
                                                 : fmt::format("(char*){} + {}.{}", names.local("work"),
                                                               names.local("layout"), names.local("shared"));
  std::string out =
    fmt::format("hone_group group = {{{{0, 0, 0}}, {{{}}}, {}, {}}};\n", join(grid, ", "), shared, shared_bytes);
  if (!below.empty()) {
    out += fmt::format("if ({}) {{\n  return {}_BAD_SIZES;\n}}\n", join(below, " || "), names.macro);
  }
  const SpreadLaunch spread = spread_launch(names, launch);
  std::vector<std::string> arguments = spread.arguments;
  arguments.insert(arguments.begin(), "&group");
  std::string nest = fmt::format("{}({});\n", spread.entry, join(arguments, ", "));
  for (std::size_t i = 0; i < dimensions; ++i) {
    nest = fmt::format("for (group.id[{0}] = 0; group.id[{0}] < group.count[{0}]; ++group.id[{0}]) {{\n{1}}}\n", i,
                       indented(nest, 2));
  }
  nest += fence_call(names) + "\n";
  return fmt::format("{}#if {}_THREADS > 1\n{}#else\n{}#endif\n", out, names.macro, spread_call(names, spread), nest);
}

// Inline assembly with an incomplete clobber list would corrupt a caller that inlines it, for example with link-time
// optimisation. The timed code was called, not inlined, too.
std::string apart_text(const ExportContext& names)
{
  return fmt::format(
    "// Behind a call, as they were timed: registers and memory that they change are nobody else's concern.\n"
    "#if defined(__clang__)\n"
    "#define {0}_APART __attribute__((noinline, visibility(\"hidden\")))\n"
    "#else\n"
    "#define {0}_APART __attribute__((noipa, visibility(\"hidden\")))\n"
    "#endif\n",
    names.macro);
}

} // namespace

std::string prototypes_alone(const ExportContext& names)
{
  const auto& files = names.request.candidate.files;
  const auto device = files.find("device.cpp");
  const std::string_view device_text = device == files.end() ? std::string_view() : device->second;
  std::string out;
  std::set<std::string> known;
  for (const kernel::LaunchSpec* one : all_launches(names)) {
    const kernel::LaunchSpec& launch = *one;
    if (!known.insert(launch.kernel).second) {
      continue;
    }
    std::string parameters = "const hone_group*";
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const std::string type = parameter_type(names, launch.args[i], is_preparation(names, launch));
      const bool promised = !type.starts_with("const ") && kernel::is_declared_const(device_text, launch.kernel, i + 1);
      parameters += (promised ? ", const " : ", ") + type;
    }
    out += fmt::format("{}{}_APART void {}({});\n", names.is_c() ? "" : "extern \"C\" ", names.macro,
                       names.entry(launch.kernel), parameters);
  }
  return out;
}

std::string launch_prototypes(const ExportContext& names)
{
  return apart_text(names) + prototypes_alone(names);
}

std::vector<std::string> launch_arguments(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  return spread_launch(names, launch).arguments;
}

std::string launch_threads(const ExportContext& names)
{
  std::string parts;
  for (const kernel::LaunchSpec* launch : all_launches(names)) {
    parts += part_text(names, spread_launch(names, *launch));
  }
  return fmt::format("#if {}_THREADS > 1\n{}{}\n#endif\n", names.macro, pool_text(names), parts);
}

Result<std::string> repeated(const ExportContext& names, const kernel::LaunchSpec& launch, const std::string& lines)
{
  std::string out = indented(lines, 2);
  if (launch.repeat.text() != "1") {
    HONE_TRY(const std::string times, plan_text(names, launch.repeat));
    const std::string index = names.local("repeat_index");
    out = fmt::format("  for (int64_t {0} = 0; {0} < {1}; ++{0}) {{\n{2}  }}\n", index, times, indented(out, 2));
  }
  if (launch.when.text() != "1") {
    HONE_TRY(const std::string condition, plan_text(names, launch.when));
    out = fmt::format("  if ({}) {{\n{}  }}\n", condition, indented(out, 2));
  }
  return out;
}

Result<std::string> launch_text(const ExportContext& names, const kernel::LaunchSpec& launch)
{
  HONE_TRY(const std::string fill, fill_text(names, launch));
  HONE_TRY(const std::string groups, groups_text(names, launch));
  kernel::LaunchSpec once = launch;
  once.when = kernel::PlanExpression::constant(1);
  HONE_TRY(const std::string loops, repeated(names, once, "{\n" + indented(groups, 2) + "}\n"));
  if (launch.when.text() == "1") {
    return indented(fill, 2) + loops;
  }
  HONE_TRY(const std::string condition, plan_text(names, launch.when));
  return fmt::format("  if ({}) {{\n{}{}  }}\n", condition, indented(fill, 4), indented(loops, 2));
}

} // namespace hone::ship
