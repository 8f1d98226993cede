// What profilers of GPU vendors export, read as a report: ncu's and rocprofv3's CSV, and the SQLite files of nsys and
// rocprofv3 (rocpd). (internal)
#pragma once

#include "tools/report.h"
#include "util/fs.h"
#include "util/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hone::tools {

// A launch, or launches of one kernel together, as far as the file tells; zeros and empty where not.
struct ExportedKernel {
  std::string name;
  std::int64_t launches = 0;
  double nanoseconds = 0; // in all
  std::string grid, block;
  std::int64_t registers = 0;
  std::map<std::string, double> metrics; // as the profiler calls them, the mean over the launches
  std::map<std::string, std::string> units;
};

// Rows of fields; quotes as in RFC 4180. Lines that begin with "==" are messages of ncu and are left out.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

// By the first row. An error: neither format, or no kernel.
Result<std::vector<ExportedKernel>> kernels_from_csv(std::string_view text);
Result<std::vector<ExportedKernel>> kernels_from_sqlite(const fs::path& file);

// The diagnosis of what a profiler measured: which kernel takes the time, and what bounds it.
Report report_of(const std::string& file, std::vector<ExportedKernel> kernels);

} // namespace hone::tools
