#include "hone_runs.h"

#include <fmt/format.h>

namespace hone {

namespace {

fs::path hone_program()
{
  return fs::read_symlink("/proc/self/exe").parent_path() / "hone";
}

Result<Json> ask(const std::vector<std::string>& words, std::chrono::seconds deadline)
{
  ProcessRequest request;
  request.argv = {hone_program().string()};
  request.argv.insert(request.argv.end(), words.begin(), words.end());
  request.argv.push_back("--json");
  request.deadline = deadline;
  request.output_cap = std::size_t{64} << 20;
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  if (!outcome.ok()) {
    return fail(fmt::format("`{}` ended with {}: {}", join(request.argv, " "), outcome.exit_status, outcome.err));
  }
  return parse_json(outcome.out, words.front());
}

} // namespace

Result<Json> climb(const HoneRun& run, int budget_s)
{
  return ask({"optimize", run.folder.string(), "--regime", run.regime, "--budget", std::to_string(budget_s),
              "--threads", std::to_string(run.threads)},
             std::chrono::seconds(10 * budget_s + 600));
}

Result<std::vector<RivalFigure>> compare_with_libraries(const HoneRun& run)
{
  HONE_TRY(const Json answer, ask({"compare", "best", "libraries", "--kernel", run.folder.string(), "--regime",
                                   run.regime, "--threads", std::to_string(run.threads)},
                                  std::chrono::seconds(900)));
  std::vector<RivalFigure> figures;
  for (const Json& rival : answer.at("against")) {
    std::string library = rival.at("library").get<std::string>(); // a field of the CSV: no commas
    std::erase(library, ',');
    for (const Json& comparison : rival.at("comparisons")) {
      figures.push_back({library, comparison.at("regime").get<std::string>(), comparison.at("ratio").get<double>(),
                         comparison.at("pair_ratios").get<std::vector<double>>(),
                         comparison.at("candidate").at("median").get<double>()});
    }
  }
  return figures;
}

Result<double> measured_ceiling(const std::string& type)
{
  HONE_TRY(const Json device, ask({"device", "--measure"}, std::chrono::seconds(120)));
  return device.at("ceilings").at("gflops").at(type).get<double>();
}

} // namespace hone
