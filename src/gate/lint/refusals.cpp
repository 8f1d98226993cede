#include "gate/lint/refusals.h"

#include <fmt/format.h>

namespace hone::gate {
namespace {

std::string place_of(const LintRow& row)
{
  return fmt::format("{} values{}{}", row.values, row.sizes.empty() ? "" : " at ", kernel::to_text(row.sizes));
}

std::string passes(const LintRow& row)
{
  if (row.noticed > 0) {
    return fmt::format("'{}' with {} passes in {} of {} calls: {}", row.output, row.subject, row.calls - row.noticed,
                       row.calls, row.reason);
  }
  const std::string nearest =
    row.error > 0 ? fmt::format("; at most {:.2g} of the bound off, with {}", row.error, place_of(row)) : "";
  return fmt::format("'{}' with {} passes in all {} calls{}: {}", row.output, row.subject, row.calls, nearest,
                     row.reason);
}

std::string ignored(const LintRow& row)
{
  return fmt::format(
    "no output depends on '{}': changing it alone never changes a result beyond its bound, in {} calls: "
    "{}",
    row.subject, row.calls, row.reason);
}

std::string fails(const LintRow& row)
{
  return fmt::format(
    "an honest implementation ({}) fails in {} of {} calls, first with {}: {}: the bounds are too tight", row.subject,
    row.noticed, row.calls, place_of(row), row.reason);
}

} // namespace

std::vector<std::string> refusals_of(const LintReport& report)
{
  std::vector<std::string> out;
  const auto is_refused = [](const LintRow& row) { return row.outcome == LintRow::Outcome::refused; };
  for (const LintRow& row : report.degenerate) {
    if (is_refused(row)) {
      out.push_back(passes(row));
    }
  }
  for (const LintRow& row : report.inputs) {
    if (is_refused(row)) {
      out.push_back(ignored(row));
    }
  }
  for (const LintRow& row : report.honest) {
    if (is_refused(row)) {
      out.push_back(fails(row));
    }
  }
  return out;
}

} // namespace hone::gate
