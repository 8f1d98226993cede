#include "policy/blaster/states.h"

#include "tools/tools.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace hone::policy {
namespace {

constexpr std::string_view k_tool = "explain";

// The table of `explain` has for each bottleneck its weight in % and the steps that relieve it.
std::map<std::string, double> relief_in(const tools::Report& report)
{
  std::map<std::string, double> relief;
  for (const tools::Table& table : report.tables) {
    if (table.title != "bottlenecks" || table.columns.size() < 3) {
      continue;
    }
    for (const std::vector<tools::Cell>& row : table.rows) {
      const auto* weight = std::get_if<double>(&row[1]);
      const auto* steps = std::get_if<std::string>(&row[2]);
      for (const std::string& step : steps != nullptr ? split(*steps, ',') : std::vector<std::string>()) {
        double& kept = relief[std::string(trim(step))];
        kept = std::max(kept, weight != nullptr ? *weight / 100 : 0);
      }
    }
  }
  relief.erase("");
  return relief;
}

} // namespace

Result<void> States::profile(const SearchNode& node, ProfiledState& state)
{
  if (!m_setting.bench) {
    state.remark = "no profile: states are kinds of kernels";
    return {};
  }
  if (m_last_s > m_seconds_left) {
    state.remark = "no profile: the time for profiles is used up";
    return {};
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = node.checkpoint.id.substr(0, 10);
  HONE_TRY(const std::unique_ptr<tools::Bench> bench, m_setting.bench({name, node.contender()}, node.done));
  HONE_TRY(const tools::Tool* const tool, tools::find_tool(k_tool));
  HONE_TRY(const tools::Report report, tools::run_tool(*tool, *bench, Json::object()));
  knowledge::add_findings(state.signature, report);
  state.diagnosis = report.diagnosis;
  state.relief = relief_in(report);
  m_last_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  m_seconds_left -= m_last_s;
  return {};
}

Result<const ProfiledState*> States::of(const SearchNode& node)
{
  if (const auto known = m_known.find(node.checkpoint.id); known != m_known.end()) {
    return &known->second;
  }
  ProfiledState state;
  state.signature = knowledge::signature_of(*m_context.kernel, m_context.recipe.sizes);
  state.signature.backend = m_context.backend.name();
  state.signature.device = m_setting.device;
  state.signature.device_name = m_setting.device_name;
  // A profile that cannot be made says nothing about the candidate: the state is known less well then.
  if (const auto profiled = profile(node, state); !profiled) {
    if (m_context.stop.stop_requested()) {
      return std::unexpected(profiled.error());
    }
    state.remark = "no profile: " + profiled.error().message;
  }
  HONE_TRY(const knowledge::Base::Match match, m_setting.base->match(state.signature));
  state.id = match.state.id;
  state.is_new = match.is_new;
  state.inherits = match.state.inherits;
  if (!match.is_new) {
    state.signature = match.state.signature;
  }
  return &m_known.emplace(node.checkpoint.id, std::move(state)).first->second;
}

const ProfiledState* States::known(const std::string& checkpoint) const
{
  const auto found = m_known.find(checkpoint);
  return found == m_known.end() ? nullptr : &found->second;
}

} // namespace hone::policy
