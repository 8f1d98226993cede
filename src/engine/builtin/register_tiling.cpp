#include "engine/builtin/nest_edits.h"
#include "engine/builtin/rewrites.h"

namespace hone {

// REG_M rows by a few columns are summed at once in registers: each loaded element of A and B is used several times.
Result<void> register_tiling(Schedule& schedule, const RewriteSubject&)
{
  std::vector<ScheduledLoop>& loops = schedule.loops;
  const auto take = [&](Dimension dimension, LoopKind kind) {
    const auto at = loops.begin() + find_innermost(schedule, dimension, kind);
    ScheduledLoop loop = *at;
    loops.erase(at);
    return loop;
  };

  ScheduledLoop columns = take(Dimension::n, LoopKind::serial);
  ScheduledLoop depth = take(Dimension::k, LoopKind::serial);
  ScheduledLoop column_registers{Dimension::n, LoopKind::registers, "1", false, ""};
  if (find_loop(schedule, Dimension::n, LoopKind::registers) >= 0) {
    column_registers = take(Dimension::n, LoopKind::registers);
  } else {
    columns.step = "REG_N";
    add_parameter(schedule, "REG_N", {2, 4, 8}, 4);
  }
  add_parameter(schedule, "REG_M", {4, 5, 6, 7, 8, 9, 10, 12, 14}, 6);

  // Columns outside rows: the part of B that a tile reads stays in the nearest cache for all rows.
  const int row_loop = find_loop(schedule, Dimension::m, LoopKind::serial);
  if (row_loop >= 0) {
    take(Dimension::m, LoopKind::serial);
    loops.push_back(columns);
    loops.push_back({Dimension::m, LoopKind::serial, "REG_M", false, ""});
  } else {
    loops[static_cast<std::size_t>(find_loop(schedule, Dimension::m, LoopKind::group))].step = "REG_M";
    loops.push_back(columns);
  }
  loops.push_back(depth);
  loops.push_back({Dimension::m, LoopKind::registers, "1", false, ""});
  loops.push_back(column_registers);
  return {};
}

} // namespace hone
