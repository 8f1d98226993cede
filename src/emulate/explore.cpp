// Orders beyond the one that ran.
#include "emulate/launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hone::emulate {

namespace {

using Bytes = std::vector<std::byte>;

struct State {
  GlobalMemory::Snapshot memory;
  std::vector<Bytes> globals; // of the program
};

State state_of(const LaunchRequest& request, const GlobalMemory& memory)
{
  State out{memory.snapshot(), {}};
  if (request.program != nullptr) {
    for (const Program::Global& global : request.program->globals()) {
      const auto* const begin = reinterpret_cast<const std::byte*>(global.begin);
      out.globals.emplace_back(begin, begin + global.bytes);
    }
  }
  return out;
}

void restore(const LaunchRequest& request, GlobalMemory& memory, const State& state)
{
  memory.restore(state.memory);
  for (std::size_t i = 0; i < state.globals.size(); ++i) {
    std::ranges::copy(state.globals[i], reinterpret_cast<std::byte*>(request.program->globals()[i].begin));
  }
}

bool is_same(const Finding& a, const Finding& b)
{
  return a.kind == b.kind && a.place.ptx_line == b.place.ptx_line && a.other.ptx_line == b.other.ptx_line;
}

} // namespace

LaunchResult explore(const LaunchRequest& request, GlobalMemory& memory, int runs)
{
  const State before = state_of(request, memory);
  LaunchResult out = launch(request, memory);
  const State behind = state_of(request, memory);
  for (int run = 1; run < runs && !request.stop.stop_requested(); ++run) {
    restore(request, memory, before);
    LaunchRequest other = request;
    other.seed = request.seed + static_cast<std::uint64_t>(run);
    other.delays = true;
    const LaunchResult result = launch(other, memory);
    out.finished = out.finished && result.finished;
    for (const Finding& finding : result.findings) {
      const bool known = std::ranges::any_of(out.findings, [&](const Finding& one) { return is_same(one, finding); });
      if (!known && out.findings.size() < request.most_findings) {
        out.findings.push_back(finding);
      }
    }
  }
  restore(request, memory, behind);
  return out;
}

} // namespace hone::emulate
