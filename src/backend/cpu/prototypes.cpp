#include "backend/cpu/prototypes.h"

#include <fmt/format.h>

namespace hone::cpu {

namespace {

std::string parameter_type(const ResolvedArgument& argument, const Kernel& kernel, const ResolvedPlan& plan)
{
  switch (argument.kind) {
  case ResolvedArgument::Kind::tensor: {
    const Argument& tensor = kernel.arguments.at(argument.position);
    return fmt::format("{}{}*", is_written(tensor.role) ? "" : "const ", cpu_type_text(tensor.type));
  }
  case ResolvedArgument::Kind::scratch: {
    const ResolvedScratch& scratch = plan.scratch.at(argument.position);
    return fmt::format("{}{}*", plan.writes(scratch) ? "" : "const ", cpu_type_text(scratch.type));
  }
  case ResolvedArgument::Kind::integer:
    return "int64_t";
  }
  return {};
}

std::string parameter_list(const ResolvedLaunch& launch, const Kernel& kernel, const ResolvedPlan& plan)
{
  std::string list = "const hone_group*";
  for (const ResolvedArgument& argument : launch.args) {
    list += ", " + parameter_type(argument, kernel, plan);
  }
  return list;
}

} // namespace

Result<std::string> kernel_prototypes(const Kernel& kernel, const ResolvedPlan& plan)
{
  std::map<std::string, std::string> known; // kernel -> its parameters
  std::string text = "#pragma once\n#include \"hone.h\"\n";
  for (const ResolvedLaunch& launch : plan.launches) {
    const std::string parameters = parameter_list(launch, kernel, plan);
    const auto [at, is_new] = known.try_emplace(launch.kernel, parameters);
    if (is_new) {
      // Visible, so that the symbol table tells its address; everything else in the image is not.
      text +=
        fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) void {}({});\n", launch.kernel, parameters);
    } else if (at->second != parameters) {
      return fail(fmt::format("kernel {} is launched with ({}) and with ({})", launch.kernel, at->second, parameters),
                  "give the second kernel a name of its own");
    }
  }
  return text;
}

} // namespace hone::cpu
