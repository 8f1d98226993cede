// hone new --from: a kernel folder made of a function in C or C++. (internal to the cli)
#pragma once

#include "cli/workbench.h"

#include <string>
#include <vector>

namespace hone::cli {

struct FromOptions {
  std::string file;
  std::string function;
  std::string name;
  std::string folder;
  std::vector<std::string> sizes;
  std::vector<std::string> shapes;
  std::vector<std::string> include_folders;
  std::vector<std::string> definitions;
};

// Writes the folder and puts the function through the gate against the kernel that was understood. What is not
// understood ends in questions: asked on a terminal, listed elsewhere.
Result<Exit> new_from(Context& context, const FromOptions& options);

// Makes the folder of a new kernel; an error where a kernel stands already.
Result<fs::path> new_kernel_folder(const std::string& wanted, const std::string& name);

} // namespace hone::cli
