// hone tune: searches the tuning parameters of one checkpoint.
#include "tune/tune.h"

#include "cli/climb_view.h"
#include "cli/format.h"
#include "cli/optimizer.h"
#include "policy/tuned_space.h"
#include "tune/cache_file.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

struct TuneOptions {
  KernelOptions kernel;
  std::string checkpoint = "best";
  std::size_t points = 30;
  std::string cache; // file that all trials of the checkpoint are written to
};

// Written in any case: what an interrupted search measured is worth keeping, too.
Result<void> export_cache(Context& context, const PolicyContext& policy, const std::string& checkpoint,
                          const fs::path& file)
{
  if (file.empty()) {
    return {};
  }
  HONE_TRY(const StoredSpace space, tuned_space(policy, checkpoint));
  HONE_CHECK(write_cache_file(space, file));
  context.terminal.out(fmt::format("wrote {} points to {}", space.trials.size(), file.string()));
  return {};
}

Result<Exit> tune(Context& context, const TuneOptions& options)
{
  HONE_TRY(Climb climb, open_climb(context, options.kernel));
  ClimbView view(context.terminal, climb.bench.recipe.regime, climb.work.flops, climb.floor_s);
  HONE_TRY(PolicyContext policy, policy_context(context, climb, view));
  HONE_TRY(const Checkpoint from, climb.workflow.find(options.checkpoint));
  if (from.candidate.plan.tuning.parameters.empty()) {
    return fail(fmt::format("checkpoint {} has no tuning parameters", short_id(from.id)),
                "apply a transformation that brings some (hone transforms list), or tune another checkpoint");
  }
  view.heading();
  HONE_TRY(const std::string best_id, tune_checkpoint(policy, from.id, options.points));
  HONE_TRY(const Checkpoint best, climb.workflow.find(best_id));
  context.terminal.clear_status();
  HONE_CHECK(export_cache(context, policy, from.id, options.cache));
  if (best.id == from.id) {
    context.terminal.out(fmt::format("no point of {} is faster than {}", short_id(from.id), to_text(from.point)));
  } else {
    context.terminal.out(
      fmt::format("{}: {}\n{}", short_id(best.id), to_text(best.point), verdict_text(best.record.verdict)));
  }
  context.print_json({{"from", from.id},
                      {"checkpoint", best.id},
                      {"improved", best.id != from.id},
                      {"point", point_json(best.point)},
                      {"record", to_json(best.record)}});
  return context.stop.stop_requested() ? Exit::interrupted : Exit::ok;
}

} // namespace

void add_tune(CommandLine& line)
{
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = line.add("tune", "Search the tuning parameters of a checkpoint",
                               {"hone tune kernels/matmul best --points 50 --strategy exhaustive",
                                "hone tune kernels/matmul best --points 0 --export-cache matmul.json"},
                               [options](Context& context) { return tune(context, *options); });
  add_kernel_options(line, command, options->kernel);
  command->add_option("CHECKPOINT", options->checkpoint, "id, prefix, branch, best or start");
  command->add_option("--points", options->points, "points to try at most");
  command->add_option("--export-cache", options->cache,
                      "write all trials of the checkpoint, of earlier runs too, in Kernel Tuner's cache format");
  line.add_setting(command, "strategy", "one of: " + join(strategy_names(), ", "));
  line.add_setting(command, "budget", "seconds for the whole search");
}

} // namespace hone::cli
