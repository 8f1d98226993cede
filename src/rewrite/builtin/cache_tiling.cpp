#include "rewrite/builtin/nest_edits.h"
#include "rewrite/builtin/rewrites.h"

namespace hone::rewrite {

// A work-group computes TILE_M x TILE_N of the output, TILE_K of the sum at a time, so that what it reads again is
// still in the cache.
Result<void> cache_tiling(lower::Schedule& schedule, const RewriteSubject& subject)
{
  HONE_CHECK(check_partial_sums(subject.kernel));
  const auto rows = static_cast<std::size_t>(lower::find_loop(schedule, lower::Dimension::m, lower::LoopKind::group));
  const std::string rows_at_a_time = schedule.loops[rows].step;
  schedule.loops[rows].step = "TILE_M";

  const int outer = lower::find_loop(schedule, lower::Dimension::n, lower::LoopKind::serial);
  const int tile = lower::find_innermost(schedule, lower::Dimension::n, lower::LoopKind::serial);
  if (outer != tile) { // packing has blocked the columns: the blocks become groups
    schedule.loops[static_cast<std::size_t>(outer)].kind = lower::LoopKind::group;
  } else {
    schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(rows) + 1,
                          lower::ScheduledLoop{lower::Dimension::n, lower::LoopKind::group, "TILE_N", false, ""});
  }

  // The group's rows are now a loop. A register tile is finished for all of them before the next columns come.
  const bool registers = schedule.has_done("register-tiling");
  const std::size_t inner =
    registers ? static_cast<std::size_t>(lower::find_innermost(schedule, lower::Dimension::k, lower::LoopKind::serial))
              : first_inner_loop(schedule);
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(inner),
                        lower::ScheduledLoop{lower::Dimension::m, lower::LoopKind::serial, rows_at_a_time, false, ""});
  add_parameter(schedule, "TILE_M", {32, 48, 64, 96, 192, 384, 768, 1536, 3072}, 192);
  add_parameter(schedule, "TILE_N", {64, 96, 128, 192, 256, 384, 768}, 384);
  block_k(schedule);
  return {};
}

} // namespace hone::rewrite
