#include "app/settings.h"

#include "util/did_you_mean.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace hone::app {

namespace {

struct Known {
  const char* name;
  const char* value;
  const char* meaning;
};

// Every setting there is, with its default. docs/cli.md explains them.
constexpr Known k_known[] = {
  {"agent-tools", "all", "performance tools of the policy agent: all, none, placebo, or names with commas between"},
  {"answers", "blocks", "what a model answers in: blocks of code in prose, or an object that keeps to a schema"},
  {"backend", "cpu", "what candidates are written for and run on"},
  {"budget", "110", "seconds of wall time for the climb, comparisons with libraries included"},
  {"call-form", "auto", "how the policy agent's model asks for actions: tool calls of the protocol, or text"},
  {"choice", "weighted", "how the policy blaster chooses a step: weighted, softmax, ucb or greedy"},
  {"color", "auto", "whether the terminal shows colours"},
  {"context-tokens", "", "tokens that the model reads at once; empty: not known"},
  {"knowledge", "",
   "file of what was learned; empty: knowledge.db in $XDG_DATA_HOME/hone; none: an empty one that is not kept"},
  {"learning", "on", "whether the policy blaster updates what it expects after each round"},
  {"max-calls", "40", "actions that the policy agent may ask for"},
  {"max-device-seconds", "", "seconds of validating and measuring, over all runs of a climb; empty: no limit"},
  {"max-minutes", "", "minutes of all runs of a climb together; empty: no limit"},
  {"max-tokens", "", "tokens that a model may use for a climb; empty: no limit"},
  {"max-usd", "", "what a model may cost for a climb; empty: no limit"},
  {"model", "", "who carries steps out: PROVIDER/NAME, as in anthropic/claude-sonnet-4-5; empty: the built-in engine"},
  {"model-seed", "", "seed that is sent to the model's server, counted up from request to request; empty: none"},
  {"model-url", "", "address of the model server; empty: the provider's own"},
  {"policy", "sequence", "who chooses the next step"},
  {"profiles", "on", "whether the policy blaster looks at what bounds a candidate, or at kinds of kernels only"},
  {"prompt", "auto", "how much a model is told: full, compact, or compact where context-tokens is short"},
  {"regime", "cold", "which regime decides: data from memory, or from cache (hot)"},
  {"repairs", "3", "how often a model may mend an answer"},
  {"samples", "1", "attempts of a model at one step, until one passes"},
  {"seed", "0", "seed of inputs and hidden sizes; 0 draws a fresh one"},
  {"state", "", "folder for workflows instead of KERNEL/.hone"},
  {"strategy", "racing", "how tuning points are chosen"},
  {"temperature", "", "of a model's first answers; a repair is asked for at 0.8 at least; empty: the server's own"},
  {"threads", "1", "threads of a candidate; each pinned to a CPU of its own (docs/measurement.md)"},
  {"trajectories", "3", "trajectories of a round of the policy blaster, which take turns"},
  {"trajectory-steps", "8", "steps of each"},
};

std::string variable_of(std::string name)
{
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return "HONE_" + name;
}

std::string text_of(const toml::node& node)
{
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* number = node.as_integer()) {
    return std::to_string(number->get());
  }
  return {};
}

} // namespace

Settings Settings::defaults()
{
  Settings settings;
  for (const Known& known : k_known) {
    settings.m_settings[known.name] = {known.name, known.value, "default", known.meaning};
  }
  return settings;
}

Result<Settings> Settings::load(const fs::path& start)
{
  Settings settings = defaults();
  HONE_CHECK(settings.read(config_folder() / "config.toml"));
  std::error_code ignored;
  for (fs::path folder = fs::absolute(start, ignored);; folder = folder.parent_path()) {
    if (fs::exists(folder / "hone.toml", ignored)) {
      HONE_CHECK(settings.read(folder / "hone.toml"));
      break;
    }
    if (!folder.has_relative_path()) {
      break;
    }
  }
  for (auto& [name, setting] : settings.m_settings) {
    const std::string variable = variable_of(name);
    if (const char* value = std::getenv(variable.c_str()); value != nullptr) {
      setting.value = value;
      setting.origin = "environment " + variable;
    }
  }
  return settings;
}

Result<void> Settings::read(const fs::path& file)
{
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return {};
  }
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    return fail(std::string(error.description()), "see `hone config` for the settings there are",
                Place{file.string(), static_cast<int>(at.line), static_cast<int>(at.column)});
  }
  std::vector<std::string> names;
  for (const auto& [name, setting] : m_settings) {
    names.push_back(name);
  }
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto& at = node.source().begin;
    const Place place{file.string(), static_cast<int>(at.line), static_cast<int>(at.column)};
    const auto found = m_settings.find(name);
    if (found == m_settings.end()) {
      return fail(fmt::format("unknown setting '{}'", name),
                  did_you_mean(name, names, "`hone config` lists the settings there are"), place);
    }
    if (!node.is_string() && !node.is_integer()) {
      return fail(fmt::format("setting '{}' must be a text or a whole number", name), {}, place);
    }
    found->second.value = text_of(node);
    found->second.origin = file.string();
  }
  return {};
}

void Settings::override_from_flag(const std::string& name, const std::string& value)
{
  set(name, value, "--" + name);
}

void Settings::set(const std::string& name, const std::string& value, const std::string& origin)
{
  m_settings.at(name).value = value;
  m_settings.at(name).origin = origin;
}

bool Settings::has(const std::string& name) const
{
  return m_settings.contains(name);
}

bool Settings::is_from_flag(const std::string& name) const
{
  return m_settings.at(name).origin.starts_with("--");
}

const std::string& Settings::text(const std::string& name) const
{
  return m_settings.at(name).value;
}

Result<std::int64_t> Settings::integer(const std::string& name) const
{
  const Setting& setting = m_settings.at(name);
  std::int64_t value = 0;
  const char* end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc() || stop != end) {
    return fail(fmt::format("{} must be a whole number, not '{}'", name, setting.value), {},
                Place{setting.origin, 0, 0});
  }
  return value;
}

constexpr double k_largest_limit = 1e15;

Result<std::optional<double>> Settings::limit(const std::string& name) const
{
  const std::string& value = text(name);
  if (value.empty()) {
    return std::nullopt;
  }
  double limit = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), limit);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !(limit >= 0) || limit > k_largest_limit) {
    return fail(fmt::format("'{}' is no limit", value), fmt::format("give --{} a number", name),
                Place{"--" + name, 0, 0});
  }
  return limit;
}

std::vector<Setting> Settings::all() const
{
  std::vector<Setting> list;
  for (const auto& [name, setting] : m_settings) {
    list.push_back(setting);
  }
  return list;
}

} // namespace hone::app
