// A kernel folder from one expression.
#pragma once

#include "app/context.h"

#include <string>
#include <vector>

namespace hone::app {

struct NewKernelRequest {
  std::string expression;
  std::string name;               // empty: from the expression's target
  std::string folder;             // empty: ./NAME
  std::vector<std::string> types; // "A=f64" items; the rest is f32
  std::vector<std::string> sizes; // "m=1024,n=512" items; the rest gets defaults
};

struct NewKernelResult {
  std::string kernel, hash;
  fs::path folder, file;
  std::string toml;
};

Result<NewKernelResult> new_kernel(const NewKernelRequest& request);
Json to_json(const NewKernelResult& result);

// Makes the folder of a new kernel; an error where a kernel stands already.
Result<fs::path> new_kernel_folder(const std::string& wanted, const std::string& name);

} // namespace hone::app
