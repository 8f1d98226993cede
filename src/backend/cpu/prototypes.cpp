#include "backend/cpu/prototypes.h"

#include "kernel/declared_parameters.h"

#include <fmt/format.h>

namespace hone::backend::cpu {

namespace {

// `promised`: the candidate's own code says that it only reads there.
std::string parameter_type(const kernel::ResolvedArgument& argument, const kernel::Kernel& kernel,
                           const kernel::ResolvedPlan& plan, bool promised)
{
  switch (argument.kind) {
  case kernel::ResolvedArgument::Kind::tensor: {
    const kernel::Argument& tensor = kernel.arguments.at(argument.position);
    return fmt::format("{}{}*", kernel::is_written(tensor.role) ? "" : "const ", lower::cpu_type_text(tensor.type));
  }
  case kernel::ResolvedArgument::Kind::scratch: {
    const kernel::ResolvedScratch& scratch = plan.scratch.at(argument.position);
    return fmt::format("{}{}*", plan.writes(scratch) && !promised ? "" : "const ", lower::cpu_type_text(scratch.type));
  }
  case kernel::ResolvedArgument::Kind::map: // CUDA's alone
  case kernel::ResolvedArgument::Kind::integer:
    return "int64_t";
  }
  return {};
}

std::string parameter_list(const kernel::ResolvedLaunch& launch, const kernel::Kernel& kernel,
                           const kernel::ResolvedPlan& plan, std::string_view device_text)
{
  std::string list = "const hone_group*";
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const bool promised = kernel::is_declared_const(device_text, launch.kernel, i + 1);
    list += ", " + parameter_type(launch.args[i], kernel, plan, promised);
  }
  return list;
}

} // namespace

Result<std::string> kernel_prototypes(const kernel::Kernel& kernel, const kernel::ResolvedPlan& plan,
                                      std::string_view device_text)
{
  std::map<std::string, std::string> known; // kernel -> its parameters
  // With these attributes a function would not call what watches its accesses; and no text is for builds with tables
  // for unwinding only.
  std::string text = "#pragma once\n#include \"hone.h\"\n#pragma GCC poison no_sanitize __no_sanitize__ "
                     "no_sanitize_thread __no_sanitize_thread__ no_sanitize_address __no_sanitize_address__ "
                     "no_address_safety_analysis __no_address_safety_analysis__ __GCC_HAVE_DWARF2_CFI_ASM\n";
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    const std::string parameters = parameter_list(launch, kernel, plan, device_text);
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

} // namespace hone::backend::cpu
