#include "lower/element_lowering.h"

#include "lower/element_code.h"
#include "lower/element_copies.h"
#include "lower/element_intervals.h"
#include "lower/element_passes.h"
#include "lower/joined_sums.h"
#include "lower/rowwise_lowering.h"
#include "lower/rowwise_program.h"
#include "lower/tuning_macros.h"
#include "lower/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace hone::lower {

namespace {

// A statement in the form that suits it.
struct ElementPlan {
  ElementLaunch launch;
  bool along_sums = false;
};

Result<void> check_statement(const kernel::Kernel& kernel, const kernel::Statement& source)
{
  const auto no = [&](const std::string& why) {
    return fail(fmt::format("{} {}", source.target, why), k_leave_out, source.place);
  };
  if (source.indices.empty()) {
    return no("is a single number");
  }
  if (source.guard) {
    return no("has a condition (where)");
  }
  if (compute_type(kernel, source) != source.type) {
    return no(fmt::format("is {} and computed in another type", kernel::name_of(source.type)));
  }
  for (const kernel::IndexRange& range : source.indices) {
    if (!is_whole_range(range)) {
      return no("does not run over whole dimensions");
    }
  }
  return {};
}

Result<ElementPlan> plan_for(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                             const ElementOptions& options)
{
  HONE_CHECK(check_statement(kernel, source));
  std::optional<Error> reason;
  for (const int form : {0, 1, 2}) {
    ElementOptions wanted = options;
    wanted.widest_stride = form == 2 ? 4 : 1;
    ElementCode code(kernel, dialect, source, wanted);
    const bool along_sums = form == 1;
    Result<ElementLaunch> launch = along_sums ? lanes_along_sums(code) : lanes_along_columns(code);
    if (launch) {
      return ElementPlan{std::move(*launch), along_sums};
    }
    reason = reason ? reason : launch.error();
  }
  return std::unexpected(*reason);
}

ElementOptions options_of(const Schedule& schedule)
{
  ElementOptions out;
  out.vectors = "VECTORS";
  out.rows = schedule.has_parameter("REG_M") ? "REG_M" : "";
  out.columns = schedule.has_parameter("REG_N") ? "REG_N" : out.rows;
  out.block = schedule.has_parameter(k_block_rows) ? k_block_rows : "";
  return out;
}

// Terms that several rows read alike: rows side by side pay more than lanes along a row.
bool shares_terms(const kernel::Statement& source)
{
  return std::ranges::any_of(kernel::reductions_of(source.value), [&](const kernel::ExprPtr& reduce) {
    return kernel::any_part(*reduce->args[0], [&](const kernel::Expr& part) {
      return part.kind == kernel::ExprKind::load
             && std::ranges::any_of(source.indices,
                                    [&](const kernel::IndexRange& index) { return !names_anywhere(part, index.name); });
    });
  });
}

// Statements that go well by rows, as they stand.
bool stays_with_rows(const kernel::Kernel& kernel, const Dialect& dialect, const RowStage& stage)
{
  if (stage.plain != nullptr || !check_stage_vectors(kernel, dialect, stage)) {
    return false;
  }
  return stage.program.statements.size() > 1 || !shares_terms(*stage.program.statements.front());
}

// Fused statements that have no vectors together are taken one by one.
std::vector<RowStage> element_stages(const kernel::Kernel& kernel, const Dialect& dialect, const Schedule& schedule)
{
  Schedule apart = schedule;
  apart.fused = false;
  std::vector<RowStage> single = row_stages(kernel, apart);
  if (!options_of(schedule).block.empty()) {
    return single; // statements share rows of a matrix instead
  }
  std::vector<RowStage> out;
  std::size_t first = 0;
  for (RowStage& stage : row_stages(kernel, schedule)) {
    const std::size_t count = stage.plain != nullptr ? 1 : stage.program.statements.size();
    if (count == 1 || stays_with_rows(kernel, dialect, stage)) {
      out.push_back(std::move(stage));
    } else {
      std::move(single.begin() + static_cast<std::ptrdiff_t>(first),
                single.begin() + static_cast<std::ptrdiff_t>(first + count), std::back_inserter(out));
    }
    first += count;
  }
  return out;
}

Result<void> add_launch(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                        const std::string& name, ElementPlan plan, LoweredProgram& out)
{
  LaunchText launch;
  launch.kernel = name;
  launch.grid = plan.launch.grid;
  launch.shared = plan.launch.shared;
  const std::vector<ParameterText> parameters = parameters_for(kernel, dialect, print(plan.launch.body));
  launch.args = names(parameters);
  out.device.push_back(blank_line());
  out.device.push_back(comment(kernel::to_text(source)));
  out.device.push_back(function(entry_head(dialect, name, parameters), std::move(plan.launch.body)));
  if (source.intermediate) {
    const ElementCode code(kernel, dialect, source, {});
    HONE_TRY(std::string size, code.product_of_extents(0, source.indices.size()));
    out.plan.scratch.push_back({source.target, source.type, std::move(size)});
  }
  out.plan.launches.push_back(std::move(launch));
  return {};
}

// A sum whose innermost range is a few terms, whatever the sizes are.
bool has_short_sum(const kernel::Expr& value)
{
  constexpr double k_few = 64;
  return kernel::any_part(value, [](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::reduce && part.ranges.back().upper->kind == kernel::ExprKind::number
           && part.ranges.back().upper->number <= k_few;
  });
}

const kernel::Statement& statement_of(const RowStage& stage)
{
  return stage.plain != nullptr ? *stage.plain : *stage.program.statements.back();
}

// What shares the rows of a matrix from a stage on; nothing where that is not wanted.
std::vector<PassMember> pass_from(const kernel::Kernel& kernel, const std::vector<RowStage>& stages, std::size_t first,
                                  const ElementOptions& options)
{
  std::vector<const kernel::Statement*> statements;
  for (std::size_t i = first; i < stages.size() && !options.block.empty(); ++i) {
    statements.push_back(&statement_of(stages[i]));
  }
  return pass_over_rows(kernel, statements);
}

} // namespace

