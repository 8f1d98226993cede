// hone export: the path to a checkpoint as one file, with the kernel and what a model answered on the way.
#include "app/export.h"

#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> export_to_file(Context& context, const ExportRequest& request)
{
  HONE_TRY(const ExportResult result, export_path(context, request));
  context.terminal.out(fmt::format("{}: {} checkpoints of {} on {}, {} answers of a model, {}", result.file.string(),
                                   result.checkpoints.size(), result.kernel, result.backend, result.answers,
                                   format_bytes(static_cast<double>(result.bytes))));
  context.terminal.out(fmt::format("repeat it anywhere with: hone replay {}", result.file.string()));
  context.print_json(to_json(result));
  return Exit::ok;
}

} // namespace

void add_export(CommandLine& line)
{
  auto options = std::make_shared<ExportRequest>();
  CLI::App* command =
    line.add("export", "Write the path to a checkpoint into one file that others can replay",
             {"hone export kernels/matmul                          # matmul-cpu.hone: the path to the best",
              "hone export kernels/matmul wide-tiles --out wide.hone"},
             [options](Context& context) { return export_to_file(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "where the path ends: id, prefix, branch, best or start");
  command->add_option("--out", options->out, "the file (KERNEL-BACKEND.hone)");
  command->add_flag("--force", options->force, "write over a file that is there");
}

} // namespace hone::cli
