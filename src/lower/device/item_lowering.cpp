#include "lower/device/item_lowering.h"

#include "lower/device/launches.h"
#include "lower/device/tile_function.h"
#include "lower/ordered_lowering.h"
#include "lower/words.h"
#include "util/text.h"

#include <fmt/format.h>

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

Result<void> lower_tiled(const kernel::Kernel& kernel, const Dialect& dialect, const kernel::Statement& source,
                         const device::TileOptions& options, const std::string& name, LoweredProgram& out)
{
  HONE_CHECK(check_reads(source));
  HONE_TRY(device::TiledStatement tiled, device::tile_statement(kernel, dialect, source, options));
  tiled.function.name = name;
  tiled.function.purpose = kernel::to_text(source);
  device::add_launch(kernel, dialect, std::move(tiled.function), tiled.grid, {options.group_n, options.group_m}, {},
                     out);
  if (source.intermediate) {
    HONE_TRY(std::string size, elements_of(kernel, dialect, source));
    out.plan.scratch.push_back({source.target, source.type, std::move(size)});
  }
  if (!tiled.local_bytes.empty()) {
    out.plan.constraints.push_back(fmt::format("{} <= device.shared_per_block", join(tiled.local_bytes, " + ")));
  }
  return {};
}

} // namespace

Result<LoweredProgram> lower_items(const kernel::Kernel& kernel, const Schedule& schedule, const Dialect& dialect)
{
  const device::TileOptions options = device::tile_options(schedule);
  LoweredProgram out;
  out.plan.tuning = schedule.tuning;
  out.plan.constraints = schedule.constraints;
  const std::vector<kernel::Statement>& all = kernel.program.statements;
  std::string why;
  bool any = false;
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t end = kernel::end_of_block(kernel.program, first);
    const bool single = first == 0 && end == all.size();
    const std::string name = single ? c_name(kernel.name) : c_name(kernel.name + "_" + all[first].target);
    if (kernel::is_ordered(all[first])) {
      HONE_CHECK(lower_block(kernel, dialect, first, name + (single ? "" : "_loops"), out));
    } else if (const Result<void> tiled = lower_tiled(kernel, dialect, all[first], options, name, out)) {
      any = true;
    } else {
      why = tiled.error().message;
      HONE_CHECK(lower_statement(kernel, dialect, all[first], name, out));
    }
    first = end;
  }
  if (!any) {
    return fail(why.empty() ? "loops that run in order have no tiles" : why, k_leave_out);
  }
  return out;
}

} // namespace hone::lower
