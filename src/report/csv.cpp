#include "report/csv.h"

#include "util/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone::report {

std::string csv_cell(std::string text)
{
  if (!text.empty() && std::string_view("=+-@\t\r").contains(text.front())) {
    text.insert(0, "'");
  }
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  return '"' + replace_all(std::move(text), "\"", "\"\"") + '"';
}

std::string csv_line(const std::vector<std::string>& cells)
{
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

} // namespace hone::report
