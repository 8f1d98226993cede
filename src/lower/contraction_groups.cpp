#include "lower/contraction_groups.h"

#include "util/util.h"

#include <fmt/format.h>

namespace hone::lower {

namespace {

const std::string k_number = "group->id[2]";

std::vector<std::string> batch_extents(const ContractionCode& code)
{
  std::vector<std::string> extents;
  for (const kernel::IndexRange& range : code.view.batch) {
    extents.push_back(code.extent(range));
  }
  return extents;
}

// What is left of the group's number beyond the indices that are faster.
std::string beyond(const std::vector<std::string>& faster)
{
  return faster.empty()       ? k_number
         : faster.size() == 1 ? k_number + " / " + faster.front()
                              : fmt::format("{} / ({})", k_number, join(faster, " * "));
}

} // namespace

std::vector<std::string> grid_of(const ContractionCode& code)
{
  const NestShape& nest = code.nest;
  const std::string m = code.extent(code.view.m);
  const std::string rows = nest.m_block == "1" ? m : fmt::format("ceil_div({}, {})", m, nest.m_block);
  std::vector<std::string> grid = {rows};
  if (nest.n_grouped) {
    grid = {fmt::format("ceil_div({}, {})", code.extent(code.view.n), nest.n_block), rows};
  }
  std::vector<std::string> behind = batch_extents(code);
  if (code.schedule.split) {
    behind.push_back(planned_parts(code));
  }
  if (!behind.empty()) {
    grid.resize(2, "1");
    grid.push_back(join(behind, " * "));
  }
  return grid;
}

ProgramBlock batch_indices(const ContractionCode& code)
{
  ProgramBlock block;
  std::vector<std::string> faster;
  const std::vector<kernel::IndexRange>& ranges = code.view.batch;
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    const bool slowest = range + 1 == ranges.rend() && !code.schedule.split;
    const std::string value = beyond(faster) + (slowest ? "" : " % " + code.extent(*range));
    block.insert(block.begin(), constant(code, code.variables.at(range->name), value));
    faster.insert(faster.begin(), code.extent(*range));
  }
  return block;
}

ProgramBlock part_of_group(const ContractionCode& code)
{
  const std::string part = code.local("part");
  const std::string count = code.local("part_count");
  const std::string k = code.extent(code.view.k);
  return {comment(fmt::format("This group's part of {}, and where its sums lie.", k)),
          constant(code, part, beyond(batch_extents(code))),
          constant(code, count, counted_parts(code)),
          constant(code, code.p_from, fmt::format("{} * {} / {}", k, part, count)),
          constant(code, code.p_to, fmt::format("{} * ({} + 1) / {}", k, part, count)),
          statement(fmt::format("{}* {} = {} + {} * ({});", code.sum_type, code.sums, code.parts, part,
                                output_elements(code)))};
}

std::string planned_parts(const ContractionCode& code)
{
  return fmt::format("min(SPLIT_K, {})", code.extent(code.view.k));
}

std::string counted_parts(const ContractionCode& code)
{
  return fmt::format("hone_min((int64_t)SPLIT_K, {})", code.extent(code.view.k));
}

std::string output_elements(const ContractionCode& code)
{
  std::vector<std::string> extents = batch_extents(code);
  extents.push_back(code.extent(code.view.m));
  extents.push_back(code.extent(code.view.n));
  return join(extents, " * ");
}

} // namespace hone::lower
