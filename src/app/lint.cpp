#include "app/lint.h"

#include "app/kernel_path.h"

#include <fmt/format.h>

namespace hone::app {

Result<LintResult> lint(Context& context, const std::string& name)
{
  HONE_TRY(const kernel::Kernel kernel, kernel::load_kernel(kernel_path(name)));
  gate::LintOptions options;
  options.cache = cache_folder();
  options.stop = context.stop;
  options.progress = [&context](std::string_view what) {
    context.observer->status(fmt::format("trying {} ...", what));
  };
  HONE_TRY(gate::LintReport report, gate::lint_kernel(kernel, options));
  context.observer->clear_status();
  return LintResult{kernel.name, kernel.hash, std::move(report)};
}

Json to_json(const LintResult& result)
{
  Json json{{"kernel", result.kernel}, {"hash", result.hash}};
  json.update(gate::to_json(result.report));
  return json;
}

} // namespace hone::app
