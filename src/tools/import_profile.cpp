#include "tools/import_profile.h"

#include "gate/tool_run.h"
#include "tools/exports/exports.h"
#include "util/util.h"

#include <fmt/format.h>

#include <cstdlib>

namespace hone::tools {
namespace {

constexpr std::string_view k_sqlite = "SQLite format 3";
constexpr std::uintmax_t k_largest_csv = std::uintmax_t{256} << 20;

std::string find_ncu()
{
  const char* const path = std::getenv("PATH");
  std::error_code ignored;
  std::vector<std::string> folders = split(path == nullptr ? "" : path, ':');
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    if (!folder.empty() && fs::exists(fs::path(folder) / "ncu", ignored)) {
      return fs::path(folder) / "ncu";
    }
  }
  return "";
}

// NVIDIA's own format: only its tool reads it.
Result<std::string> csv_of_ncu_report(const fs::path& file, const std::string& bytes, std::stop_token stop)
{
  const std::string ncu = find_ncu();
  if (ncu.empty()) {
    return fail("reports of ncu are read by NVIDIA's tool, which is not installed here",
                fmt::format("where it is: ncu --import {} --csv --page raw > report.csv, then import that",
                            file.filename().string()),
                Place{file.string(), 0, 0});
  }
  std::error_code ignored;
  const fs::path tool = fs::canonical(ncu, ignored);
  backend::CompileJob job;
  job.files["report.ncu-rep"] = bytes;
  job.commands = {
    {"/bin/sh", "-c", fmt::format("{} --import report.ncu-rep --csv --page raw > report.csv", tool.string())}};
  job.outputs = {"report.csv"};
  job.readable = {tool.parent_path().parent_path()};
  HONE_TRY(gate::ToolRun run, gate::run_tool(job, std::move(stop)));
  if (!run.finished) {
    return fail("ncu cannot read the report: " + run.reason, split(run.log, '\n').front(), Place{file.string(), 0, 0});
  }
  return std::move(run.outputs["report.csv"]);
}

} // namespace

Result<Report> import_profile(const fs::path& file, std::stop_token stop)
{
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(file, problem);
  if (problem) {
    return fail("it cannot be read: " + problem.message(), "", Place{file.string(), 0, 0});
  }
  const std::string name = file.filename().string();
  std::string text;
  if (bytes <= k_largest_csv) {
    HONE_TRY(text, read_file(file));
  }
  const bool sqlite = file.extension() == ".sqlite" || file.extension() == ".db" || text.starts_with(k_sqlite);
  if (sqlite) {
    HONE_TRY(std::vector<ExportedKernel> kernels, kernels_from_sqlite(file));
    return report_of(name, std::move(kernels));
  }
  if (bytes > k_largest_csv) {
    return fail("it is larger than 256 MiB", "record fewer launches: ncu --launch-count 20",
                Place{file.string(), 0, 0});
  }
  if (file.extension() == ".ncu-rep") {
    HONE_TRY(text, csv_of_ncu_report(file, text, std::move(stop)));
  }
  auto kernels = kernels_from_csv(text);
  if (!kernels) {
    kernels.error().place = Place{file.string(), 0, 0};
    return std::unexpected(std::move(kernels.error()));
  }
  return report_of(name, std::move(*kernels));
}

} // namespace hone::tools
