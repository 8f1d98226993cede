#include "policy/unmeasured.h"

#include "lower/lower.h"
#include "policy/recipe_file.h"
#include "rewrite/rewrite.h"

#include <utility>

namespace hone::policy {

Result<UnmeasuredSteps> apply_step_list(const kernel::Kernel& kernel, const backend::Backend& backend)
{
  const lower::Dialect dialect = backend.dialect();
  HONE_TRY(const backend::DeviceInfo device, backend.probe());
  HONE_TRY(const std::vector<catalogue::Transformation> catalogue,
           catalogue::load_catalogue(share_folder() / "transformations", kernel.folder));
  HONE_TRY(const StepList list, shipped_step_list(kernel, kernel.timed.front(), backend.name()));
  const rewrite::Engine& engine = rewrite::builtin_engine();
  const rewrite::OptimizationTarget target{kernel.timed.front(), 1, device.plan_facts};

  UnmeasuredSteps out;
  HONE_TRY(out.start, lower::naive_candidate(kernel, dialect));
  out.candidate = out.start;
  for (const RecipeStep& step : list.steps) {
    if (step.apply.empty()) {
      continue;
    }
    HONE_TRY(const catalogue::Transformation* transformation, catalogue::find_transformation(catalogue, step.apply));
    const bool applies = !catalogue::why_not_applicable(*transformation, kernel, backend.name(), out.carried_out)
                         && engine.why_useless(step.apply, kernel, dialect, target).empty();
    if (!applies) {
      continue;
    }
    Result<kernel::Candidate> next = engine.apply({kernel, out.candidate, *transformation, dialect});
    if (next && next->hash() != out.candidate.hash()) {
      out.before.push_back(std::exchange(out.candidate, std::move(*next)));
      out.carried_out.push_back(step.apply);
    }
  }
  return out;
}

} // namespace hone::policy
