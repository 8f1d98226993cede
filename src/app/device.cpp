#include "app/device.h"

namespace hone::app {

Result<DeviceDescription> describe_device(const Context& context, bool measure)
{
  HONE_TRY(const backend::Backend* backend, backend::find_backend(context.settings.text("backend")));
  DeviceDescription description;
  HONE_TRY(description.device, backend->probe());
  const fs::path file = gate::ceilings_file(backend->name());
  std::error_code ignored;
  if (!measure && fs::exists(file, ignored)) {
    HONE_TRY(description.ceilings, gate::load_ceilings(file, description.device.fingerprint));
  } else {
    context.observer->status("measuring ceilings ...");
    HONE_TRY(description.ceilings, gate::measure_ceilings(*backend));
    HONE_CHECK(gate::save_ceilings(description.ceilings, file));
  }
  context.observer->clear_status();
  return description;
}

Json to_json(const DeviceDescription& described)
{
  Json facts = Json::object();
  for (const auto& [name, value] : described.device.facts) {
    facts[name] = value;
  }
  return {{"backend", described.device.backend},
          {"name", described.device.name},
          {"fingerprint", described.device.fingerprint},
          {"facts", facts},
          {"ceilings", gate::to_json(described.ceilings)}};
}

} // namespace hone::app
