// Files of the GPU vendors' profilers as reports.
#pragma once

#include "tools/report.h"
#include "util/fs.h"
#include "util/result.h"

#include <stop_token>

namespace hone::tools {

// CSV of `ncu --csv --page raw` and of rocprofv3, SQLite of nsys and rocprofv3. A report of ncu (.ncu-rep) is handed to
// NVIDIA's tool, where it is installed. The error says how to export what cannot be read.
Result<Report> import_profile(const fs::path& file, std::stop_token stop);

} // namespace hone::tools
