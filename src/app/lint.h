// Whether a kernel's check tells right from wrong.
#pragma once

#include "app/context.h"
#include "gate/lint.h"

#include <string>

namespace hone::app {

struct LintResult {
  std::string kernel, hash;
  gate::LintReport report;
};

// `kernel`: folder, kernel.toml, or the name of a shipped kernel.
Result<LintResult> lint(Context& context, const std::string& kernel);
Json to_json(const LintResult& result);

} // namespace hone::app
