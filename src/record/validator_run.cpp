#include "record/validator_run.h"

#include "record/words.h"

namespace hone::record {
namespace {

using Outcome = ValidatorRun::Outcome;

constexpr std::array<std::pair<Outcome, std::string_view>, 7> k_outcome_names{{
  {Outcome::ran, "ran"},
  {Outcome::ran_with_substitutes, "ran with substitutes"},
  {Outcome::substituted, "substituted"},
  {Outcome::not_applicable, "not applicable"},
  {Outcome::not_asked, "not asked"},
  {Outcome::not_reached, "not reached"},
  {Outcome::failed, "failed"},
}};

} // namespace

std::string_view name_of(ValidatorRun::Outcome outcome)
{
  return word_for(k_outcome_names, outcome);
}

Json to_json(const std::vector<ValidatorRun>& runs)
{
  Json list = Json::array();
  for (const ValidatorRun& run : runs) {
    list.push_back(Json{{"name", run.name}, {"outcome", name_of(run.outcome)}, {"detail", run.detail}});
  }
  return list;
}

std::vector<ValidatorRun> validator_runs_from(const Json& json)
{
  std::vector<ValidatorRun> runs;
  for (const Json& run : json) {
    runs.push_back({run.at("name").get<std::string>(), value_for(k_outcome_names, run.at("outcome").get<std::string>()),
                    run.at("detail").get<std::string>()});
  }
  return runs;
}

} // namespace hone::record
