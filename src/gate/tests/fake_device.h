// A device that lives in the test's memory: nothing is shared with the parent, it has a clock of its own, its kernels
// are functions, and it can be told to fail. It speaks the real contract through the real command code; only what lies
// beyond RunnerLink is pretended. Its time is pretended, too, so that a hang costs a test nothing.
#pragma once

#include "backend/backend.h"
#include "backend/runner/device_buffers.h"
#include "backend/runner_link.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace hone::gate::test {

// One work-group's view of a launch.
struct FakeGroup {
  std::int64_t id[3] = {}, count[3] = {};
  std::vector<std::span<std::byte>> buffers; // by argument; empty for integers
  std::vector<std::int64_t> integers;        // by argument

  template <class T> T* at(std::size_t argument) const { return reinterpret_cast<T*>(buffers[argument].data()); }
};
using FakeKernel = std::function<void(const FakeGroup&)>;

enum class FakeFault {
  none,
  lost,          // a call fails: the device is gone
  dies,          // the runner is gone without a word
  late,          // answers after `lateness`
  hangs,         // never answers, whatever happens
  hangs_in_call, // never ends a call, but looks whether it was cancelled before each
  out_of_memory, // no buffer can be made
  lying_clock,   // reports more time than has passed
  corrupt_guard, // a call writes behind its last buffer
  writes_input,  // a call writes to its first input
};

// What all runners of a test share.
struct FakeDevice {
  FakeDevice();

  backend::Capabilities capabilities;
  std::map<std::string, FakeKernel> kernels;
  FakeFault fault = FakeFault::none;
  int good_calls = 0;        // before the fault shows
  bool asynchronous = false; // calls only begin what is done while somebody waits for the device
  std::chrono::nanoseconds call_time{std::chrono::milliseconds(1)}, command_time{std::chrono::microseconds(10)},
    lateness{std::chrono::milliseconds(50)};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::function<void()> during_call; // what else happens meanwhile

  // What was seen.
  int starts = 0, rebinds = 0, calls = 0, synchronisations = 0;
  std::map<backend::runner::MemoryOperation, int> requests;
  backend::RunnerLink::Clock::time_point now{};
};

class FakeDeviceBackend : public backend::Backend {
public:
  explicit FakeDeviceBackend(FakeDevice& device) : m_device(device) {}

  std::string_view name() const override { return "fake"; }
  record::Tier tier() const override { return record::Tier::a; }
  std::string_view lock_profile() const override { return "pretended"; }
  Result<backend::DeviceInfo> probe() const override
  {
    return backend::DeviceInfo{"fake", "a pretended device", "fake", {}, {}};
  }
  lower::Dialect dialect() const override { return {}; }
  Result<backend::CompileJob> compile_job(const backend::BuildInput&) const override { return backend::CompileJob(); }
  std::expected<backend::Module, backend::LoadFailure> load(const backend::BuildInput& input,
                                                            const std::map<std::string, std::string>&) const override;
  std::string translate_log(std::string_view log) const override { return std::string(log); }
  std::string_view runner_program() const override { return "a pretended runner"; }
  backend::Capabilities capabilities() const override { return m_device.capabilities; }
  std::unique_ptr<backend::RunnerLink> start_runner(const backend::RunnerFiles& files) const override;

private:
  FakeDevice& m_device;
};

// Of a plan, for kernels of these names.
backend::Module fake_module(const kernel::ResolvedPlan& plan);

} // namespace hone::gate::test
