#include "policy/agent/actions.h"

namespace hone::policy {

agent::Action finish_action(Workspace&)
{
  return {"finish",
          "Ends the work. The fastest right candidate is measured once more and published.",
          {{"remarks", agent::ActionType::text, "What helped, what did not, what would be next."}},
          [](const Json&) -> Result<agent::ActionOutcome> {
            return agent::ActionOutcome{.text = "Finished.", .finished = true};
          }};
}

} // namespace hone::policy
