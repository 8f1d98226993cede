#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// REG_M rows by a few columns are summed at once in registers: each loaded element of A and B is used several times.
Result<void> register_tiling(lower::Schedule& schedule, const RewriteSubject&)
{
  std::vector<lower::ScheduledLoop>& loops = schedule.loops;
  const auto take = [&](lower::Dimension dimension, lower::LoopKind kind) {
    const auto at = loops.begin() + lower::find_innermost(schedule, dimension, kind);
    lower::ScheduledLoop loop = *at;
    loops.erase(at);
    return loop;
  };

  lower::ScheduledLoop columns = take(lower::Dimension::n, lower::LoopKind::serial);
  lower::ScheduledLoop depth = take(lower::Dimension::k, lower::LoopKind::serial);
  lower::ScheduledLoop column_registers{lower::Dimension::n, lower::LoopKind::registers, "1", false, ""};
  if (lower::find_loop(schedule, lower::Dimension::n, lower::LoopKind::registers) >= 0) {
    column_registers = take(lower::Dimension::n, lower::LoopKind::registers);
  } else {
    columns.step = "REG_N";
    add_parameter(schedule, "REG_N", {2, 4, 8}, 4);
  }
  add_parameter(schedule, "REG_M", {4, 5, 6, 7, 8, 9, 10, 12, 14}, 6);

  // Columns outside rows: the part of B that a tile reads stays in the nearest cache for all rows.
  const int row_loop = lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::serial);
  if (row_loop >= 0) {
    take(lower::Dimension::m, lower::LoopKind::serial);
    loops.push_back(columns);
    loops.push_back({lower::Dimension::m, lower::LoopKind::serial, "REG_M", false, ""});
  } else {
    loops[static_cast<std::size_t>(lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::group))].step =
      "REG_M";
    loops.push_back(columns);
  }
  loops.push_back(depth);
  loops.push_back({lower::Dimension::m, lower::LoopKind::registers, "1", false, ""});
  loops.push_back(column_registers);
  return {};
}

} // namespace hone::rewrite
