// What became of each validator in one validation: data of a verdict, so that nothing is left out silently.
#pragma once

#include "util/json.h"

#include <string>
#include <vector>

namespace hone::record {

struct ValidatorRun {
  enum class Outcome {
    ran,
    ran_with_substitutes, // the platform lacks something that it looks at; the detail says what stood in for it
    substituted,          // it means nothing on the platform; the detail says what stands in for it
    not_applicable,       // it means nothing here, and nothing stands in for it; the detail says why
    not_asked,            // the validation was not to be that deep
    not_reached,          // an earlier one had ended the contender
    failed,               // ended the contender
  };
  std::string name;
  Outcome outcome = Outcome::ran;
  std::string detail;
};

std::string_view name_of(ValidatorRun::Outcome outcome); // "ran", "ran with substitutes", ...

Json to_json(const std::vector<ValidatorRun>& runs);
std::vector<ValidatorRun> validator_runs_from(const Json& json); // throws std::invalid_argument or a Json exception

} // namespace hone::record
