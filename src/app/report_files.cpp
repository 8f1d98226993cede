#include "app/report_files.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

double floor_if_known(const Workbench& bench, const Recipe& recipe)
{
  const auto device = bench.backend->probe();
  const auto ceilings = device ? load_ceilings(ceilings_file(bench.backend->name()), device->fingerprint)
                               : Result<Ceilings>(std::unexpected(device.error()));
  return ceilings ? floor_seconds(*bench.kernel, recipe.sizes, *ceilings, recipe.threads) : 0;
}

} // namespace

Result<ReportInput> gather_report(const Workbench& bench, const Workflow& workflow, std::optional<double> floor_s)
{
  ReportInput input;
  input.kernel_name = bench.kernel->name;
  input.kernel_summary = bench.kernel->summary;
  input.expression = bench.kernel->expression_text;
  input.backend = bench.backend->name();
  if (const auto device = bench.backend->probe()) {
    input.device = device->name;
    input.environment = device->facts;
    input.environment["fingerprint"] = device->fingerprint;
  }
  for (const IsolationLayer& layer : isolation_layers()) {
    input.environment["isolation: " + layer.name] = layer.active ? "active" : "not active: " + layer.detail;
  }
  input.recipe = bench.recipe;
  HONE_TRY(input.checkpoints, workflow.checkpoints());
  HONE_TRY(input.steps, workflow.steps());
  HONE_TRY(input.spent, workflow.spent());
  if (input.checkpoints.empty()) {
    return fail("this workflow has no checkpoint yet",
                fmt::format("run: hone optimize {}", bench.kernel->folder.string()));
  }
  input.start = input.checkpoints.front().id;
  HONE_TRY(const auto best, workflow.best());
  input.best = best ? best->id : input.start;
  for (const Checkpoint& checkpoint : input.checkpoints) {
    if (!checkpoint.parent.empty()) {
      if (auto diff = workflow.diff(checkpoint.parent, checkpoint.id)) { // none to a parent that is damaged
        input.diffs[checkpoint.id] = std::move(*diff);
      }
    }
    if (checkpoint.id == input.best) {
      input.baselines = baseline_figures(input.steps, checkpoint.record.candidate);
      input.recipe = checkpoint.record.recipe_used;
    }
  }
  std::erase_if(input.steps, is_baseline); // they have a table of their own
  HONE_TRY(const Work work, work_of(*bench.kernel, input.recipe.sizes));
  input.flops = work.flops;
  input.floor_s = floor_s ? *floor_s : floor_if_known(bench, input.recipe);
  return input;
}

bool is_baseline(const Step& step)
{
  return step.record.transformation.starts_with(k_baseline_step);
}

std::vector<BaselineFigure> baseline_figures(const std::vector<Step>& steps, const std::string& best_candidate)
{
  std::vector<BaselineFigure> figures;
  for (const Step& step : steps) {
    const Record& record = step.record;
    if (record.candidate != best_candidate || !is_baseline(step) || record.verdict.comparisons.empty()) {
      continue;
    }
    // "baseline NAME (SETTING)"
    const std::string rival = record.transformation.substr(k_baseline_step.size() + 1);
    const std::size_t open = rival.find(" (");
    const std::string setting = open == std::string::npos ? "" : rival.substr(open + 2, rival.size() - open - 3);
    const ComparisonResult& comparison = record.verdict.comparisons.front();
    BaselineFigure figure{rival.substr(0, open), setting, comparison.ratio, comparison.ci95};
    std::erase_if(figures, [&](const BaselineFigure& old) { return old.name == figure.name; });
    figures.push_back(std::move(figure));
  }
  return figures;
}

Result<fs::path> write_html_report(const Workbench& bench, const Workflow& workflow, double floor_s, fs::path path)
{
  HONE_TRY(const ReportInput input, gather_report(bench, workflow, floor_s));
  if (path.empty()) {
    path = workflow.folder() / "report.html";
  }
  HONE_CHECK(write_file(path, html_report(input)));
  return path;
}

} // namespace hone::app
