#include "policy/blaster/choice_log.h"

#include "util/json.h"

#include <fmt/format.h>

#include <fstream>

namespace hone::policy {
namespace {

std::string name_of_choice(int round, int trajectory, int step)
{
  return fmt::format("blaster.choice.{}.{}.{}", round, trajectory, step);
}

Json choice_json(const std::string& run, const MadeChoice& choice)
{
  Json others = Json::array();
  for (const auto& [technique, worth] : choice.others) {
    others.push_back({{"technique", technique}, {"worth", worth}});
  }
  return {{"run", run},
          {"round", choice.round},
          {"trajectory", choice.trajectory},
          {"step", choice.step},
          {"before", choice.before},
          {"state", choice.state},
          {"technique", choice.technique},
          {"predicted", {choice.predicted.value, choice.predicted.interval.low, choice.predicted.interval.high}},
          {"transferred", choice.transferred},
          {"entries", choice.entries},
          {"why", choice.why},
          {"others", std::move(others)}};
}

} // namespace

Result<std::optional<MadeChoice>> recalled_choice(const PolicyContext& context, int round, int trajectory, int step)
{
  HONE_TRY(const std::string text, context.workflow.recall(name_of_choice(round, trajectory, step)));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return std::optional<MadeChoice>();
  }
  try {
    MadeChoice choice;
    choice.round = round;
    choice.trajectory = trajectory;
    choice.step = step;
    choice.before = json.at("before").get<std::string>();
    choice.state = json.at("state").get<std::string>();
    choice.technique = json.at("technique").get<std::string>();
    const Json& predicted = json.at("predicted");
    choice.predicted = {predicted.at(0).get<double>(), {predicted.at(1).get<double>(), predicted.at(2).get<double>()}};
    choice.transferred = json.at("transferred").get<bool>();
    choice.entries = json.at("entries").get<std::vector<std::string>>();
    choice.why = json.at("why").get<std::string>();
    return std::optional(std::move(choice));
  } catch (const Json::exception&) {
    return std::optional<MadeChoice>(); // of another version: it is made anew
  }
}

Result<void> remember_choice(PolicyContext& context, const std::string& run, const MadeChoice& choice)
{
  const std::string line = choice_json(run, choice).dump();
  HONE_CHECK(context.workflow.remember(name_of_choice(choice.round, choice.trajectory, choice.step), line));
  const fs::path file = context.workflow.folder() / k_choices_file;
  std::ofstream out(file, std::ios::app | std::ios::binary);
  out << line + "\n";
  out.close();
  if (!out) {
    return fail(fmt::format("cannot write {}", file.string()),
                "make room on its disk, or use another folder with --state DIR");
  }
  return {};
}

} // namespace hone::policy
