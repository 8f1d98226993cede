#include "backend/cpu/entries.h"

#include "util/text.h"

#include <fmt/format.h>

namespace hone::cpu {

namespace {

std::string_view cpp_type(DataType type)
{
  switch (type) {
  case DataType::f64:
    return "double";
  case DataType::f32:
    return "float";
  case DataType::f16:
    return "hone_f16";
  case DataType::bf16:
    return "hone_bf16";
  case DataType::i64:
    return "int64_t";
  case DataType::i32:
    return "int32_t";
  case DataType::i8:
    return "int8_t";
  case DataType::u8:
    return "uint8_t";
  case DataType::boolean:
    return "bool";
  }
  return "void";
}

bool is_written(Role role)
{
  return role == Role::output || role == Role::inout;
}

std::string parameter_type(const ResolvedArgument& argument, const Kernel& kernel, const ResolvedPlan& plan)
{
  switch (argument.kind) {
  case ResolvedArgument::Kind::tensor: {
    const Argument& tensor = kernel.arguments.at(argument.position);
    return fmt::format("{}{}*", is_written(tensor.role) ? "" : "const ", cpp_type(tensor.type));
  }
  case ResolvedArgument::Kind::scratch:
    return fmt::format("{}*", cpp_type(plan.scratch.at(argument.position).type));
  case ResolvedArgument::Kind::integer:
    return "int64_t";
  }
  return {};
}

std::vector<std::string> parameter_types(const ResolvedLaunch& launch, const Kernel& kernel, const ResolvedPlan& plan)
{
  std::vector<std::string> types;
  for (const ResolvedArgument& argument : launch.args) {
    types.push_back(parameter_type(argument, kernel, plan));
  }
  return types;
}

// The prototype makes a wrong signature an error at the candidate's own line; the trampoline unpacks what the runner
// passes.
std::string entry_text(const std::string& kernel, const std::vector<std::string>& types, std::size_t number)
{
  std::string parameters = "const hone_group*";
  std::string values = "group";
  for (std::size_t i = 0; i < types.size(); ++i) {
    parameters += ", " + types[i];
    values += types[i] == "int64_t" ? fmt::format(", static_cast<int64_t>(args[{}])", i)
                                    : fmt::format(", reinterpret_cast<{}>(args[{}])", types[i], i);
  }
  return fmt::format("extern \"C\" void {}({});\n"
                     "extern \"C\" void {}(const hone_group* group, const uint64_t* args)\n"
                     "{{\n"
                     "  {}({});\n"
                     "}}\n",
                     kernel, parameters, entry_name(number), kernel, values);
}

} // namespace

std::string entry_name(std::size_t number)
{
  return fmt::format("hone_entry_{}", number);
}

Result<Entries> make_entries(const Kernel& kernel, const ResolvedPlan& plan)
{
  struct Known {
    std::size_t number;
    std::vector<std::string> types;
  };
  std::map<std::string, Known> known;
  Entries entries;
  entries.header = "#pragma once\n#include \"hone.h\"\n";
  for (const ResolvedLaunch& launch : plan.launches) {
    std::vector<std::string> types = parameter_types(launch, kernel, plan);
    const auto [at, is_new] = known.try_emplace(launch.kernel, Known{entries.count, types});
    if (is_new) {
      entries.header += entry_text(launch.kernel, types, entries.count++);
    } else if (at->second.types != types) {
      return fail(fmt::format("kernel {} is launched with ({}) and with ({})", launch.kernel,
                              join(at->second.types, ", "), join(types, ", ")),
                  "give the second kernel a name of its own");
    }
    entries.launch.push_back(at->second.number);
  }
  return entries;
}

} // namespace hone::cpu
