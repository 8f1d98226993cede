#include "engine/builtin/nest_edits.h"
#include "engine/builtin/rewrites.h"

namespace hone {

// A work-group computes TILE_M x TILE_N of the output, TILE_K of the sum at a time, so that what it reads again is
// still in the cache.
Result<void> cache_tiling(Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_partial_sums(subject.kernel));
  const auto rows = static_cast<std::size_t>(find_loop(schedule, Dimension::m, LoopKind::group));
  const std::string rows_at_a_time = schedule.loops[rows].step;
  schedule.loops[rows].step = "TILE_M";

  const int outer = find_loop(schedule, Dimension::n, LoopKind::serial);
  const int tile = find_innermost(schedule, Dimension::n, LoopKind::serial);
  if (outer != tile) { // packing has blocked the columns: the blocks become groups
    schedule.loops[static_cast<std::size_t>(outer)].kind = LoopKind::group;
  } else {
    schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(rows) + 1,
                          ScheduledLoop{Dimension::n, LoopKind::group, "TILE_N", false, ""});
  }

  // The group's rows are now a loop. A register tile is finished for all of them before the next columns come.
  const bool registers = schedule.has_done("register-tiling");
  const std::size_t inner = registers
                              ? static_cast<std::size_t>(find_innermost(schedule, Dimension::k, LoopKind::serial))
                              : first_inner_loop(schedule);
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(inner),
                        ScheduledLoop{Dimension::m, LoopKind::serial, rows_at_a_time, false, ""});
  add_parameter(schedule, "TILE_M", {32, 48, 64, 96, 192, 384, 768, 1536, 3072}, 192);
  add_parameter(schedule, "TILE_N", {64, 96, 128, 192, 256, 384, 768}, 384);
  block_k(schedule);
  return {};
}

} // namespace hone
