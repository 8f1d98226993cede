#include "rewrite/builtin/device/item_edits.h"

#include <fmt/format.h>

namespace hone::rewrite {

namespace {

constexpr int k_most_sums = 256; // numbers that an item may keep in registers

std::string product(const lower::Schedule& schedule, const std::vector<std::string>& names)
{
  std::string out;
  for (const std::string& name : names) {
    if (schedule.has_parameter(name)) {
      out += (out.empty() ? "" : " * ") + name;
    }
  }
  return out;
}

} // namespace

Result<void> check_done(const lower::Schedule& schedule, const std::string& step)
{
  return schedule.has_done(step) ? Result<void>()
                                 : fail(fmt::format("it builds on {}, which has not been carried out", step),
                                        fmt::format("carry out {} first", step));
}

void update_item_constraints(lower::Schedule& schedule)
{
  schedule.constraints.clear();
  if (const std::string items = product(schedule, {"GROUP_M", "GROUP_N"}); !items.empty()) {
    schedule.constraints.push_back(items + " <= device.max_block");
  }
  if (const std::string sums = product(schedule, {"TILE_M", "TILE_N", "LANES"}); !sums.empty()) {
    schedule.constraints.push_back(fmt::format("{} <= {}", sums, k_most_sums));
  }
}

} // namespace hone::rewrite
