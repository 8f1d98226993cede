// What CUDA and HIP share: compiled by clang 19 in the jail, run through the vendor's driver where there is a GPU, else
// through the emulated one. (internal to the room)
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device_compiler.h"
#include "backend/cuda/device_counter.h"
#include "backend/listing.h"
#include "backend/probe_facts.h"

#include <mutex>
#include <string_view>

namespace hone::backend {

struct GpuPlatform {
  std::string_view name, kind, runner; // "cuda", "CUDA", "hone-runner-cuda"
  lower::Dialect (*dialect)();
  // What candidates are compiled for: `capability` as the runner says it.
  std::string_view (*arch)(std::string_view capability, bool emulated);
};

class GpuBackend : public Backend {
public:
  explicit GpuBackend(const GpuPlatform& platform)
    : m_platform(platform), m_counter([this]() -> const DeviceTarget& { return *found().target; })
  {
  }

  std::string_view name() const override { return m_platform.name; }
  record::Tier tier() const override { return record::Tier::b; }
  std::string_view lock_profile() const override;
  Result<DeviceInfo> probe() const override;
  lower::Dialect dialect() const override { return m_platform.dialect(); }
  Result<CompileJob> compile_job(const BuildInput& input) const override;
  std::expected<Module, LoadFailure> load(const BuildInput& input,
                                          const std::map<std::string, std::string>& outputs) const override;
  Result<ListingJob> listing_job(const BuildInput& input) const override;
  std::vector<CodeResources> resources(const BuildInput& input, std::string_view log) const override;
  std::string translate_log(std::string_view log) const override;
  Capabilities capabilities() const override;
  const AccessCounter* access_counter() const override { return &m_counter; }
  std::string_view runner_program() const override { return m_platform.runner; }

private:
  struct Found {
    bool emulated = true;
    const DeviceTarget* target = nullptr;
  };

  Result<ProbeFacts> ask() const;
  const Found& found() const; // asked once

  GpuPlatform m_platform;
  DeviceCounter m_counter;
  mutable std::once_flag m_asked;
  mutable Found m_found;
};

} // namespace hone::backend
