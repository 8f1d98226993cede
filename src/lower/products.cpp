#include "lower/products.h"

#include "kernel/stage.h"
#include "lower/contraction_lowering.h"
#include "lower/contraction_view.h"
#include "lower/dot_lowering.h"
#include "lower/element_code.h"
#include "lower/element_lowering.h"
#include "lower/separate_epilogues.h"
#include "util/util.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone::lower {

namespace {

constexpr const char* k_columns_beside_products = "1024";

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
void append_stage(ProgramBlock& device, ProgramBlock stage)
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

bool has_batch(const Schedule& schedule)
{
  return find_loop(schedule, Dimension::batch, LoopKind::group) >= 0;
}

bool has_dots(const Schedule& schedule)
{
  return schedule.form == "dots";
}

// Whether the schedule's nest is one for this product, too.
bool fits(const kernel::Kernel& stage, const Schedule& schedule, const kernel::Kernel& leading)
{
  const Result<ContractionView> view = has_dots(schedule) ? dot_view(stage) : contraction_view(stage);
  const kernel::DataType type = leading.program.statements.front().type;
  return view && view->statement->type == type && (has_dots(schedule) || view->batch.empty() != has_batch(schedule));
}

// A parameter that products do not have gets one value.
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

// What is no product: in vectors too, once the products are.
Result<LoweredProgram> lower_other(const kernel::Kernel& stage, const Schedule& schedule, const Dialect& dialect)
{
  Schedule own;
  own.form = schedule.has_done("vectorize") || has_dots(schedule) ? "elements" : "statements";
  const auto vectors = std::ranges::find(schedule.tuning, "VECTORS", &kernel::TuningParameter::name);
  if (own.form == "elements" && vectors != schedule.tuning.end()) {
    own.tuning = {*vectors};
    if (Result<LoweredProgram> lowered = lower_elements(stage, own, dialect)) {
      replace_parameter(*lowered, k_group_columns, k_columns_beside_products);
      return lowered;
    }
  }
  return lower_statements(stage, dialect);
}

// Of statements whose epilogues are separate: the product with the most operations, where it has such a view.
std::optional<kernel::Kernel> first_product(const kernel::Kernel& kernel,
                                            Result<ContractionView> (*view)(const kernel::Kernel&))
{
  const std::vector<std::size_t> stages = kernel::product_stages(kernel);
  if (stages.empty()) {
    return std::nullopt;
  }
  kernel::Kernel stage = kernel::stage_of(kernel, stages.front());
  return view(stage) ? std::optional(std::move(stage)) : std::nullopt;
}

} // namespace

std::optional<kernel::Kernel> leading_product(const kernel::Kernel& kernel)
{
  return first_product(with_separate_epilogues(kernel), contraction_view);
}

std::optional<kernel::Kernel> leading_dot_product(const kernel::Kernel& kernel)
{
  return first_product(with_separate_epilogues(kernel), dot_view);
}

Result<LoweredProgram> lower_products(const kernel::Kernel& original, const Schedule& schedule, const Dialect& dialect)
{
  const kernel::Kernel kernel = with_separate_epilogues(original);
  const bool dots = has_dots(schedule);
  const std::optional<kernel::Kernel> first = first_product(kernel, dots ? dot_view : contraction_view);
  if (!first) {
    return fail("none of the statements is a product of two tensors that the built-in engine has a loop nest for");
  }
  const auto lower_nest = dots ? lower_dots : lower_contraction;
  LoweredProgram out;
  for (std::size_t i = 0; i < kernel.program.statements.size(); ++i) {
    const kernel::Statement& source = kernel.program.statements[i];
    const kernel::Kernel stage = kernel::stage_of(kernel, i);
    const bool product = fits(stage, schedule, *first);
    Result<LoweredProgram> lowered =
      product ? lower_nest(stage, schedule, dialect) : lower_other(stage, schedule, dialect);
    if (!lowered && product) {
      lowered = lower_other(stage, schedule, dialect);
    }
    if (!lowered) {
      return std::unexpected(std::move(lowered.error()));
    }
    rename_helpers(lowered->device, source.target);
    rename_scratch(*lowered, source.target);
    append_stage(out.device, std::move(lowered->device));
    if (product && out.macros.empty()) { // they say what the schedule says, which is the same for all
      out.macros = std::move(lowered->macros);
    }
    for (ScratchText& scratch : lowered->plan.scratch) {
      out.plan.scratch.push_back(std::move(scratch));
    }
    if (source.intermediate) {
      HONE_TRY(std::string elements, elements_of(kernel, dialect, source));
      out.plan.scratch.push_back({source.target, source.type, std::move(elements)});
    }
    for (LaunchText& launch : lowered->plan.launches) {
      out.plan.launches.push_back(std::move(launch));
    }
  }
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  return out;
}

} // namespace hone::lower
