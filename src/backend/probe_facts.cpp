#include "backend/probe_facts.h"

#include "util/util.h"

#include <fmt/format.h>

#include <charconv>

namespace hone::backend {

Result<ProbeFacts> ask_runner(std::string_view runner, std::string_view kind, std::string_view hint)
{
  ProcessRequest request;
  request.argv = {(libexec_folder() / runner).string(), "--probe"};
  request.deadline = std::chrono::seconds(30);
  HONE_TRY(const ProcessOutcome outcome, run_process(request));
  ProbeFacts facts;
  for (const std::string& line : split(outcome.out, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) {
      facts[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }
  if (!outcome.ok() || !facts.contains("device")) {
    const std::string why = facts.contains("error") ? facts["error"]
                            : outcome.timed_out     ? "the driver did not answer in time"
                                                    : "the driver ended the process that asked for its devices";
    return fail(fmt::format("no {} device: {}", kind, why), std::string(hint));
  }
  return facts;
}

DeviceInfo device_from(const ProbeFacts& facts, std::string_view backend)
{
  DeviceInfo device;
  device.backend = backend;
  device.name = facts.at("device");
  device.facts = facts;
  std::string identity;
  for (const auto& [name, value] : device.facts) {
    identity += fmt::format("{}\t{}\n", name, value);
  }
  device.fingerprint = sha256(std::string_view(identity));
  device.plan_facts["device.shared_per_block"] = number_in(facts, "local memory");
  device.plan_facts["device.max_block"] = number_in(facts, "largest work-group");
  device.plan_facts["device.subgroup"] = number_in(facts, "sub-group");
  device.plan_facts["device.vector_bytes"] = 16;
  for (const char* level : {"device.l1", "device.l2", "device.l3"}) {
    device.plan_facts[level] = 0;
  }
  return device;
}

Capabilities device_capabilities()
{
  Capabilities can;
  can.shared_memory = false;
  can.guard_pages = false;
  can.host_ceilings = false;
  can.rebinds = true;
  can.cancels = true;
  return can;
}

std::int64_t number_in(const ProbeFacts& facts, const std::string& name)
{
  const auto found = facts.find(name);
  std::int64_t value = 0;
  if (found != facts.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  }
  return value;
}

} // namespace hone::backend
