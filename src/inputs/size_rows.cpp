#include "inputs/size_rows.h"

#include "inputs/size_draw.h"
#include "util/did_you_mean.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hone::inputs {

std::span<const SizeRow> size_table()
{
  static const std::vector<SizeRow> k_table = [] {
    std::vector<SizeRow> all;
    for (const auto rows : {near_size_rows(), far_size_rows(), joint_size_rows(), block_size_rows(), strata_size_rows(),
                            corner_size_rows(), literal_size_rows()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return k_table;
}

Result<const SizeRow*> size_row_named(const std::string& name)
{
  const auto found = std::ranges::find(size_table(), name, &SizeRow::name);
  if (found != size_table().end()) {
    return &*found;
  }
  std::vector<std::string> names;
  std::ranges::transform(size_table(), std::back_inserter(names),
                         [](const SizeRow& row) { return std::string(row.name); });
  return fail(fmt::format("there are no sizes '{}'", name), did_you_mean(name, names, "`hone inputs` lists all rows"));
}

Result<void> draw_group(SizeGroup group, SizeDraw& draw, const SizeRow* forced)
{
  for (const SizeRow& row : size_table()) {
    if (row.group == group && is_wanted(row, forced)) {
      HONE_CHECK(row.generator(draw));
    }
  }
  return {};
}

} // namespace hone::inputs
