#include "tools/mca.h"

#include "gate/tool_run.h"
#include "util/fs.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>

namespace hone::tools {
namespace {

constexpr int k_rounds = 100;
constexpr int k_newest = 30, k_oldest = 13; // versions of LLVM
constexpr std::size_t k_most_ports = 8, k_most_chain = 6;
constexpr const char* k_loop_file = "loop.s";
constexpr const char* k_result_file = "mca.txt";

// "Total Cycles:      411" -> 411; 0 where it is not there.
double figure_after(std::string_view text, std::string_view words)
{
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return 0;
  }
  const std::string_view rest = trim(text.substr(at + words.size(), 32));
  double number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

// Names in the order of the columns of "Resource pressure per iteration".
std::vector<std::string> resource_names(std::string_view text)
{
  std::vector<std::string> names;
  const std::size_t begin = text.find("\nResources:\n");
  if (begin == std::string_view::npos) {
    return names;
  }
  for (const std::string& line : split(text.substr(begin + 12), '\n')) {
    const std::size_t dash = line.find("- ");
    if (!line.starts_with('[') || dash == std::string::npos) {
      break;
    }
    names.emplace_back(trim(std::string_view(line).substr(dash + 2)));
  }
  return names;
}

std::vector<std::pair<std::string, double>> pressure(std::string_view text)
{
  const std::vector<std::string> names = resource_names(text);
  std::vector<std::pair<std::string, double>> ports;
  const std::size_t begin = text.find("Resource pressure per iteration:\n");
  if (begin == std::string_view::npos) {
    return ports;
  }
  const std::vector<std::string> lines = split(text.substr(begin), '\n');
  std::size_t column = 0;
  std::string_view left = lines.size() > 2 ? lines[2] : std::string_view();
  while (!(left = trim(left)).empty() && column < names.size()) {
    const std::size_t end = std::min(left.find_first_of(" \t"), left.size());
    double cycles = 0;
    std::from_chars(left.data(), left.data() + end, cycles);
    if (cycles > 0) {
      ports.emplace_back(names[column], cycles);
    }
    ++column;
    left.remove_prefix(end);
  }
  std::ranges::stable_sort(ports, std::greater(), &std::pair<std::string, double>::second);
  ports.resize(std::min(ports.size(), k_most_ports));
  return ports;
}

// Instructions that the critical sequence passes through: those with a dependency on the one before.
std::vector<std::string> chain(std::string_view text)
{
  static const std::regex link(R"(^ [+|]-*> +\d+\.\s+(.*?)\s+## (REGISTER|MEMORY) dependency.*)");
  std::vector<std::string> list;
  for (const std::string& line : split(text, '\n')) {
    std::smatch parts;
    if (std::regex_match(line, parts, link)) {
      const std::string instruction = replace_all(parts[1], "\t", " ");
      if (std::ranges::find(list, instruction) == list.end() && list.size() < k_most_chain) {
        list.push_back(instruction);
      }
    }
  }
  return list;
}

std::string first_error(const std::string& log)
{
  for (const std::string& line : split(log, '\n')) {
    if (line.contains("error:")) {
      return line;
    }
  }
  return log;
}

} // namespace

std::optional<std::string> find_mca()
{
  for (int version = k_newest; version >= k_oldest; --version) {
    const std::string path = fmt::format("/usr/bin/llvm-mca-{}", version);
    std::error_code ignored;
    if (fs::exists(path, ignored)) {
      return path;
    }
  }
  return std::nullopt;
}

Result<McaResult> parse_mca(std::string_view text, int rounds)
{
  McaResult result;
  result.cycles = figure_after(text, "Total Cycles:") / rounds;
  result.throughput_cycles = figure_after(text, "Block RThroughput:");
  result.ipc = figure_after(text, "IPC:");
  result.ports = pressure(text);
  result.critical = chain(text);
  if (result.cycles <= 0 || result.throughput_cycles <= 0) {
    return fail("llvm-mca printed no figures", std::string(text.substr(0, 200)));
  }
  return result;
}

Result<McaResult> run_mca(const std::string& loop, const std::string& cpu, std::stop_token stop)
{
  const auto program = find_mca();
  if (!program) {
    return fail("llvm-mca is not installed", "apt-get install llvm-19");
  }
  backend::CompileJob job;
  job.files[k_loop_file] = loop;
  job.commands = {{*program, "-mcpu=" + cpu, "--bottleneck-analysis", fmt::format("--iterations={}", k_rounds),
                   k_loop_file, "-o", k_result_file}};
  job.outputs = {k_result_file};
  HONE_TRY(const gate::ToolRun run, gate::run_tool(job, std::move(stop)));
  if (!run.finished) {
    return fail("llvm-mca does not know the loop: " + first_error(run.log.empty() ? run.reason : run.log),
                "name a processor that has these instructions: cpu=znver4, cpu=sapphirerapids");
  }
  HONE_TRY(McaResult result, parse_mca(run.outputs.at(k_result_file), k_rounds));
  result.cpu = cpu;
  return result;
}

} // namespace hone::tools
