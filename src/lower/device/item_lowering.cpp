#include "lower/device/item_lowering.h"

#include "lower/device/launches.h"
#include "lower/device/row_function.h"
#include "lower/device/spelling.h"
#include "lower/device/split_sums.h"
#include "lower/device/tile_function.h"
#include "lower/ordered_lowering.h"
#include "lower/words.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::lower {

namespace {

// A statement that reads its target, but at the element that it writes, has the naive form; one that leaves elements
// out has it too.
Result<void> check_reads(const kernel::Statement& source)
{
  if (source.guard) {
    return fail(fmt::format("{} is computed where a condition holds", source.target));
  }
  const bool chosen = source.value->kind == kernel::ExprKind::select;
  const bool elsewhere = kernel::any_part(*source.value, [&](const kernel::Expr& part) {
    return part.kind == kernel::ExprKind::load && part.name == source.target
           && (chosen || !is_own_element(part, source));
  });
  return elsewhere ? fail(fmt::format("{} is read where others write it", source.target)) : Result<void>();
}

// Memory for the target of an intermediate statement.
Result<void> add_scratch(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                         LoweredProgram& out)
{
  if (source.intermediate) {
    HONE_TRY(std::string size, elements_of(kernel, dialect, source));
    out.plan.scratch.push_back({source.target, source.type, std::move(size)});
  }
  return {};
}

Result<void> lower_tiled(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                         const device::TileOptions& options, const std::string& name, LoweredProgram& out,
                         std::vector<std::string>& locals)
{
  HONE_CHECK(check_reads(source));
  HONE_TRY(device::TiledStatement tiled, device::tile_statement(kernel, dialect, source, options));
  tiled.function.name = name;
  tiled.function.purpose = kernel::to_text(source);
  const std::vector<std::string> block = {tiled.function.items[0], tiled.function.items[1]};
  const bool sized_at_launch = tiled.function.sized_at_launch;
  device::add_launch(kernel, dialect, std::move(tiled.function), tiled.grid, block, {}, out);
  HONE_CHECK(add_scratch(kernel, dialect, source, out));
  std::ranges::move(tiled.maps, std::back_inserter(out.plan.maps));
  out.plan.launches.back().cluster = std::move(tiled.cluster);
  if (sized_at_launch) {
    out.plan.launches.back().shared = join(tiled.local_bytes, " + ");
    out.plan.constraints.push_back(out.plan.launches.back().shared + " <= device.dynamic_shared");
  } else if (!tiled.local_bytes.empty()) {
    locals.push_back(join(tiled.local_bytes, " + "));
  }
  return {};
}

// Constraints on local memory, from the bytes of each function. Arrays that are declared outside of functions are there
// for all of them.
void limit_local_memory(const Dialect& dialect, std::vector<std::string> bytes, LoweredProgram& out)
{
  if (device::spelling_of(dialect).local_outside && !bytes.empty()) {
    bytes = {join(bytes, " + ")};
  }
  for (const std::string& one : bytes) {
    out.plan.constraints.push_back(one + " <= device.shared_per_block");
  }
}

} // namespace

Result<LoweredProgram> lower_items(const kernel::Kernel& given, const Schedule& schedule, const Dialect& dialect)
{
  const device::TileOptions options = device::tile_options(schedule, dialect);
  const device::SplitKernel split =
    options.split_k.empty() ? device::SplitKernel{given, {}} : device::split_sums(given, options.split_k);
  if (!options.split_k.empty() && split.parts.empty()) {
    return fail("no statement has one sum whose terms all elements share", k_leave_out);
  }
  const kernel::Kernel& kernel = split.kernel;
  LoweredProgram out;
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  const std::vector<kernel::Statement>& all = kernel.program.statements;
  // The parts of a sum are added up element by element: nothing is used twice there.
  const device::TileOptions adding = device::without_staging(options);
  const auto adds_parts = [&](std::size_t at) { return at > 0 && split.parts.contains(all[at - 1].target); };
  std::string why;
  bool any = false;
  std::vector<std::string> locals; // bytes of each function's
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t end = kernel::end_of_block(kernel.program, first);
    const bool single = first == 0 && end == all.size();
    const std::string name = single ? c_name(kernel.name) : c_name(kernel.name + "_" + all[first].target);
    if (kernel::is_ordered(all[first])) {
      HONE_CHECK(lower_block(kernel, dialect, first, name + (single ? "" : "_loops"), out));
    } else if (const Result<void> tiled =
                 lower_tiled(kernel, dialect, all[first], adds_parts(first) ? adding : options, name, out, locals)) {
      any = true;
    } else {
      why = tiled.error().message;
      HONE_CHECK(lower_statement(kernel, dialect, all[first], name, out));
    }
    first = end;
  }
  limit_local_memory(dialect, std::move(locals), out);
  if (!any) {
    return fail(why.empty() ? "loops that run in order have no tiles" : why, k_leave_out);
  }
  return out;
}

Result<LoweredProgram> lower_group_rows(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  const auto parameter = [&](const char* name, const char* otherwise) {
    return std::string(schedule.has_parameter(name) ? name : otherwise);
  };
  const device::RowOptions options{parameter("ITEMS", "1"), parameter("ROWS", "1"), parameter("LANES", ""),
                                   schedule.has_done("reduce-in-sub-groups")};
  LoweredProgram out;
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  Schedule fused = schedule;
  fused.fused = true;
  std::vector<std::string> locals;
  std::string why;
  std::size_t number = 0;
  const std::vector<RowStage> stages = row_stages(kernel, fused);
  for (const RowStage& stage : stages) {
    const kernel::Statement& last = stage.plain != nullptr ? *stage.plain : *stage.program.statements.back();
    const std::string name = stages.size() == 1 ? c_name(kernel.name) : c_name(kernel.name + "_" + last.target);
    if (stage.plain == nullptr) {
      Result<device::RowsInGroups> rows = device::row_function(kernel, dialect, stage.program, options);
      if (rows) {
        ++number;
        rows->function.name = name;
        rows->function.purpose = "Row by row: " + kernel::to_text(last);
        const std::vector<std::string> block = {options.items, options.rows};
        device::add_launch(kernel, dialect, std::move(rows->function), rows->grid, block, {}, out);
        if (!rows->local_bytes.empty()) {
          locals.push_back(join(rows->local_bytes, " + "));
        }
        for (const std::string& target : stage.program.stored) {
          const std::size_t home = kernel::home_of(kernel.program, target);
          HONE_CHECK(add_scratch(kernel, dialect, kernel.program.statements[home], out));
        }
        continue;
      }
      why = rows.error().message;
    } else {
      why = stage.reason;
    }
    for (const kernel::Statement* source :
         stage.plain != nullptr ? std::vector<const kernel::Statement*>{stage.plain} : stage.program.statements) {
      HONE_CHECK(lower_statement(kernel, dialect, *source, c_name(kernel.name + "_" + source->target), out));
    }
  }
  limit_local_memory(dialect, std::move(locals), out);
  return number > 0 ? Result<LoweredProgram>(std::move(out)) : fail(why, k_leave_out);
}

} // namespace hone::lower
