// The path to a checkpoint as one file, with the kernel and what a model answered on the way.
#pragma once

#include "app/workbench.h"

#include <string>
#include <vector>

namespace hone::app {

struct ExportRequest {
  KernelRequest kernel;
  std::string checkpoint = "best";
  std::string out;    // the file; empty: KERNEL-BACKEND.hone
  bool force = false; // write over a file that is there
};

struct ExportResult {
  fs::path file;
  std::string kernel, backend;
  std::vector<std::string> checkpoints; // ids
  std::size_t answers = 0;              // of a model
  std::size_t bytes = 0;
};

Result<ExportResult> export_path(Context& context, const ExportRequest& request);
Json to_json(const ExportResult& result);

} // namespace hone::app
