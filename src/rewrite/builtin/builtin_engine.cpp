#include "rewrite/builtin/device/device_rewrites.h"
#include "rewrite/builtin/worth.h"
#include "rewrite/rewrite.h"

#include <algorithm>

namespace hone::rewrite {

namespace {

// The only step on candidates without schedule: replaces their code by plain loops from the expression.
Result<kernel::Candidate> restate(const EngineRequest& request)
{
  if (!request.current.schedule.empty()) {
    return fail("this candidate was made by the built-in engine; restate would only undo its steps",
                "restate applies to a candidate that was not made by the built-in engine");
  }
  return lower::naive_candidate(request.kernel, request.dialect);
}

class BuiltinEngine final : public Engine {
public:
  std::string_view name() const override { return "builtin"; }

  bool knows(std::string_view transformation) const override
  {
    if (transformation == k_restate_step) {
      return true;
    }
    const auto lists = [&](std::span<const Rewrite> all) {
      return std::ranges::any_of(all, [&](const Rewrite& rewrite) { return rewrite.name == transformation; });
    };
    return lists(rewrites()) || lists(device_rewrites());
  }

  Result<kernel::Candidate> apply(const EngineRequest& request) const override
  {
    if (request.transformation.name == k_restate_step) {
      return restate(request);
    }
    if (request.current.schedule.empty()) {
      return fail("this candidate has no schedule: it is somebody else's work, and the built-in engine can only "
                  "continue its own",
                  "carry out restate first, start from a checkpoint of the built-in engine, or carry this step out by "
                  "hand or with a model");
    }
    HONE_TRY(lower::Schedule schedule, lower::parse_schedule(request.current.schedule, "schedule.toml"));
    HONE_TRY(schedule,
             rewrite_schedule(std::move(schedule), request.transformation.name, {request.kernel, request.dialect}));
    return lower::lower_schedule(request.kernel, schedule, request.dialect);
  }

  std::string why_useless(std::string_view transformation, const kernel::Kernel& kernel, const lower::Dialect& dialect,
                          const OptimizationTarget& target) const override
  {
    return hone::rewrite::why_useless(transformation, kernel, dialect, target);
  }
};

} // namespace

const Engine& builtin_engine()
{
  static const BuiltinEngine engine;
  return engine;
}

} // namespace hone::rewrite
