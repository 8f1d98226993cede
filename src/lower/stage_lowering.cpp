#include "lower/stage_lowering.h"

#include "lower/element_code.h"
#include "lower/element_lowering.h"
#include "util/util.h"

#include <algorithm>
#include <string>
#include <utility>

namespace hone::lower {

namespace {

constexpr const char* k_columns_beside = "1024";

void rename(ProgramBlock& block, const std::string& name, const std::string& other)
{
  for (ProgramNode& node : block) {
    node.text = renamed(node.text, name, other);
    rename(node.body, name, other);
  }
}

// "compute_tile" of "static inline void compute_tile(const double* A, ...)".
std::string name_in(const std::string& head)
{
  const std::size_t end = head.find("(", head.find("void "));
  const std::size_t begin = head.rfind(' ', end) + 1;
  return head.substr(begin, end - begin);
}

// Functions that a stage's own code calls get the stage's name behind theirs.
void rename_helpers(ProgramBlock& device, const std::string& target)
{
  std::vector<std::string> helpers;
  for (const ProgramNode& node : device) {
    if (node.kind == ProgramNode::Kind::function && node.text.starts_with("static ")) {
      helpers.push_back(name_in(node.text));
    }
  }
  for (const std::string& helper : helpers) {
    rename(device, helper, helper + "_" + target);
  }
}

// Buffers that only a stage uses, likewise.
void rename_scratch(LoweredProgram& stage, const std::string& target)
{
  for (ScratchText& scratch : stage.plan.scratch) {
    const std::string old = std::exchange(scratch.name, scratch.name + "_" + target);
    rename(stage.device, old, scratch.name);
    for (LaunchText& launch : stage.plan.launches) {
      std::ranges::replace(launch.args, old, scratch.name);
    }
  }
}

// Includes and constants that stages share are written once.
void append_code(ProgramBlock& device, ProgramBlock stage)
{
  for (ProgramNode& node : stage) {
    const bool directive = node.text.starts_with("#") && !node.text.starts_with("#include");
    const bool shared = node.kind == ProgramNode::Kind::statement && !directive
                        && std::ranges::any_of(device, [&](const ProgramNode& known) {
                             return known.kind == ProgramNode::Kind::statement && known.text == node.text;
                           });
    if (shared) {
      continue;
    }
    if (node.kind == ProgramNode::Kind::statement && node.text.starts_with("#include")) {
      device.insert(device.begin(), std::move(node));
    } else {
      device.push_back(std::move(node));
    }
  }
}

// A parameter that the schedule does not have gets one value.
void replace_parameter(LoweredProgram& program, const std::string& name, const std::string& value)
{
  rename(program.device, name, value);
  for (LaunchText& launch : program.plan.launches) {
    launch.shared = renamed(launch.shared, name, value);
    for (std::string& size : launch.grid) {
      size = renamed(size, name, value);
    }
  }
}

} // namespace

Result<LoweredProgram> lower_beside(const kernel::Kernel& stage, const Schedule& schedule, const Dialect& dialect)
{
  Schedule own;
  const bool in_vectors =
    schedule.has_done("vectorize") || schedule.form == "dots" || schedule.has_done("vectorize-windows");
  own.form = in_vectors ? "elements" : "statements";
  const auto vectors = std::ranges::find(schedule.tuning, "VECTORS", &kernel::TuningParameter::name);
  if (own.form == "elements" && vectors != schedule.tuning.end()) {
    own.tuning = {*vectors};
    if (Result<LoweredProgram> lowered = lower_elements(stage, own, dialect)) {
      replace_parameter(*lowered, k_group_columns, k_columns_beside);
      return lowered;
    }
  }
  return lower_statements(stage, dialect);
}

Result<void> append_stage(LoweredProgram& out, LoweredProgram stage, const kernel::Kernel& kernel,
                          const kernel::Statement& source, const Dialect& dialect)
{
  rename_helpers(stage.device, source.target);
  rename_scratch(stage, source.target);
  append_code(out.device, std::move(stage.device));
  for (ScratchText& scratch : stage.plan.scratch) {
    out.plan.scratch.push_back(std::move(scratch));
  }
  if (source.intermediate) {
    HONE_TRY(std::string elements, elements_of(kernel, dialect, source));
    out.plan.scratch.push_back({source.target, source.type, std::move(elements)});
  }
  for (LaunchText& launch : stage.plan.launches) {
    out.plan.launches.push_back(std::move(launch));
  }
  return {};
}

} // namespace hone::lower
