// Who carries out a transformation: the built-in engine, or a language model (or a person in its place).
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "transform/transform.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// What a climb is for.
struct Purpose {
  const Sizes& sizes;
  int threads = 1;
  const PlanScope& device_facts; // "device.l2": bytes
};

// What became of a candidate that an engine tries out before it hands it on.
struct TrialOutcome {
  bool passed = false;
  std::string status; // of the gate: "compile", "correctness", ...
  std::string report; // what went wrong, for whoever wrote it
};

// Compiles and validates on an engine's behalf. Nothing is timed, nothing recorded.
class Trial {
public:
  virtual ~Trial() = default;
  virtual Result<TrialOutcome> look(const Candidate& candidate) = 0; // an error: it could not be run at all
};

struct EngineRequest {
  const Kernel& kernel;
  const Candidate& current;
  const Transformation& transformation;
  const Dialect& dialect;
  // For engines that make mistakes; null where nobody offers them.
  const Purpose* purpose = nullptr;
  Trial* trial = nullptr;
};

class Engine {
public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  // True when this engine knows how to carry out the transformation at all.
  virtual bool knows(std::string_view transformation) const = 0;
  // The changed candidate, or why the step cannot be carried out on this one (illegal order, wrong class, a
  // candidate without schedule).
  virtual Result<Candidate> carry_out(const EngineRequest& request) const = 0;
  // Whether carrying a step out takes next to nothing, so that it may be done ahead of its turn.
  virtual bool costs_nothing() const { return true; }
  // Why a step cannot gain anything for this purpose, so that a climb need not measure it; "" where it may.
  virtual std::string why_useless(std::string_view, const Kernel&, const Dialect&, const Purpose&) const { return {}; }
  // Why it can carry nothing out any more (no network, a budget that is spent): the steps that failed for that are not
  // the candidates' fault. Nothing while it works.
  virtual std::optional<Error> out_of_order() const { return std::nullopt; }
};

// The step that makes a candidate without schedule one that the built-in engine can go on from.
constexpr std::string_view k_restate_step = "restate";
// The step that moves a summed loop outwards; a climb from plain loops that are too slow begins with it.
constexpr std::string_view k_reorder_step = "reorder-loops";

// Mechanical executor: each transformation is one rewrite of the candidate's schedule.
const Engine& builtin_engine();

// Public too: "engine/model_engine.h", the engine that asks a language model.

} // namespace hone
