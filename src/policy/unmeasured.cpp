#include "policy/unmeasured.h"

#include "engine/engine.h"
#include "lower/lower.h"
#include "policy/recipe_file.h"

#include <utility>

namespace hone {

Result<UnmeasuredSteps> apply_step_list(const Kernel& kernel, const Backend& backend)
{
  const Dialect dialect = backend.dialect();
  HONE_TRY(const DeviceInfo device, backend.probe());
  HONE_TRY(const std::vector<Transformation> catalogue,
           load_catalogue(share_folder() / "transformations", kernel.folder));
  HONE_TRY(const StepList list, shipped_step_list(kernel, kernel.timed.front(), backend.name()));
  const Engine& engine = builtin_engine();
  const OptimizationTarget target{kernel.timed.front(), 1, device.plan_facts};

  UnmeasuredSteps out;
  HONE_TRY(out.start, naive_candidate(kernel, dialect));
  out.candidate = out.start;
  for (const RecipeStep& step : list.steps) {
    if (step.apply.empty()) {
      continue;
    }
    HONE_TRY(const Transformation* transformation, find_transformation(catalogue, step.apply));
    const bool applies = !why_not_applicable(*transformation, kernel, backend.name(), out.carried_out)
                         && engine.why_useless(step.apply, kernel, dialect, target).empty();
    if (!applies) {
      continue;
    }
    Result<Candidate> next = engine.apply({kernel, out.candidate, *transformation, dialect});
    if (next && next->hash() != out.candidate.hash()) {
      out.before.push_back(std::exchange(out.candidate, std::move(*next)));
      out.carried_out.push_back(step.apply);
    }
  }
  return out;
}

} // namespace hone
