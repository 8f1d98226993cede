// Lists of steps, as in recipes/.
#include "fuzz_target.h"
#include "policy/recipe_file.h"

namespace hone::fuzz {

namespace {

std::vector<std::string> seeds()
{
  return files_named("recipes", ".toml");
}

void run(std::string_view input)
{
  const Result<policy::StepList> list = policy::parse_step_list(input, "steps.toml");
  if (!list) {
    return check_error(list.error(), "steps.toml");
  }
}

} // namespace

const Target& step_list_target()
{
  static const Target k_target = {"step-list", seeds, run};
  return k_target;
}

} // namespace hone::fuzz
