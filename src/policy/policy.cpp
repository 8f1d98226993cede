#include "policy/policies.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <array>

namespace hone::policy {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Policy> (*make)();                                              // one that follows no recipe
  Result<std::unique_ptr<Policy>> (*make_following)(const fs::path& recipe_file); // one that does; else null
};

// The one list: a new policy is a file with its maker, and a line here.
constexpr std::array k_policies = {
  Entry{"sequence", nullptr, make_sequence_policy}, Entry{"greedy", make_greedy_policy, nullptr},
  Entry{"beam", make_beam_policy, nullptr},         Entry{"agent", make_agent_policy, nullptr},
  Entry{"blaster", make_blaster_policy, nullptr},
};

} // namespace

std::vector<std::string> policy_names()
{
  std::vector<std::string> names;
  for (const Entry& entry : k_policies) {
    names.emplace_back(entry.name);
  }
  return names;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const fs::path& recipe_file)
{
  for (const Entry& entry : k_policies) {
    if (entry.name != name) {
      continue;
    }
    if (entry.make_following != nullptr) {
      return entry.make_following(recipe_file);
    }
    if (!recipe_file.empty()) {
      return fail("the policy '" + std::string(name) + "' follows no recipe",
                  "leave the recipe out, or use the policy 'sequence' to follow " + recipe_file.string());
    }
    return entry.make();
  }
  const std::vector<std::string> names = policy_names();
  return fail("there is no policy '" + std::string(name) + "'",
              did_you_mean(name, names, "choose one of: " + join(names, ", ")));
}

} // namespace hone::policy
