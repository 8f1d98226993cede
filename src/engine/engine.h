// Who carries out a transformation: here the built-in engine; people and models come behind the same interface.
#pragma once

#include "kernel/kernel.h"
#include "lower/dialect.h"
#include "transform/transform.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hone {

struct EngineRequest {
  const Kernel& kernel;
  const Candidate& current;
  const Transformation& transformation;
  const Dialect& dialect;
};

// What a climb is for.
struct Purpose {
  const Sizes& sizes;
  int threads = 1;
  const PlanScope& device_facts; // "device.l2": bytes
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
  // Why a step cannot gain anything for this purpose, so that a climb need not measure it; "" where it may.
  virtual std::string why_useless(std::string_view, const Kernel&, const Dialect&, const Purpose&) const { return {}; }
};

// The step that makes a candidate without schedule one that the built-in engine can go on from.
constexpr std::string_view k_restate_step = "restate";
// The step that moves a summed loop outwards; a climb from plain loops that are too slow begins with it.
constexpr std::string_view k_reorder_step = "reorder-loops";

// Mechanical executor: each transformation is one rewrite of the candidate's schedule.
const Engine& builtin_engine();
std::span<const Engine* const> engines();
Result<const Engine*> find_engine(std::string_view name);

} // namespace hone
