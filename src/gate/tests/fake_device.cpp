#include "fake_device.h"

#include "backend/runner/commands.h"
#include "backend/runner/fill.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>

namespace hone::gate::test {
namespace {

using namespace hone::backend::runner;

constexpr std::uint32_t k_ended = ~std::uint32_t{0}; // Reply::sequence of a runner that is gone

class FakeMemory : public DeviceMemory {
public:
  explicit FakeMemory(FakeDevice& device) : m_device(device) {}
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  ~FakeMemory() override { unmap(); }

  const char* make(std::uint32_t number, std::uint64_t band, std::uint64_t bytes, bool) override
  {
    m_used += 2 * band + bytes;
    if (m_device.fault == FakeFault::out_of_memory || m_used > m_device.memory_bytes) {
      return "the device cannot allocate that much memory";
    }
    m_blocks.resize(std::max<std::size_t>(m_blocks.size(), number + 1));
    m_blocks[number].assign(2 * band + bytes, std::byte{0xee});
    return nullptr;
  }
  const char* write(std::uint32_t block, std::uint64_t offset, const void* from, std::uint64_t bytes) override
  {
    std::memcpy(m_blocks[block].data() + offset, from, bytes);
    return nullptr;
  }
  const char* read(std::uint32_t block, std::uint64_t offset, void* to, std::uint64_t bytes) override
  {
    std::memcpy(to, m_blocks[block].data() + offset, bytes);
    return nullptr;
  }
  void release() override
  {
    m_blocks.clear();
    m_used = 0;
  }
  void* staging(std::uint64_t address) override
  {
    for (const View& view : m_views) {
      if (address >= view.address && address < view.address + view.length) {
        return view.data + (address - view.address);
      }
    }
    return nullptr;
  }

  std::vector<std::byte>& block(std::uint32_t number) { return m_blocks[number]; }

  // The staging area, at other addresses than a process would have it.
  void map(const JobView& job, const std::vector<int>& fds)
  {
    unmap();
    for (std::uint32_t i = 0; i < job.mappings(); ++i) {
      const Mapping& wanted = job.mapping(i);
      void* const data = mmap(nullptr, wanted.length, static_cast<int>(wanted.protection), MAP_SHARED, fds[wanted.fd],
                              static_cast<off_t>(wanted.file_offset));
      m_views.push_back({wanted.address, wanted.length, static_cast<std::byte*>(data)});
    }
  }

private:
  struct View {
    std::uint64_t address, length;
    std::byte* data;
  };

  void unmap()
  {
    for (const View& view : m_views) {
      munmap(view.data, view.length);
    }
    m_views.clear();
  }

  FakeDevice& m_device;
  std::uint64_t m_used = 0;
  std::vector<std::vector<std::byte>> m_blocks;
  std::vector<View> m_views;
};

class FakeRunner;
FakeRunner* g_running = nullptr; // platforms are plain functions

class FakeRunner : public backend::RunnerLink {
public:
  FakeRunner(FakeDevice& device, const backend::RunnerFiles& files)
    : m_device(device), m_files(files), m_job(files.job), m_memory(device), m_buffers(m_memory)
  {
    ++m_device.starts;
    m_platform.call = [](const JobView& job, std::uint32_t set, std::uint32_t) { return g_running->call(job, set); };
    m_platform.memory = [](const JobView& job, Reply& reply) { return g_running->execute_requests(job, reply); };
    m_platform.load = [](const JobView& job) { return g_running->load(job); };
    m_platform.cancellable = m_device.capabilities.cancels;
    m_platform.synchronise = [] { return g_running->synchronise(); };
    if (m_device.capabilities.clock == backend::DeviceClock::device_events) {
      m_platform.device_ns = [] { return g_running->device_ns(); };
    }
    if (m_device.capabilities.rebinds) {
      m_platform.unload = [] { return g_running->unload(); };
    }
    m_pending = true; // loading counts as a command
  }

  void wake() override
  {
    m_pending = true;
    const bool late = m_device.fault == FakeFault::late && is_due();
    m_answers_at = m_device.now + (late ? m_device.lateness : m_device.command_time);
  }

