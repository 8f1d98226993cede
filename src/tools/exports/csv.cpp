// ncu --csv --page raw (a row for each launch, a column for each metric, units in the second row), and rocprofv3's
// kernel traces and counters (a row for each launch, or for each launch and counter).
#include "tools/exports/exports.h"
#include "util/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace hone::tools {
namespace {

using Row = std::vector<std::string>;

// "1,234.5" too, as some locales write it.
std::optional<double> csv_number(const std::string& text)
{
  std::string digits = text;
  std::erase(digits, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? std::optional(value)
                                                                                         : std::nullopt;
}

class Columns {
public:
  explicit Columns(const Row& head)
  {
    for (std::size_t i = 0; i < head.size(); ++i) {
      m_positions.emplace(head[i], i);
    }
  }
  bool has(const std::string& name) const { return m_positions.contains(name); }
  std::string text(const Row& row, const std::string& name) const
  {
    const auto found = m_positions.find(name);
    return found == m_positions.end() || found->second >= row.size() ? "" : row[found->second];
  }
  double number(const Row& row, const std::string& name) const { return csv_number(text(row, name)).value_or(0); }

private:
  std::map<std::string, std::size_t> m_positions;
};

double nanoseconds_in(double value, const std::string& unit)
{
  return unit == "s" || unit == "second"     ? 1e9 * value
         : unit == "ms" || unit == "msecond" ? 1e6 * value
         : unit == "us" || unit == "usecond" ? 1e3 * value
                                             : value; // ns, nsecond
}

// Sums first, means at the end.
class Kernels {
public:
  ExportedKernel& of(const std::string& name)
  {
    const auto [found, is_new] = m_positions.emplace(name, m_list.size());
    if (is_new) {
      m_list.emplace_back().name = name;
    }
    return m_list[found->second];
  }
  void add(ExportedKernel& kernel, const std::string& metric, double value)
  {
    kernel.metrics[metric] += value;
    ++m_times[{kernel.name, metric}];
  }
  std::vector<ExportedKernel> finish()
  {
    for (ExportedKernel& kernel : m_list) {
      for (auto& [metric, sum] : kernel.metrics) {
        sum /= m_times[{kernel.name, metric}];
      }
    }
    return std::move(m_list);
  }

private:
  std::map<std::string, std::size_t> m_positions;
  std::vector<ExportedKernel> m_list;
  std::map<std::pair<std::string, std::string>, double> m_times;
};

std::vector<ExportedKernel> from_ncu(const std::vector<Row>& rows)
{
  const Columns columns(rows[0]);
  Kernels kernels;
  for (std::size_t r = 2; r < rows.size(); ++r) {
    ExportedKernel& kernel = kernels.of(columns.text(rows[r], "Kernel Name"));
    ++kernel.launches;
    kernel.grid = columns.text(rows[r], "Grid Size");
    kernel.block = columns.text(rows[r], "Block Size");
    kernel.registers = static_cast<std::int64_t>(columns.number(rows[r], "launch__registers_per_thread"));
    for (std::size_t c = 0; c < std::min(rows[r].size(), rows[0].size()); ++c) {
      const auto value = csv_number(rows[r][c]);
      if (!value || !rows[0][c].contains("__")) {
        continue;
      }
      const std::string unit = c < rows[1].size() ? rows[1][c] : "";
      kernel.units[rows[0][c]] = unit;
      kernels.add(kernel, rows[0][c], *value);
      if (rows[0][c] == "gpu__time_duration.sum") {
        kernel.nanoseconds += nanoseconds_in(*value, unit);
      }
    }
  }
  return kernels.finish();
}

std::vector<ExportedKernel> from_rocprof(const std::vector<Row>& rows)
{
  const Columns columns(rows[0]);
  Kernels kernels;
  std::set<std::string> seen; // launches: with counters there are several rows for each
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const Row& row = rows[r];
    ExportedKernel& kernel = kernels.of(columns.text(row, "Kernel_Name"));
    const std::string id = columns.text(row, columns.has("Dispatch_Id") ? "Dispatch_Id" : "Correlation_Id");
    if (seen.insert(id.empty() ? fmt::format("row {}", r) : id).second) {
      ++kernel.launches;
      kernel.nanoseconds += columns.number(row, "End_Timestamp") - columns.number(row, "Start_Timestamp");
    }
    const auto sizes = [&](const std::string& plain, const std::string& by_axis) {
      return columns.has(plain) ? columns.text(row, plain)
                                : fmt::format("{} x {} x {}", columns.text(row, by_axis + "_X"),
                                              columns.text(row, by_axis + "_Y"), columns.text(row, by_axis + "_Z"));
    };
    kernel.grid = sizes("Grid_Size", "Grid_Size");
    kernel.block = sizes("Workgroup_Size", "Workgroup_Size");
    kernel.registers = static_cast<std::int64_t>(columns.number(row, "VGPR_Count"));
    if (const std::string scratch = columns.text(row, "Scratch_Size"); !scratch.empty()) {
      kernels.add(kernel, "Scratch_Size", csv_number(scratch).value_or(0));
      kernel.units["Scratch_Size"] = "B per item";
    }
    if (columns.has("Counter_Name")) {
      kernels.add(kernel, columns.text(row, "Counter_Name"), columns.number(row, "Counter_Value"));
    }
  }
  return kernels.finish();
}

} // namespace

std::vector<std::vector<std::string>> parse_csv(std::string_view text)
{
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool quoted = false;
  const auto end_row = [&] {
    row.push_back(std::move(field));
    field.clear();
    if (!(row.size() == 1 && row[0].empty()) && !row[0].starts_with("==")) {
      rows.push_back(row);
    }
    row.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.push_back(std::move(field));
      field.clear();
    } else if (!quoted && c == '\n') {
      end_row();
    } else if (quoted || c != '\r') {
      field += c;
    }
  }
  if (!row.empty() || !field.empty()) {
    end_row();
  }
  return rows;
}

Result<std::vector<ExportedKernel>> kernels_from_csv(std::string_view text)
{
  const std::vector<Row> rows = parse_csv(text);
  if (rows.empty()) {
    return fail("the file holds no rows of CSV", "export it with `ncu --import FILE.ncu-rep --csv --page raw`");
  }
  const Columns columns(rows[0]);
  if (columns.has("Metric Name")) {
    return fail("this is the page of details, with a row for each metric", "export it with --page raw");
  }
  std::vector<ExportedKernel> kernels;
  if (columns.has("Kernel Name")) {
    kernels = from_ncu(rows);
  } else if (columns.has("Kernel_Name")) {
    kernels = from_rocprof(rows);
  } else {
    return fail("the first row has no column of kernels' names",
                "exports of `ncu --csv --page raw` and of `rocprofv3 --output-format csv` have one");
  }
  if (kernels.empty()) {
    return fail("the file names no kernel", "was a kernel launched while it was recorded?");
  }
  return kernels;
}

} // namespace hone::tools
