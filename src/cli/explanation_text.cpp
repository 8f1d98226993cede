#include "cli/explanation_text.h"

#include "cli/format.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::cli {

using namespace app;

namespace {

std::string line(std::string_view word, const std::string& text)
{
  return fmt::format("  {:<12} {}", word, text);
}

// "+3.41 %" of a ratio.
std::string beyond_one(double ratio)
{
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string counted(int count, std::string_view one)
{
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string rule_text(const record::Explanation& explanation)
{
  if (explanation.rule == "full") {
    return "the full rule (four or eight pairs of fresh runners, ABBA quads of blocks)";
  }
  if (explanation.rule == "twofold") {
    return "the rule for what is 2x apart (three blocks per arm and pair)";
  }
  if (explanation.rule == "searching") {
    return "the searching rule (long calls that lie far apart, nothing is published: one call per arm and pair)";
  }
  return "the slow-call rule (calls above half a second: one call per arm and pair)";
}

std::string round_text(const record::Round& round)
{
  const std::string verdict =
    fmt::format("{} ({}) say {}", counted(round.pairs, "pair"), round.rule, record::name_of(round.verdict));
  return round.then.empty() ? verdict : verdict + "; " + round.then;
}

std::string pair_text(const record::PairEvidence& pair)
{
  std::string text = fmt::format("{} ({})", ratio_text(pair.ratio), beyond_one(pair.ratio));
  if (pair.quads > 1) {
    text += fmt::format(", its quads scatter by {:.2f} %", 100 * pair.spread);
  }
  text += fmt::format("; {}, {}", counted(pair.blocks, "block"), counted(pair.calls, "call"));
  if (pair.left_out > 0) {
    text += fmt::format("; {} left out, with which it says {}", counted(pair.left_out, "quad"),
                        beyond_one(pair.ratio_with_all));
  }
  return text;
}

std::string thresholds_text(const record::Explanation& explanation)
{
  std::string text = fmt::format("FAST or SLOW: every pair beyond {:.3g} % on one side", 100 * explanation.agreement);
  if (explanation.raised()) {
    text += fmt::format(" ({:.3g} %, and twice what disturbed the measurement)", 100 * explanation.least_agreement);
  }
  if (explanation.same_band > 0) {
    text += fmt::format("; SAME: the 99 % interval of all quads within {:.3g} %", 100 * explanation.same_band);
    if (explanation.quads_ci99) {
      text += fmt::format(", here {} to {}", beyond_one(explanation.quads_ci99->low),
                          beyond_one(explanation.quads_ci99->high));
    }
  } else {
    text += "; this rule never says SAME";
  }
  return text;
}

std::string interval_text(const record::ComparisonResult& comparison)
{
  const std::size_t pairs = comparison.pair_ratios.size();
  if (pairs < 2) {
    return "none: one pair has no spread";
  }
  return fmt::format("{} to {} (95 %, Student's t over {} pairs)", ratio_text(comparison.ci95.low),
                     ratio_text(comparison.ci95.high), pairs);
}

std::string used_text(const record::Explanation& explanation)
{
  record::PairEvidence all;
  for (const record::PairEvidence& pair : explanation.pairs) {
    all.quads += pair.quads;
    all.left_out += pair.left_out;
    all.blocks += pair.blocks;
    all.calls += pair.calls;
    all.on_clock_s += pair.on_clock_s;
  }
  std::string text = fmt::format("{}, {}, {} on the clock", counted(all.blocks, "block"), counted(all.calls, "call"),
                                 format_seconds(all.on_clock_s));
  if (all.quads > 0) {
    text += fmt::format("; {} of {} quads left out{}", all.left_out, all.quads + all.left_out,
                        all.left_out > 0 ? ", because something else had the CPU for more than 2 % of them" : "");
  }
  return text;
}

std::string totals_text(const record::Explanation& explanation)
{
  return fmt::format("all time together says {}; blocks longer than usual by a quarter: {} and {}",
                     beyond_one(explanation.ratio_of_totals), explanation.candidate_long_blocks,
                     explanation.incumbent_long_blocks);
}

// Something else on the CPU is seen even where nobody says so.
std::string disturbance_text(const record::Explanation& explanation)
{
  const double share = std::max(explanation.cpu_missing, explanation.apart);
  return fmt::format(
    "runners were without the CPU for {:.2f} % of the time, time around the calls differs by {:.2f} %: {}",
    100 * std::max(explanation.cpu_missing, 0.0), 100 * explanation.apart,
    share > explanation.disturbed ? "disturbed" : fmt::format("below {:.3g} %", 100 * explanation.disturbed));
}

std::string clock_text(const record::MachineConditions& machine)
{
  if (machine.clocks_ghz.empty()) {
    return "clock not counted on this machine";
  }
  const auto [low, high] = std::ranges::minmax(machine.clocks_ghz);
  return fmt::format("clock {:.2f} to {:.2f} GHz (counted {})", low, high,
                     counted(static_cast<int>(machine.clocks_ghz.size()), "time"));
}

std::string machine_text(const record::MachineConditions& machine)
{
  std::string text = clock_text(machine);
  text += machine.stolen_s ? fmt::format("; {:.0f} ms of {} stolen by the hypervisor", 1e3 * *machine.stolen_s,
                                         format_seconds(machine.seconds))
                           : "; stolen time not known";
  if (machine.quota_s.value_or(0) > 0) {
    text += fmt::format("; stopped for {:.0f} ms by the quota of the control group", 1e3 * *machine.quota_s);
  }
  text += machine.throttled ? "; throttled " + counted(*machine.throttled, "time") : "; throttling not reported here";
  return text;
}

std::string placement_text(const record::Explanation& explanation)
{
  if (explanation.elsewhere.empty()) {
    return "not looked into: only for FAST below 1.10 with cold calls shorter than 100 us";
  }
  std::vector<std::string> offsets;
  bool holds = true;
  for (const record::OffsetEvidence& offset : explanation.elsewhere) {
    std::vector<std::string> ratios;
    for (const double ratio : offset.pair_ratios) {
      ratios.push_back(ratio_text(ratio));
      holds = holds && ratio > 1;
    }
    offsets.push_back(fmt::format("code shifted by {} bytes {}", offset.offset, join(ratios, ", ")));
  }
  return fmt::format("{}: {}", join(offsets, "; "), holds ? "still faster" : "the gain is gone");
}

std::string band_text(const record::ComparisonResult& band, const std::string& a)
{
  std::string text = fmt::format("{} against a copy of itself: {}, {}", a, record::name_of(band.verdict),
                                 ratio_text(band.ratio, band.ci95));
  if (!band.pair_ratios.empty()) {
    const auto [low, high] = std::ranges::minmax(band.pair_ratios);
    text += fmt::format(", pairs {} to {}", beyond_one(low), beyond_one(high));
  }
  return text;
}

} // namespace

std::vector<std::string> explanation_lines(const record::ComparisonResult& comparison, const std::string& a,
                                           const std::string& b, const std::optional<record::ComparisonResult>& band)
{
  if (!comparison.explanation) {
    return {line("explanation", "none: this was recorded before Hone kept one")};
  }
  const record::Explanation& explanation = *comparison.explanation;
  std::vector<std::string> lines;
  lines.push_back(line("first calls", fmt::format("{} {}, {} {}", a, format_seconds(explanation.candidate_first_s), b,
                                                  format_seconds(explanation.incumbent_first_s))));
  lines.push_back(line("rule", rule_text(explanation)));
  for (const record::Round& round : explanation.rounds) {
    lines.push_back(line("round", round_text(round)));
  }
  for (std::size_t i = 0; i < explanation.pairs.size(); ++i) {
    lines.push_back(line(fmt::format("pair {}", i + 1), pair_text(explanation.pairs[i])));
  }
  lines.push_back(line("interval", interval_text(comparison)));
  lines.push_back(line("thresholds", thresholds_text(explanation)));
  lines.push_back(line("used", used_text(explanation)));
  lines.push_back(line("totals", totals_text(explanation)));
  lines.push_back(line("disturbance", disturbance_text(explanation)));
  if (explanation.machine) {
    lines.push_back(line("machine", machine_text(*explanation.machine)));
  }
  lines.push_back(line("placement", placement_text(explanation)));
  if (band) {
    lines.push_back(line("A/A band", band_text(*band, a)));
  }
  lines.push_back(line("decision", record::deciding_sentence(comparison)));
  return lines;
}

} // namespace hone::cli