Result<LoweredProgram> lower_elements(const kernel::Kernel& original, const Schedule& schedule, const Dialect& dialect)
{
  const kernel::Kernel kernel = with_joined_sums(with_copies(original));
  LoweredProgram out;
  const ElementOptions options = options_of(schedule);
  const std::vector<RowStage> stages = element_stages(kernel, dialect, schedule);
  for (std::size_t first = 0; first < stages.size(); ++first) {
    const RowStage& stage = stages[first];
    const kernel::Statement& source = statement_of(stage);
    const std::string name = stages.size() == 1 ? c_name(kernel.name) : c_name(kernel.name + "_" + source.target);
    if (const auto pass = pass_from(kernel, stages, first, options); !pass.empty()) {
      HONE_CHECK(lower_pass(kernel, dialect, pass, options, name, out));
      first += pass.size() - 1;
      continue;
    }
    const bool rows = stays_with_rows(kernel, dialect, stage);
    const bool single = stage.plain != nullptr || stage.program.statements.size() == 1;
    if (!rows && single) {
      if (Result<ElementPlan> plan = plan_for(kernel, dialect, source, options)) {
        HONE_CHECK(add_launch(kernel, dialect, source, name, std::move(*plan), out));
        continue;
      }
    }
    HONE_CHECK(stage.plain != nullptr ? lower_statement(kernel, dialect, source, name, out)
                                      : lower_row_stage(kernel, dialect, stage, options.vectors, name, out));
  }
  out.device.insert(out.device.begin(), statement("#include \"hone_math.h\""));
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  out.macros = tuning_macros(schedule);
  return out;
}

Result<ElementForms> element_forms(const kernel::Kernel& original, const Schedule& schedule, const Dialect& dialect)
{
  const kernel::Kernel kernel = with_joined_sums(with_copies(original));
  ElementForms out;
  std::optional<Error> reason;
  for (const RowStage& stage : element_stages(kernel, dialect, schedule)) {
    const kernel::Statement& source = statement_of(stage);
    const bool single = stage.plain != nullptr || stage.program.statements.size() == 1;
    if (!single || stays_with_rows(kernel, dialect, stage)) {
      continue;
    }
    ElementOptions options{"REG_M", "REG_N", "VECTORS"};
    const Result<ElementPlan> plan = plan_for(kernel, dialect, source, options);
    if (!plan) {
      reason = reason ? reason : plan.error();
      continue;
    }
    const std::string text = print(plan->launch.body);
    out.columns = out.columns || !plan->along_sums;
    out.sums = out.sums || plan->along_sums;
    out.planes = out.planes || mentions(text, "REG_N");
    out.one_index = out.one_index || std::ranges::any_of(plan->launch.grid, [](const std::string& size) {
                      return mentions(size, k_group_columns);
                    });
    out.tiles = out.tiles || mentions(text, "REG_M");
    out.short_sums = out.short_sums || (plan->along_sums && has_short_sum(*source.value));
  }
  const std::vector<RowStage> single = row_stages(kernel, Schedule{});
  ElementOptions shared;
  shared.block = k_block_rows;
  for (std::size_t first = 0; first < single.size(); ++first) {
    out.passes = out.passes || !pass_from(kernel, single, first, shared).empty();
  }
  if (!out.columns && !out.sums) {
    return reason
             ? Result<ElementForms>(std::unexpected(*reason))
             : fail("its statements go by rows: no element shares anything with its neighbours", "try vectorize-rows");
  }
  return out;
}

} // namespace hone::lower
