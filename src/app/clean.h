// What takes up room on the disk and may go: the cache, leftovers of killed processes, and, where a kernel is named,
// its workflows.
#pragma once

#include "app/context.h"
#include "util/fs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hone::app {

struct CleanRequest {
  std::string kernel;  // empty: no workflow is touched
  bool remove = false; // or only say what would be
};

struct Removable {
  fs::path path;
  std::string what; // "compiled references and modules: made again when they are needed"
  std::uintmax_t bytes = 0;
  bool removed = false;
  std::string kept; // why it stays; empty: nothing is against it
};

struct CleanResult {
  std::vector<Removable> items;

  std::uintmax_t bytes() const; // of what may go, or went
};

Result<CleanResult> clean(const Context& context, const CleanRequest& request);
Json to_json(const CleanResult& result);

} // namespace hone::app
