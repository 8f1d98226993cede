// What the policy `blaster` works with, as the settings say.
#pragma once

#include "app/climb_setup.h"
#include "policy/blaster_setting.h"

#include <memory>

namespace hone::app {

constexpr const char* k_no_knowledge = "none"; // --knowledge none: an empty base, which is not kept

// Kept alive while the policy runs: its base, and performance tools with a gate of their own.
class BlasterSetup {
public:
  virtual ~BlasterSetup() = default;
  virtual const policy::BlasterSetting& setting() const = 0;
};

// `context` and `climb` must outlive it.
Result<std::unique_ptr<BlasterSetup>> open_blaster(Context& context, Climb& climb);

} // namespace hone::app
