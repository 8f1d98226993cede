#include "app/context.h"

#include "record/machine_load.h"

#include <fmt/format.h>

namespace hone::app {

Observer& silent_observer()
{
  static Observer nobody;
  return nobody;
}

double lost_share(const ClimbScale& scale)
{
  return scale.timed_s > 0 ? scale.lost_s / scale.timed_s : scale.lost_at_begin;
}

bool is_busy(const ClimbScale& scale)
{
  return lost_share(scale) > record::k_busy_share;
}

std::string load_text(const ClimbScale& scale)
{
  return fmt::format("{}: others took {:.0f} % of the CPU time {}", is_busy(scale) ? "busy" : "quiet",
                     100 * lost_share(scale), scale.timed_s > 0 ? "of timed runs" : "just before the first job");
}

} // namespace hone::app
