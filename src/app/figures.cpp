#include "app/figures.h"

#include "record/machine_load.h"
#include "util/util.h"

#include <fmt/format.h>

namespace hone::app {

std::string ratio_text(double ratio)
{
  return ratio >= 100  ? fmt::format("{:.0f}x", ratio)
         : ratio >= 10 ? fmt::format("{:.1f}x", ratio)
                       : fmt::format("{:.3f}x", ratio);
}

namespace {

// What an interval lets us say of a ratio.
enum class Claim { exact, at_least, at_most, about };

Claim claim_of(double ratio, const Interval& ci95)
{
  constexpr double k_narrow = 0.1; // of the ratio, on either side
  if (ci95.low >= (1 - k_narrow) * ratio && ci95.high <= (1 + k_narrow) * ratio) {
    return Claim::exact;
  }
  return ci95.low > 1 ? Claim::at_least : ci95.high < 1 ? Claim::at_most : Claim::about;
}

} // namespace

std::string ratio_text(double ratio, const Interval& ci95)
{
  const std::string low = ratio_text(ci95.low), high = ratio_text(ci95.high);
  switch (claim_of(ratio, ci95)) {
  case Claim::exact:
    return fmt::format("{} [{}, {}]", ratio_text(ratio), low.substr(0, low.size() - 1),
                       high.substr(0, high.size() - 1));
  case Claim::at_least:
    return "at least " + low;
  case Claim::at_most:
    return "at most " + high;
  case Claim::about:
    break;
  }
  return fmt::format("about {} (uncertain)", ratio_text(ratio));
}

std::string short_ratio_text(double ratio, const Interval& ci95)
{
  switch (claim_of(ratio, ci95)) {
  case Claim::exact:
    return ratio_text(ratio);
  case Claim::at_least:
    return ">=" + ratio_text(ci95.low);
  case Claim::at_most:
    return "<=" + ratio_text(ci95.high);
  case Claim::about:
    break;
  }
  return "~" + ratio_text(ratio);
}

std::string time_text(const std::optional<record::TimeEstimate>& time)
{
  return time ? format_seconds(time->median) : "-";
}

std::string threads_text(int threads)
{
  return threads == 1 ? "one thread" : fmt::format("{} threads", threads);
}

std::string preparation_text(const std::string& whose, const record::TimeEstimate& time)
{
  return fmt::format("{} laid out ahead in {}, not in these times", whose, format_seconds(time.median));
}

std::string short_id(const std::string& id)
{
  return id.substr(0, 10);
}

std::string when_text(const std::string& time_utc)
{
  return replace_all(time_utc.substr(0, 19), "T", " ");
}

std::string busy_text(const record::Record& record, std::string_view what_was_done)
{
  const record::MachineLoad load = record::load_of(record.verdict, record.recipe_used.threads);
  return load.busy()
           ? fmt::format("{} on a busy machine (others took {:.0f} % of the CPU time): take its times with care",
                         what_was_done, 100 * load.share())
           : "";
}

std::string verdict_text(const record::Verdict& verdict)
{
  if (verdict.status != record::Status::correct) {
    return fmt::format("{}: {}", record::name_of(verdict.status), verdict.reason);
  }
  const std::string accuracy = record::accuracy_of(verdict);
  const std::string correct = accuracy.empty() ? "correct" : fmt::format("correct ({})", accuracy);
  if (verdict.comparisons.empty()) {
    return correct;
  }
  const record::ComparisonResult& comparison = verdict.comparisons.front();
  return fmt::format("{}, {} {}{}{}", correct, record::name_of(comparison.verdict),
                     ratio_text(comparison.ratio, comparison.ci95),
                     comparison.reason.empty() ? "" : " (" + comparison.reason + ")",
                     verdict.preparation() ? ", weights laid out ahead" : "");
}

} // namespace hone::app
