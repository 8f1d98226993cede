// Engines apply transformations to candidates: the built-in engine, or a language model (or a person in its place).
#pragma once

#include "catalogue/catalogue.h"
#include "kernel/kernel.h"
#include "lower/dialect.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hone::rewrite {

// Sizes, threads and device that a candidate is optimised for.
struct OptimizationTarget {
  const kernel::Sizes& sizes;
  int threads = 1;
  const kernel::PlanScope& device_facts; // "device.l2": bytes
};

// The result of validating a candidate on an engine's behalf.
struct TrialOutcome {
  bool passed = false;
  std::string status;           // of the gate: "compile", "correctness", ...
  std::string report;           // what went wrong, for the candidate's author
  bool changes_nothing = false; // compiled into the code that there was before, and launched in the same way
};

// Compiles and validates candidates for an engine that is still at work. Nothing is timed, nothing is recorded.
class Trial {
public:
  virtual ~Trial() = default;
  virtual Result<TrialOutcome> validate(const kernel::Candidate& candidate) = 0; // an error: it could not be run
};

struct EngineRequest {
  const kernel::Kernel& kernel;
  const kernel::Candidate& current;
  const catalogue::Transformation& transformation;
  const lower::Dialect& dialect;
  // For engines that make mistakes; may be null.
  const OptimizationTarget* target = nullptr;
  Trial* trial = nullptr;
  std::string advice = {}; // for models: what was learned about this step before; may be empty
};

class Engine {
public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  // True when this engine can apply the transformation to some candidates.
  virtual bool knows(std::string_view transformation) const = 0;
  // The changed candidate. An error says why the step is not possible on this one: illegal order, wrong class, a
  // candidate without schedule.
  virtual Result<kernel::Candidate> apply(const EngineRequest& request) const = 0;
  // Whether apply() takes next to no time, so that it may be called ahead of need.
  virtual bool is_cheap() const { return true; }
  // Why a step cannot gain anything for this target, so that a climb need not measure it; "" where it may.
  virtual std::string why_useless(std::string_view, const kernel::Kernel&, const lower::Dialect&,
                                  const OptimizationTarget&) const
  {
    return {};
  }
  // Why the engine can apply nothing any more (no network, budget spent); steps that failed for this reason are not the
  // candidates' fault. Nothing while it works.
  virtual std::optional<Error> permanent_failure() const { return std::nullopt; }
};

// The step that replaces a candidate without schedule by one that the built-in engine can transform.
constexpr std::string_view k_restate_step = "restate";
// The step that moves a summed loop outwards; a climb from plain loops that are too slow begins with it.
constexpr std::string_view k_reorder_step = "reorder-loops";

// Each transformation is one rewrite of the candidate's schedule.
const Engine& builtin_engine();

// Public too: "rewrite/model_engine.h", the engine that asks a language model; "rewrite/agent_text.h", what an agent is
// told.

} // namespace hone::rewrite
