#include "gate/lint.h"

#include "gate/gate_state.h"
#include "gate/lint/controls.h"
#include "gate/lint/degenerate_proof.h"
#include "gate/lint/refusals.h"
#include "gate/lint/wide_tolerance.h"
#include "kernel/reference_source.h"
#include "util/hash.h"

#include <fmt/format.h>

#include <cmath>

namespace hone::gate {
namespace {

// The file that a kernel's pass is remembered by: the kernel (its start too, where that is the reference) and its
// bounds are in its name, k_lint_version stands for the rest.
fs::path file_of_pass(const kernel::Kernel& kernel, const fs::path& cache)
{
  std::string identity = fmt::format("lint {} {}\n", k_lint_version, kernel.hash);
  if (kernel.reference == kernel::ReferenceKind::expression) {
    identity += kernel::reference_source(kernel, kernel::as_contraction(kernel)); // the bounds
  }
  return cache / "lint" / sha256(identity);
}

void remember_pass(const kernel::Kernel& kernel, const fs::path& cache)
{
  if (cache.empty()) {
    return;
  }
  const fs::path file = file_of_pass(kernel, cache);
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  // A cache that cannot be written costs time, not results.
  [[maybe_unused]] const auto written = write_file(file, kernel.name + " has passed\n");
}

bool has_passed(const kernel::Kernel& kernel, const fs::path& cache)
{
  std::error_code ignored;
  return !cache.empty() && fs::exists(file_of_pass(kernel, cache), ignored);
}

// The same for a kernel each time: a kernel is not refused by bad luck.
std::uint64_t seed_of(const kernel::Kernel& kernel)
{
  return std::stoull(sha256("lint " + kernel.hash).substr(0, 16), nullptr, 16);
}

Json to_json(const std::vector<LintRow>& rows, const char* subject, bool honest = false)
{
  Json list = Json::array();
  for (const LintRow& row : rows) {
    Json entry{{subject, row.subject}};
    if (!row.output.empty()) {
      entry["output"] = row.output;
    }
    entry["outcome"] = name_of(row.outcome);
    entry["reason"] = row.reason;
    entry["calls"] = row.calls;
    entry["noticed"] = row.noticed;
    if (honest) {
      entry["excused"] = row.excused;
    }
    entry["values"] = row.calls > 0 ? Json(row.values) : Json(nullptr);
    entry["sizes"] = row.calls > 0 ? Json(row.sizes) : Json(nullptr);
    entry["error"] = row.calls > 0 && std::isfinite(row.error) ? Json(row.error) : Json(nullptr);
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace

std::string_view name_of(LintRow::Outcome outcome)
{
  switch (outcome) {
  case LintRow::Outcome::proven:
    return "proven";
  case LintRow::Outcome::not_applicable:
    return "not applicable";
  case LintRow::Outcome::refused:
    return "refused";
  }
  return "?";
}

Result<LintReport> lint_kernel(const kernel::Kernel& kernel, const LintOptions& options)
{
  const auto begin = std::chrono::steady_clock::now();
  HONE_CHECK(prepare_sessions());
  HONE_TRY(const backend::Backend* backend, backend::find_backend("cpu"));
  HONE_TRY(const backend::DeviceInfo device, backend->probe());
  HONE_TRY(References references, references_for(kernel, environment_of(*backend, device), options.cache));
  Random random(seed_of(kernel));
  HONE_TRY(const LintTrials trials, draw_lint_trials(kernel, random));
  LintReport report;
  report.remark = trials.remark;
  for (const LintTrial& trial : trials.all) {
    report.sizes.push_back(trial.sizes);
  }
  HONE_CHECK(prove_degenerate(kernel, references, trials, options, random, report));
  HONE_CHECK(prove_tolerance(kernel, references, options, random, report));
  HONE_TRY(std::vector<LintRow> honest, prove_controls(kernel, references, trials, options, random));
  report.honest.insert(report.honest.end(), honest.begin(), honest.end());
  report.refusals = refusals_of(report);
  if (report.passed() && !report.sizes.empty()) { // where nothing was tried, nothing is proven
    remember_pass(kernel, options.cache);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  report.seconds = elapsed.count();
  return report;
}

Result<std::string> require_lint(const kernel::Kernel& kernel, const LintOptions& options)
{
  if (has_passed(kernel, options.cache)) {
    return "";
  }
  HONE_TRY(const LintReport report, lint_kernel(kernel, options));
  if (report.passed()) {
    return report.sizes.empty() ? report.remark : "";
  }
  const std::size_t more = report.refusals.size() - 1;
  return fail(fmt::format("kernel '{}' is refused, its check would pass wrong candidates or fail right ones: {}{}",
                          kernel.name, report.refusals.front(), more > 0 ? fmt::format(" (and {} more)", more) : ""),
              fmt::format("`hone lint {}` shows all that was tried; docs/kernel-authors.md says what to do",
                          kernel.folder.empty() ? kernel.name : kernel.folder.string()),
              {(kernel.folder / "kernel.toml").string(), 0, 0});
}

Json to_json(const LintReport& report)
{
  return {{"passed", report.passed()},
          {"refusals", report.refusals},
          {"sizes", report.sizes},
          {"remark", report.remark},
          {"solutions", to_json(report.degenerate, "solution")},
          {"inputs", to_json(report.inputs, "input")},
          {"honest", to_json(report.honest, "implementation", true)},
          {"seconds", report.seconds}};
}

} // namespace hone::gate
