#include "app/remembered_climb.h"

#include <array>

namespace hone::app {

namespace {

constexpr const char* k_request = "climb.request"; // a remembered name

// The backend is no part of it: each has its own workflow.
constexpr std::array k_settings{"policy",         "strategy",
                                "budget",         "regime",
                                "seed",           "threads",
                                "model",          "model-url",
                                "samples",        "repairs",
                                "answers",        "max-usd",
                                "max-tokens",     "max-minutes",
                                "max-calls",      "agent-tools",
                                "call-form",      "prompt",
                                "model-seed",     "temperature",
                                "context-tokens", "max-device-seconds",
                                "knowledge",      "choice",
                                "learning",       "profiles",
                                "trajectories",   "trajectory-steps"};

Json request_json(const RememberedClimb& request)
{
  return {{"settings", request.settings}, {"sizes", request.sizes},
          {"steps", request.steps},       {"no_baselines", request.no_baselines},
          {"from", request.from},         {"branch", request.branch},
          {"reached", request.reached}};
}

RememberedClimb request_from(const Json& json)
{
  RememberedClimb request;
  request.settings = json.at("settings").get<std::map<std::string, std::string>>();
  request.sizes = json.at("sizes").get<std::vector<std::string>>();
  request.steps = json.at("steps").get<std::string>();
  request.no_baselines = json.at("no_baselines").get<bool>();
  request.from = json.at("from").get<std::string>();
  request.branch = json.at("branch").get<std::string>();
  request.reached = json.at("reached").get<std::string>();
  return request;
}

} // namespace

std::map<std::string, std::string> climb_settings(const Settings& settings)
{
  std::map<std::string, std::string> values;
  for (const char* name : k_settings) {
    values[name] = settings.text(name);
  }
  return values;
}

Result<void> remember(store::Workflow& workflow, const RememberedClimb& request)
{
  return workflow.remember(k_request, request_json(request).dump());
}

Result<RememberedClimb> remembered(const store::Workflow& workflow)
{
  HONE_TRY(const std::string text, workflow.recall(k_request));
  if (text.empty()) {
    return RememberedClimb{};
  }
  HONE_TRY(const Json json, parse_json(text, "journal.db: the climb's request"));
  try {
    return request_from(json);
  } catch (const Json::exception&) {
    return RememberedClimb{}; // of a version that kept other things: what the flags say holds
  }
}

void adopt(Settings& settings, const RememberedClimb& request)
{
  for (const auto& [name, value] : request.settings) {
    if (settings.has(name) && !settings.is_from_flag(name)) {
      settings.set(name, value, "the climb that is resumed");
    }
  }
}

std::string as_flags(const RememberedClimb& request)
{
  std::string text;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) {
      text += (text.empty() ? "--" : " --") + flag + " " + value;
    }
  };
  for (const auto& [name, value] : request.settings) {
    add(name, value);
  }
  for (const std::string& size : request.sizes) {
    add("size", size);
  }
  add("steps", request.steps);
  add("from", request.from.substr(0, 10));
  add("branch", request.branch);
  return text + (request.no_baselines ? " --no-baselines" : "");
}

} // namespace hone::app
