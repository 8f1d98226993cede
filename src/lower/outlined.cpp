#include "lower/contraction_code.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::lower {

ProgramNode Outlined::call(const std::vector<std::string>& values) const
{
  std::vector<std::string> all = values;
  all.push_back(arguments);
  return statement(fmt::format("{}({});", name, join(all, ", ")));
}

Outlined outline(const ContractionCode& code, const std::string& name, ProgramBlock body, bool fills_panels)
{
  const std::vector<ParameterText> used = code.parameters(body, fills_panels);
  return {function(fmt::format("static inline void {}({})", name, declarations(used)), std::move(body)), name,
          join(names(used), ", ")};
}

Outlined outline_by(const std::vector<std::string>& constants, const ContractionCode& code, const std::string& name,
                    ProgramBlock body)
{
  const std::vector<ParameterText> used = code.parameters(body, code.schedule.in_passing);
  std::vector<std::string> all;
  for (const std::string& constant : constants) {
    all.push_back("int " + constant);
  }
  all.push_back(declarations(used));
  return {function(fmt::format("static inline __attribute__((always_inline)) void {}({})", name, join(all, ", ")),
                   std::move(body)),
          name, join(names(used), ", ")};
}

} // namespace hone::lower
