// What a call does on the emulated device, counted by warps: sectors of global memory, turns of shared memory's banks,
// branches that part. Also where there is a GPU, which counts nothing of this without its vendor's tools. (internal to
// the room)
#pragma once

#include "backend/access_counter.h"
#include "backend/cuda/device_compiler.h"

#include <functional>

namespace hone::backend {

class DeviceCounter final : public AccessCounter {
public:
  explicit DeviceCounter(std::function<const DeviceTarget&()> target) : m_target(std::move(target)) {}

  std::string_view name() const override { return "the emulated device"; }
  std::string missing() const override;
  std::vector<CacheLevel> levels() const override;
  std::size_t most_accesses() const override { return 20'000'000; }
  Result<std::vector<CompileJob>> build_jobs(const BuildInput& input, const Module& timed) const override;
  Result<CompileJob> job(const InspectionInput& input, const std::vector<CacheLevel>& levels) const override;
  Result<AccessCounts> counts(const std::map<std::string, std::string>& outputs) const override;

private:
  std::function<const DeviceTarget&()> m_target;
};

// Bytes that an instruction of PTX moves for each item: "ld.shared.v4.f32" 16.
std::int64_t item_bytes(std::string_view opcode);
// What hone-device-counter wrote. An error: it is of another version.
Result<AccessCounts> device_counts_from(std::string_view text);

} // namespace hone::backend
