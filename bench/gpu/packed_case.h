// What gpu_pack writes down of a candidate for gpu_bench: its launches as text, and the values that it must give.
#pragma once

#include "backend/cuda/device_compiler.h"
#include "kernel/kernel.h"
#include "matrix_sequences.h"

#include <string>
#include <vector>

namespace hone::gpu_pack {

struct Subject {
  kernel::Kernel kernel;
  const Product* product = nullptr; // null: expected values come from the reference
  bool timed = false;
  std::vector<kernel::Sizes> sizes; // to check
};

struct Build {
  const Subject* subject = nullptr;
  Steps steps;
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  bool checked = false, timed = false;
  std::string name;
  // What compiling it left.
  std::string ptx, cubin, log, trouble;
  backend::KernelResources resources;
  std::string counts; // lines
};

// The lines of one case, as launch_lists.h reads them. `purpose`: "check", "time".
Result<std::string> case_text(const Build& build, const char* purpose, const kernel::Sizes& sizes,
                              const kernel::PlanScope& facts);

// A file KERNEL-SIZES.bin for each of the subject's sizes: values and bounds of each output, f64.
Result<void> write_expected(const Subject& subject, const fs::path& folder, const fs::path& cache);

} // namespace hone::gpu_pack
