// hone device: what the device is and what it can reach at best.
#include "cli/workbench.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

Json device_json(const DeviceInfo& device, const Ceilings& ceilings)
{
  Json facts = Json::object();
  for (const auto& [name, value] : device.facts) {
    facts[name] = value;
  }
  return {{"backend", device.backend},
          {"name", device.name},
          {"fingerprint", device.fingerprint},
          {"facts", facts},
          {"ceilings", to_json(ceilings)}};
}

void print_device(const Terminal& terminal, const DeviceInfo& device, const Ceilings& ceilings)
{
  terminal.out(terminal.paint(Tone::strong, device.name));
  std::vector<std::vector<std::string>> rows{{"  fingerprint", device.fingerprint.substr(0, 16)}};
  for (const auto& [name, value] : device.facts) {
    rows.push_back({"  " + name, value});
  }
  terminal.out(aligned_table(rows));
  rows = {{"  arithmetic", "GFLOP/s, one thread"}};
  for (const auto& [name, rate] : ceilings.gflops) {
    rows.push_back({"    " + name, fmt::format("{:.1f}", rate)});
  }
  rows.push_back({"  reading", "GB/s, one thread"});
  for (const auto& [name, rate] : ceilings.gbytes) {
    rows.push_back({"    " + name, fmt::format("{:.1f}", rate)});
  }
  terminal.out(aligned_table(rows));
}

Result<Exit> describe(Context& context, bool measure)
{
  HONE_TRY(const Backend* backend, find_backend(context.settings.text("backend")));
  HONE_TRY(const DeviceInfo device, backend->probe());
  const fs::path file = ceilings_file(backend->name());
  std::error_code ignored;
  Ceilings ceilings;
  if (!measure && fs::exists(file, ignored)) {
    HONE_TRY(ceilings, load_ceilings(file, device.fingerprint));
  } else {
    context.terminal.status("measuring ceilings ...");
    HONE_TRY(ceilings, measure_ceilings(*backend));
    HONE_CHECK(save_ceilings(ceilings, file));
  }
  context.terminal.clear_status();
  print_device(context.terminal, device, ceilings);
  context.print_json(device_json(device, ceilings));
  return Exit::ok;
}

} // namespace

void add_device(CommandLine& line)
{
  auto measure = std::make_shared<bool>(false);
  CLI::App* command = line.add("device", "Show a device and its measured ceilings",
                               {"hone device", "hone device --backend opencl --measure"},
                               [measure](Context& context) { return describe(context, *measure); });
  command->add_flag("--measure", *measure, "measure the ceilings anew");
  line.add_setting(command, "backend", "cpu or opencl");
}

} // namespace hone::cli
