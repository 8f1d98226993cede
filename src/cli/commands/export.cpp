// hone export: the path to a checkpoint as one file, with the kernel and what a model answered on the way.
#include "bundle/bundle.h"
#include "cli/format.h"
#include "cli/model_options.h"
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct ExportOptions {
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::string out;
  bool force = false;
};

Result<Exit> export_path(Context& context, const ExportOptions& options)
{
  HONE_TRY(const Workbench bench, open_workbench(context, options.kernel));
  HONE_TRY(const Workflow workflow, open_existing_workflow(bench));
  HONE_TRY(const Checkpoint last, workflow.find(options.checkpoint));
  HONE_TRY(const std::vector<std::string> path, workflow.path_to(last.id));
  HONE_TRY(const Bundle bundle,
           collect_bundle(*bench.kernel, bench.backend->dialect(), workflow, path, answer_store(bench)));
  HONE_TRY(const std::string bytes, bundle_bytes(bundle));
  const fs::path file = options.out.empty()
                          ? fmt::format("{}-{}{}", bench.kernel->name, bench.backend->name(), k_bundle_ending)
                          : options.out;
  std::error_code ignored;
  if (fs::exists(file, ignored) && !options.force) {
    return fail(fmt::format("{} is there already", file.string()), "give another name with --out, or --force",
                Place{"--out", 0, 0});
  }
  HONE_CHECK(write_file(file, bytes));
  std::size_t answers = 0;
  for (const BundledStep& step : bundle.steps) {
    answers += step.exchange ? step.exchange->answers.size() : 0;
  }
  context.terminal.out(fmt::format("{}: {} checkpoints of {} on {}, {} answers of a model, {}", file.string(),
                                   bundle.steps.size(), bundle.kernel_name, bundle.dialect.name, answers,
                                   format_bytes(static_cast<double>(bytes.size()))));
  context.terminal.out(fmt::format("repeat it anywhere with: hone replay {}", file.string()));
  context.print_json({{"file", file.string()},
                      {"kernel", bundle.kernel_name},
                      {"backend", bundle.dialect.name},
                      {"checkpoints", path},
                      {"answers", answers},
                      {"bytes", bytes.size()}});
  return Exit::ok;
}

} // namespace

void add_export(CommandLine& line)
{
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
    line.add("export", "Write the path to a checkpoint into one file that others can replay",
             {"hone export kernels/matmul                          # matmul-cpu.hone: the path to the best",
              "hone export kernels/matmul wide-tiles --out wide.hone"},
             [options](Context& context) { return export_path(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "where the path ends: id, prefix, branch, best or start");
  command->add_option("--out", options->out, "the file (KERNEL-BACKEND.hone)");
  command->add_flag("--force", options->force, "write over a file that is there");
}

} // namespace hone::cli