  void wait(std::uint32_t, Clock::duration patience) override
  {
    if (!m_pending || hangs() || m_answers_at > m_device.now + patience) {
      m_device.now += patience;
      return;
    }
    m_device.now = std::max(m_device.now, m_answers_at);
    m_pending = false;
    execute();
  }

  std::optional<backend::ProcessEnd> ended(std::chrono::milliseconds patience) override
  {
    if (!m_end) {
      m_device.now += patience;
    }
    return m_end;
  }

  backend::ProcessEnd kill() override
  {
    if (!m_end) {
      m_end = backend::ProcessEnd{false, 0, 9};
    }
    return *m_end;
  }

  Clock::time_point now() const override { return m_device.now; }
  double cpu_seconds() const override { return m_cpu_s; }
  double waited_seconds() const override { return 0; }
  pid_t pid() const override { return -1; }
  void stop(bool) const override {}

private:
  bool is_due() const
  {
    return m_job.head().command == Command::run_block && m_loaded && m_device.calls >= m_device.good_calls;
  }

  bool hangs() const
  {
    const bool cancelled = m_job.head().cancelled_sequence == m_job.head().command_sequence;
    return is_due()
           && (m_device.fault == FakeFault::hangs || (m_device.fault == FakeFault::hangs_in_call && !cancelled));
  }

  void execute()
  {
    g_running = this;
    if (!m_loaded) {
      m_memory.map(m_job, m_files.mapping_fds);
      m_loaded = true;
      if (const char* failure = load(m_job)) {
        refuse(failure, RefusalKind::compile);
        return;
      }
      m_files.reply->state = State::ready;
    } else {
      const CommandOutcome outcome = execute_command(m_platform, m_job, *m_files.reply, [](const JobView& job) {
        ++g_running->m_device.rebinds;
        g_running->m_memory.map(job, g_running->m_files.mapping_fds);
        return static_cast<const char*>(nullptr);
      });
      if (outcome.failure != nullptr) {
        refuse(outcome.failure, outcome.kind);
        return;
      }
    }
    if (!m_end) {
      m_files.reply->sequence = m_job.head().command_sequence;
    }
  }

  void refuse(std::string_view text, RefusalKind kind)
  {
    text.copy(m_files.reply->text, k_reply_text_bytes);
    m_files.reply->text_bytes = static_cast<std::uint32_t>(text.size());
    m_files.reply->refusal = kind;
    m_files.reply->state = State::refused;
    m_files.reply->sequence = k_ended;
    m_end = backend::ProcessEnd{true, k_exit_refused, 0};
  }

  const char* load(const JobView& job)
  {
    for (std::uint32_t i = 0; i < job.launches(); ++i) {
      if (!m_device.kernels.contains(job.kernel_name(job.launch(i)))) {
        return "there is no such kernel";
      }
    }
    return job.head().own_memory != 0 ? m_buffers.make(job) : "this device shares no memory";
  }

  const char* unload()
  {
    m_buffers.release();
    return nullptr;
  }

  const char* execute_requests(const JobView& job, Reply& reply)
  {
    for (std::uint32_t i = 0; i < job.head().memory_request_count; ++i) {
      ++m_device.requests[job.memory_requests()[i].operation];
    }
    return m_buffers.execute(job, reply);
  }

  const char* call(const JobView& job, std::uint32_t set)
  {
    const bool faulty = m_device.calls++ >= m_device.good_calls;
    if (m_device.during_call) {
      m_device.during_call();
    }
    if (faulty && m_device.fault == FakeFault::lost) {
      return "the device was lost";
    }
    if (faulty && m_device.fault == FakeFault::dies) {
      m_end = backend::ProcessEnd{false, 0, 11};
      return nullptr;
    }
    m_left.emplace_back(set, faulty);
    return m_device.asynchronous ? nullptr : finish(job);
  }

  const char* finish(const JobView& job)
  {
    for (const auto& [set, faulty] : m_left) {
      m_device.now += m_device.call_time;
      m_cpu_s += 1e-9 * static_cast<double>(m_device.call_time.count());
      m_block_ns += static_cast<std::uint64_t>(m_device.call_time.count());
      run_launches(job, set);
      if (faulty) {
        do_damage(job, set);
      }
    }
    m_left.clear();
    return nullptr;
  }

  const char* synchronise()
  {
    ++m_device.synchronisations;
    return finish(m_job);
  }

