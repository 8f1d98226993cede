#include "tools/report.h"

#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::tools {
namespace {

constexpr std::size_t k_bytes_per_token = 3; // code and numbers take more tokens than prose does

std::string head_of(const Column& column)
{
  return column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit);
}

// Columns of text to the left, of numbers to the right, two blanks apart.
std::string table_text(const Table& table, std::size_t rows)
{
  std::vector<std::vector<std::string>> lines{{}};
  std::ranges::transform(table.columns, std::back_inserter(lines.front()), head_of);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::string>& line = lines.emplace_back();
    std::ranges::transform(table.rows[i], std::back_inserter(line), [](const Cell& cell) { return to_text(cell); });
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  std::string out = table.title + ":\n";
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool left = table.rows.empty() || std::holds_alternative<std::string>(table.rows.front()[i]);
      text += left ? fmt::format("  {:<{}}", line[i], widths[i]) : fmt::format("  {:>{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  if (rows < table.rows.size()) {
    out += fmt::format("  ({} more rows)\n", table.rows.size() - rows);
  }
  return out;
}

std::string text_with(const Report& report, const std::vector<std::size_t>& rows, bool notes)
{
  std::string out = fmt::format("{}: {}\n", report.tool, report.subject);
  for (const std::string& sentence : report.diagnosis) {
    out += "- " + sentence + "\n";
  }
  for (const Value& value : report.values) {
    out += fmt::format("{}: {}{}{}\n", value.name, to_text(value.value), value.unit.empty() ? "" : " ", value.unit);
  }
  for (std::size_t i = 0; i < report.tables.size(); ++i) {
    out += table_text(report.tables[i], rows[i]);
  }
  for (const std::string& note : notes ? report.notes : std::vector<std::string>()) {
    out += "note: " + note + "\n";
  }
  return out;
}

Json cell_json(const Cell& cell)
{
  return std::visit([](const auto& value) { return Json(value); }, cell);
}

Result<Cell> cell_from(const Json& json)
{
  if (json.is_string()) {
    return Cell(json.get<std::string>());
  }
  if (json.is_number_integer()) {
    return Cell(json.get<std::int64_t>());
  }
  if (json.is_number()) {
    return Cell(json.get<double>());
  }
  return fail("a cell is neither text nor a number");
}

} // namespace

std::string to_text(const Cell& cell)
{
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return *text;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return fmt::format("{}", *whole);
  }
  const double number = std::get<double>(cell);
  return std::abs(number) >= 1000 && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                             : fmt::format("{:.4g}", number);
}

std::size_t tokens_of(const std::string& text)
{
  return (text.size() + k_bytes_per_token - 1) / k_bytes_per_token;
}

std::string to_text(const Report& report, std::size_t most_tokens)
{
  const auto with_at_most = [&](std::size_t rows, bool notes) {
    std::vector<std::size_t> each;
    std::ranges::transform(report.tables, std::back_inserter(each),
                           [rows](const Table& table) { return std::min(rows, table.rows.size()); });
    return text_with(report, each, notes);
  };
  std::size_t fits = 0, too_many = 1; // rows of each table
  for (const Table& table : report.tables) {
    too_many = std::max(too_many, table.rows.size() + 1);
  }
  while (fits + 1 < too_many) {
    const std::size_t middle = (fits + too_many) / 2;
    (tokens_of(with_at_most(middle, true)) <= most_tokens ? fits : too_many) = middle;
  }
  std::string text = with_at_most(fits, true);
  return tokens_of(text) <= most_tokens ? text : with_at_most(0, false);
}

Json to_json(const Report& report)
{
  Json values = Json::array(), tables = Json::array(), measured = Json::array();
  for (const std::size_t i : report.measured) {
    measured.push_back(fmt::format("/diagnosis/{}", i));
  }
  for (std::size_t i = 0; i < report.values.size(); ++i) {
    if (report.values[i].measured) {
      measured.push_back(fmt::format("/values/{}", i));
    }
  }
  for (std::size_t t = 0; t < report.tables.size(); ++t) {
    for (std::size_t c = 0; c < report.tables[t].columns.size(); ++c) {
      if (report.tables[t].columns[c].measured) {
        measured.push_back(fmt::format("/tables/{}/columns/{}", t, c));
      }
    }
  }
  for (const Value& value : report.values) {
    values.push_back({{"name", value.name}, {"value", cell_json(value.value)}, {"unit", value.unit}});
  }
  for (const Table& table : report.tables) {
    Json columns = Json::array(), rows = Json::array();
    for (const Column& column : table.columns) {
      columns.push_back({{"name", column.name}, {"unit", column.unit}});
    }
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      std::ranges::transform(row, std::back_inserter(cells), cell_json);
      rows.push_back(std::move(cells));
    }
    tables.push_back({{"title", table.title}, {"columns", std::move(columns)}, {"rows", std::move(rows)}});
  }
  return {{"tool", report.tool},
          {"subject", report.subject},
          {"diagnosis", report.diagnosis},
          {"values", std::move(values)},
          {"tables", std::move(tables)},
          {"notes", report.notes},
          {"measured", std::move(measured)}};
}

Result<Report> report_from_json(const Json& json)
{
  try {
    Report report{json.at("tool"), json.at("subject"), json.at("diagnosis"), {}, {}, json.at("notes")};
    for (const Json& value : json.at("values")) {
      HONE_TRY(Cell cell, cell_from(value.at("value")));
      report.values.push_back({value.at("name"), std::move(cell), value.at("unit")});
    }
    for (const Json& one : json.at("tables")) {
      Table& table = report.tables.emplace_back();
      table.title = one.at("title");
      for (const Json& column : one.at("columns")) {
        table.columns.push_back({column.at("name"), column.at("unit")});
      }
      for (const Json& row : one.at("rows")) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (const Json& cell : row) {
          HONE_TRY(cells.emplace_back(), cell_from(cell));
        }
      }
    }
    for (const std::string pointer : json.value("measured", Json::array())) {
      const std::vector<std::string> words = split(pointer, '/'); // "", "diagnosis", "0"
      const std::size_t first = std::stoul(words.at(2));
      if (words[1] == "diagnosis") {
        report.measured.insert(first);
      } else if (words[1] == "values") {
        report.values.at(first).measured = true;
      } else {
        report.tables.at(first).columns.at(std::stoul(words.at(4))).measured = true;
      }
    }
    return report;
  } catch (const std::exception& error) { // of the JSON, or of what a pointer names
    return fail(fmt::format("this is no report of a tool: {}", error.what()));
  }
}

} // namespace hone::tools
