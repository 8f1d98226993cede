// hone device: what the device is and what it can reach at best.
#include "app/device.h"

#include "cli/command_line.h"

#include <fmt/format.h>

namespace hone::cli {

namespace {

void print_device(const Terminal& terminal, const backend::DeviceInfo& device, const gate::Ceilings& ceilings)
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
  HONE_TRY(const DeviceDescription description, describe_device(context, measure));
  print_device(context.terminal, description.device, description.ceilings);
  context.print_json(to_json(description));
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
  line.add_setting(command, "backend", "cpu, opencl, hlsl, cuda or hip");
}

} // namespace hone::cli
