#include "import/signature_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::import {

namespace {

std::string type_text(const CParameter& parameter)
{
  const CType& type = parameter.type;
  if (type.extents.empty()) {
    return type.element;
  }
  return (type.constant ? "const " : "") + type.element + " *" + (type.restricted ? "restrict" : "");
}

} // namespace

std::string signature_text(const CFunction& function, const KernelNames& names,
                           const std::map<std::string, kernel::ExprPtr>& equal)
{
  std::string out = "\n[signature]\nparameters = [\n";
  for (const std::string& size : names.sizes) { // a size that only a shape names is no parameter
    if (std::ranges::find(function.parameters, size, &CParameter::name) == function.parameters.end()) {
      return "";
    }
  }
  for (const CParameter& parameter : function.parameters) {
    const bool argument = names.is_argument(parameter.name);
    if (argument && !parameter.type.data) { // passed in another type
      return "";
    }
    const auto stands_for = equal.find(parameter.name);
    std::string more;
    if (stands_for != equal.end()) {
      more = fmt::format(", equals = \"{}\"", kernel::to_text(*stands_for->second));
    } else if (!argument && !names.is_size(parameter.name)) {
      more = ", unused = true";
    }
    out += fmt::format("  {{ name = \"{}\", type = \"{}\"{} }},\n", parameter.name, type_text(parameter), more);
  }
  out += "]\n";
  return !names.result.empty()
           ? out + fmt::format("returns = \"{}\"\nresult = \"{}\"\n", function.result.element, names.result)
           : out;
}

} // namespace hone::import
