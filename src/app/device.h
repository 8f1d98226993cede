// What a device is, and what it can reach at best.
#pragma once

#include "app/context.h"
#include "gate/gate.h"

namespace hone::app {

struct DeviceDescription {
  backend::DeviceInfo device;
  gate::Ceilings ceilings;
};

// Of the settings' backend. Ceilings are measured where none are kept, or where it is asked for.
Result<DeviceDescription> describe_device(const Context& context, bool measure);
Json to_json(const DeviceDescription& description);

} // namespace hone::app
