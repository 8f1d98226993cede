// Compiled candidates by content: in memory, on disk, and made in advance on a background thread. (internal to the
// gate)
#pragma once

#include "backend/backend.h"
#include "record/verdict.h"

#include <memory>
#include <string>

namespace hone::gate {

// How a build ended. A candidate's mistake is a build with a status, not an Error.
struct Build {
  record::Status status = record::Status::correct; // correct: `module` is there; else compile or rejected
  std::string reason;
  std::string log; // translated compiler messages
  backend::Module module;
};

struct BuildRequest {
  kernel::Candidate candidate;
  kernel::TuningPoint point;
  kernel::Sizes sizes;
  kernel::ResolvedPlan plan;
};

class BuildCache {
public:
  // `kernel` and `backend` outlive the cache. `folder`: where modules are kept between runs; empty: nowhere.
  // `timing_cpu`: builds in advance keep off it where there is another one.
  BuildCache(const kernel::Kernel& kernel, const backend::Backend& backend, std::string environment, fs::path folder,
             int timing_cpu);
  ~BuildCache(); // ends the background thread; a compile in flight is waited for (the jail bounds it)

  Result<std::shared_ptr<const Build>> get(const BuildRequest& request);
  // Queues a build; forgotten silently when the queue is full. Never blocks.
  void prebuild(BuildRequest request);

private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

// Compiled modules on disk. A file that was damaged or changed is no module.
std::string pack_module(const backend::Module& module, const std::string& key);
Result<backend::Module> unpack_module(std::string_view bytes, const std::string& key);

} // namespace hone::gate
