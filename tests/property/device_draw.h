// Random legal sequences of the built-in engine's steps for devices with work-items, at random tuning points.
#pragma once

#include "lower/lower.h"
#include "rewrite/builtin/device/device_rewrites.h"
#include "util/random.h"
#include "util/util.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hone {

struct Case {
  std::vector<std::string> steps;
  kernel::Candidate candidate;
  kernel::TuningPoint point;
};

// Shipped kernels at sizes whose blocks are cut off on all sides.
inline const std::vector<std::pair<std::string, kernel::Sizes>> k_device_kernels = {
  {"matmul", {{"m", 45}, {"n", 70}, {"k", 51}}},
  {"matmul-ta", {{"m", 33}, {"n", 19}, {"k", 70}}},
  {"matmul-tb", {{"m", 20}, {"n", 67}, {"k", 40}}},
  {"matmul-bias-gelu", {{"m", 37}, {"n", 41}, {"k", 29}}},
  {"matmul-batched", {{"b", 3}, {"m", 18}, {"n", 23}, {"k", 35}}},
  {"softmax", {{"m", 19}, {"n", 83}}},
  {"layer-norm", {{"n", 9}, {"d", 131}}},
  {"gelu", {{"n", 1003}}},
  {"conv2d", {{"b", 2}, {"ci", 3}, {"co", 5}, {"h", 9}, {"w", 21}}},
  {"matmul-bf16", {{"m", 30}, {"n", 34}, {"k", 45}}},
  {"matmul-f16", {{"m", 50}, {"n", 72}, {"k", 90}}},
  {"matmul-f64", {{"m", 17}, {"n", 39}, {"k", 50}}},
};

// Those whose types the dialect has: shaders have f32 alone.
inline std::size_t kernels_in(const lower::Dialect& dialect)
{
  return k_device_kernels.size() - (dialect.name == "hlsl" ? 3 : 0);
}

inline bool is_legal(const kernel::Candidate& candidate, const kernel::Sizes& sizes, const kernel::TuningPoint& point,
                     const kernel::PlanScope& facts)
{
  const auto holds =
    kernel::satisfies_constraints(candidate.plan.tuning, kernel::plan_scope(sizes, point, facts), nullptr);
  return holds && *holds;
}

inline Result<Case> draw(const kernel::Kernel& kernel, const lower::Dialect& dialect, const kernel::PlanScope& facts,
                         Random& random)
{
  std::vector<std::string> order;
  for (const rewrite::Rewrite& step : rewrite::device_rewrites()) {
    order.emplace_back(step.name);
  }
  std::shuffle(order.begin(), order.end(), random);
  const std::size_t most = 1 + random.below(order.size());
  lower::Schedule schedule = lower::naive_schedule(kernel);
  Case out;
  HONE_TRY(out.candidate, lower::lower_schedule(kernel, schedule, dialect));
  for (bool found = true; found && out.steps.size() < most;) {
    found = false;
    for (const std::string& step : order) {
      Result<lower::Schedule> next = rewrite::rewrite_schedule(schedule, step, {kernel, dialect});
      Result<kernel::Candidate> candidate = next ? lower::lower_schedule(kernel, *next, dialect) : fail("refused");
      if (candidate) {
        schedule = std::move(*next);
        out.candidate = std::move(*candidate);
        out.steps.push_back(step);
        found = true;
        break;
      }
    }
  }
  out.point = out.candidate.plan.tuning.defaults();
  for (int attempt = 0; attempt < 200; ++attempt) {
    kernel::TuningPoint point;
    for (const kernel::TuningParameter& parameter : out.candidate.plan.tuning.parameters) {
      point[parameter.name] = parameter.values[random.below(parameter.values.size())];
    }
    if (is_legal(out.candidate, kernel.timed.front(), point, facts)) {
      out.point = std::move(point);
      break;
    }
  }
  return out;
}

} // namespace hone
