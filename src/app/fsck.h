// Everything that is stored for a kernel, looked through for damage; and mended as far as nothing is lost by it.
#pragma once

#include "app/context.h"
#include "util/finding.h"
#include "util/fs.h"

#include <string>
#include <vector>

namespace hone::app {

struct FsckResult {
  fs::path state; // folder of workflows
  std::vector<fs::path> workflows;
  std::vector<std::string> busy; // what another Hone is just writing, which was not looked at
  std::size_t cached_files = 0;
  Findings findings;

  std::size_t damaged() const; // findings of damage that were not mended
};

// `kernel`: folder, kernel.toml, or the name of a shipped kernel.
Result<FsckResult> fsck(const Context& context, const std::string& kernel, bool repair);
Json to_json(const FsckResult& result);

// The folder of a kernel's workflows, of a kernel that may be damaged, too.
Result<fs::path> state_of(const Context& context, const std::string& kernel);

} // namespace hone::app
