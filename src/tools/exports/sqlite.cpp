// SQLite files: those of `nsys export --type sqlite`, and rocprofv3's own (rocpd).
#include "tools/exports/exports.h"

#include <fmt/format.h>

#include <memory>
#include <sqlite3.h>

namespace hone::tools {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

// Columns: name, launches, nanoseconds, registers, then the extents of grid and block.
constexpr const char* k_nsys = R"(
  SELECT s.value, count(*), sum(k.end - k.start), max(k.registersPerThread), max(k.gridX), max(k.gridY), max(k.gridZ),
         max(k.blockX), max(k.blockY), max(k.blockZ)
  FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName GROUP BY s.value ORDER BY 3 DESC, 1)";
constexpr const char* k_rocpd = R"(
  SELECT name, count(*), sum(end - start), 0, max(grid_x), max(grid_y), max(grid_z), max(workgroup_x),
         max(workgroup_y), max(workgroup_z)
  FROM kernels GROUP BY name ORDER BY 3 DESC, 1)";

std::string text_at(sqlite3_stmt* statement, int column)
{
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? "" : text;
}

std::string extents_at(sqlite3_stmt* statement, int first)
{
  return fmt::format("{} x {} x {}", sqlite3_column_int64(statement, first), sqlite3_column_int64(statement, first + 1),
                     sqlite3_column_int64(statement, first + 2));
}

} // namespace

Result<std::vector<ExportedKernel>> kernels_from_sqlite(const fs::path& file)
{
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const Database database(opened);
  if (code != SQLITE_OK) {
    return fail(fmt::format("the database cannot be opened: {}", sqlite3_errstr(code)), "", Place{file.string(), 0, 0});
  }
  for (const char* query : {k_nsys, k_rocpd}) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database.get(), query, -1, &prepared, nullptr) != SQLITE_OK) {
      continue; // not these tables
    }
    const Statement statement(prepared);
    std::vector<ExportedKernel> kernels;
    while (sqlite3_step(statement.get()) == SQLITE_ROW) {
      ExportedKernel& kernel = kernels.emplace_back();
      kernel.name = text_at(statement.get(), 0);
      kernel.launches = sqlite3_column_int64(statement.get(), 1);
      kernel.nanoseconds = sqlite3_column_double(statement.get(), 2);
      kernel.registers = sqlite3_column_int64(statement.get(), 3);
      kernel.grid = extents_at(statement.get(), 4);
      kernel.block = extents_at(statement.get(), 7);
    }
    if (kernels.empty()) {
      return fail("the file names no kernel", "was a kernel launched while it was recorded?",
                  Place{file.string(), 0, 0});
    }
    return kernels;
  }
  return fail("the database has neither the kernels of nsys nor those of rocprofv3",
              "make it with `nsys export --type sqlite` or with rocprofv3", Place{file.string(), 0, 0});
}

} // namespace hone::tools
