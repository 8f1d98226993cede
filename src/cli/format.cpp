#include "cli/format.h"

#include <fmt/format.h>

namespace hone::cli {

Tone tone_of(record::Status status)
{
  return status == record::Status::correct ? Tone::good : Tone::bad;
}

std::string evidence_text(const Terminal& terminal, const record::Verdict& verdict)
{
  std::string text;
  for (const record::CheckResult& check : verdict.checks) {
    text +=
      fmt::format("  {} {}{}\n", check.passed ? terminal.paint(Tone::good, "pass") : terminal.paint(Tone::bad, "FAIL"),
                  check.name, check.detail.empty() ? "" : ": " + check.detail);
  }
  if (!verdict.log.empty()) {
    text += verdict.log;
  }
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

} // namespace hone::cli
