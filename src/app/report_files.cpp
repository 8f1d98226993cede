#include "app/report_files.h"

#include <fmt/format.h>

namespace hone::app {

namespace {

// Sets nothing where this device's ceilings were never measured.
void add_roof(const Workbench& bench, report::ReportInput& input)
{
  const auto device = bench.backend->probe();
  const auto ceilings = device ? gate::load_ceilings(gate::ceilings_file(bench.backend->name()), device->fingerprint)
                               : Result<gate::Ceilings>(std::unexpected(device.error()));
  if (!ceilings) {
    return;
  }
  const record::Recipe& recipe = input.recipe;
  const gate::Roof roof = gate::roof_of(*bench.kernel, recipe.sizes, *ceilings, recipe.threads, recipe.regime);
  input.floor_s = roof.seconds;
  input.roofline = {.gflops = roof.gflops, .gbytes = {}, .bytes = roof.bytes, .bound_by = roof.level};
  for (const auto& [level, gbytes] : ceilings->gbytes) {
    input.roofline.gbytes[level] = recipe.threads * gbytes;
  }
}

} // namespace

Result<report::ReportInput> gather_report(const Workbench& bench, const store::Workflow& workflow,
                                          std::optional<double> floor_s)
{
  report::ReportInput input;
  input.kernel_name = bench.kernel->name;
  input.kernel_summary = bench.kernel->summary;
  input.expression = bench.kernel->expression_text;
  input.accuracy = kernel::accuracy_text(*bench.kernel);
  input.backend = bench.backend->name();
  if (const auto device = bench.backend->probe()) {
    input.device = device->name;
    input.environment = device->facts;
    input.environment["fingerprint"] = device->fingerprint;
  }
  for (const gate::IsolationLayer& layer : gate::isolation_layers()) {
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
  for (const store::Checkpoint& checkpoint : input.checkpoints) {
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
  HONE_TRY(const kernel::Work work, kernel::work_of(*bench.kernel, input.recipe.sizes));
  input.flops = work.flops;
  add_roof(bench, input);
  input.floor_s = floor_s.value_or(input.floor_s);
  return input;
}

bool is_baseline(const store::Step& step)
{
  return step.record.transformation.starts_with(policy::k_baseline_step);
}

std::vector<report::BaselineFigure> baseline_figures(const std::vector<store::Step>& steps,
                                                     const std::string& best_candidate)
{
  std::vector<report::BaselineFigure> figures;
  for (const store::Step& step : steps) {
    const record::Record& record = step.record;
    if (record.candidate != best_candidate || !is_baseline(step) || record.verdict.comparisons.empty()) {
      continue;
    }
    // "baseline NAME (SETTING)"
    const std::string rival = record.transformation.substr(policy::k_baseline_step.size() + 1);
    const std::size_t open = rival.find(" (");
    const std::string setting = open == std::string::npos ? "" : rival.substr(open + 2, rival.size() - open - 3);
    const record::ComparisonResult& comparison = record.verdict.comparisons.front();
    report::BaselineFigure figure{rival.substr(0, open), setting, comparison.ratio, comparison.ci95};
    std::erase_if(figures, [&](const report::BaselineFigure& old) { return old.name == figure.name; });
    figures.push_back(std::move(figure));
  }
  return figures;
}

Result<fs::path> write_html_report(const Workbench& bench, const store::Workflow& workflow, double floor_s,
                                   fs::path path)
{
  HONE_TRY(const report::ReportInput input, gather_report(bench, workflow, floor_s));
  if (path.empty()) {
    path = workflow.folder() / "report.html";
  }
  HONE_CHECK(write_file(path, report::html_report(input)));
  return path;
}

} // namespace hone::app
