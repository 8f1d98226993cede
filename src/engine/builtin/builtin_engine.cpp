#include "engine/builtin/rewrites.h"
#include "engine/engine.h"

#include <algorithm>

namespace hone {

namespace {

class BuiltinEngine final : public Engine {
public:
  std::string_view name() const override { return "builtin"; }

  bool knows(std::string_view transformation) const override
  {
    const std::span<const Rewrite> all = rewrites();
    return std::any_of(all.begin(), all.end(), [&](const Rewrite& rewrite) { return rewrite.name == transformation; });
  }

  Result<Candidate> carry_out(const EngineRequest& request) const override
  {
    if (request.current.schedule.empty()) {
      return fail("this candidate has no schedule: somebody else's edit dropped it, and the built-in engine can only "
                  "continue its own work",
                  "start from a checkpoint of the built-in engine or from the naive candidate, or carry this step out "
                  "by hand or with a model");
    }
    HONE_TRY(Schedule schedule, parse_schedule(request.current.schedule, "schedule.toml"));
    HONE_TRY(schedule,
             rewrite_schedule(std::move(schedule), request.transformation.name, {request.kernel, request.dialect}));
    return lower_schedule(request.kernel, schedule, request.dialect);
  }
};

} // namespace

const Engine& builtin_engine()
{
  static const BuiltinEngine engine;
  return engine;
}

} // namespace hone
