#include "gate/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace hone::gate {
namespace {

std::string ordinal(std::int64_t number)
{
  const std::int64_t tens = number % 100;
  const std::int64_t last = number % 10;
  if (tens >= 11 && tens <= 13) {
    return fmt::format("{}th", number);
  }
  return fmt::format("{}{}", number, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

// Which lines (rows or columns) hold something wrong: "" when all do, nothing sensible is left unsaid otherwise.
std::string describe_lines(const std::vector<std::int64_t>& lines, std::int64_t extent, const char* name)
{
  const auto count = static_cast<std::int64_t>(lines.size());
  if (count == extent) {
    return "";
  }
  if (count == 1) {
    const std::int64_t line = lines.front();
    return line == extent - 1 ? fmt::format("last {}", name) : fmt::format("{} {}", name, line);
  }
  const std::int64_t step = lines[1] - lines[0];
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (lines[i] - lines[i - 1] != step) {
      return fmt::format("{} of {} {}s", count, extent, name);
    }
  }
  if (step == 1) {
    return lines.back() == extent - 1 ? fmt::format("last {} {}s", count, name)
                                      : fmt::format("{}s {} to {}", name, lines.front(), lines.back());
  }
  return fmt::format("every {} {}", ordinal(step), name);
}

} // namespace

std::string multi_index(std::int64_t flat, std::span<const std::int64_t> shape)
{
  if (shape.empty()) {
    return "";
  }
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string describe_mismatch(std::span<const std::uint8_t> wrong, std::span<const std::int64_t> shape)
{
  const auto elements = static_cast<std::int64_t>(wrong.size());
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = elements / columns;
  std::vector<std::uint8_t> row_wrong(static_cast<std::size_t>(rows));
  std::vector<std::uint8_t> column_wrong(static_cast<std::size_t>(columns));
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    if (wrong[static_cast<std::size_t>(i)] != 0) {
      ++count;
      row_wrong[static_cast<std::size_t>(i / columns)] = 1;
      column_wrong[static_cast<std::size_t>(i % columns)] = 1;
    }
  }
  if (count == elements) {
    return count == 1 ? "every element (there is one element)" : "every element";
  }
  if (count == 1) {
    return "one element";
  }
  const auto positions = [](const std::vector<std::uint8_t>& marks) {
    std::vector<std::int64_t> where;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != 0) {
        where.push_back(static_cast<std::int64_t>(i));
      }
    }
    return where;
  };
  const std::vector<std::int64_t> bad_rows = positions(row_wrong);
  const std::vector<std::int64_t> bad_columns = positions(column_wrong);
  const auto block = static_cast<std::int64_t>(bad_rows.size() * bad_columns.size());
  // Right values may agree by chance inside a wrong block, but not often.
  if (count * 10 < block * 9) {
    return fmt::format("{} of {} elements", count, elements);
  }
  const std::string which_rows = describe_lines(bad_rows, rows, "row");
  const std::string which_columns = describe_lines(bad_columns, columns, "column");
  if (which_columns.empty()) {
    return which_rows.empty() ? fmt::format("{} of {} elements", count, elements) : which_rows;
  }
  return which_rows.empty() ? which_columns + " of every row" : which_columns + " in " + which_rows;
}

} // namespace hone::gate
