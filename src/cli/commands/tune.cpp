// hone tune: searches the tuning parameters of one checkpoint.
#include "tune/tune.h"

#include "app/tune_parameters.h"
#include "cli/format.h"
#include "cli/kernel_options.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Result<Exit> tune(Context& context, const TuneRequest& request)
{
  HONE_TRY(const TuneResult result, tune_parameters(context, request));
  const Terminal& terminal = context.terminal;
  if (!request.cache.empty()) {
    terminal.out(fmt::format("wrote {} points to {}", result.exported, request.cache));
  }
  if (result.improved()) {
    terminal.out(fmt::format("{}: {}\n{}", short_id(result.best.id), kernel::to_text(result.best.point),
                             verdict_text(result.best.record.verdict)));
  } else {
    terminal.out(
      fmt::format("no point of {} is faster than {}", short_id(result.from.id), kernel::to_text(result.from.point)));
  }
  context.print_json(to_json(result));
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

} // namespace

void add_tune(CommandLine& line)
{
  auto options = std::make_shared<TuneRequest>();
  CLI::App* command = line.add("tune", "Search the tuning parameters of a checkpoint",
                               {"hone tune kernels/matmul best --points 50 --strategy exhaustive",
                                "hone tune kernels/matmul best --points 0 --export-cache matmul.json"},
                               [options](Context& context) { return tune(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "id, prefix, branch, best or start");
  command->add_option("--points", options->points, "points to try at most");
  command->add_option("--export-cache", options->cache,
                      "write all trials of the checkpoint, of earlier runs too, in Kernel Tuner's cache format");
  line.add_setting(command, "strategy", "one of: " + join(tune::strategy_names(), ", "));
  line.add_setting(command, "budget", "seconds for the whole search");
}

} // namespace hone::cli