  std::uint64_t device_ns()
  {
    const std::uint64_t ns = m_block_ns;
    m_block_ns = 0;
    return m_device.fault == FakeFault::lying_clock ? 1000 * (ns + 1) : ns;
  }

  std::span<std::byte> bytes_of(const JobView& job, std::uint32_t set, std::uint32_t buffer)
  {
    const std::uint32_t block = m_buffers.block_of(set, buffer);
    return block == DeviceBuffers::k_none
             ? std::span<std::byte>()
             : std::span(m_memory.block(block)).subspan(job.head().guard_bytes, job.buffer(set, buffer).bytes);
  }

  void run_launches(const JobView& job, std::uint32_t set)
  {
    for (std::uint32_t l = 0; l < job.launches(); ++l) {
      const Launch& launch = job.launch(l);
      for (std::uint32_t i = 0; i < launch.fill_count; ++i) {
        const Fill& fill = job.fill(launch.first_fill + i);
        fill_elements(bytes_of(job, set, fill.buffer).data(), fill, 0, fill.elements);
      }
      FakeGroup group;
      std::ranges::copy(launch.grid, group.count);
      for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
        const ArgumentSpec& spec = job.arguments(launch)[i];
        const bool buffer = spec.kind == ArgumentKind::buffer;
        group.buffers.push_back(buffer ? bytes_of(job, set, spec.buffer) : std::span<std::byte>());
        group.integers.push_back(buffer ? 0 : static_cast<std::int64_t>(job.values(launch, set)[i]));
      }
      const FakeKernel& kernel = m_device.kernels.at(job.kernel_name(launch));
      for (group.id[2] = 0; group.id[2] < launch.grid[2]; ++group.id[2]) {
        for (group.id[1] = 0; group.id[1] < launch.grid[1]; ++group.id[1]) {
          for (group.id[0] = 0; group.id[0] < launch.grid[0]; ++group.id[0]) {
            kernel(group);
          }
        }
      }
    }
  }

  void do_damage(const JobView& job, std::uint32_t set)
  {
    for (std::uint32_t i = 0; i < job.buffers(); ++i) {
      const Buffer& buffer = job.buffer(set, i);
      const std::uint32_t block = m_buffers.block_of(set, i);
      if (block == DeviceBuffers::k_none) {
        continue;
      }
      if (m_device.fault == FakeFault::corrupt_guard && buffer.writable != 0) {
        m_memory.block(block)[job.head().guard_bytes + buffer.bytes] ^= std::byte{1};
        return;
      }
      if (m_device.fault == FakeFault::writes_input && buffer.writable == 0) {
        bytes_of(job, set, i)[0] ^= std::byte{1};
        return;
      }
    }
  }

  FakeDevice& m_device;
  backend::RunnerFiles m_files;
  JobView m_job;
  FakeMemory m_memory;
  DeviceBuffers m_buffers;
  Platform m_platform;
  bool m_pending = false, m_loaded = false;
  Clock::time_point m_answers_at{};
  std::uint64_t m_block_ns = 0;
  double m_cpu_s = 0;
  std::vector<std::pair<std::uint32_t, bool>> m_left; // sets of calls that are not done yet; whether they do damage
  std::optional<backend::ProcessEnd> m_end;
};

} // namespace

FakeDevice::FakeDevice()
{
  capabilities.shared_memory = false;
  capabilities.guard_pages = false;
  capabilities.host_ceilings = false;
  capabilities.rebinds = true;
  capabilities.cancels = true;
  capabilities.clock = backend::DeviceClock::device_events;
}

std::expected<backend::Module, backend::LoadFailure>
FakeDeviceBackend::load(const backend::BuildInput& input, const std::map<std::string, std::string>&) const
{
  return fake_module(input.plan);
}

std::unique_ptr<backend::RunnerLink> FakeDeviceBackend::start_runner(const backend::RunnerFiles& files) const
{
  return std::make_unique<FakeRunner>(m_device, files);
}

backend::Module fake_module(const kernel::ResolvedPlan& plan)
{
  backend::Module module;
  for (const kernel::ResolvedLaunch& launch : plan.launches) {
    module.entry_names.push_back(launch.kernel);
  }
  module.hash = "fake";
  return module;
}

} // namespace hone::gate::test
