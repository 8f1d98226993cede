#include "rewrite/builtin/device/item_edits.h"

#include "lower/matrix_shape.h"

#include <fmt/format.h>

namespace hone::rewrite {

namespace {

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

Result<void> check_apart(const lower::Schedule& schedule, const std::string& step, const std::string& why)
{
  return schedule.has_done(step) ? fail(why, "choose one of the two steps") : Result<void>();
}

Result<void> check_tiles(const lower::Schedule& schedule)
{
  return schedule.has_done("matrix-instructions") ? Result<void>() : check_done(schedule, "group-outputs");
}

Result<void> make_items(lower::Schedule& schedule)
{
  if (schedule.form == "group-rows") {
    return fail("this candidate's groups go over rows", "choose one of the two");
  }
  schedule.form = "items";
  schedule.loops.clear();
  return {};
}

Result<void> update_item_constraints(lower::Schedule& schedule, const RewriteSubject& subject)
{
  const lower::Dialect& dialect = subject.dialect;
  schedule.constraints.clear();
  if (const std::string items = product(schedule, {"GROUP_M", "GROUP_N", "ITEMS", "ROWS"}); !items.empty()) {
    schedule.constraints.push_back(items + " <= device.max_block");
  }
  if (schedule.has_done("matrix-instructions")) {
    HONE_TRY(const lower::MatrixShape shape, lower::matrix_shape(subject.kernel, dialect));
    const std::string items = std::to_string(shape.items);
    schedule.constraints.push_back(fmt::format("device.subgroup == {}", items));
    const bool groups = schedule.has_done("warp-group-instructions");
    schedule.constraints.push_back(
      fmt::format("{} * {} <= device.max_block", items, product(schedule, {"WARPS_M", "WARPS_N"})));
    if (groups) {
      schedule.constraints.emplace_back("device.warp_group == 128");
    } else { // of a line that holds rows or columns: whole pieces, or a whole swizzle
      const bool swizzled = schedule.has_done("swizzle-local-memory");
      const int least = (swizzled ? k_line_bytes : 16) / shape.element_bytes;
      const auto whole = [&](const char* fragments, int elements) {
        if (least > elements) {
          schedule.constraints.push_back(fmt::format("{} >= {}", fragments, least / elements));
        }
      };
      whole("WARPS_M * FRAGMENTS_M", shape.rows);
      whole("WARPS_N * FRAGMENTS_N", shape.columns);
    }
    schedule.constraints.push_back(fmt::format("4 * FRAGMENTS_M * FRAGMENTS_N <= {}", dialect.most_sums));
  }
  if (schedule.has_done("share-tiles-in-clusters")) {
    schedule.constraints.emplace_back("CLUSTER <= device.cluster");
  }
  if (schedule.has_done("reduce-in-sub-groups")) {
    schedule.constraints.emplace_back("device.subgroup >= 2");
    schedule.constraints.emplace_back("ITEMS * ROWS >= device.subgroup");
  }
  if (const std::string sums = product(schedule, {"TILE_M", "TILE_N", "LANES"}); !sums.empty()) {
    schedule.constraints.push_back(fmt::format("{} <= {}", sums, dialect.most_sums));
  }
  return {};
}

} // namespace hone::rewrite
