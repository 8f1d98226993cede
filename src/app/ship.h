// A checkpoint's candidate as a folder that stands alone.
#pragma once

#include "app/workbench.h"

#include <string>
#include <vector>

namespace hone::app {

struct ShipRequest {
  KernelRequest kernel;
  std::string as = "c";            // or "cpp"
  std::string checkpoint = "best"; // or "naive", or a candidate folder
  std::string folder;              // empty: NAME-c or NAME-cpp
};

struct ShipResult {
  fs::path folder;
  std::string function; // its name
  std::string language;
  std::string origin; // where the code comes from, in a sentence
  kernel::Sizes sizes;
  kernel::TuningPoint point;
  std::vector<std::string> files;
  std::string busy; // that its times were measured on a busy machine; empty: they were not
};

Result<ShipResult> ship_checkpoint(Context& context, const ShipRequest& request);
Json to_json(const ShipResult& result);

} // namespace hone::app
