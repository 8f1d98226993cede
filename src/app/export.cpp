#include "app/export.h"

#include "app/model_setup.h"
#include "bundle/bundle.h"

#include <fmt/format.h>

namespace hone::app {

Result<ExportResult> export_path(Context& context, const ExportRequest& request)
{
  HONE_TRY(const Workbench bench, open_workbench(context, request.kernel));
  HONE_TRY(const store::Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const store::Checkpoint last, workflow.find(request.checkpoint));
  ExportResult result;
  HONE_TRY(result.checkpoints, workflow.path_to(last.id));
  HONE_TRY(const bundle::Bundle bundle, bundle::collect_bundle(*bench.kernel, bench.backend->dialect(), workflow,
                                                               result.checkpoints, answer_store(bench)));
  HONE_TRY(const std::string bytes, bundle::bundle_bytes(bundle));
  result.file = request.out.empty()
                  ? fmt::format("{}-{}{}", bench.kernel->name, bench.backend->name(), bundle::k_bundle_ending)
                  : request.out;
  std::error_code ignored;
  if (fs::exists(result.file, ignored) && !request.force) {
    return fail(fmt::format("{} is there already", result.file.string()), "give another name with --out, or --force",
                Place{"--out", 0, 0});
  }
  HONE_CHECK(write_file(result.file, bytes));
  for (const bundle::BundledStep& step : bundle.steps) {
    result.answers += step.exchange ? step.exchange->answers.size() : 0;
  }
  result.kernel = bundle.kernel_name;
  result.backend = bundle.dialect.name;
  result.bytes = bytes.size();
  return result;
}

Json to_json(const ExportResult& result)
{
  return {{"file", result.file.string()},      {"kernel", result.kernel},   {"backend", result.backend},
          {"checkpoints", result.checkpoints}, {"answers", result.answers}, {"bytes", result.bytes}};
}

} // namespace hone::app
