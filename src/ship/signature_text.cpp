#include "ship/signature_text.h"

#include "ship/plan_text.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::ship {

namespace {

const kernel::Signature& signature_of(const ExportContext& names)
{
  return names.kernel().signature;
}

// Without `restrict`, which C++ does not have, and with a pointer in place of the first extent.
std::string portable_type(const std::string& type)
{
  std::vector<std::string> words;
  for (const std::string& word : split(replace_all(type, "*", " * "), ' ')) {
    const bool stays = !word.empty() && word != "restrict" && word != "__restrict" && word != "__restrict__";
    if (stays) {
      words.push_back(word);
    }
  }
  std::string out = replace_all(replace_all(join(words, " "), " *", "*"), "* )", "*)"); // "float (*)[64]"
  const std::size_t open = out.find('[');
  if (open == std::string::npos || out.find("(*") != std::string::npos) {
    return std::string(trim(out));
  }
  const std::size_t close = out.find(']', open);
  const std::string rest(trim(out.substr(close + 1)));
  return std::string(trim(out.substr(0, open))) + (rest.empty() ? "*" : " (*)" + rest);
}

std::string declared(const kernel::SignatureParameter& parameter)
{
  const std::string type = portable_type(parameter.type);
  const std::size_t star = type.find("(*");
  return star == std::string::npos ? type + " " + parameter.name
                                   : type.substr(0, star + 2) + parameter.name + type.substr(star + 2);
}

const kernel::SignatureParameter* parameter_named(const ExportContext& names, const std::string& name)
{
  const auto& parameters = signature_of(names).parameters;
  const auto found = std::ranges::find(parameters, name, &kernel::SignatureParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

bool is_pointer(const std::string& type)
{
  return type.find('*') != std::string::npos || type.find('[') != std::string::npos;
}

} // namespace

bool has_signature(const ExportContext& names)
{
  return !signature_of(names).parameters.empty();
}

std::string function_head(const ExportContext& names)
{
  const kernel::Signature& signature = signature_of(names);
  if (!has_signature(names)) {
    return fmt::format("void {}({})", names.function, public_parameters(names.kernel()));
  }
  std::vector<std::string> parameters;
  std::ranges::transform(signature.parameters, std::back_inserter(parameters), declared);
  return fmt::format("{} {}({})", signature.returns.empty() ? "void" : portable_type(signature.returns), names.function,
                     join(parameters, ", "));
}

Result<std::string> wrong_extras(const ExportContext& names)
{
  std::vector<std::string> out;
  for (const kernel::SignatureParameter& parameter : signature_of(names).parameters) {
    if (parameter.equals) {
      HONE_TRY(const std::string text, extent_text(names, *parameter.equals));
      out.push_back(fmt::format("(int64_t){} != {}", parameter.name, text));
    }
  }
  return join(out, " || ");
}

std::string head_of_body(const ExportContext& names)
{
  std::string out;
  for (const kernel::SignatureParameter& parameter : signature_of(names).parameters) {
    out += parameter.unused ? fmt::format("  (void){};\n", parameter.name) : "";
  }
  if (const kernel::Argument* result = names.kernel().find_argument(signature_of(names).result)) {
    out += fmt::format("  {} {};\n", public_type(result->type), result->name);
  }
  return out;
}

std::string end_of_body(const ExportContext& names)
{
  const std::string& result = signature_of(names).result;
  return result.empty() ? "" : fmt::format("  return {};\n", result);
}

std::string passed_on(const ExportContext& names, const kernel::Argument& argument)
{
  if (!has_signature(names)) {
    return argument.name;
  }
  const kernel::SignatureParameter* parameter = parameter_named(names, argument.name);
  if (parameter == nullptr) {
    return "&" + argument.name; // what is returned
  }
  if (argument.role == kernel::Role::scalar) {
    return (is_pointer(parameter->type) ? "*" : "") + argument.name;
  }
  const std::string type = (kernel::is_written(argument.role) ? "" : "const ") + public_type(argument.type) + "*";
  return portable_type(parameter->type) == type ? argument.name : fmt::format("({}){}", type, argument.name);
}

Result<std::string> adapter_text(const ExportContext& names)
{
  if (!has_signature(names)) {
    return "";
  }
  std::vector<std::string> arguments;
  for (const kernel::SignatureParameter& parameter : signature_of(names).parameters) {
    const kernel::Argument* argument = names.kernel().find_argument(parameter.name);
    const std::string type = portable_type(parameter.type);
    std::string value = parameter.name;
    if (parameter.equals) {
      HONE_TRY(value, extent_text(names, *parameter.equals));
    } else if (parameter.unused) {
      value = "0";
    } else if (argument != nullptr && argument->role == kernel::Role::scalar && is_pointer(parameter.type)) {
      value = "&" + parameter.name;
    }
    arguments.push_back(fmt::format("({}){}", type, value));
  }
  const std::string call = fmt::format("{}({})", names.function, join(arguments, ", "));
  const std::string& result = signature_of(names).result;
  return fmt::format("// Its arguments in the order of the expression's kernel.\n"
                     "static void {}_as_given({})\n{{\n  {}{};\n}}\n",
                     names.function, public_parameters(names.kernel()), result.empty() ? "" : "*" + result + " = ",
                     call);
}

} // namespace hone::ship
