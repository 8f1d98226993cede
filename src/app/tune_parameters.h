// A search of the tuning parameters of one checkpoint.
#pragma once

#include "app/workbench.h"

#include <string>

namespace hone::app {

struct TuneRequest {
  KernelRequest kernel;
  std::string checkpoint = "best";
  std::size_t points = 30; // to try at most
  std::string cache;       // file that all trials of the checkpoint are written to
};

struct TuneResult {
  store::Checkpoint from, best;
  std::size_t exported = 0; // points that were written to the cache file
  bool improved() const { return best.id != from.id; }
};

Result<TuneResult> tune_parameters(Context& context, const TuneRequest& request);
Json to_json(const TuneResult& result);

} // namespace hone::app
