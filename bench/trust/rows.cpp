#include "rows.h"

#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace hone {

namespace {

std::string today()
{
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", 1900 + parts.tm_year, 1 + parts.tm_mon, parts.tm_mday);
}

std::string commit()
{
  ProcessRequest request;
  request.argv = {"git", "-C", share_folder().string(), "describe", "--always", "--dirty"};
  const auto outcome = run_process(request);
  return outcome && outcome->ok() ? std::string(trim(outcome->out)) : "unknown";
}

std::string machine()
{
  const auto backend = backend::find_backend("cpu");
  const auto device = backend ? (*backend)->probe() : Result<backend::DeviceInfo>(fail("no backend"));
  return device ? device->name : "unknown";
}

// Commas and quotes would end a cell.
std::string cell(const std::string& text)
{
  return '"' + replace_all(text, "\"", "'") + '"';
}

std::string clocks(const record::Explanation& explanation)
{
  if (!explanation.machine || explanation.machine->clocks_ghz.empty()) {
    return ",";
  }
  const auto [low, high] = std::ranges::minmax(explanation.machine->clocks_ghz);
  return fmt::format("{:.3f},{:.3f}", low, high);
}

} // namespace

void print_head(int argc, const char* const* argv)
{
  std::string command = "build/ci/bin/bench_trust";
  for (int i = 1; i < argc; ++i) {
    command += fmt::format(" {}", argv[i]);
  }
  fmt::print("# command: {}\n# machine: {}\n# date: {}\n# commit: {}\n", command, machine(), today(), commit());
}

void print_row_heading()
{
  fmt::print(
    "study,subject,neighbour,regime,call_s,true_ratio,ratio_of_blocks,verdict,ratio,low,high,pairs,rule,left_out,"
    "quads,cpu_missing,stolen_s,clock_low_ghz,clock_high_ghz,seconds,reason\n");
}

void print_row(const TrustRow& row, const record::ComparisonResult& result)
{
  const record::Explanation explanation = result.explanation.value_or(record::Explanation{});
  int quads = 0, left_out = 0;
  for (const record::PairEvidence& pair : explanation.pairs) {
    quads += pair.quads + pair.left_out;
    left_out += pair.left_out;
  }
  const auto stolen = explanation.machine ? explanation.machine->stolen_s : std::nullopt;
  fmt::print("{},{},{},{},{:.3g},{:.6g},{:.6f},{},{:.6f},{:.6f},{:.6f},{},{},{},{},{:.5f},{},{},{:.4f},{}\n", row.study,
             row.subject, row.neighbour, record::name_of(result.regime), row.call_s, row.true_ratio,
             row.ratio_of_blocks, record::name_of(result.verdict), result.ratio, result.ci95.low, result.ci95.high,
             result.pair_ratios.size(), explanation.rule, left_out, quads, explanation.cpu_missing,
             stolen ? fmt::format("{:.3f}", *stolen) : "", clocks(explanation), row.seconds, cell(result.reason));
  std::fflush(stdout);
}

} // namespace hone
